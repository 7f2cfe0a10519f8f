// What a round has brought to whom, from the log alone.
import { html } from "../app/html.js";
import { money, say } from "../app/words.js";
import { CHIP } from "../fold/chips.js";
import { seatName } from "./names.js";
import { SeatMark } from "./pieces.js";

const seatIn = (place) => /^purse-(\d)$/.exec(place)?.[1];
const worth = ({ type, notes, chips }) => (type === "chips_moved" ? chips * CHIP : type === "notes_moved" ? notes.reduce((sum, note) => sum + note, 0) : 0);
const begins = ({ type, seat }) => type === "turn_started" || (type === "dice_rolled" && (seat ?? null) !== null);

// {round, version, won: {seat: sum}} of the last round that is over; null in the first. What is handed out while a
// round is set up is nobody's gain; what a seat pays, back to the bank or to pass, is less of it.
export function lastRound(commits) {
  let [won, found, playing] = [{}, null, false];
  for (const { version, events } of commits) {
    for (const event of events) {
      playing ||= begins(event);
      if (playing && worth(event)) move(won, event);
      if (event.type === "round_ended") [found, won, playing] = [{ round: event.round, version, won }, {}, false];
    }
  }
  return found;
}

function move(won, event) {
  const [from, to] = [seatIn(event.source), seatIn(event.target)];
  if (from) won[from] = (won[from] ?? 0) - worth(event);
  if (to) won[to] = (won[to] ?? 0) + worth(event);
}

const signed = (sum) => `${sum < 0 ? "−" : "+"}${money(Math.abs(sum))}`;

export function RoundTable({ table, last }) {
  if (!last) return null;
  return html`<table class="round-table"><caption>${say("round.title", { round: last.round })}</caption><tbody>
    ${table.seats.map(({ seat }) => html`<tr key=${seat}><th scope="row"><${SeatMark} seat=${seat} /><span class="name">${seatName(table, seat)}</span></th><td>${signed(last.won[seat] ?? 0)}</td></tr>`)}
  </tbody></table>`;
}

// What a round has brought, between its end and the next one. It ends by itself, or with `goOn`.
export function Interlude({ table, last, goOn }) {
  const ranked = [...table.seats].sort((one, other) => (last.won[other.seat] ?? 0) - (last.won[one.seat] ?? 0));
  const most = last.won[ranked[0].seat] ?? 0;
  const rowOf = (seat) => `${seat === table.you ? "me" : ""} ${most > 0 && last.won[seat] === most ? "best" : ""}`;
  return html`<div class="interlude" role="group" aria-label=${say("round.title", { round: last.round })}>
    <h2>${say("round.title", { round: last.round })}</h2>
    <ol>${ranked.map(({ seat }) => html`<li key=${seat} class=${rowOf(seat)}><${SeatMark} seat=${seat} /><span class="name">${seatName(table, seat)}${seat === table.you && html` <i class="me">${say("seat.you")}</i>`}</span><b class=${(last.won[seat] ?? 0) < 0 ? "loss" : ""}>${signed(last.won[seat] ?? 0)}</b></li>`)}</ol>
    <button type="button" class="go-on" style=${{ "--pause": `${last.pause}ms` }} onClick=${goOn}>${say("round.on")}</button>
  </div>`;
}
