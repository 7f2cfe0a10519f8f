// What happened, in sentences, newest first.
import { html, useMemo, useState } from "../app/html.js";
import { say, texts } from "../app/words.js";
import { SeatMark } from "./pieces.js";
import { RoundTable, lastRound } from "./round-table.js";
import { sentences } from "./sentences.js";

const MOST = 60;
// `round` is whether what the last one brought stands above.
export function History({ table, commits, round = true }) {
  const [all, setAll] = useState(false);
  const told = useMemo(() => commits.slice(all ? 0 : -MOST).toReversed().flatMap((commit) => sentences(table, commit).toReversed().map((line, at) => ({ ...line, id: `${commit.version}-${at}`, version: commit.version }))), [commits.length, commits.at(-1)?.version, table.id, all, texts.value]);
  const last = useMemo(() => lastRound(commits), [commits.length]);
  return html`<section class="history" aria-label=${say("table.history")}>
    ${round && html`<${RoundTable} table=${table} last=${last} />`}
    <h2>${say("table.history")}</h2>
    <ol reversed tabindex="0" aria-label=${say("table.history")}>${told.map((line) => html`<li key=${line.id} class=${line.kind}>${line.seat === null ? html`<span class="dot"></span>` : html`<${SeatMark} seat=${line.seat} />`}<span>${line.text}</span></li>`)}</ol>
    ${!all && commits.length > MOST && html`<button type="button" class="plain" onClick=${() => setAll(true)}>${say("history.all")}</button>`}
  </section>`;
}
