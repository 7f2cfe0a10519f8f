// Asks a bot of the service what it would do, on demand. The button keeps its room: why is told where it stood.
import { html, useState } from "../app/html.js";
import { Trouble } from "../app/trouble.js";
import { say } from "../app/words.js";

export function Adviser({ advise, advice, setAdvice }) {
  const [asking, setAsking] = useState(false);
  const [fault, setFault] = useState(null);
  const ask = async () => {
    setAsking(true);
    setFault(null);
    await advise().then(setAdvice, setFault);
    setAsking(false);
  };
  return html`<div class="adviser">
    <button type="button" class="plain" disabled=${asking || Boolean(advice)} onClick=${ask}>${say(asking ? "advice.asking" : "advice.ask")}</button>
    <span class="spoken" aria-live="polite">${advice?.options[0]?.why ?? ""}</span>
    ${fault && html`<${Trouble} fault=${fault} small />`}
  </div>`;
}
