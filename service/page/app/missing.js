// An address where nothing is, or no table.
import { Frame } from "./frame.js";
import { html } from "./html.js";
import { follow } from "./router.js";
import { Die } from "../table/pieces.js";
import { say } from "./words.js";

export const Missing = ({ table = false }) => html`<${Frame}><section class="panel missing"><span class="dice" aria-hidden="true"><${Die} face=${4} owner="seat-4" /><${Die} owner="neutral" /><${Die} face=${4} owner="seat-4" /></span><h1>${say(table ? "missing.table" : "missing.title")}</h1><p role="alert">${say(table ? "missing.tabletext" : "missing.text")}</p><p class="then"><a class="button primary" href="/" onClick=${follow}>${say("error.home")}</a></p></section></${Frame}>`;
