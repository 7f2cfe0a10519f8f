// Draws, from what lay in the box or the pile: which things a seed picks.
import { CASINO_NUMBERS, PILE, casinoOf, diceOf, ownerOf } from "../fold/state.js";
import { SIDES } from "./books.js";
import { canonical } from "./json.js";

// Whether the events of one running number tell what the seed draws; null where the file does not tell.
export async function fitsDraw(state, events, below) {
  const draw = DRAWS[events[0].type];
  return draw ? draw(state, events, below) : true;
}

const DRAWS = {
  round_started: async (state, [event], below) => event.starter === (await below(state.seats.length)),
  notes_moved: drewNotes,
  chip_cards_moved: async (state, [event], below) =>
    event.source === PILE && same(event.cards, await pickFrom(state.chipCards.get(PILE) ?? [], event.cards.length, below)),
  cards_dealt: dealtCards,
  tiles_laid: laidTiles,
};

const same = (one, other) => canonical(one) === canonical(other);

// Each pick removes what it takes. Null where there is not enough.
async function pickFrom(things, count, below) {
  const left = [...things];
  const picked = [];
  if (count > left.length) return null;
  while (picked.length < count) picked.push(...left.splice(await below(left.length), 1));
  return picked;
}

// Portions drawn together are told in whatever order they were laid out.
async function drewNotes(state, events, below) {
  if (events.some((event) => event.source !== PILE)) return false;
  const size = events[0].notes.length;
  const drawn = await pickFrom(state.notes.get(PILE) ?? [], size * events.length, below);
  const portions = events.map((_, at) => drawn?.slice(at * size, (at + 1) * size) ?? null);
  return same(portions.map(canonical).sort(), events.map((event) => canonical(event.notes)).sort());
}

async function dealtCards(state, [{ seat, cards }], below) {
  const known = [...(state.glasses.get(seat) ?? []), state.hands.get(seat)].filter(Boolean).map((secret) => secret.value);
  if (cards.value === undefined || known.includes(undefined)) return null;
  const gone = [...known.flat(), ...laidCards(state, seat)];
  return same(cards.value, (await pickFrom(undealt(state.decks[seat] ?? [], gone), cards.value.length, below))?.sort());
}

// Equal cards lie together, in the order in which the deck first has them.
function undealt(deck, gone) {
  const left = [...new Set(deck)].flatMap((card) => deck.filter((one) => one === card));
  for (const card of gone) if (left.includes(card)) left.splice(left.indexOf(card), 1);
  return left;
}

function laidCards(state, seat) {
  return CASINO_NUMBERS.flatMap((number) => {
    const { small, big } = diceOf(state, ownerOf(seat), casinoOf(number));
    return [...Array(small).fill(`${number}`), ...Array(big).fill(`${number}d`)];
  });
}

// A tile has two sides: first the tile is drawn, then which side lies up. Old files do not tell what was in the box:
// it was what the book has.
async function laidTiles(state, [event], below) {
  const used = state.options.fresh_tiles ? state.tilesUsed : [];
  let left = bothSides(state.tileBox.length ? state.tileBox : SIDES);
  const laid = [];
  while (left.length && laid.length < event.tiles.length) {
    const fresh = freshest(left, used);
    const sides = fresh[await below(fresh.length)];
    laid.push(sides[await below(sides.length)]);
    left = left.filter((tile) => !tile.includes(laid.at(-1)));
  }
  return same(event.tiles, laid);
}

function bothSides(box) {
  const letters = [...new Set(box.map((code) => code[0]))];
  return letters.map((letter) => box.filter((code) => code[0] === letter).sort());
}

function freshest(left, used) {
  const unseen = left.filter((sides) => !sides.some((code) => used.includes(code)));
  const turned = left.map((sides) => sides.filter((code) => !used.includes(code))).filter((sides) => sides.length);
  return [unseen, turned, left].find((tiles) => tiles.length);
}
