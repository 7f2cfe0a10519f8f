// What the others did since the caller's last move: it stays in sight while the caller thinks.
import * as api from "../app/api.js";
import { html } from "../app/html.js";
import { tokenFor } from "../app/memory.js";
import { say } from "../app/words.js";
import { SeatMark } from "./pieces.js";
import { sentences } from "./sentences.js";

const MOST = 3;
const RECENT = 12; // commits in which that many sentences are found
const NOT_DONE = new Set(["dice_rolled", "seat_taken"]);

export function Lately({ table, commits }) {
  const lines = doneSince(commits, table.you).flatMap((commit) => sentences(table, commit)).filter((line) => !NOT_DONE.has(line.kind));
  return html`<p class="lately">${lines.slice(-MOST).map((line, at) => html`<span key=${at}>${line.seat !== null && html`<${SeatMark} seat=${line.seat} />`}${line.text}</span>`)}</p>`;
}

// The same while others move, newest first, in the tray of a phone: there the log is out of sight.
export function Story({ table, commits }) {
  const lines = commits.slice(-RECENT).flatMap((commit) => sentences(table, commit)).filter((line) => !NOT_DONE.has(line.kind));
  return html`<ol class="story" aria-hidden="true">${lines.slice(-MOST).toReversed().map((line, at) => html`<li key=${at}>${line.seat === null ? html`<span class="dot"></span>` : html`<${SeatMark} seat=${line.seat} />`}<span>${line.text}</span></li>`)}</ol>`;
}

// A payout tells itself, and what is handed out for a new round is nobody's doing.
function doneSince(commits, you) {
  const from = commits.findLastIndex(({ by, events }) => by === `seat-${you}` || events.some(({ type }) => type === "round_started"));
  return commits.slice(from + 1);
}

// Whether a bot moved for the caller when time was up, and the caller has not moved since, or plays on for them.
export function isAnsweredFor(table, commits) {
  if (table.you === null || table.status !== "playing") return false;
  const last = commits.findLast(({ by, command }) => by === `seat-${table.you}` || (by === "clock" && command?.seat === table.you));
  return last?.by === "clock" || Boolean(table.seats[table.you].stand_in);
}

export function AnsweredFor({ game, table }) {
  const away = table.seats[table.you].stand_in;
  const back = () => api.settle(table.id, "return", {}, tokenFor(table.id)).then(game.reload, () => {});
  return html`<p class="answered" role="note"><span>${say(away ? "turn.away" : "turn.late")}</span>${away && html` <button type="button" class="primary" onClick=${back}>${say("menu.return")}</button>`}</p>`;
}
