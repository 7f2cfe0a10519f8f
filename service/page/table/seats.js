// Who plays: money, dice in hand, chips, whose turn it is, the clock.
import { html, useEffect, useState } from "../app/html.js";
import { money, say } from "../app/words.js";
import { seatName } from "./names.js";
import { Card, Chip, Die, Note, SeatMark } from "./pieces.js";

export function Seats({ table, gains = {} }) {
  const awaited = new Set(table.asks.flatMap((ask) => ask.seats));
  return html`<section class="seats" aria-label=${say("table.players")}>
    <ul>${table.seats.map((seat) => html`<${Seat} key=${seat.seat} table=${table} seat=${seat} awaited=${awaited.has(seat.seat)} gain=${gains[seat.seat]} />`)}</ul>
  </section>`;
}

function Seat({ table, seat, awaited, gain }) {
  const won = table.winners?.includes(seat.seat);
  const classes = ["seat", `of-seat seat-${seat.seat}`, awaited && "awaited", table.you === seat.seat && "you", won && "won"];
  return html`<li class=${classes.filter(Boolean).join(" ")} data-seat=${seat.seat}>
    <${SeatMark} seat=${seat.seat} />
    <div class="who">
      <strong class="name">${seatName(table, seat.seat)}</strong>
      <span class="tags">
        ${table.you === seat.seat && html`<i>${say("seat.you")}</i>`}
        ${seat.kind === "bot" && !seat.open && html`<i>${say("seat.bot")}</i>`}
        ${seat.stand_in && html`<i>${say("seat.away")}</i>`}
        ${awaited && html`<i class="turn">${say("table.turnmark")}</i>`}
        <${Clock} table=${table} seat=${seat.seat} />
      </span>
    </div>
    <div class="wealth"><b class="money">${money(seat.total ?? seat.money)}</b>${gain ? html`<span class="gain">+${money(gain)}</span>` : null}</div>
    <${Holding} seat=${seat} over=${table.status === "over"} />
  </li>`;
}

// What lies in front of a seat; after the end no die is left to be rolled.
function Holding({ seat, over }) {
  const owner = `seat-${seat.seat}`;
  const cards = seat.placed !== undefined;
  return html`<div class="holding">
    ${!cards && !over && html`<span class="left" title=${say("table.dice", { count: seat.dice })}><${Die} owner=${owner} /><b>${seat.dice}</b><span class="spoken">${say("table.dice", { count: seat.dice })}</span></span>`}
    ${seat.big && !over && html`<span title=${say("table.big")}><${Die} owner=${owner} big /><span class="spoken">${say("table.big")}</span></span>`}
    ${seat.neutral_dice > 0 && !over && html`<span title=${say("table.neutral", { count: seat.neutral_dice })}><${Die} owner="neutral" /><b>${seat.neutral_dice}</b><span class="spoken">${say("table.neutral", { count: seat.neutral_dice })}</span></span>`}
    ${seat.chips > 0 && html`<span title=${say("table.chips", { count: seat.chips })}><${Chip} /><b>${seat.chips}</b><span class="spoken">${say("table.chips", { count: seat.chips })}</span></span>`}
    ${cards && !over && html`<span>${say("table.cards", { count: seat.placed })}</span>`}
    ${seat.out && !over && html`<span>${say("table.out")}</span>`}
    ${seat.glass?.length > 0 && html`<span class="glass" aria-hidden="true">${seat.glass.map(() => html`<${Card} seat=${seat.seat} hidden />`)}</span>`}
    ${seat.note_count > 0 && html`<span class="held">${say("table.notesheld", { count: seat.note_count })}</span>`}
    ${seat.chip_cards?.length > 0 && html`<span class="chip-cards">${seat.chip_cards.map((card) => html`<span class=${`chip-card ${card}`}>${card}</span>`)}</span>`}
  </div>`;
}

// Until the service answers instead; it counts down here and is decided there.
function Clock({ table, seat }) {
  const until = table.asks.find((ask) => ask.seats.includes(seat))?.deadline ?? table.clock?.find((it) => it.seat === seat)?.deadline;
  const [now, tick] = useState(Date.now());
  useEffect(() => {
    if (!until) return undefined;
    const timer = setInterval(() => tick(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [until]);
  if (!until) return null;
  const left = Math.max(0, Math.round((Date.parse(until) - now) / 1000));
  const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  return html`<i class=${`clock ${left < 10 ? "short" : ""}`}>${say("table.clock", { time })}</i>`;
}

// The notes of a seat, for the end.
export const Purse = ({ seat }) => html`<span class="purse" aria-hidden="true">${(seat.notes ?? []).map((value, at) => html`<${Note} key=${at} value=${value} />`)}</span>`;
