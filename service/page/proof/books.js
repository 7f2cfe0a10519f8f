// What the rulebooks say of numbers: players, rounds, notes, dice and options of each edition. The page plays by no
// rule; this is what it takes to add a game up.
import { CASINO_NUMBERS, casinoOf, ownerOf, supplyOf } from "../fold/state.js";
import { canonical } from "./json.js";

export const HAND = 5;
export const ENOUGH_CARDS = 8;
export const MOST_TURNS = 6;
export const CHIPS_A_ROUND = 2;
export const BANK_NOTES = 54;
export const ENOUGH_MONEY = 50_000;
// What so many chip cards of one colour are worth.
export const SETS = [0, 10_000, 30_000, 60_000, 100_000, 150_000];
const COLOURS = ["gold", "pink", "blue", "green", "red"];
export const SIDES = [..."ABCDEFGH"].flatMap((letter) => [`${letter}1`, `${letter}2`]);
// What tiles ask, count and hand out; what comes of it is not judged here.
const QUESTIONS = {
  A1: ["hide", "guess"], B1: ["place"], B2: ["bet"], D2: ["turn"], E1: ["close"], E2: ["give"], F1: ["block"], F2: ["remove", "die"],
  G1: ["part", "take"], G2: ["move"], H1: ["put"], H2: ["result", "tile", "die", "gold"],
};
const COUNTERS = /^(?:(A2|B2|E1)|(C2)-[0-5])$/;
const TOKENS = ["C1", "D2", "E1"];
const CARDS = CASINO_NUMBERS.flatMap((number) => [...Array(4).fill(`${number}`), `${number}d`]);

const notes = (counts) => Object.entries(counts).flatMap(([thousands, count]) => Array(count).fill(thousands * 1000));
const EVERYWHERE = { start_seat: null, hide_money: false, turn_seconds: 0 };
// Games from before there were these lack them.
const LATER = { on_timeout: "random", total_seconds: 0, increment_seconds: 0, advice: true };

// `neutral` are white dice for each seat, by the number of players.
const BOOKS = {
  classic: {
    releases: ["1", "2"], seats: [2, 5], rounds: 4, small: 8, big: 0, leftovers: "under", starter: "left", neutral: { 2: 4, 3: 2, 4: 2 },
    notes: notes({ 10: 6, 20: 8, 30: 8, 40: 6, 50: 6, 60: 5, 70: 5, 80: 5, 90: 5 }),
    options: { neutral_dice: false, chip_cards: false },
  },
  modern: {
    releases: ["1"], seats: [2, 6], rounds: 3, small: 6, big: 1, leftovers: "box", starter: "last", neutral: { 2: 3, 3: 2, 4: 1 },
    notes: notes({ 10: 4, 20: 4, 30: 5, 40: 5, 50: 6, 60: 6, 70: 6, 80: 4, 90: 4, 100: 4 }),
    options: { neutral_dice: false, bandit: false },
  },
  royale: {
    releases: ["1", "2"], seats: [2, 5], rounds: 3, small: 7, big: 1, leftovers: "under", starter: "winner", neutral: {},
    notes: notes({ 30: 11, 40: 11, 50: 13, 60: 15, 70: 13, 80: 11, 90: 9, 100: 7 }),
    options: { tiles: 3, fresh_tiles: false, tile_codes: [] },
  },
  cards: {
    releases: ["1"], seats: [2, 5], rounds: 4, small: 0, big: 0, leftovers: "box", starter: "left", neutral: {},
    notes: notes({ 30: 6, 40: 6, 50: 6, 60: 6, 70: 6, 80: 6, 90: 6, 100: 6 }),
    options: { sequential: false, chip_cards: false },
  },
};

// Null for a game of another edition, release or option than those above: it cannot be added up here.
export function findBook({ edition, rules, options }) {
  const book = Object.hasOwn(BOOKS, edition) ? BOOKS[edition] : null;
  const known = book && { ...book.options, ...EVERYWHERE, ...LATER };
  return book?.releases.includes(rules) && Object.keys(options).every((name) => Object.hasOwn(known, name)) ? book : null;
}

// Whether the options are those that the command asked for, the rest as they mostly are.
export function fitsOptions(book, { options: told, seats }, { options: asked = {} }) {
  const usual = { ...book.options, ...EVERYWHERE };
  for (const name of Object.keys(LATER)) if (Object.hasOwn(told, name)) usual[name] = LATER[name];
  const expected = { ...usual, ...asked };
  if (expected.tile_codes?.length && expected.tiles === book.options.tiles) expected.tiles = expected.tile_codes.length;
  const [least, most] = book.seats;
  const named = told.tile_codes ?? [];
  const counted = !named.length || told.tiles === named.length;
  return canonical(expected) === canonical(told) && counted && seats.length >= least && seats.length <= most;
}

// What comes out of the box.
export function outfitOf(book, { edition, options, seats }, release) {
  const players = seats.length;
  const own = seats.map((_, seat) => lot(supplyOf(seat), ownerOf(seat), book.small, book.big));
  const white = whiteDice(book, edition, options, players);
  const tiles = edition === "royale" && options.tiles > 0;
  return {
    notes: book.notes,
    dice: [
      ...(book.small ? own : []), ...(white.small ? [lot("box", "neutral", white.small, white.big)] : []),
      ...(tiles ? [lot("box", "black", 2, 0), lot("box", "grey", 9, 0)] : []),
    ],
    decks: edition === "cards" ? seats.map(() => CARDS) : [],
    chip_cards: options.chip_cards ? COLOURS.flatMap((colour) => Array(5).fill(colour)) : [],
    tiles: tiles && release !== "1" ? SIDES : [],
  };
}

const lot = (place, owner, small, big) => ({ place, owner, small, big });

export function whiteDice(book, edition, options, players) {
  if (edition === "royale") return players === 2 ? { small: book.small, big: book.big } : { small: 0, big: 0 };
  if (!options.neutral_dice) return { small: 0, big: 0 };
  return { small: edition === "classic" ? 8 : players * book.neutral[players], big: 0 };
}

// Whether a tile that lies there has such a question, counter or token.
export function isAskedBy(tiles, prompt, tile = "") {
  return tiles.includes(tile) && (QUESTIONS[tile] ?? []).some((name) => prompt === `${tile}.${name}`);
}

export function isCounterOf(tiles, counter) {
  const found = COUNTERS.exec(counter);
  return found !== null && tiles.includes(found[1] ?? found[2]);
}

export const isTokenOf = (tiles, token) => TOKENS.includes(token) && tiles.includes(token);

export const places = CASINO_NUMBERS.map(casinoOf);
