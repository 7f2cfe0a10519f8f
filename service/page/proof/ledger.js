// Adds a game up beside the dice: how each round is laid out, whose turn it is and how many dice are rolled, who is
// tied and paid at a casino, who starts, which round is the last, what lies in the purses and who wins.
// What a question may offer and what tiles do, move, pay and collect is taken from the log.
import { CHIP } from "../fold/chips.js";
import { BANDIT, BANK, CASINO_NUMBERS, NEUTRAL, PILE, casinoOf, diceOf, heapAt, ownerOf, purseOf, supplyOf } from "../fold/state.js";
import {
  BANK_NOTES, CHIPS_A_ROUND, ENOUGH_CARDS, ENOUGH_MONEY, HAND, MOST_TURNS, SETS, findBook, fitsOptions, isAskedBy, isCounterOf,
  isTokenOf, outfitOf, places,
} from "./books.js";
import { isObject } from "./chain.js";
import { canonical } from "./json.js";
import { Refused } from "./refused.js";

const START = "start";
const CLOSING = "E1";
const OWN_QUESTIONS = ["turn.place", "chip_cards.take", "cards.select", "cards.lay"];
const SEATING = ["seat_left", "seat_returned"];
const TILE_SETTING = ["counter_moved", "token_moved", "dice_moved"];

const hold = (fits, what, values = {}) => {
  if (!fits) throw new Refused(what, values);
};
const same = (one, other) => canonical(one) === canonical(other);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

export class Ledger {
  constructor() {
    // `due` are the events that must come next, `laying` what is still to be laid out; null where nothing is.
    Object.assign(this, { book: null, release: "", due: [], laying: null, tied: null, paid: 0, ended: 0, opened: false, payouts: 0 });
  }

  // Before the event is applied.
  check(state, commit, index) {
    const event = commit.events[index];
    if (event.type === "game_created") this.open(event, commit);
    if (event.type === "game_started" && this.book) this.unpack(state, event);
    if (!this.book) return;
    hold(commit.events[index - 1]?.type !== "agenda_changed", "sequence");
    hold(state.status !== "over" || ["agenda_changed", "rematch_made"].includes(event.type), "sequence");
    if (this.due.length) hold(same(this.due.shift(), event), "payout", { place: event.source ?? event.place ?? "" });
    else this.checkFreely(state, commit, index, event);
  }

  open(created, { command }) {
    this.book = findBook(created);
    this.release = created.rules;
    if (this.book) hold(fitsOptions(this.book, created, command), "options");
  }

  // All that comes out of the box. Tiles that are not in the book are none that this page has heard of.
  unpack(state, { type, ...told }) {
    const expected = outfitOf(this.book, state, this.release);
    const things = { dice: [], decks: [], chip_cards: [], tiles: [], ...told };
    if (things.tiles.length && !same(things.tiles, expected.tiles)) this.book = null;
    else hold(state.status === "lobby" && same(things, expected), "outfit");
  }

  checkFreely(state, commit, index, event) {
    const { type } = event;
    hold(!this.ended || ["round_started", "game_ended"].includes(type), "sequence");
    if (this.laying && this.layOut(state, event)) return;
    CHECKS[type]?.(this, state, event, commit, index);
  }

  // An answer is to the question that was open, by somebody who was asked, and one that was offered.
  checkAnswer(state, { command, events }) {
    if (command.type !== "choose" || !this.book) return;
    const ask = state.agenda.at(-1);
    const answered = (ask?.answers ?? []).map(({ seat }) => seat);
    const value = valueOf(command.choice);
    hold(ask?.kind === "ask" && ask.id === command.ask, "answer");
    hold(ask.seats.includes(command.seat) && !answered.includes(command.seat), "answer");
    hold(!ask.options || value === undefined || ask.options.includes(value), "answer");
    this.opened = this.opened && value === "roll";
    const [first] = events.filter(({ type }) => !SEATING.includes(type));
    hold(first, "answer");
    if (ask.prompt === "turn.place") hold(fitsTurn(first, command.seat, value), "answer");
  }

  // The events that lay a round out, in their order: running numbers hang on it.
  layOut(state, event) {
    const next = this.laying[0];
    if (!next) {
      this.laying = null;
      return false;
    }
    if (next.free && TILE_SETTING.includes(event.type) && event.owner !== NEUTRAL) {
      CHECKS[event.type](this, state, event);
      return true;
    }
    if (next.free) {
      this.laying.shift();
      return this.layOut(state, event);
    }
    hold(next.fits(event), "laid_out");
    // The pairs are one draw, all else is drawn by itself.
    if ((event.chance ?? null) !== null) hold((event.chance === this.number) === Boolean(next.shares), "laid_out");
    this.number = event.chance;
    this.laying.shift();
    if (next.more) this.laying.unshift(...next.more(event));
    return true;
  }

