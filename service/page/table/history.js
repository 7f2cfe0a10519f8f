// What happened, in sentences, newest first.
import { html, useMemo, useState } from "../app/html.js";
import { money, say } from "../app/words.js";
import { seatName } from "./names.js";
import { SeatMark } from "./pieces.js";
import { sentences } from "./sentences.js";

const MOST = 60;
const worth = (notes) => notes.reduce((sum, note) => sum + note, 0);

// What everybody won in the last round that is over, from the log alone; null in the first.
function lastRound(commits) {
  let [won, found] = [{}, null];
  for (const event of commits.flatMap((commit) => commit.events)) {
    const purse = event.type === "notes_moved" && /^purse-(\d)$/.exec(event.target);
    if (purse) won[purse[1]] = (won[purse[1]] ?? 0) + worth(event.notes);
    if (event.type === "round_ended") [found, won] = [{ round: event.round, won }, {}];
  }
  return found;
}

function RoundTable({ table, commits }) {
  const last = useMemo(() => lastRound(commits), [commits.length]);
  if (!last) return null;
  return html`<table class="round-table"><caption>${say("round.title", { round: last.round })}</caption><tbody>
    ${table.seats.map((seat) => html`<tr key=${seat.seat}><th scope="row"><${SeatMark} seat=${seat.seat} /> ${seatName(table, seat.seat)}</th><td>+${money(last.won[seat.seat] ?? 0)}</td></tr>`)}
  </tbody></table>`;
}

export function History({ table, commits }) {
  const [all, setAll] = useState(false);
  const told = useMemo(() => commits.slice(all ? 0 : -MOST).toReversed().flatMap((commit) => sentences(table, commit).toReversed().map((line, at) => ({ ...line, id: `${commit.version}-${at}`, version: commit.version }))), [commits.length, commits.at(-1)?.version, table.id, all]);
  return html`<section class="history" aria-label=${say("table.history")}>
    <${RoundTable} table=${table} commits=${commits} />
    <h2>${say("table.history")}</h2>
    <ol reversed tabindex="0" aria-label=${say("table.history")}>${told.map((line) => html`<li key=${line.id} class=${line.kind}>${line.seat === null ? html`<span class="dot"></span>` : html`<${SeatMark} seat=${line.seat} />`}<span>${line.text}</span></li>`)}</ol>
    ${!all && commits.length > MOST && html`<button type="button" class="plain" onClick=${() => setAll(true)}>${say("history.all")}</button>`}
  </section>`;
}
