// The things of a game and where they lie. Facts move them; nothing here knows a rule.
import { Refused } from "../proof/refused.js";

export const BANK = "bank";
export const PILE = "pile";
export const UNDER = "under";
export const BANDIT = "bandit";
export const NEUTRAL = "neutral";
export const CASINO_NUMBERS = [1, 2, 3, 4, 5, 6];
const NOTHING = new Map();

export const ownerOf = (seat) => `seat-${seat}`;
export const supplyOf = (seat) => `supply-${seat}`;
export const purseOf = (seat) => `purse-${seat}`;
export const casinoOf = (number) => `casino-${number}`;

export function emptyState() {
  return {
    game: "", edition: "", options: {}, status: "lobby", seats: [], visibility: "public", rematch: "", rematchOf: "", origin: null, sandbox: false,
    round: 0, rounds: 0, starter: 0, turn: null, turns: 0, roll: null, agenda: [], asked: 0,
    outfit: new Map(), dice: new Map(), notes: new Map(), chips: new Map(), chipCards: new Map(), decks: [],
    hands: new Map(), glasses: new Map(), tileBox: [], tiles: [], tilesUsed: [], tokens: new Map(),
    counters: new Map(), closed: [], winners: null, totals: null, closeReason: "", void: [], arrivals: 0,
  };
}

// Facts name seats by number, and there are only so many.
export function seatOf(state, number) {
  if (!state.seats[number]) throw new Refused("no_seat", { seat: number });
  return state.seats[number];
}

export const heapAt = (state, place) => state.dice.get(place) ?? NOTHING;

export const diceOf = (state, owner, place) => heapAt(state, place).get(owner) ?? { small: 0, big: 0 };

export function moveDice(state, owner, source, target, small, big, turned = owner) {
  const before = diceOf(state, owner, source);
  if (before.small < small || before.big < big) throw new Refused("not_there", { things: "dice", place: source });
  setDice(state, owner, source, before.small - small, before.big - big);
  addDice(state, turned, target, small, big);
}

export function addDice(state, owner, place, small, big) {
  const there = diceOf(state, owner, place);
  setDice(state, owner, place, there.small + small, there.big + big);
}

// Heaps are never changed, because an outfit and a table may share them.
function setDice(state, owner, place, small, big) {
  const heap = new Map(heapAt(state, place));
  if (small || big) heap.set(owner, { small, big });
  else heap.delete(owner);
  state.dice.set(place, heap);
}

// Notes or cards go from place to place; what is not there cannot go.
export function moveThings(where, source, target, things, name) {
  const left = [...(where.get(source) ?? [])];
  for (const thing of things) {
    const at = left.indexOf(thing);
    if (at < 0) throw new Refused("not_there", { things: name, place: source });
    left.splice(at, 1);
  }
  where.set(source, left);
  where.set(target, [...(where.get(target) ?? []), ...things]);
}

// The bank never runs out of chips; everybody else may.
export function moveChips(state, source, target, chips) {
  const left = (state.chips.get(source) ?? 0) - chips;
  if (left < 0 && source !== BANK) throw new Refused("not_there", { things: "chips", place: source });
  state.chips.set(source, left);
  state.chips.set(target, (state.chips.get(target) ?? 0) + chips);
}