  beginRound(state, { round, starter, chance = null }) {
    hold(state.status === "playing" && round === state.round + 1 && round <= this.book.rounds, "round");
    hold(state.round === 0 || this.ended === state.round, "round");
    const named = state.round === 0 ? state.options.start_seat : this.next;
    hold(state.round === 0 && named === null ? chance !== null : starter === named, "starter");
    Object.assign(this, { ended: 0, tied: null, paid: 0, opened: false, laying: this.listLaying(state, round) });
  }

  listLaying(state, round) {
    const { edition, options, seats } = state;
    const laid = edition === "royale" ? this.listPairs(state, round) : places.map((place) => drawn(place, edition));
    if (options.bandit) laid.push(drawn(BANDIT, edition));
    if (options.chip_cards) laid.push(...places.map((place) => ({ fits: (event) => isCardFor(event, place) })));
    if (edition === "cards") laid.push(...seats.map((_, seat) => ({ fits: (event) => isHandOf(event, seat) })));
    return [...laid, ...this.listWhite(state)];
  }

  // Six pairs, then the bank, the chips and the tiles.
  listPairs({ options, seats }, round) {
    const worth = [];
    const ranks = ({ notes }) => worth.push([sum(notes), Math.max(...notes)]) === 1 || !outranks(worth.at(-1), worth.at(-2));
    const pairs = [...places].reverse().map((place, at) => ({ fits: (event) => isDrawnTo(event, place, 2) && ranks(event), shares: at > 0 }));
    const chips = seats.map((_, seat) => exactly({ type: "chips_moved", source: BANK, target: purseOf(seat), chips: CHIPS_A_ROUND }));
    const bank = { fits: (event) => isDrawnTo(event, BANK, BANK_NOTES) };
    const tiles = { fits: ({ type, tiles: laid }) => type === "tiles_laid" && fitsTiles(laid, options) };
    return [...pairs, ...(options.tiles && round === 1 ? [bank] : []), ...chips, ...(options.tiles ? [tiles, { free: true }] : [])];
  }

  listWhite({ edition, options, seats, outfit }) {
    const each = options.neutral_dice ? this.book.neutral[seats.length] : 0;
    const shares = seats.map((_, seat) => exactly(moved(NEUTRAL, "box", supplyOf(seat), each, 0)));
    const box = outfit.get("box")?.get(NEUTRAL) ?? { small: 0, big: 0 };
    const spare = { small: box.small - each * seats.length, big: box.big };
    const scatter = { fits: (event) => isSpareRoll(event, spare), more: (event) => listScattered(event) };
    return [...(each ? shares : []), ...(spare.small + spare.big > 0 ? [scatter] : [])];
  }

  // Turns

  checkRoll(state, event, commit, index) {
    const { seat = null, own = [], big = null, neutral = [], black = [] } = event;
    if (seat === null) {
      hold(state.tiles.length && black.length === 2 && !own.length && !neutral.length && big === null, "rolled");
      return;
    }
    this.checkTurn(state, seat, this.opened);
    this.opened = false;
    const held = diceOf(state, ownerOf(seat), supplyOf(seat));
    const white = diceOf(state, NEUTRAL, supplyOf(seat));
    hold(same([own.length, Number(big !== null), neutral.length], [held.small, held.big, white.small]) && !black.length, "rolled");
    const shown = [...new Set([...own, ...neutral, ...(big === null ? [] : [big])])].filter((face) => !state.closed.includes(face));
    const ask = { prompt: "turn.place", seats: [seat], options: offersFor(state, seat, shown) };
    if (shown.length) hold(asks(state, commit.events[index + 1], "turns", ask), "unasked");
  }

  checkTurn(state, seat, opened) {
    hold(this.tied === null && !this.ended, "turn");
    hold(seat === (opened ? state.turn : following(state, (one) => heapAt(state, supplyOf(one)).size > 0)), "turn");
  }

