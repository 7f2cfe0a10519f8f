// The game in five sentences, each with its picture.
import { html } from "./html.js";
import { say } from "./words.js";
import { Die, Note, NumberDie } from "../table/pieces.js";

const many = (faces, owner) => faces.map((face, at) => html`<${Die} key=${at} face=${face} owner=${owner} />`);
const PICTURES = [
  () => html`<span class="dice">${many([1, 3, 3, 3, 5, 6], "seat-0")}</span>`,
  () => html`<span class="dice picked">${many([3, 3, 3], "seat-0")}</span><span class="arrow">→</span><${NumberDie} face=${3} />`,
  () => html`<span class="rank"><span class="dice">${many([3, 3, 3], "seat-0")}</span><${Note} value=${60000} /></span><span class="rank"><span class="dice">${many([3, 3], "seat-1")}</span><${Note} value=${30000} /></span>`,
  () => html`<span class="rank out"><span class="dice">${many([5, 5], "seat-0")}</span><i>=</i><span class="dice">${many([5, 5], "seat-2")}</span></span><span class="rank"><span class="dice">${many([5], "seat-1")}</span><${Note} value=${90000} /></span>`,
  () => html`<${Note} value=${90000} /><${Note} value=${60000} /><${Note} value=${30000} /><span class="arrow">★</span>`,
];

export const Explanation = () => html`<ol class="explanation">${PICTURES.map((Picture, at) => html`<li key=${at}><span class="picture" aria-hidden="true"><${Picture} /></span><span>${say(`explain.${at + 1}`)}</span></li>`)}</ol>`;
