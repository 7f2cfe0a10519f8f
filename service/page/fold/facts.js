// One fact more: what each kind of event does to the things of a game.
import { Refused } from "../proof/refused.js";
import * as things from "./state.js";
import { NEUTRAL, PILE, UNDER, casinoOf, ownerOf, seatOf, supplyOf } from "./state.js";

// Changes the state; refuses what cannot have happened.
export function applyFact(state, event) {
  FACTS[event.type](state, event);
  for (const seat of seatsIn(event)) seatOf(state, seat);
}

// Whatever names a seat names one that there is: of others nothing could be shown.
function seatsIn({ seat = null, winners = [], agenda = [], owner = "", turned = "", dice = [] }) {
  const owners = [owner, turned, ...dice.map((lot) => lot.owner)].map((one) => /-(\d)$/.exec(one)?.[1]);
  const asked = agenda.flatMap((item) => item.seats ?? []);
  return [seat, ...winners, ...asked, ...owners].filter((one) => (one ?? null) !== null);
}

const FACTS = {
  game_created: (state, event) => {
    Object.assign(state, { game: event.game, edition: event.edition, options: event.options });
    state.seats = event.seats.map(plannedSeat);
    state.visibility = event.visibility ?? "public";
    state.rematchOf = event.rematch_of ?? "";
    state.sandbox = event.sandbox ?? false;
  },
  game_started: gameStarted,
  round_started: (state, { round, starter }) => {
    seatOf(state, starter);
    Object.assign(state, { round, starter, turn: null, turns: 0 });
  },
  turn_started: (state, { seat = null }) => Object.assign(state, { turn: seat, turns: state.turns + 1, roll: null }),
  dice_rolled: (state, { seat = null, own = [], big = null, neutral = [] }) => {
    if (seat !== null) Object.assign(state, { roll: { seat, own, big, neutral }, turn: seat });
  },
  dice_placed: dicePlaced,
  dice_moved: (state, { owner, source, target, small = 0, big = 0, face = null, turned }) => {
    things.moveDice(state, owner, source, target, small, big, turned ?? owner);
    if (face !== null && state.roll) leaveArena(state, face, small, big, 0);
  },
  dice_returned: (state, { place, owners }) => owners.forEach((owner) => returnDice(state, place, owner)),
  notes_moved: (state, { source, target, notes }) => things.moveThings(state.notes, source, target, notes, "notes"),
  chips_moved: (state, { source, target, chips }) => things.moveChips(state, source, target, chips),
  chip_cards_moved: (state, { source, target, cards }) =>
    things.moveThings(state.chipCards, source, target, cards, "cards"),
  cards_dealt: (state, { seat, cards }) => state.hands.set(seat, cards),
  cards_played: cardsPlayed,
  chosen: (state, { seat, choice }) => {
    const ask = state.agenda.at(-1);
    if (ask?.kind === "ask") state.agenda = [...state.agenda.slice(0, -1), answered(ask, seat, choice)];
  },
  revealed: () => {},
  agenda_changed: (state, { agenda }) => {
    state.agenda = agenda;
    if (agenda.at(-1)?.kind === "ask") state.asked = agenda.at(-1).id;
  },
  round_ended: (state) => {
    Object.assign(state, { dice: new Map(state.outfit), roll: null, tiles: [], closed: [] });
    for (const kept of [state.hands, state.glasses, state.tokens, state.counters]) kept.clear();
  },
  game_ended: (state, { winners, totals }) => Object.assign(state, { status: "over", winners, totals, turn: null }),
  game_closed: (state, { reason }) =>
    Object.assign(state, { status: "over", closeReason: reason, turn: null, roll: null, agenda: [] }),
  seat_taken: (state, { seat, name, bot = null, player = "" }) => {
    seatOf(state, seat);
    state.arrivals += 1;
    state.seats[seat] = { name: name || bot || null, bot: bot || null, player, standIn: null, sat: state.arrivals };
  },
  seat_left: seatLeft,
  seat_returned: (state, { seat }) => Object.assign(seatOf(state, seat), { standIn: null }),
  void_voted: (state, { seat, agrees }) => {
    const others = state.void.filter((other) => other !== seat);
    state.void = agrees ? [...others, seat].sort((one, other) => one - other) : others;
  },
  rematch_made: (state, { game }) => Object.assign(state, { rematch: game }),
  game_forked: gameForked,
  tiles_laid: (state, { tiles }) => Object.assign(state, { tiles, tilesUsed: [...state.tilesUsed, ...tiles] }),
  token_moved: (state, { token, target }) => state.tokens.set(token, target),
  counter_moved: (state, { counter, value }) => state.counters.set(counter, value),
  casino_closed: (state, { number }) => Object.assign(state, { closed: [...new Set([...state.closed, number])] }),
  casino_opened: (state, { number }) =>
    Object.assign(state, { closed: state.closed.filter((shut) => shut !== number) }),
};

