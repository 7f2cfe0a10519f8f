// An address where nothing is.
import { Frame } from "./frame.js";
import { html } from "./html.js";
import { follow } from "./router.js";
import { say } from "./words.js";

export const Missing = () => html`<${Frame}><section class="panel missing"><h1>${say("missing.title")}</h1><p>${say("missing.text")}</p><p class="then"><a class="button primary" href="/" onClick=${follow}>${say("error.home")}</a></p></section></${Frame}>`;
