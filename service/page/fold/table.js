// The table of a game at a version, made from its commits alone, in the form of GET /v1/games/{id}.
// What takes rules is left to the service: `standing` is empty, tiles show only what lies on them, `total` is null
// while a seat holds chip cards and the game goes on, and nobody has a place. Players have no name: the log keeps none.
import { CHIP } from "./chips.js";
import { applyFact } from "./facts.js";
import {
  BANDIT, BANK, CASINO_NUMBERS, NEUTRAL, PILE, UNDER, casinoOf, diceOf, emptyState, heapAt, ownerOf, purseOf, supplyOf,
} from "./state.js";

// For a viewer who may see everything, as all may once a game is over.
export const EVERYTHING = "everything";

// The state after a version, and after so many events of the commit that follows.
export function foldTo(commits, version, events = 0) {
  const state = emptyState();
  for (const commit of commits.slice(0, version)) for (const event of commit.events) applyFact(state, event);
  for (const event of commits[version]?.events.slice(0, events) ?? []) applyFact(state, event);
  return state;
}

export function tableAt(commits, version, viewer = EVERYTHING, edition = null, events = 0) {
  const state = foldTo(commits, version, events);
  return showTable(state, version, viewer, { ...edition, rounds: edition?.rounds ?? countRounds(commits) });
}

const countRounds = (commits) =>
  commits.flatMap((commit) => commit.events).filter((event) => event.type === "round_started").length;

// `edition` is what GET /v1/editions says of it; where that is unknown casinos have numbers for names.
export function showTable(state, version, viewer, edition) {
  const sees = { viewer, everything: viewer === EVERYTHING || state.status === "over" };
  return {
    id: state.game, version, edition: state.edition, options: state.options, status: state.status,
    round: state.round, rounds: edition.rounds, starter: state.round ? state.starter : null, turn: state.turn,
    you: typeof viewer === "number" ? viewer : null,
    seats: state.seats.map((_, seat) => showSeat(state, seat, sees)),
    casinos: state.status === "lobby" ? [] : showCasinos(state, edition),
    roll: state.roll, asks: showAsks(state, viewer), winners: state.winners, visibility: state.visibility,
    pile: (state.notes.get(PILE) ?? []).length, under: state.notes.get(UNDER) ?? [],
    ...showSome(state),
  };
}

// Members that only some games have.
function showSome(state) {
  const shown = {};
  if (state.notes.has(BANK)) shown.bank = falling(state.notes.get(BANK));
  if (state.decks.length && state.status === "playing") shown.turn_number = turnNumber(state);
  if (state.closeReason) shown.closed = { reason: state.closeReason };
  if (state.void.length) shown.void = state.void;
  if (state.rematch) shown.rematch = state.rematch;
  if (state.rematchOf) shown.rematch_of = state.rematchOf;
  if (state.origin) shown.fork = { game: state.origin.game, at: state.origin.at };
  if (state.sandbox) shown.sandbox = true;
  return shown;
}

// In sequence every seat counts its own turns.
function turnNumber({ turn, turns, glasses, hands }) {
  return turn === null ? turns : (glasses.get(turn) ?? []).length + Number(hands.has(turn));
}

function showSeat(state, seat, sees) {
  const { name, bot, player, standIn } = state.seats[seat];
  const supply = diceOf(state, ownerOf(seat), supplyOf(seat));
  const notes = state.notes.get(purseOf(seat)) ?? [];
  return {
    seat, name, kind: bot === null ? "human" : "bot", dice: supply.small + supply.big, big: supply.big > 0,
    neutral_dice: diceOf(state, NEUTRAL, supplyOf(seat)).small, chips: state.chips.get(purseOf(seat)) ?? 0,
    note_count: notes.length, ...showMoney(state, seat, notes, sees),
    ...(bot === null ? {} : { bot }), ...(name === null && !player ? { open: true } : {}), ...(standIn ? { stand_in: standIn } : {}),
    ...(player ? { player } : {}), ...showCards(state, seat, sees),
  };
}

