// What happened, in sentences, newest first.
import { html, useMemo, useState } from "../app/html.js";
import { ruleTexts } from "../app/rule-texts.js";
import { say, texts } from "../app/words.js";
import { SeatMark } from "./pieces.js";
import { RoundTable, lastRound } from "./round-table.js";
import { sentences } from "./sentences.js";

const MOST = 60;
// `round` is whether what the last one brought stands above; `open` and `shut` are for a phone, where it lies over the board.
export function History({ table, commits, round = true, open = false, shut }) {
  // A replay learns later how everybody is called.
  const names = table.seats.map(({ name }) => name).join();
  const [all, setAll] = useState(false);
  const told = useMemo(() => commits.slice(all ? 0 : -MOST).toReversed().flatMap((commit) => sentences(table, commit).toReversed().map((line, at) => ({ ...line, id: `${commit.version}-${at}`, version: commit.version }))), [commits.length, commits.at(-1)?.version, table.id, names, all, texts.value, ruleTexts.value]);
  const last = useMemo(() => lastRound(commits), [commits.length]);
  return html`<section class=${`history ${open ? "open" : ""}`} aria-label=${say("table.history")}>
    ${round && html`<${RoundTable} table=${table} last=${last} />`}
    <h2>${say("table.history")}${!all && commits.length > MOST && html`<button type="button" class="plain" onClick=${() => setAll(true)}>${say("history.all")}</button>`}${shut && html`<button type="button" class="shut-log" onClick=${shut}>${say("app.close")}</button>`}</h2>
    <ol reversed tabindex="0" aria-label=${say("table.history")}>${told.map((line) => html`<li key=${line.id} class=${line.kind}>${line.seat === null ? html`<span class="dot"></span>` : html`<${SeatMark} seat=${line.seat} />`}<span>${line.text}</span></li>`)}</ol>
  </section>`;
}
