// Who plays: money, dice in hand, chips, whose turn it is, the clock.
import { html, useEffect, useState } from "../app/html.js";
import { money, say, thousands } from "../app/words.js";
import { CHIP } from "../fold/chips.js";
import { seatName } from "./names.js";
import { Card, Chip, ChipCards, ChipStack, Die, Note, SeatMark } from "./pieces.js";

// `pick(target)` is what a tap on a seat does, where it answers a question.
export function Seats({ table, gains = {}, pick }) {
  const awaited = new Set(table.asks.flatMap((ask) => ask.seats));
  return html`<section class="seats" aria-label=${say("table.players")}>
    <ul>${table.seats.map((seat) => html`<${Seat} key=${seat.seat} table=${table} seat=${seat} awaited=${awaited.has(seat.seat)} gain=${gains[seat.seat]} pick=${pick?.({ seat: seat.seat })} />`)}</ul>
  </section>`;
}

function Seat({ table, seat, awaited, gain, pick }) {
  const won = table.winners?.includes(seat.seat);
  const classes = ["seat", `of-seat seat-${seat.seat}`, awaited && "awaited", table.you === seat.seat && "you", won && "won", pick && "pickable"];
  return html`<li class=${classes.filter(Boolean).join(" ")} data-seat=${seat.seat} onClick=${pick}>
    <${SeatMark} seat=${seat.seat} />
    <div class="who">
      <strong class="name">${seatName(table, seat.seat)}</strong>
      <span class="tags">
        ${table.you === seat.seat && html`<i class="me">${say("seat.you")}</i>`}
        ${seat.kind === "bot" && !seat.open && html`<i>${say("seat.bot")}</i>`}
        ${seat.stand_in && html`<i>${say("seat.away")}</i>`}
        ${awaited && html`<i class="turn">${say("table.turnmark")}</i>`}
        <${Clock} table=${table} seat=${seat.seat} />
      </span>
    </div>
    <div class="wealth"><${Wealth} sum=${seat.total ?? seat.money} />${gain ? html`<span class="gain">+${money(gain)}</span>` : null}</div>
    <${Holding} seat=${seat} over=${table.status === "over"} />
  </li>`;
}

// Where there is little room the style sheet shows the short form.
const Wealth = ({ sum }) => html`<b class="money" data-short=${isKnown(sum) ? thousands(sum) : money(sum)}>${money(sum)}</b>`;
const isKnown = (sum) => sum !== null && sum !== undefined;

// What lies in front of a seat; after the end no die is left to be rolled.
function Holding({ seat, over }) {
  const owner = `seat-${seat.seat}`;
  const cards = seat.placed !== undefined;
  return html`<div class="holding">
    ${!cards && !over && html`<span class="left" title=${say("table.dice", { count: seat.dice })}><${Die} owner=${owner} /><b aria-hidden="true">${seat.dice}</b><span class="spoken">${say("table.dice", { count: seat.dice })}</span></span>`}
    ${seat.big && !over && html`<span title=${say("table.big")}><${Die} owner=${owner} big /><span class="spoken">${say("table.big")}</span></span>`}
    ${seat.neutral_dice > 0 && !over && html`<span title=${say("table.neutral", { count: seat.neutral_dice })}><${Die} owner="neutral" /><b aria-hidden="true">${seat.neutral_dice}</b><span class="spoken">${say("table.neutral", { count: seat.neutral_dice })}</span></span>`}
    ${seat.chips > 0 && html`<span title=${say("table.chips", { count: seat.chips })}><${ChipStack} count=${seat.chips} /><b aria-hidden="true">${seat.chips}</b><span class="spoken">${say("table.chips", { count: seat.chips })}</span></span>`}
    ${cards && !over && html`<span class="placed" title=${say("table.cards", { count: seat.placed })}><${Card} seat=${seat.seat} hidden /><b aria-hidden="true">${say("table.cardsshort", { count: seat.placed })}</b><span class="spoken">${say("table.cards", { count: seat.placed })}</span></span>`}
    ${seat.out && !over && html`<span title=${say("table.outlong")}>${say("table.out")}</span>`}
    ${seat.glass?.length > 0 && html`<span class="glass" aria-hidden="true">${seat.glass.map(() => html`<${Card} seat=${seat.seat} hidden />`)}</span>`}
    ${seat.note_count > 0 && html`<span class="held" title=${say("table.notesheld", { count: seat.note_count })}><i class="kind of-money"></i><b aria-hidden="true">${seat.note_count}</b><span class="spoken">${say("table.notesheld", { count: seat.note_count })}</span></span>`}
    ${seat.chip_cards?.length > 0 && html`<${ChipCards} cards=${seat.chip_cards} />`}
  </div>`;
}

const deadlineOf = (table, seat) => table.asks.find((ask) => ask.seats.includes(seat))?.deadline ?? table.clock?.find((it) => it.seat === seat)?.deadline;

// Seconds until the service answers instead, or null where it does not; it counts down here and is decided there.
function useSecondsLeft(until) {
  const [now, tick] = useState(Date.now());
  useEffect(() => {
    if (!until) return undefined;
    tick(Date.now());
    const timer = setInterval(() => tick(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [until]);
  return until ? Math.max(0, Math.round((Date.parse(until) - now) / 1000)) : null;
}

const clockTime = (left) => `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
const SHORT = 10;

function Clock({ table, seat }) {
  const left = useSecondsLeft(deadlineOf(table, seat));
  if (left === null) return null;
  return html`<i class=${`clock ${left < SHORT ? "short" : ""}`}>${say("table.clock", { time: clockTime(left) })}</i>`;
}

// The clock beside the choice.
export function Remaining({ table, seat }) {
  const left = useSecondsLeft(deadlineOf(table, seat));
  if (left === null) return null;
  return html`<span class=${`ask-clock ${left < SHORT ? "short" : ""}`} role="timer" aria-label=${say("table.clock", { time: clockTime(left) })}>${clockTime(left)}</span>`;
}

// All that makes up the sum of a seat, for the end: notes, chips, and sets of chip cards.
export function Purse({ seat }) {
  const { chips = 0, chip_cards: cards = [] } = seat;
  const notes = seat.notes ?? [];
  return html`<span class="purse" aria-hidden="true">
    ${notes.map((value, at) => html`<${Note} key=${at} value=${value} small />`)}
    ${chips > 0 && html`<span class="worth"><${Chip} /><b>×${chips}</b> = ${money(CHIP * chips)}</span>`}
    ${cards.length > 0 && html`<span class="worth"><${ChipCards} cards=${cards} /> = ${money(seat.total - seat.money - CHIP * chips)}</span>`}
  </span>`;
}
