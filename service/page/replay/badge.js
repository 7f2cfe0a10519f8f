// What was checked in this browser, what was not, and what the service's audit says.
import * as api from "../app/api.js";
import { html, useEffect, useState } from "../app/html.js";
import { knows, say } from "../app/words.js";

export function Badge({ verdict, id, name }) {
  const audit = useAudit(id);
  if (!verdict) return html`<p class="badge cannot">${say("proof.cannot")}</p>`;
  const held = verdict.ok === true;
  return html`<details class=${`badge ${held ? "held" : "open"}`}>
    <summary><span class="seal" aria-hidden="true">${held ? "✓" : "…"}</span>${say(headline(verdict))}</summary>
    <div class="proof">
      ${name && html`<p class="file">${name}</p>`}
      <h2>${say("proof.checked")}</h2>
      <ul>${verdict.checks.map(({ what, count }) => html`<li key=${what}>${say(`check.${what}`, { count })}</li>`)}</ul>
      <h2>${say("proof.unchecked")}</h2>
      <ul>${verdict.unchecked.map((what) => html`<li key=${what}>${say(`unchecked.${what}`)}</li>`)}</ul>
      ${id && html`<p class="audit">${auditWords(audit, verdict)}</p>`}
      <p class="head">${say("proof.head")} <code>${verdict.head}</code></p>
    </div>
  </details>`;
}

// It says what was not judged here.
function headline({ ok, unchecked }) {
  const luck = ["chosen", "known"].find((what) => unchecked.includes(what));
  if (luck && !unchecked.includes("seed")) return `proof.${luck}`;
  if (ok === true) return "proof.held";
  return unchecked.includes("seed") ? "proof.open" : "proof.unknown";
}

// Rules are the service's: it decides every answer again and says whether the log follows.
function useAudit(id) {
  const [audit, setAudit] = useState(null);
  useEffect(() => {
    if (id) api.audit(id).then(setAudit, () => setAudit({ missing: true }));
  }, [id]);
  return audit;
}

function auditWords(audit, verdict) {
  if (audit === null) return say("audit.asking");
  if (audit.missing) return say("audit.missing");
  if (audit.head !== verdict.head) return say("audit.other");
  if (!audit.verified) return say("audit.later");
  return say(audit.verified.ok ? "audit.held" : audit.verified.ok === null ? "audit.unknown" : "audit.broken");
}

export function faultWords({ what, values }) {
  const key = `fault.${what}`;
  const line = values.line ? ` ${say("proof.line", values)}` : "";
  return (knows(key) ? say(key, values) : say("fault.other")) + line;
}
