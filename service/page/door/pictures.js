// What is special about an edition, as a picture.
import { html } from "../app/html.js";
import { Card, Chip, Die } from "../table/pieces.js";
import { CasinoPicture, TilePicture } from "../table/pictograms.js";

const PICTURES = {
  classic: () => html`<span class="dice">${[1, 4, 6].map((face) => html`<${Die} face=${face} owner="seat-0" />`)}</span>`,
  modern: () => html`<span class="dice"><${Die} face=${5} owner="seat-1" big /><${Die} face=${2} owner="seat-1" /></span><${CasinoPicture} number="bandit" />`,
  royale: () => html`<${Chip} /><${Chip} /><${TilePicture} code="A2" /><${TilePicture} code="D2" /><${TilePicture} code="E1" />`,
  cards: () => html`<span class="cards"><${Card} card="2" seat=${3} /><${Card} card="5d" seat=${3} /><${Card} seat=${3} hidden /></span>`,
};

export function SpecialPicture({ edition }) {
  const Picture = PICTURES[edition] ?? PICTURES.classic;
  return html`<span class="special" aria-hidden="true"><${Picture} /></span>`;
}
