// The casinos of a table. `marks` says what is lit and what would lie there; nothing here asks what may be done.
import { html, useState } from "../app/html.js";
import { money, say, thousands } from "../app/words.js";
import { casinoName, ownerName, seatName } from "./names.js";
import { Die, Note, NumberDie, OwnerMark, ownerClass } from "./pieces.js";
import { CasinoPicture, TilePicture } from "./pictograms.js";
import { list } from "./sentences.js";

// marks: {casinos: Set of numbers, tiles: Set of codes, ghosts: {number: [{owner, small, big, face}]}, standings: {number:
// what would stand there}, paying: number, pick(number)}; all of them may be missing.
export function Board({ table, marks = {} }) {
  const rows = Math.max(2, Math.min(table.seats.length, 5));
  return html`<section class=${`board casinos-${table.casinos.length}`} style=${{ "--rows": rows }} aria-label=${say("table.casinos")}>
    ${table.casinos.map((casino) => html`<${Casino} key=${casino.number} table=${table} casino=${casino} marks=${marks} />`)}
  </section>`;
}

function Casino({ table, casino, marks }) {
  const { number } = casino;
  const name = casinoName(table, number);
  const lit = marks.casinos?.has(number) || marks.paying === number;
  const would = marks.standings?.[number] ?? null;
  const classes = ["casino", `casino-${number}`, lit && "lit", casino.closed && "closed", would && "would", marks.pick?.(number) && "pickable"];
  return html`<article class=${classes.filter(Boolean).join(" ")} aria-label=${name} data-casino=${number} onClick=${marks.pick?.(number)}>
    <header class="sign">
      <${CasinoPicture} number=${number} />
      <h2>${name}</h2>
      ${number === "bandit" ? null : html`<${NumberDie} face=${number} />`}
    </header>
    <${Notes} casino=${casino} />
    <${Standings} table=${table} casino=${casino} standing=${would ?? casino.standing} ghosts=${marks.ghosts?.[number] ?? []} />
    ${casino.closed && html`<p class="shut">${say("table.closed")}</p>`}
    ${casino.chip_cards?.length > 0 && html`<p class="chip-cards">${casino.chip_cards.map((card) => html`<span class=${`chip-card ${card}`}>${card}</span>`)}</p>`}
    ${casino.tile && html`<${Tile} table=${table} tile=${casino.tile} lit=${marks.tiles?.has(casino.tile.code)} />`}
  </article>`;
}

function Notes({ casino }) {
  const spoken = casino.notes.length ? say("table.notes", { notes: list(casino.notes.map(money)) }) : say("table.nonotes");
  return html`<div class=${`notes of-${Math.min(casino.notes.length, 7)}`}>
    <span class="spoken">${spoken}</span>
    <span aria-hidden="true" class="fan">${casino.notes.map((value, at) => html`<${Note} key=${`${value}-${at}`} value=${value} />`)}</span>
  </div>`;
}

// Whose dice lie here, most money first; ties are crossed out. The order and the sums are the service's.
function Standings({ table, casino, standing, ghosts }) {
  const owners = [...new Set([...standing, ...casino.dice, ...ghosts].map(({ owner }) => owner))];
  return html`<ul class="standings">
    ${owners.map((owner) => html`<${Standing} key=${owner} table=${table} casino=${casino} owner=${owner} row=${standing.find((other) => other.owner === owner)} ghosts=${ghosts.filter((lot) => lot.owner === owner)} />`)}
    ${owners.length === 0 && html`<li class="nobody">${say("table.empty")}</li>`}
  </ul>`;
}