// The table stays as it is; whatever was said or left by those who sat there goes with them.
function gameForked(state, { game, origin, seats, visibility = "public" }) {
  if (seats.length !== state.seats.length) throw new Refused("no_seat");
  Object.assign(state, { game, origin, visibility, seats: seats.map(plannedSeat), arrivals: 0, void: [], rematchOf: "" });
}

const plannedSeat = ({ name, bot, player }) => ({
  name: name || bot || null, bot: bot ?? null, player: player ?? "", standIn: null, sat: 0,
});

function gameStarted(state, { notes, dice = [], decks = [], chip_cards: cards = [], tiles = [] }) {
  state.status = "playing";
  for (const { place, owner, small, big = 0 } of dice) things.addDice(state, owner, place, small, big);
  state.outfit = new Map(state.dice);
  state.notes = new Map([[PILE, notes], [UNDER, []]]);
  state.chipCards = new Map(cards.length ? [[PILE, cards]] : []);
  Object.assign(state, { decks, tileBox: tiles });
}

function dicePlaced(state, { seat, number, target, small = 0, big = 0, neutral = 0 }) {
  things.moveDice(state, ownerOf(seat), supplyOf(seat), target, small, big);
  things.moveDice(state, NEUTRAL, supplyOf(seat), target, neutral, 0);
  if (state.roll) leaveArena(state, number, small, big, neutral);
}

function leaveArena(state, face, small, big, neutral) {
  const roll = {
    seat: state.roll.seat,
    own: without(state.roll.own, face, small),
    big: big ? null : state.roll.big,
    neutral: without(state.roll.neutral, face, neutral),
  };
  state.roll = roll.own.length || roll.neutral.length || roll.big !== null ? roll : null;
}

function without(faces, face, count) {
  if (faces.filter((one) => one === face).length < count) throw new Refused("not_rolled", { face });
  const left = [...faces];
  left.splice(left.indexOf(face), count);
  return count ? left : faces;
}

function returnDice(state, place, owner) {
  const { small, big } = things.diceOf(state, owner, place);
  const seat = /^seat-(\d)$/.exec(owner);
  things.moveDice(state, owner, place, seat ? supplyOf(seat[1]) : "box", small, big);
}

// A laid card lies at its casino like dice: a single card is one, a double card a big one.
function cardsPlayed(state, { seat, cards, rest }) {
  for (const card of cards) {
    const double = Number(card.endsWith("d"));
    things.addDice(state, ownerOf(seat), casinoOf(card[0]), 1 - double, double);
  }
  state.hands.delete(seat);
  state.glasses.set(seat, [...(state.glasses.get(seat) ?? []), rest]);
}

const answered = (ask, seat, choice) => ({ ...ask, answers: [...(ask.answers ?? []), { seat, choice }] });

function seatLeft(state, { seat, bot = "", for_good: forGood = false }) {
  const left = seatOf(state, seat);
  if (state.status === "lobby") state.seats[seat] = plannedSeat({});
  else if (forGood) {
    state.seats[seat] = { ...plannedSeat({ bot }), sat: left.sat };
    state.void = state.void.filter((one) => one !== seat);
  } else state.seats[seat] = { ...left, standIn: bot };
}
