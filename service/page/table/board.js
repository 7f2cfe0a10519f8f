// The casinos of a table. `marks` says what is lit and what would lie there; nothing here asks what may be done.
import { html } from "../app/html.js";
import { money, say, thousands } from "../app/words.js";
import { casinoName, ownerName } from "./names.js";
import { ChipCard, Die, Note, NumberDie, OwnerMark, ownerClass } from "./pieces.js";
import { CasinoPicture } from "./pictograms.js";
import { list } from "./sentences.js";
import { Tile } from "./tile.js";

// marks: {casinos: Set of numbers, tiles: Set of codes, ghosts: {number: [{owner, small, big, face}]}, standings: {number:
// what would stand there}, paying: number, tied: number, tileTexts: {code: what the service tells of a tile}, pick(target), tiled: whether there is room for
// tiles where none lies now}; all of them may be missing.
export function Board({ table, marks = {} }) {
  const tiled = marks.tiled || table.casinos.some((casino) => casino.tile);
  return html`<section class=${`board casinos-${table.casinos.length} ${tiled ? "tiled" : ""}`} aria-label=${say("table.casinos")}>
    ${table.casinos.map((casino) => html`<${Casino} key=${casino.number} table=${table} casino=${casino} marks=${marks} />`)}
  </section>`;
}

function Casino({ table, casino, marks }) {
  const { number } = casino;
  const name = casinoName(table, number);
  const lit = marks.casinos?.has(number) || marks.paying === number;
  const would = marks.standings?.[number] ?? null;
  const pick = marks.pick?.({ casino: number });
  const classes = ["casino", `casino-${number}`, lit && "lit", casino.closed && "closed", would && "would", pick && "pickable", marks.tied === number && "cancelling"];
  return html`<article class=${classes.filter(Boolean).join(" ")} aria-label=${name} data-casino=${number} onClick=${pick}>
    <header class="sign">
      <${CasinoPicture} number=${number} name=${casino.name} />
      <h2>${name}</h2>
      ${casino.closed && html`<p class="shut">${say("table.closed")}</p>`}
      ${number === "bandit" ? null : html`<${NumberDie} face=${number} /><span class="spoken">${number}</span>`}
    </header>
    <span class="backdrop"><${CasinoPicture} number=${number} name=${casino.name} /></span>
    <${Notes} casino=${casino} />
    <${Standings} table=${table} casino=${casino} standing=${would ?? casino.standing} ghosts=${marks.ghosts?.[number] ?? []} />
    ${casino.chip_cards?.length > 0 && html`<p class="chip-cards">${casino.chip_cards.map((card) => html`<${ChipCard} card=${card} />`)}</p>`}
    ${casino.tile && html`<${Tile} table=${table} tile=${casino.tile} text=${marks.tileTexts?.[casino.tile.code]} lit=${marks.tiles?.has(casino.tile.code)} pick=${marks.pick?.({ tile: casino.tile.code })} />`}
  </article>`;
}

function Notes({ casino }) {
  const spoken = casino.notes.length ? say("table.notes", { notes: list(casino.notes.map(money)) }) : say("table.nonotes");
  return html`<div class=${`notes of-${Math.min(casino.notes.length, 7)}`}>
    <span class="spoken">${spoken}</span>
    <span aria-hidden="true" class="fan">${casino.notes.map((value, at) => html`<${Note} key=${`${value}-${at}`} value=${value} small=${casino.notes.length > 2} />`)}</span>
  </div>`;
}

// Whose dice lie here, most money first; ties are crossed out. The order and the sums are the service's.
function Standings({ table, casino, standing, ghosts }) {
  const owners = [...new Set([...standing, ...casino.dice, ...ghosts].map(({ owner }) => owner))];
  return html`<ul class=${`standings ${owners.length > CROWD ? "crowded" : ""} ${owners.length > THRONG ? "throng" : ""}`}>
    ${owners.map((owner) => html`<${Standing} key=${owner} table=${table} casino=${casino} owner=${owner} row=${standing.find((other) => other.owner === owner)} ghosts=${ghosts.filter((lot) => lot.owner === owner)} />`)}
    ${owners.length === 0 && table.status !== "over" && html`<li class="nobody">${say("table.empty")}</li>`}
  </ul>`;
}

const CROWD = 2; // so many owners fit beneath each other on a phone
const THRONG = 4; // and so many two in a row

// Without a `row` nobody has said yet what these dice are worth.
function Standing({ table, casino, owner, row, ghosts }) {
  const lots = casino.dice.filter((dice) => dice.owner === owner);
  const won = (row?.notes ?? []).reduce((total, note) => total + note, 0);
  const weight = row?.weight ?? lots.reduce((sum, lot) => sum + lot.weight, 0);
  // How many dice that counts as stands beside one of them where there is little room.
  const counts = [...lots, ...ghosts].reduce((sum, lot) => sum + (lot.small ?? 0) + 2 * (lot.big ?? 0), 0);
  const spoken = say(!row ? "table.weightlong" : row.tied ? "table.tiedlong" : won ? "table.winslong" : "table.nothinglong", { who: ownerName(table, owner), weight, money: money(won) });
  return html`<li class=${`standing ${ownerClass(owner)} ${row?.tied ? "tied" : ""} ${won ? "wins" : ""}`} title=${spoken}>
    <span class="spoken">${spoken}</span>
    <${OwnerMark} owner=${owner} />
    <span class="dice" aria-hidden="true">
      ${lots.map((lot) => html`<${Dice} key=${lot.face ?? 0} lot=${lot} face=${lot.face ?? casino.number} />`)}
      ${ghosts.map((lot) => html`<${Dice} lot=${lot} face=${lot.face ?? casino.number} ghost />`)}
      <span class="tally"><${Die} face=${lots[0]?.face ?? casino.number} owner=${owner} />${counts > 1 && html`<b><i class="times">×</i>${counts}</b>`}</span>
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
