// What the others did since the caller's last move: it stays in sight while the caller thinks.
import { html } from "../app/html.js";
import { SeatMark } from "./pieces.js";
import { sentences } from "./sentences.js";

const MOST = 3;
const NOT_DONE = new Set(["dice_rolled", "seat_taken"]);

export function Lately({ table, commits }) {
  const lines = doneSince(commits, table.you).flatMap((commit) => sentences(table, commit)).filter((line) => !NOT_DONE.has(line.kind));
  return html`<p class="lately">${lines.slice(-MOST).map((line, at) => html`<span key=${at}>${line.seat !== null && html`<${SeatMark} seat=${line.seat} />`}${line.text}</span>`)}</p>`;
}

// A payout tells itself, and what is handed out for a new round is nobody's doing.
function doneSince(commits, you) {
  const from = commits.findLastIndex(({ by, events }) => by === `seat-${you}` || events.some(({ type }) => type === "round_started"));
  return commits.slice(from + 1);
}
