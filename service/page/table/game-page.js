import { html } from "../app/html.js";
export function GamePage({ id }) { return html`<main><h1>${id}</h1></main>`; }