  openTurn(state, { seat = null }, commit, index) {
    const hands = state.edition === "cards";
    hold(hands || seat !== null, "turn");
    if (hands) hold(seat === (state.options.sequential ? following(state, (one) => state.hands.has(one)) : null), "turn");
    else this.checkTurn(state, seat, false);
    hold(!hands || state.seats.every((_, one) => state.hands.has(one) === playsOn(state, one)), "cards");
    this.opened = !hands;
    const next = commit.events[index + 1];
    const laying = seat === null ? { prompt: "cards.select", seats: [...state.hands.keys()].sort() } : { prompt: "cards.lay", seats: [seat] };
    if (hands) hold(asks(state, next, "card_turns", laying), "unasked");
    else hold(same(next?.agenda?.at(-1)?.seats ?? [], [seat]), "unasked");
  }

  // Cards: what is laid is what was selected, and the rest of that hand goes under the glass.
  checkLaid(state, { seat, cards, rest }, { command, events }) {
    const shown = events.find((event) => event.type === "revealed" && event.seat === seat);
    const selected = shown?.value ?? (command.seat === seat ? valueOf(command.choice) : null);
    hold(selected === `play-${cards.join("-")}`, "cards");
    const hand = state.hands.get(seat);
    hold(hand, "cards");
    if (hand.value && rest.value) hold(same([...cards, ...rest.value].sort(), [...hand.value].sort()), "cards");
  }

  checkDealt(state, { seat, cards }, { events }, index) {
    const before = events[index - 1];
    hold(!state.hands.has(seat) && playsOn(state, seat), "cards");
    hold(before?.type !== "cards_dealt" || before.seat < seat, "cards");
    if (cards.value) hold(cards.value.length === HAND, "cards");
  }

  // Payout

  beginPayout(state) {
    if (this.tied !== null) return;
    const held = state.seats.some((_, seat) => heapAt(state, supplyOf(seat)).size > 0 || state.hands.has(seat));
    const plays = state.decks.length > 0 && state.seats.some((_, seat) => playsOn(state, seat));
    hold(state.round > 0 && !held && !plays && !this.laying?.length, "early");
    this.tied = places.map((place) => [place, findTied(state, place)]).filter(([, owners]) => owners.length);
  }

  returnTied(state, { place, owners }) {
    this.beginPayout(state);
    const [due, tied] = this.tied.shift() ?? [];
    hold(place === due && same([...owners].sort(), [...tied].sort()), "tied");
  }

  moveNotes(state, event) {
    const { source, target } = event;
    const due = this.paid < places.length ? places[this.paid] : BANDIT;
    if (source === BANK || source.startsWith("purse-")) {
      hold(state.tiles.length && [source, target].includes(BANK), "payment");
      return;
    }
    this.beginPayout(state);
    hold(source === due && state.notes.get(source)?.length && !this.tied.length, "payout", { place: source });
    const expected = due === BANDIT ? this.listPayments(state, due, rankAtBandit(state)) : this.listCasino(state, due);
    this.paid += 1;
    this.payouts += 1;
    hold(same(expected.shift(), event), "payout", { place: source });
    this.due = expected;
  }

  listCasino(state, place) {
    const order = rankAt(state, place);
    const payments = this.listPayments(state, place, order);
    const winner = this.book.starter === "winner" && order[0]?.startsWith("seat-") ? Number(order[0].slice(5)) : null;
    return winner === null ? payments : [...payments, { type: "token_moved", token: START, target: supplyOf(winner) }];
  }

  // The richest note to the first; what an imaginary player wins goes the way of what is left.
  listPayments(state, place, order) {
    const falling = [...state.notes.get(place)].sort((one, other) => other - one);
    const { leftovers } = this.book;
    const won = order.slice(0, falling.length).map((owner, at) => ({
      type: "notes_moved", source: place, notes: [falling[at]],
      ...(owner.startsWith("seat-") ? { target: purseOf(owner.slice(5)) } : { target: leftovers, winner: owner }),
    }));
    const left = falling.slice(order.length);
    return [...won, ...(left.length ? [{ type: "notes_moved", source: place, target: leftovers, notes: left }] : [])];
  }

  moveChips(state, { source, target, chips }, { command }) {
    const passes = command.choice === "pass" && source === purseOf(command.seat) && target === BANK && chips === 1;
    hold(passes || (state.tiles.length && [source, target].includes(BANK)), "payment");
  }

  moveChipCard(state, { source, target, cards }, { command }) {
    const ask = state.agenda.at(-1);
    const asked = ask?.prompt === "chip_cards.take" && source === casinoOf(ask.number) && target === purseOf(command.seat);
    hold(asked && cards.length === 1 && command.choice === `take-${cards[0]}`, "payment");
  }

