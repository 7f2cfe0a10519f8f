import { html, useId } from "./html.js";

// A list to pick from, with its name beside it.
export function Pick({ label, value, set, options }) {
  const id = useId();
  return html`<div class="pick"><label for=${id}>${label}</label> <select id=${id} onChange=${(event) => set(event.target.value)}>
    ${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
  </select></div>`;
}
