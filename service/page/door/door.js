import { html } from "../app/html.js";
export function Door() { return html`<main><h1>Croupier</h1></main>`; }
