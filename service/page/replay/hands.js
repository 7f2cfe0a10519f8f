// The hands of the card game, as far as the viewer sees them.
import { html } from "../app/html.js";
import { say } from "../app/words.js";
import { seatName } from "../table/names.js";
import { Card, SeatMark } from "../table/pieces.js";

export function Hands({ table }) {
  const holding = table.seats.filter(({ hand }) => hand && (hand.hidden || hand.length));
  if (!holding.length) return null;
  return html`<section class="hands panel" aria-label=${say("hands.title")}>
    <h2>${say("hands.title")}</h2>
    <ul>${holding.map(({ seat, hand }) => html`<li key=${seat}>
      <${SeatMark} seat=${seat} /><span class="name">${seatName(table, seat)}</span>
      <span class="spoken">${hand.hidden ? say("hands.covered") : hand.map((card) => say("hand.card", { face: parseInt(card, 10), double: card.endsWith("d") })).join(", ")}</span>
      <span class="cards">${hand.hidden ? html`<${Card} seat=${seat} hidden />` : hand.map((card, at) => html`<${Card} key=${at} card=${card} seat=${seat} />`)}</span>
    </li>`)}</ul>
  </section>`;
}
