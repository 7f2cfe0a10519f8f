// A tile beside its casino: picture, name, what it does in a few words, and its state drawn as things. Its whole text
// covers the board when it is opened.
import { html, useEffect, useRef, useState } from "../app/html.js";
import { money, say, thousands } from "../app/words.js";
import { casinoName, ownerName, seatName } from "./names.js";
import { Chip, Die, SeatMark } from "./pieces.js";
import { CasinoPicture, TilePicture } from "./pictograms.js";

// `text` is what the service tells of the tile, undefined until it has.
export function Tile({ table, tile, text, lit, pick }) {
  const [open, setOpen] = useState(false);
  const box = useRef(null);
  useEffect(() => {
    if (!open) return undefined;
    const shut = (event) => box.current?.contains(event.target) || setOpen(false);
    const escape = (event) => event.key === "Escape" && setOpen(false);
    addEventListener("pointerdown", shut);
    addEventListener("keydown", escape);
    return () => (removeEventListener("pointerdown", shut), removeEventListener("keydown", escape));
  }, [open]);
  const press = (event) => {
    event.stopPropagation();
    if (pick) pick();
    else setOpen(!open);
  };
  return html`<div ref=${box} class=${`tile ${lit ? "lit" : ""} ${pick ? "pickable" : ""}`} data-tile=${tile.code}>
    <button type="button" class="tile-name" aria-expanded=${open} title=${tile.text} onClick=${press}>
      <${TilePicture} code=${tile.code} /><span>${tile.name}</span>
    </button>
    ${text?.gist && html`<p class="gist" aria-hidden="true">${text.gist}</p>`}
    <div class=${`tile-state ${isWide(tile.shows) ? "wide" : ""}`}>${Object.entries(tile.shows).map(([name, value]) => html`<${Shown} key=${name} table=${table} name=${name} value=${value} track=${text?.track} />`)}</div>
    ${open && html`<p class="tile-text" role="note"><b>${tile.name}</b> ${tile.text}</p>`}
  </div>`;
}

// So many dice leave no room for a name beside them on a phone.
const WIDE = 4;
const isWide = ({ bar = [] }) => bar.reduce((kinds, { small, big }) => kinds + (small > 0) + (big > 0), 0) > WIDE;

const isMissing = (value) => value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
const label = (name) => (say(`tile.${name}`) === `tile.${name}` ? name.replace(/_/g, " ") : say(`tile.${name}`));

// What a tile shows of itself, member by member. A member that is not in this table is written out.
const DRAWN = {
  thrown: (table, faces) => faces.map((face, at) => html`<${Die} key=${at} face=${face} owner="black" />`),
  sum: (table, sum) => html`<b class="sum" title=${say("tile.sum")}>${sum}</b>`,
  space: (table, space, track) => html`<${Counter} at=${space} spaces=${track?.length ?? space + 1} />`,
  jackpot: (table, worth) => html`<b class="prize">${money(worth)}</b>`,
  prize: (table, worth) => (worth ? html`<b class="prize">${thousands(worth)}</b>` : ""),
  next_prize: (table, worth) => (worth ? html`<b class="prize">+${thousands(worth)}</b>` : ""),
  token: (table, seat) => html`<${SeatMark} seat=${seat} />`,
  gold: (table, seat) => html`<${SeatMark} seat=${seat} />`,
  fewest: (table, seats) => seats.map((seat) => html`<${SeatMark} key=${seat} seat=${seat} />`),
  closed: (table, number) => html`<${CasinoPicture} number=${number} name=${casinoName(table, number)} />`,
  bar: (table, lots) => lots.map((lot, at) => html`<${Lot} key=${at} lot=${lot} />`),
  dice: (table, lots) => lots.map((lot, at) => html`<${Lot} key=${at} lot=${lot} />`),
  clusters: (table, sizes) => sizes.map((size, at) => html`<${Pile} key=${at} size=${size} owner="grey" />`),
  piles: (table, piles) => piles.map((pile, at) => html`<${Part} key=${at} part=${pile} />`),
  gold_die: () => "",
  placed: () => "",
};

