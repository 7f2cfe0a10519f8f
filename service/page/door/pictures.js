// What is special about an edition, and what its rules speak of, as pictures. A picture is no rule.
import { html } from "../app/html.js";
import { Card, Chip, ChipStack, Die, Note, NumberDie } from "../table/pieces.js";
import { CasinoPicture, TilePicture } from "../table/pictograms.js";

const dice = (faces, owner) => html`<span class="dice">${faces.map((face, at) => html`<${Die} key=${at} face=${face} owner=${owner} />`)}</span>`;
const big = (face, owner) => html`<${Die} face=${face} owner=${owner} big />`;
const note = (value) => html`<${Note} value=${value} small />`;
const arrow = html`<span class="arrow">→</span>`;

export const SCENES = {
  casinos: () => html`${[1, 2, 3].map((number) => html`<${CasinoPicture} key=${number} number=${number} />`)}${note(90000)}`,
  dice: () => dice([1, 2, 3, 4, 5, 6], "seat-0"),
  bigDice: () => html`${big(5, "seat-1")}${dice([2, 5, 6], "seat-1")}`,
  turn: () => html`${dice([3, 3, 3], "seat-0")}${arrow}<${NumberDie} face=${3} />`,
  chips: () => html`<${ChipStack} count=${3} /><span class="arrow">=</span>${note(10000)}`,
  tiles: () => html`<${TilePicture} code="A2" /><${TilePicture} code="D2" /><${TilePicture} code="E1" />`,
  neutral: () => html`${dice([2, 2], "neutral")}${arrow}<${NumberDie} face=${2} />`,
  payout: () => html`<span class="rank">${dice([4, 4, 4], "seat-2")}${note(80000)}</span><span class="rank out">${dice([4, 4], "seat-0")}<i>=</i>${dice([4, 4], "seat-3")}</span>`,
  left: () => html`${note(30000)}${arrow}<span class="pile"></span>`,
  end: () => html`${note(90000)}${note(60000)}<span class="arrow">★</span>`,
  cards: () => html`<span class="cards"><${Card} card="2" seat=${3} /><${Card} card="5d" seat=${3} /></span>`,
  secret: () => html`<span class="cards"><${Card} seat=${0} hidden /><${Card} seat=${1} hidden /><${Card} seat=${2} hidden /></span>`,
  limit: () => html`<span class="cards"><${Card} card="6" seat=${0} /></span><b>× 8</b>`,
};

const DRAWN = {
  classic: ["casinos", "dice", "turn", "payout", "left", "end"],
  modern: ["casinos", "bigDice", "turn", "payout", "left", "end"],
  royale: ["casinos", "bigDice", "turn", "chips", "tiles", "neutral", "payout", "left", "end"],
  cards: ["casinos", "cards", "secret", "limit", "payout", "left", "end"],
};

// A picture for each paragraph of the service's rules; of an edition that is not here, none.
export const rulePictures = (edition) => (DRAWN[edition] ?? []).map((name) => SCENES[name]);

const PICTURES = {
  classic: () => dice([1, 4, 6], "seat-0"),
  modern: () => html`<span class="dice">${big(5, "seat-1")}<${Die} face=${2} owner="seat-1" /></span><${CasinoPicture} number="bandit" />`,
  royale: () => html`<${Chip} /><${Chip} /><${TilePicture} code="A2" /><${TilePicture} code="D2" /><${TilePicture} code="E1" />`,
  cards: () => html`<span class="cards"><${Card} card="2" seat=${3} /><${Card} card="5d" seat=${3} /><${Card} seat=${3} hidden /></span>`,
};

export function SpecialPicture({ edition }) {
  const Picture = PICTURES[edition] ?? PICTURES.classic;
  return html`<span class="special" aria-hidden="true"><${Picture} /></span>`;
}
