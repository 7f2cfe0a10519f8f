// What commits and events are made of. Whatever is not said here is in no commit that this page knows.
import { brief, isObject, isSecret } from "./chain.js";
import { Refused } from "./refused.js";

const MOST_SEATS = 6;
// Far above any game; a page would try to draw whatever a file says.
const MOST_THINGS = 99;
const OWNER = /^(?:neutral|grey|black|(?:seat|black)-[0-5])$/;
const LONGEST_NAME = 200;

const whole = (thing) => Number.isSafeInteger(thing);
const count = (thing) => whole(thing) && thing >= 0;
const seat = (thing) => count(thing) && thing < MOST_SEATS;
const face = (thing) => count(thing) && thing >= 1 && thing <= 6;
const flag = (thing) => typeof thing === "boolean";
const few = (thing) => count(thing) && thing <= MOST_THINGS;
const text = (thing) => typeof thing === "string";
const name = (thing) => text(thing) && thing.length <= LONGEST_NAME;
const owner = (thing) => text(thing) && OWNER.test(thing);
const list = (of) => (thing) => Array.isArray(thing) && thing.every(of);
const maybe = (of) => Object.assign((thing) => thing === null || of(thing), { optional: true });
const either = (...kinds) => (thing) => kinds.some((kind) => kind(thing));
const secret = (of) => (thing) => isObject(thing) && isSecret(thing) && (thing.value === undefined || of(thing.value));
const members = (shape) => (thing) => isObject(thing) && fault(thing, shape) === null;

const answer = either(text, secret(text));
const option = either(flag, whole, text, (thing) => thing === null, list(text));
const options = (thing) => isObject(thing) && Object.values(thing).every(option);
const plan = members({
  name: maybe(name), bot: maybe(name), entropy: maybe(text), player: maybe(name), name_commitment: maybe(text),
  seconds: maybe(count), fallback: maybe(name),
});
const origin = members({ game: name, at: count, head: text });
const lot = members({ place: text, owner, small: few, big: maybe(few) });
const facts = { number: maybe(whole), tile: maybe(text), data: maybe(list(either(whole, text))), secret: maybe(secret(text)) };
const step = members({ kind: (kind) => kind === "step", name: text, seat: maybe(seat), ...facts });
const ask = members({
  kind: (kind) => kind === "ask", id: count, prompt: text, seats: list(seat), options: maybe(list(text)),
  answers: maybe(list(members({ seat, choice: answer }))), ...facts,
});
const moves = { source: text, target: text };

const EVENTS = {
  game_created: {
    game: name, edition: name, options, seats: list(plan), commitment: text, rules: text,
    rematch_of: maybe(text), visibility: maybe(text), sandbox: maybe(flag),
  },
  game_started: {
    notes: list(count), dice: maybe(list(lot)), decks: maybe(list(list(text))), chip_cards: maybe(list(text)),
    tiles: maybe(list(text)),
  },
  round_started: { round: few, starter: seat, chance: maybe(count) },
  turn_started: { seat: maybe(seat) },
  dice_rolled: {
    chance: count, seat: maybe(seat), own: maybe(list(face)), big: maybe(face), neutral: maybe(list(face)),
    black: maybe(list(face)),
  },
  dice_placed: { seat, number: face, target: text, small: maybe(few), big: maybe(few), neutral: maybe(few) },
  dice_moved: { owner, ...moves, small: maybe(few), big: maybe(few), face: maybe(face), turned: maybe(owner) },
  dice_returned: { place: text, owners: list(owner) },
  notes_moved: { ...moves, notes: list(count), chance: maybe(count), winner: maybe(owner) },
  chips_moved: { ...moves, chips: few },
  chip_cards_moved: { ...moves, cards: list(text), chance: maybe(count) },
  cards_dealt: { seat, cards: secret(list(text)), chance: count },
  cards_played: { seat, cards: list(text), rest: secret(list(text)), chance: count },
  chosen: { ask: count, seat, choice: answer, chance: maybe(count) },
  revealed: { hidden: text, seat, value: text, salt: text },
  agenda_changed: { agenda: list(either(ask, step)) },
  round_ended: { round: few },
  game_ended: { winners: list(seat), totals: list(whole), seed: text },
  game_closed: { reason: name, seed: text },
  seat_taken: {
    seat, name, entropy: maybe(text), player: maybe(name), name_commitment: maybe(text), bot: maybe(name),
  },
  seat_left: { seat, bot: maybe(name), for_good: maybe(flag) },
  seat_returned: { seat },
  void_voted: { seat, agrees: flag },
  rematch_made: { game: name },
  game_forked: { game: name, origin, seats: list(plan), commitment: text, seed: text, visibility: maybe(text), same_dice: maybe(flag) },
  tiles_laid: { tiles: list(text), chance: maybe(count) },
  token_moved: { token: text, target: text },
  counter_moved: { counter: text, value: whole },
  casino_closed: { number: face },
  casino_opened: { number: face },
};

const COMMANDS = {
  create: { game: name, edition: name, seats: list(plan), commitment: text, options: maybe(options), rematch_of: maybe(text), visibility: maybe(text), sandbox: maybe(flag) },
  sit: { seat, name, entropy: maybe(text), player: maybe(name), name_commitment: maybe(text) },
  choose: { ask: count, seat, choice: answer, bot: maybe(name), why: maybe(name) },
  leave: { seat, bot: maybe(name), for_good: maybe(flag) },
  return: { seat },
  start: { seat, bot: name },
  cancel: { seat },
  void: { seat, agrees: maybe(flag) },
  rematch: { seat, game: name },
  close: { reason: name },
  fork: { game: name, origin, seats: list(plan), commitment: text, visibility: maybe(text), same_dice: maybe(flag) },
};

const COMMIT = {
  version: count, at: text, by: text, rules: text, command: (thing) => isObject(thing) && text(thing.type),
  events: list((event) => isObject(event) && text(event.type)), prev: text, hash: text, format: maybe(count),
  bot: maybe(isObject),
};
const FORMAT = 1;

export function checkShape(commit, version) {
  const found = fault(commit, COMMIT);
  if (found) throw new Refused("member", { name: brief(found) }, version);
  if ((commit.format ?? FORMAT) !== FORMAT) throw new Refused("format", { found: brief(commit.format) }, version);
  checkCommand(commit.command, version);
  commit.events.forEach((event, index) => checkEvent(event, version, index + 1));
}

function checkCommand({ type, ...command }, version) {
  const shape = Object.hasOwn(COMMANDS, type) ? COMMANDS[type] : {};
  const found = shape === COMMANDS[type] ? fault(command, shape) : type;
  if (found !== null) throw new Refused("member", { name: brief(found) }, version);
}

function checkEvent({ type, ...event }, version, number) {
  const shape = Object.hasOwn(EVENTS, type) ? EVENTS[type] : null;
  if (!shape) throw new Refused("event_type", { event: number, found: brief(type) }, version);
  const found = fault(event, shape);
  if (found) throw new Refused("event_member", { event: number, name: brief(found) }, version);
}

// The first member that is missing, of the wrong kind or not known.
function fault(thing, shape) {
  const known = Object.keys(shape);
  const astray = Object.keys(thing).find((name) => !known.includes(name));
  return astray ?? known.find((name) => !fits(thing, name, shape[name])) ?? null;
}

const fits = (thing, name, kind) => (Object.hasOwn(thing, name) ? kind(thing[name]) : Boolean(kind.optional));