// Without a `row` nobody has said yet what these dice are worth.
function Standing({ table, casino, owner, row, ghosts }) {
  const lots = casino.dice.filter((dice) => dice.owner === owner);
  const won = (row?.notes ?? []).reduce((total, note) => total + note, 0);
  const weight = row?.weight ?? lots.reduce((sum, lot) => sum + lot.weight, 0);
  const spoken = say(!row ? "table.weightlong" : row.tied ? "table.tiedlong" : won ? "table.winslong" : "table.nothinglong", { who: ownerName(table, owner), weight, money: money(won) });
  return html`<li class=${`standing ${ownerClass(owner)} ${row?.tied ? "tied" : ""} ${won ? "wins" : ""}`} title=${spoken}>
    <span class="spoken">${spoken}</span>
    <${OwnerMark} owner=${owner} />
    <span class="dice" aria-hidden="true">
      ${lots.map((lot) => html`<${Dice} key=${lot.face ?? 0} lot=${lot} face=${lot.face ?? casino.number} />`)}
      ${ghosts.map((lot) => html`<${Dice} lot=${lot} face=${lot.face ?? casino.number} ghost />`)}
    </span>
    <span class="gets" aria-hidden="true">${row?.tied ? say("table.ties") : won ? thousands(won) : ""}</span>
  </li>`;
}

const MOST = 4; // beside a big one, one less

// Up to four dice are drawn, more are one with their number.
function Dice({ lot, face, ghost = false }) {
  const owner = lot.owner;
  const small = lot.small > MOST - (lot.big ? 1 : 0) ? html`<span class="many"><${Die} face=${face} owner=${owner} ghost=${ghost} /><b>×${lot.small}</b></span>` : repeat(lot.small, () => html`<${Die} face=${face} owner=${owner} ghost=${ghost} />`);
  return html`${repeat(lot.big, () => html`<${Die} face=${face} owner=${owner} ghost=${ghost} big />`)}${small}`;
}

const repeat = (count, draw) => Array.from({ length: count ?? 0 }, draw);

function Tile({ table, tile, lit }) {
  const [open, setOpen] = useState(false);
  const state = tileState(table, tile);
  const toggle = (event) => {
    event.stopPropagation();
    setOpen(!open);
  };
  return html`<div class=${`tile ${lit ? "lit" : ""}`} data-tile=${tile.code}>
    <button type="button" class="tile-name" aria-expanded=${open} title=${tile.text} onClick=${toggle}>
      <${TilePicture} code=${tile.code} /><span>${tile.name}</span>
    </button>
    ${state && html`<p class="tile-state">${state}</p>`}
    ${open && html`<p class="tile-text" lang="en">${tile.text}</p>`}
  </div>`;
}

// What a tile shows of itself, member by member, whichever they are.
function tileState(table, tile) {
  const told = Object.entries(tile.shows).map(([name, value]) => tileMember(table, name, value)).filter(Boolean);
  return told.length ? html`${told.map((part, at) => html`<span key=${at}>${part}</span>`)}` : null;
}

const SEATS = new Set(["token", "gold"]);
const label = (name) => (say(`tile.${name}`) === `tile.${name}` ? name.replace(/_/g, " ") : say(`tile.${name}`));

function tileMember(table, name, value) {
  if (value === null || value === undefined || value === "") return null;
  if (Array.isArray(value)) return tileList(table, name, value);
  if (SEATS.has(name)) return html`${label(name)}: <b>${seatName(table, value)}</b>`;
  if (typeof value === "number") return html`${label(name)}: <b>${value >= 1000 ? money(value) : value}</b>`;
  return html`${label(name)}: <b>${String(value)}</b>`;
}

function tileList(table, name, values) {
  if (values.length === 0) return null;
  if (typeof values[0] === "object" && "owner" in values[0]) return html`${label(name)}: <span class="dice">${values.map((lot) => html`<${Dice} lot=${lot} />`)}</span>`;
  if (typeof values[0] === "object" && "room" in values[0]) return html`${values.map((it) => html`<i class="picture">${label(it.picture)} ${it.filled}/${it.room}</i> `)}`;
  if (typeof values[0] === "object") return html`<span class="spaces">${values.map((it, at) => html`<i class=${`space ${it.seat === null || it.seat === undefined ? "" : `taken of-seat seat-${it.seat}`}`}>${it.number ?? it.space ?? at + 1}</i>`)}</span>`;
  if (name === "fewest") return html`${label(name)}: <b>${list(values.map((seat) => seatName(table, seat)))}</b>`;
  return html`${label(name)}: <b>${values.join(" · ")}</b>`;
}