  endRound(state, { round }) {
    const all = places.length + Number(state.notes.has(BANDIT));
    hold(round === state.round && this.paid === all && this.tied?.length === 0, "round");
    const left = (state.starter + 1) % state.seats.length;
    const token = state.tokens.get(START);
    const winner = token === undefined ? state.starter : Number(token.slice("supply-".length));
    this.next = { left, last: state.turn, winner }[this.book.starter];
    this.ended = round;
  }

  endGame(state, { winners, totals }) {
    hold(this.ended === this.book.rounds, "ended_early");
    const purses = state.seats.map((_, seat) => purseIn(state, seat));
    hold(same(totals, purses.map(({ total }) => total)), "totals");
    const best = purses.reduce((one, other) => (outranks(other.merit, one) ? other.merit : one), purses[0].merit);
    hold(same(winners, purses.flatMap(({ merit }, seat) => (same(merit, best) ? [seat] : []))), "winners");
    this.ended = 0;
  }
}

const CHECKS = {
  round_started: (ledger, state, event) => ledger.beginRound(state, event),
  turn_started: (ledger, ...rest) => ledger.openTurn(...rest),
  dice_rolled: (ledger, ...rest) => ledger.checkRoll(...rest),
  dice_placed: (ledger, state, event, { command }) => {
    const { seat, number, target, small = 0, big = 0, neutral = 0 } = event;
    const { own = [], big: large = null, neutral: white = [] } = state.roll?.seat === seat ? state.roll : {};
    const shown = [own, large === null ? [] : [large], white].map((faces) => faces.filter((face) => face === number).length);
    hold(fitsTurn(event, command.seat, command.choice) && same([small, big, neutral], shown) && target.endsWith(`-${number}`), "placed");
  },
  dice_moved: (ledger, state) => hold(state.tiles.length, "payment"),
  dice_returned: (ledger, state, event) => ledger.returnTied(state, event),
  notes_moved: (ledger, state, event) => ledger.moveNotes(state, event),
  chips_moved: (ledger, ...rest) => ledger.moveChips(...rest),
  chip_cards_moved: (ledger, ...rest) => ledger.moveChipCard(...rest),
  cards_dealt: (ledger, ...rest) => ledger.checkDealt(...rest),
  cards_played: (ledger, ...rest) => ledger.checkLaid(...rest),
  chosen: (ledger, state, { ask, seat, choice }, { command }) =>
    hold(same([ask, seat, choice], [command.ask, command.seat, command.choice]), "answer"),
  tiles_laid: () => hold(false, "laid_out"),
  token_moved: (ledger, state, { token }) => hold(isTokenOf(state.tiles, token), "payment"),
  counter_moved: (ledger, state, { counter }) => hold(isCounterOf(state.tiles, counter), "payment"),
  casino_closed: (ledger, state) => hold(state.tiles.includes(CLOSING), "payment"),
  casino_opened: (ledger, state) => hold(state.tiles.includes(CLOSING), "payment"),
  round_ended: (ledger, state, event) => ledger.endRound(state, event),
  game_ended: (ledger, state, event) => ledger.endGame(state, event),
  agenda_changed: (ledger, state, { agenda }) => {
    const ask = agenda.at(-1);
    const known = ask && (OWN_QUESTIONS.includes(ask.prompt) ? !ask.tile : isAskedBy(state.tiles, ask.prompt, ask.tile));
    hold(!ask || known, "unasked");
    hold(ask ? ask.kind === "ask" && ask.id === state.asked + 1 : state.status === "over", "unasked");
  },
};

const valueOf = (choice) => (isObject(choice) ? choice.value : choice);

// What a turn with a roll begins with.
function fitsTurn(first, seat, choice) {
  const [verb, number] = String(choice).split("-");
  if (verb === "pass") return same(first, { type: "chips_moved", source: purseOf(seat), target: BANK, chips: 1 });
  const target = { place: `casino-${number}`, bandit: `bandit-${number}` }[verb];
  return first?.type === "dice_placed" && first.seat === seat && String(first.number) === number && first.target === target;
}

// Laying out

const exactly = (expected) => ({ fits: (event) => same(event, expected) });

const moved = (owner, source, target, small, big) => ({
  type: "dice_moved", owner, source, target, ...(small ? { small } : {}), ...(big ? { big } : {}),
});

const isDrawnTo = ({ type, source, target, notes }, place, count) =>
  type === "notes_moved" && source === PILE && target === place && (count === null || notes.length === count);

// Two notes, in the first edition as many as it takes.
function drawn(place, edition) {
  const enough = ({ notes }) => sum(notes) >= ENOUGH_MONEY && sum(notes.slice(0, -1)) < ENOUGH_MONEY;
  return { fits: (event) => (edition === "classic" ? isDrawnTo(event, place, null) && enough(event) : isDrawnTo(event, place, 2)) };
}