// In words for who listens, and for who points at it.
function Shown({ table, name, value, track }) {
  if (isMissing(value)) return null;
  const spoken = `${label(name)}: ${inWords(table, name, value)}`;
  if (Array.isArray(value) && typeof value[0] === "object" && "room" in value[0]) return html`<${Rooms} rooms=${value} />`;
  if (Array.isArray(value) && typeof value[0] === "object" && !("owner" in value[0])) return html`<${Spaces} table=${table} spaces=${value} name=${name} />`;
  const drawn = DRAWN[name]?.(table, value, track);
  return html`<span class=${`shown of-${name}`} title=${spoken}><span class="spoken">${spoken}</span><span class="drawn" aria-hidden="true">${drawn ?? html`${label(name)} <b>${inWords(table, name, value)}</b>`}</span></span>`;
}

const SEATS = new Set(["token", "gold", "fewest"]);

function inWords(table, name, value) {
  if (SEATS.has(name)) return [value].flat().map((seat) => seatName(table, seat)).join(", ");
  if (name === "closed") return casinoName(table, value);
  if (typeof value === "number") return value >= 1000 ? money(value) : String(value);
  if (!Array.isArray(value)) return String(value);
  return value.map((it) => (typeof it === "object" ? `${it.owner ? ownerName(table, it.owner) : ""} ${(it.small ?? 0) + (it.big ?? 0)}` : String(it))).join(", ");
}

const Counter = ({ at, spaces }) => html`<span class="pips">${Array.from({ length: spaces }, (_, space) => html`<i key=${space} class=${space === at ? "here" : space < at ? "past" : ""}></i>`)}</span>`;

// Dice of one owner, each kind once with how many there are.
const Lot = ({ lot }) => html`<span class="lot">${lot.big > 0 && html`<${Die} owner=${lot.owner} big />`}${lot.small > 0 && html`<${Die} owner=${lot.owner} count=${lot.small > 1 ? lot.small : 0} />`}</span>`;

const Pile = ({ size, owner }) => html`<span class="lot"><${Die} owner=${owner} count=${size} /></span>`;

function Part({ part }) {
  return typeof part === "number" ? html`<span class="lot covered"><b>${part}</b></span>` : html`<${Lot} lot=${part} />`;
}

const ROOMS = {
  chip: () => html`<${Chip} />`,
  money: () => html`<i class="kind of-money"></i>`,
  die: () => html`<${Die} owner="neutral" face=${5} />`,
};

// Each space with what it brings, and a grey die on those that are taken; where there is little room, how many are free.
function Rooms({ rooms }) {
  return html`${rooms.map(({ picture, filled, room }) => {
    const spoken = `${label(picture)}: ${filled} / ${room}`;
    const draw = ROOMS[picture] ?? (() => html`<i class="kind"></i>`);
    return html`<span key=${picture} class=${`shown of-rooms ${filled === room ? "full" : ""}`} title=${spoken}><span class="spoken">${spoken}</span>
      <span class="drawn each" aria-hidden="true">${Array.from({ length: room }, (_, at) => (at < filled ? html`<${Die} key=${at} owner="grey" />` : html`<i key=${at} class="room">${draw()}</i>`))}</span>
      <span class="drawn free" aria-hidden="true">${draw()}<b>${room - filled}</b></span></span>`;
  })}`;
}

function Spaces({ table, spaces, name }) {
  const taken = (it) => it.seat !== null && it.seat !== undefined;
  const spoken = `${label(name)}: ${spaces.filter(taken).map((it) => `${it.number ?? it.space}: ${seatName(table, it.seat)}`).join(", ") || "–"}`;
  return html`<span class="shown of-spaces" title=${spoken}><span class="spoken">${spoken}</span><span class="spaces" aria-hidden="true">${spaces.map((it, at) => html`<i key=${at} class=${`space ${taken(it) ? `taken of-seat seat-${it.seat}` : ""}`}>${it.number ?? it.space ?? at + 1}</i>`)}</span></span>`;
}
