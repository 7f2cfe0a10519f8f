// What the service says of a step, and the rules it rests on. Asked for while somebody wants to know.
import * as api from "../app/api.js";
import { html, useEffect, useState } from "../app/html.js";
import { tokenFor } from "../app/memory.js";
import { say } from "../app/words.js";

// Whoever walks through quickly passes by.
const REST = 150;

export function Explained({ id, version }) {
  const [open, setOpen] = useState(false);
  const [told, setTold] = useState(null);
  const language = document.documentElement.lang;
  useEffect(() => {
    if (!open) return undefined;
    const ask = () => api.read(`${api.gameAddress(id)}/explain/${version}?language=${language}`, tokenFor(id)).then(setTold, () => setTold(null));
    const timer = setTimeout(ask, REST);
    return () => clearTimeout(timer);
  }, [open, id, version, language]);
  return html`<details class="explained panel" onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary>${say("explained.title")}</summary>
    ${open && told?.version === version ? html`<${Told} told=${told} />` : html`<p class="hint">${say("app.loading")}</p>`}
  </details>`;
}

function Told({ told: { sentences, facts } }) {
  const rules = [...new Set(facts.map((fact) => fact.rule).filter(Boolean))];
  return html`<ul>${sentences.map((sentence, at) => html`<li key=${at}>${sentence}</li>`)}</ul>
    ${rules.length > 0 && html`<p class="hint">${say("explained.rules", { rules: rules.join(" · ") })}</p>`}`;
}
