// What a step did, above what is rolled next; in place of it, why another choice would have been better.
import { html } from "../app/html.js";
import { SeatMark } from "../table/pieces.js";
import { sentences } from "../table/sentences.js";

const MOST = 2;
// A payout has a list of its own, and a roll is drawn.
const TOLD_ELSEWHERE = new Set(["dice_rolled", "dice_returned", "notes_moved", "round_ended"]);

export function Just({ table, commit, better }) {
  if (better.why) return html`<p class="lately why-better"><span>${better.why}</span></p>`;
  const lines = sentences(table, commit);
  const begins = lines.find(({ kind }) => kind === "round_started");
  const paid = lines.some(({ kind }) => kind === "round_ended");
  const told = begins ? [begins] : lines.filter(({ kind }) => kind !== "dice_rolled" && !(paid && TOLD_ELSEWHERE.has(kind))).slice(-MOST);
  return html`<p class="lately">${told.map((line, at) => html`<span key=${at}>${line.seat !== null && html`<${SeatMark} seat=${line.seat} />`}${line.text}</span>`)}</p>`;
}