const isCardFor = ({ type, source, target, cards }, place) =>
  type === "chip_cards_moved" && source === PILE && target === place && cards.length === 1;

const isHandOf = ({ type, seat, cards }, expected) =>
  type === "cards_dealt" && seat === expected && (cards.value?.length ?? HAND) === HAND;

const fitsTiles = (laid, { tiles, tile_codes: codes }) => (codes.length ? same(laid, codes) : laid.length === tiles);

function isSpareRoll({ type, seat = null, own = [], black = [], neutral = [], big = null }, spare) {
  const counts = [own.length, black.length, neutral.length, Number(big !== null)];
  return type === "dice_rolled" && seat === null && same(counts, [0, 0, spare.small, spare.big]);
}

const listScattered = ({ neutral = [], big = null }) =>
  CASINO_NUMBERS.map((face) => [face, neutral.filter((one) => one === face).length, Number(big === face)])
    .filter(([, small, large]) => small + large)
    .map(([face, small, large]) => exactly(moved(NEUTRAL, "box", casinoOf(face), small, large)));

// Turns

// The next seat in order of which this is true.
function following({ seats, starter, turn }, has) {
  const first = turn === null ? starter : turn + 1;
  return seats.map((_, step) => (first + step) % seats.length).find(has) ?? null;
}

function offersFor(state, seat, shown) {
  const faces = [...shown].sort();
  const bandit = state.options.bandit ? faces.filter((face) => !heapAt(state, `${BANDIT}-${face}`).size) : [];
  const pass = state.edition === "royale" && (state.chips.get(purseOf(seat)) ?? 0) > 0;
  return [...faces.map((face) => `place-${face}`), ...bandit.map((face) => `bandit-${face}`), ...(pass ? ["pass"] : [])];
}

// Whether the event asks just that, with nothing but the turns to come below it.
const asks = (state, event, turns, ask) =>
  same(event?.agenda ?? [], [{ kind: "step", name: turns }, { kind: "ask", id: state.asked + 1, ...ask }]);

function playsOn(state, seat) {
  const laid = sum(places.map((place) => diceOf(state, ownerOf(seat), place)).map(({ small, big }) => small + big));
  return laid < ENOUGH_CARDS && (state.glasses.get(seat) ?? []).length < MOST_TURNS;
}

// Payout

const playerOf = (owner) => owner.replace(/^black-(?=\d$)/, "seat-");

// What each player's dice count there; the big die is two.
function weigh(state, place) {
  const weights = new Map();
  for (const [owner, { small, big }] of heapAt(state, place)) {
    weights.set(playerOf(owner), (weights.get(playerOf(owner)) ?? 0) + small + 2 * big);
  }
  return weights;
}

const isAlone = (weights, player) => [...weights.values()].filter((weight) => weight === weights.get(player)).length === 1;

function findTied(state, place) {
  const weights = weigh(state, place);
  return [...heapAt(state, place).keys()].filter((owner) => !isAlone(weights, playerOf(owner)));
}

function rankAt(state, place) {
  const weights = weigh(state, place);
  return [...weights.keys()].filter((player) => isAlone(weights, player)).sort((one, other) => weights.get(other) - weights.get(one));
}

// Dice, then pips, then the highest number.
function rankAtBandit(state) {
  const merits = new Map();
  for (const face of CASINO_NUMBERS) {
    for (const [owner, { small, big }] of heapAt(state, `${BANDIT}-${face}`)) {
      const [dice, pips] = merits.get(owner) ?? [0, 0];
      merits.set(owner, [dice + small + 2 * big, pips + face * (small + 2 * big), face]);
    }
  }
  return [...merits.keys()].sort((one, other) => (outranks(merits.get(one), merits.get(other)) ? -1 : 1));
}

// The first number that differs decides.
function outranks(one, other) {
  const at = one.findIndex((number, place) => number !== other[place]);
  return at >= 0 ? one[at] > other[at] : false;
}

function purseIn(state, seat) {
  const notes = state.notes.get(purseOf(seat)) ?? [];
  const chips = state.chips.get(purseOf(seat)) ?? 0;
  const cards = state.chipCards.get(purseOf(seat)) ?? [];
  const sets = [...new Set(cards)].map((colour) => SETS[cards.filter((card) => card === colour).length] ?? 0);
  const total = sum(notes) + CHIP * chips + sum(sets);
  return { total, merit: [total, notes.length + chips] };
}