function showMoney(state, seat, notes, { viewer, everything }) {
  if (state.options.hide_money && !everything && seat !== viewer) return { notes: null, money: null, total: null };
  const money = notes.reduce((sum, note) => sum + note, 0);
  const cards = (state.chipCards.get(purseOf(seat)) ?? []).length;
  const worth = cards ? null : money + CHIP * (state.chips.get(purseOf(seat)) ?? 0);
  return { notes: falling(notes), money, total: state.totals?.[seat] ?? worth };
}

function showCards(state, seat, sees) {
  const shown = state.chipCards.size ? { chip_cards: state.chipCards.get(purseOf(seat)) ?? [] } : {};
  if (!state.decks.length) return shown;
  const hand = state.hands.get(seat);
  const laid = CASINO_NUMBERS.map((number) => diceOf(state, ownerOf(seat), casinoOf(number)));
  return {
    ...shown, hand: hand ? showSecret(hand, sees) : [],
    glass: (state.glasses.get(seat) ?? []).map((rest) => showSecret(rest, sees)),
    placed: laid.reduce((sum, { small, big }) => sum + small + big, 0),
  };
}

function showSecret({ hidden, value, audience = [] }, { viewer, everything }) {
  return value !== undefined && (everything || audience.includes(viewer)) ? value : { hidden };
}

function showCasinos(state, edition) {
  const six = CASINO_NUMBERS.map((number) => ({
    number, name: edition.casinos?.[number - 1] ?? String(number), notes: falling(state.notes.get(casinoOf(number)) ?? []),
    closed: state.closed.includes(number), tile: showTile(state, number, edition), dice: showDice(state, casinoOf(number)),
    standing: [],
    ...(state.chipCards.size ? { chip_cards: state.chipCards.get(casinoOf(number)) ?? [] } : {}),
  }));
  return state.notes.has(BANDIT) ? [...six, showBandit(state, edition)] : six;
}

// Its dice keep their faces.
const showBandit = (state, edition) => ({
  number: BANDIT, name: edition.bandit ?? BANDIT, notes: falling(state.notes.get(BANDIT)), closed: false, tile: null,
  dice: CASINO_NUMBERS.flatMap((face) => showDice(state, `${BANDIT}-${face}`).map((lot) => ({ ...lot, face }))),
  standing: [],
});

// By the player they count for: dice lent for a round are their player's own.
function showDice(state, place) {
  const lots = new Map();
  for (const [owner, { small, big }] of heapAt(state, place)) {
    const player = owner.replace(/^black-(?=\d$)/, "seat-");
    const other = lots.get(player) ?? { small: 0, big: 0 };
    lots.set(player, { small: other.small + small, big: other.big + big });
  }
  return [...lots].map(([owner, { small, big }]) => ({ owner, small, big, weight: small + 2 * big }));
}

function showTile(state, number, edition) {
  const code = state.tiles[number - 1];
  if (code === undefined) return null;
  const known = edition.tiles?.find((tile) => tile.code === code);
  return { code, name: known?.name ?? code, text: known?.text ?? "", shows: showTileThings(state, code) };
}

// What anybody sees lying there, whatever it means.
function showTileThings(state, code) {
  const places = [...state.dice.keys()].filter((place) => place.startsWith(`${code}-`));
  const dice = places.flatMap((place) => showDice(state, place).map((lot) => ({ ...lot, place })));
  const shown = dice.length ? { dice } : {};
  if (state.counters.has(code)) shown.counter = state.counters.get(code);
  if (state.tokens.has(code)) shown.token = state.tokens.get(code);
  return shown;
}

// Who is awaited; what they may answer takes rules.
function showAsks(state, viewer) {
  const ask = state.agenda.at(-1);
  if (ask?.kind !== "ask") return [];
  const done = (ask.answers ?? []).map((answer) => answer.seat);
  const seats = ask.seats.filter((seat) => !done.includes(seat));
  return [{
    ask: ask.id, prompt: ask.prompt, seats, yours: seats.includes(viewer), options: [], deadline: null,
    ...(ask.number === undefined ? {} : { casino: ask.number }), ...(ask.tile ? { tile: ask.tile } : {}),
  }];
}

const falling = (notes) => [...notes].sort((one, other) => other - one);
