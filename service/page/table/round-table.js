// What a round has brought to whom, from the log alone.
import { html, useEffect, useMemo, useState } from "../app/html.js";
import { speed } from "../app/memory.js";
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

// Until the caller has moved again, or everybody could have.
function isNews(last, table, commits) {
  const since = commits.filter((commit) => commit.version > (last?.version ?? Infinity));
  return Boolean(last) && table.status === "playing" && since.length < table.seats.length && !since.some((commit) => commit.by === `seat-${table.you}`);
}

const signed = (sum) => `${sum < 0 ? "−" : "+"}${money(Math.abs(sum))}`;

export function RoundTable({ table, last }) {
  if (!last) return null;
  return html`<table class="round-table"><caption>${say("round.title", { round: last.round })}</caption><tbody>
    ${table.seats.map(({ seat }) => html`<tr key=${seat}><th scope="row"><${SeatMark} seat=${seat} /><span class="name">${seatName(table, seat)}</span></th><td>${signed(last.won[seat] ?? 0)}</td></tr>`)}
  </tbody></table>`;
}

// Milliseconds to read it.
const PAUSES = { slow: 8000, normal: 5000, fast: 2500, off: 0 };
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// A pause between two rounds with what the last one brought, or null. It ends by itself or when it has been read, and is
// left out where everything is shown at once.
export function useInterlude(table, commits) {
  const last = useMemo(() => lastRound(commits), [commits.length]);
  const [read, setRead] = useState(null);
  const pause = calm.matches ? 0 : (PAUSES[speed.value] ?? PAUSES.normal);
  const shown = pause > 0 && isNews(last, table, commits) && read !== last.version;
  useEffect(() => {
    if (!shown) return undefined;
    const timer = setTimeout(() => setRead(last.version), pause);
    return () => clearTimeout(timer);
  }, [shown, last?.version]);
  return shown ? html`<${Interlude} table=${table} last=${last} pause=${pause} goOn=${() => setRead(last.version)} />` : null;
}

function Interlude({ table, last, pause, goOn }) {
  const ranked = [...table.seats].sort((one, other) => (last.won[other.seat] ?? 0) - (last.won[one.seat] ?? 0));
  const most = last.won[ranked[0].seat] ?? 0;
  const rowOf = (seat) => `${seat === table.you ? "me" : ""} ${most > 0 && last.won[seat] === most ? "best" : ""}`;
  return html`<div class="interlude" role="group" aria-label=${say("round.title", { round: last.round })}>
    <h2>${say("round.title", { round: last.round })}</h2>
    <ol>${ranked.map(({ seat }) => html`<li key=${seat} class=${rowOf(seat)}><${SeatMark} seat=${seat} /><span class="name">${seatName(table, seat)}${seat === table.you && html` <i class="me">${say("seat.you")}</i>`}</span><b class=${(last.won[seat] ?? 0) < 0 ? "loss" : ""}>${signed(last.won[seat] ?? 0)}</b></li>`)}</ol>
    <button type="button" class="go-on" style=${{ "--pause": `${pause}ms` }} onClick=${goOn}>${say("round.on")}</button>
  </div>`;
}
