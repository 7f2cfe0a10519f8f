// What the others did since the caller's last move: it stays in sight while the caller thinks.
import { html } from "../app/html.js";
import { SeatMark } from "./pieces.js";
import { sentences } from "./sentences.js";

const MOST = 3;
const NOT_DONE = new Set(["dice_rolled", "round_started", "round_ended", "game_created", "tiles_laid"]);

export function Lately({ table, commits }) {
  const lines = doneSince(commits, table.you).flatMap((commit) => sentences(table, commit)).filter((line) => !NOT_DONE.has(line.kind));
  if (!lines.length) return null;
  return html`<p class="lately">${lines.slice(-MOST).map((line, at) => html`<span key=${at}>${line.seat !== null && html`<${SeatMark} seat=${line.seat} />`}${line.text}</span>`)}</p>`;
}

// A payout tells itself; after it a new round begins.
function doneSince(commits, you) {
  const from = commits.findLastIndex(({ by, events }) => by === `seat-${you}` || events.some(({ type }) => type === "round_ended"));
  return commits.slice(from + 1);
}
