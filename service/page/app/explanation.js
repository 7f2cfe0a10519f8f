// The game in five sentences, each with its picture.
import { html } from "./html.js";
import { say } from "./words.js";
import { SCENES } from "../door/pictures.js";

const PICTURES = ["dice", "turn", "casinos", "payout", "end"].map((name) => SCENES[name]);

export const Explanation = () => html`<ol class="explanation">${PICTURES.map((picture, at) => html`<li key=${at}><span class="picture" aria-hidden="true">${picture()}</span><span>${say(`explain.${at + 1}`)}</span></li>`)}</ol>`;
