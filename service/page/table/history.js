// What happened, in sentences, newest first.
import { html, useMemo, useState } from "../app/html.js";
import { say } from "../app/words.js";
import { SeatMark } from "./pieces.js";
import { sentences } from "./sentences.js";

const MOST = 60;

export function History({ table, commits }) {
  const [all, setAll] = useState(false);
  const told = useMemo(() => commits.slice(all ? 0 : -MOST).toReversed().flatMap((commit) => sentences(table, commit).toReversed().map((line, at) => ({ ...line, id: `${commit.version}-${at}`, version: commit.version }))), [commits.length, commits.at(-1)?.version, table.id, all]);
  return html`<section class="history" aria-label=${say("table.history")}>
    <h2>${say("table.history")}</h2>
    <ol reversed tabindex="0" aria-label=${say("table.history")}>${told.map((line) => html`<li key=${line.id} class=${line.kind}>${line.seat === null ? html`<span class="dot"></span>` : html`<${SeatMark} seat=${line.seat} />`}<span>${line.text}</span></li>`)}</ol>
    ${!all && commits.length > MOST && html`<button type="button" class="plain" onClick=${() => setAll(true)}>${say("history.all")}</button>`}
  </section>`;
}
