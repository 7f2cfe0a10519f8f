// What went wrong, in words, and what to do.
import { html } from "./html.js";
import { follow } from "./router.js";
import { knows, say } from "./words.js";

export function Trouble({ fault, again, small = false }) {
  const key = `error.${fault.code}`;
  const text = say(knows(key) ? key : "error.other", { detail: fault.problem?.detail ?? fault.message });
  const faults = fault.problem?.errors?.map((it) => it.detail).filter((detail) => detail && detail !== fault.problem.detail) ?? [];
  return html`<div class=${`trouble ${small ? "small" : "panel"}`} role="alert">
    <p>${text}</p>
    ${faults.length > 0 && html`<ul>${faults.map((detail) => html`<li>${detail}</li>`)}</ul>`}
    ${!small && html`<p class="then">${again && html`<button type="button" class="primary" onClick=${again}>${say("error.again")}</button> `}<a class="button" href="/" onClick=${follow}>${say("error.home")}</a></p>`}
  </div>`;
}
