// The things of the game, drawn: dice, notes, chips, cards, the marks of seats.
import { html } from "../app/html.js";
import { knows, money, say } from "../app/words.js";

const PIPS = {
  1: [[16, 16]],
  2: [[11, 11.5], [21.5, 21.5]],
  3: [[11, 11.5], [16.3, 16.5], [21.5, 21.5]],
  4: [[11, 11.5], [21.5, 11.5], [11, 22], [21.5, 22]],
  5: [[11, 11.5], [22, 11.5], [16.5, 16.7], [11, 22], [22, 22]],
  6: [[11, 11], [21.5, 11], [11, 17], [21.5, 17], [11, 23], [21.5, 23]],
};

// Six forms that can be told apart without their colours, around (0, 0).
const SHAPES = [
  "M0-5A5 5 0 1 1 0 5A5 5 0 1 1 0-5Z",
  "M-4.4-4.4H4.4V4.4H-4.4Z",
  "M0-5.4L5.2 4.2H-5.2Z",
  "M0-5.8L5.2 0L0 5.8L-5.2 0Z",
  "M-2.9-5H2.9L5.8 0L2.9 5H-2.9L-5.8 0Z",
  "M0-6L1.7-1.9L6-1.9L2.6.9L3.9 5.2L0 2.6L-3.9 5.2L-2.6.9L-6-1.9L-1.7-1.9Z",
];

export const seatOf = (owner) => (/^seat-(\d)$/.exec(owner) ?? [])[1] ?? null;
export const ownerClass = (owner) => (seatOf(owner) === null ? `of-${owner}` : `of-seat seat-${seatOf(owner)}`);
const letter = (seat) => "ABCDEF"[seat];

// A die of an owner: its number in pips, the seat's shape over a corner, white and outlined so that it is no pip; the big
// one is larger and marked. One without a face may stand for a `count` of them.
export function Die({ face, owner = "neutral", big = false, ghost = false, count = 0 }) {
  const seat = seatOf(owner);
  return html`<svg class=${`die ${ownerClass(owner)} ${big ? "big" : ""} ${ghost ? "ghost" : ""}`} viewBox="0 0 32 32" aria-hidden="true" data-face=${face}>
    <rect class="side" x="1.5" y="4" width="29" height="28.5" rx="7" /><rect class="face" x="1.5" y="1.5" width="29" height="28" rx="7" /><path class="shine" d="M6 4.500h20a5 5 0 0 1 2 1.500c-8 0-18 .5-24 2a5 5 0 0 1 2-3.500z" />
    ${(PIPS[face] ?? []).map(([x, y]) => html`<circle class="pip" cx=${x} cy=${y - 0.6} r="2.7" />`)}
    ${seat !== null && html`<path class="shape" transform="translate(4.5 4.5) scale(.9)" d=${SHAPES[seat]} />`}
    ${count > 0 && html`<text class="count" x="16.5" y="24">${count}</text>`}
    ${big && html`<g class="twice"><rect x="18" y="20.5" width="13.5" height="11" rx="3.5" /><text x="24.7" y="28.8">×2</text></g>`}
  </svg>`;
}

// The sign of a casino's number.
export const NumberDie = ({ face }) => html`<svg class="die number-die" viewBox="0 0 32 32" aria-hidden="true">
  <rect class="face" x="1.5" y="1.5" width="29" height="29" rx="7" />
  ${(PIPS[face] ?? []).map(([x, y]) => html`<circle class="pip" cx=${x} cy=${y} r="3.1" />`)}
</svg>`;

// A seat's shape, colour and letter; inside of another drawing it is as large as `size` says.
export const SeatMark = ({ seat, size }) => html`<svg class=${`seat-mark of-seat seat-${seat}`} width=${size} height=${size} viewBox="-8 -8 16 16" aria-hidden="true">
  <path class="shape" transform="scale(1.3)" d=${SHAPES[seat]} /><text y=${seat === 2 ? 4.2 : 2.9}>${letter(seat)}</text>
</svg>`;

export function OwnerMark({ owner }) {
  const seat = seatOf(owner);
  return seat === null ? html`<span class=${`owner-mark of-${owner}`} aria-hidden="true"></span>` : html`<${SeatMark} seat=${seat} />`;
}

export const Note = ({ value, small = false }) => html`<span class=${`note value-${value / 10000} ${small ? "small" : ""}`}><b>${money(value)}</b></span>`;

export const Chip = () => html`<svg class="chip" viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="11.6" r="9" class="edge" /><circle cx="10" cy="10" r="9" class="rim" /><circle cx="10" cy="10" r="9" class="dashes" /><circle cx="10" cy="10" r="5.4" class="core" /></svg>`;

// A token of a tile: blank where nothing is said of it, or with its worth in thousands.
export const Token = ({ worth = null }) => html`<svg class=${`token ${worth ? "of-worth" : worth === 0 ? "of-nothing" : ""}`} viewBox="0 0 24 24" aria-hidden="true"><ellipse class="edge" cx="12" cy="13.500" rx="10.500" ry="10" /><ellipse class="rim" cx="12" cy="11.500" rx="10.500" ry="10" />${worth ? html`<text x="12" y="15.200">${worth}</text>` : html`<ellipse class="ring" cx="12" cy="11.500" rx="6.500" ry="6" />`}</svg>`;

const HIGHEST_STACK = 5;
export const ChipStack = ({ count }) => html`<span class="chip-stack" aria-hidden="true">${Array.from({ length: Math.min(count, HIGHEST_STACK) }, (_, at) => html`<${Chip} key=${at} />`)}</span>`;

// A chip card, by its colour.
export const ChipCard = ({ card }) => html`<span class=${`chip-card ${card}`}>${colourName(card)}</span>`;
const colourName = (card) => (knows(`chipcard.${card}`) ? say(`chipcard.${card}`) : card);

// Those that a seat has taken: each colour once, with how many there are of it.
export const ChipCards = ({ cards }) => html`<span class="chip-sets">${[...new Set(cards)].sort().map((card) => {
  const count = cards.filter((it) => it === card).length;
  const spoken = say("table.chipcards", { count, colour: colourName(card) });
  return html`<span key=${card} class=${`chip-set ${card}`} title=${spoken}><b aria-hidden="true">${count}</b><span class="spoken">${spoken}</span></span>`;
})}</span>`;

// A card of the card game: "5", or "5d" with two dice on it.
export function Card({ card, seat, hidden = false }) {
  const double = card?.endsWith("d");
  const face = parseInt(card, 10);
  if (hidden) return html`<span class=${`card back of-seat seat-${seat}`} aria-hidden="true"><i></i></span>`;
  return html`<span class=${`card of-seat seat-${seat} ${double ? "double" : ""}`} aria-hidden="true">
    <b>${face}</b><${Die} face=${face} owner=${`seat-${seat}`} />${double && html`<${Die} face=${face} owner=${`seat-${seat}`} />`}
  </span>`;
}
