// A button that copies a text, and says so.
import { html, useState } from "./html.js";
import { say } from "./words.js";

export function Copy({ text, label }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 2000);
  };
  return html`<button type="button" onClick=${copy}>${done ? say("menu.copied") : label}</button>`;
}
