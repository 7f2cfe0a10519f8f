// By whom each commit was made, why a bot answers and which one: that follows from the command and from who sits there.
import { isObject } from "./chain.js";
import { canonical } from "./json.js";
import { Refused } from "./refused.js";

const USUAL = { create: "creator", fork: "creator", close: "clock" };
const BY_REASON = { timeout: () => "clock", away: (bot) => `bot:${bot}` };
const CLOSED_AS = { lobby: "not_filled", playing: "abandoned" };

// What each command is told by, first of all; an answer is told by none of these.
const FIRST = {
  create: "game_created", sit: "seat_taken", start: "seat_taken", leave: "seat_left", return: "seat_returned",
  cancel: "game_closed", close: "game_closed", void: "void_voted", rematch: "rematch_made", fork: "game_forked",
};

// At the table that the command was made at.
export function checkAuthor(state, { version, command, by, events, bot: note = null }) {
  if (!fitsEvents(state, command, events)) throw new Refused("caused", {}, version);
  if (by !== authorOf(state, command, by)) throw new Refused("author", {}, version);
  if (!fitsNote(state, command, note)) throw new Refused("bot_note", {}, version);
  if (command.type === "close" && !mayClose(state, command.reason)) throw new Refused("closed_as", {}, version);
}

// Whether a command can cause such events; all people agree to a game that ends void.
function fitsEvents(state, command, events) {
  const { type, reason } = command;
  const types = events.map((event) => event.type);
  const closed = events.find((event) => event.type === "game_closed");
  if (type === "choose") return fitsAttendance(state, command, events);
  if (types[0] !== FIRST[type] || !fitsSeats(state, command, events)) return false;
  if (!closed) return true;
  if (type === "cancel") return closed.reason === "cancelled" && state.status === "lobby";
  return type === "close" ? closed.reason === reason : closed.reason === "voided" && agreed(state, events[0]);
}

// Whether those who sit there can do that, and the events tell just what was done.
function fitsSeats({ seats, status, void: agreeing }, { type, ...command }, events) {
  const { seat, bot = "", for_good: forGood = false, agrees = true } = command;
  const taken = seats[seat];
  const isPerson = Boolean(taken?.name || taken?.player) && !taken?.bot;
  const told = (event) => Object.fromEntries(Object.entries(event).filter(([name]) => name !== "type"));
  const same = canonical(told(events[0])) === canonical(command);
  if (type === "sit") return same && status === "lobby" && !taken?.name && !taken?.player;
  if (type === "leave") return same && isPerson && Boolean(bot) === (status === "playing") && (forGood || !taken.standIn);
  if (type === "return") return same && isPerson && Boolean(taken.standIn);
  if (type === "start") return events.every((event) => event.type !== "seat_taken" || event.bot === bot);
  const voted = canonical(told(events[0])) === canonical({ seat, agrees });
  if (type === "void") return voted && isPerson && status === "playing" && agreeing.includes(seat) !== agrees;
  return type !== "rematch" || (isPerson && events[0].game === command.game);
}

// Whoever answers is back; a bot that answers for somebody whose time is over may go on for them.
function fitsAttendance({ seats }, { seat, bot = "", why = "" }, events) {
  const told = events.filter((event) => Object.values(FIRST).includes(event.type));
  const [first, ...more] = told;
  const returns = !bot && Boolean(seats[seat]?.standIn);
  if (returns || first === undefined) return returns === (first?.type === "seat_returned" && first.seat === seat) && !more.length;
  const goesOn = first.type === "seat_left" && first.seat === seat && first.bot === bot && why === "timeout";
  return goesOn && events[0] === first && !more.length;
}

function agreed({ seats, void: agreeing }, { type, seat, agrees = false, for_good: forGood = false }) {
  const people = seats.flatMap((taken, number) => ((taken.name || taken.player) && !taken.bot ? [number] : []));
  const left = type === "seat_left" && forGood ? people.filter((number) => number !== seat) : people;
  return left.length > 0 && left.every((number) => agreeing.includes(number) || (agrees && number === seat));
}

function authorOf(state, { type, seat, bot = "", why = "" }, by) {
  if (type !== "choose") return USUAL[type] ?? `seat-${seat}`;
  if (Boolean(bot) !== Boolean(why)) return null;
  if (why && !mayStandIn(state, seat, bot, why)) return null;
  if (why) return BY_REASON[why]?.(bot) ?? null;
  // Games from before the log said why have answers of the clock that are like others.
  return by === "clock" && isThere(state, seat) && !isRecent(state) ? by : `seat-${seat}`;
}

// For somebody whose time is over, or in whose place that bot answers.
const mayStandIn = (state, seat, bot, why) => (why === "timeout" ? isThere(state, seat) : state.seats[seat]?.standIn === bot);

// Since there is `on_timeout` the log says why a bot answers and which it was.
const isRecent = ({ options }) => Object.hasOwn(options, "on_timeout");

const isThere = ({ seats }, seat) => Boolean(seats[seat]?.name || seats[seat]?.player) && !seats[seat].bot && !seats[seat].standIn;

function fitsNote(state, { type, seat, bot = "" }, note) {
  const level = type === "choose" ? bot || (state.seats[seat]?.bot ?? "") : "";
  if (note === null) return !level || !isRecent(state);
  const excused = isObject(note) && Boolean(note.instead_of) === Boolean(note.fault) && note.name !== note.instead_of;
  return Boolean(level) && excused && (note.instead_of || note.name) === level;
}

// From outside a table is closed that never filled, or one that waits for somebody.
function mayClose(state, reason) {
  const ask = state.agenda.at(-1);
  const answered = (ask?.answers ?? []).map(({ seat }) => seat);
  const waits = (ask?.seats ?? []).some((seat) => !answered.includes(seat) && isThere(state, seat));
  return CLOSED_AS[state.status] === reason && (state.status === "lobby" || waits);
}
