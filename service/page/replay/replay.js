// A game as it was: any version of it, by link. Shows tables with the components of ../table.
import { html } from "../app/html.js";

export function Replay({ id, at }) {
  return html`<main><h1>${id}</h1><p>${at}</p></main>`;
}
