// Commits as sentences. They say what the facts of the log say, with the names of the table.
import { money, say } from "../app/words.js";
import { casinoName, ownerName, placeName, seatName, tileName } from "./names.js";

const list = (parts) => (parts.length < 2 ? (parts[0] ?? "") : `${parts.slice(0, -1).join(", ")} ${say("and")} ${parts.at(-1)}`);
const sum = (notes) => list(notes.map(money));
const seatIn = (place) => Number(place.split("-")[1]);
const isPurse = (place) => place.startsWith("purse-");

function diceWords({ small = 0, big = 0, neutral = 0 }, kind = "") {
  return list([
    ...(small ? [say("dice.small", { count: small, kind })] : []),
    ...(big ? [say("dice.big")] : []),
    ...(neutral ? [say("dice.small", { count: neutral, kind: "neutral" })] : []),
  ]);
}

const TELL = {
  game_created: () => say("told.created"),
  seat_taken: (table, it) => say("told.sat", { who: seatName(table, it.seat) }),
  seat_left: (table, it) => say(it.bot ? "told.left" : "told.stood", { who: seatName(table, it.seat) }),
  seat_returned: (table, it) => say("told.returned", { who: seatName(table, it.seat) }),
  void_voted: (table, it) => say(it.agrees ? "told.void" : "told.unvoid", { who: seatName(table, it.seat) }),
  rematch_made: () => say("told.rematch"),
  round_started: (table, it) => say("told.round", { round: it.round, who: seatName(table, it.starter) }),
  dice_rolled: tellRoll,
  dice_placed: tellPlaced,
  dice_moved: tellMoved,
  dice_returned: (table, it) => say("told.tied", { who: list(it.owners.map((owner) => ownerName(table, owner))), where: placeName(table, it.place) }),
  notes_moved: tellNotes,
  chips_moved: tellChips,
  chip_cards_moved: (table, it) => (isPurse(it.target) ? say("told.chipcard", { who: placeName(table, it.target) }) : null),
  cards_played: (table, it) => say("told.cards", { who: seatName(table, it.seat), cards: list(it.cards.map((card) => (card.endsWith("d") ? `${card[0]}×2` : card))) }),
  tiles_laid: (table, it) => (it.tiles.length ? say("told.tiles", { tiles: list(it.tiles.map((code) => tileName(table, code))) }) : null),
  token_moved: (table, it) => (/^[A-Z]\d$/.test(it.token) && it.target.startsWith("supply-") ? say("told.token", { who: placeName(table, it.target), tile: tileName(table, it.token) }) : null),
  casino_closed: (table, it) => say("told.closed", { where: casinoName(table, it.number) }),
  casino_opened: (table, it) => say("told.opened", { where: casinoName(table, it.number) }),
  chosen: (table, it) => say("told.sealed", { who: seatName(table, it.seat) }),
  round_ended: (table, it) => say("told.roundover", { round: it.round }),
  game_ended: (table, it) => say("told.won", { who: list(it.winners.map((seat) => seatName(table, seat))), count: it.winners.length, money: money(it.totals[it.winners[0]]) }),
  game_closed: (table, it) => say(`closed.${it.reason}`),
};

function tellRoll(table, it) {
  const dice = [...(it.own ?? []), ...(it.big ? [`${it.big}×2`] : [])];
  if (it.black?.length) return say("told.black", { dice: it.black.join(" + ") });
  if (it.seat === undefined) return null;
  const neutral = it.neutral?.length ? say("told.withneutral", { dice: it.neutral.join(" ") }) : "";
  return say("told.rolls", { who: seatName(table, it.seat), dice: dice.join(" ") }) + neutral;
}

function tellPlaced(table, it) {
  return say("told.places", { who: seatName(table, it.seat), dice: diceWords(it), where: placeName(table, it.target) });
}

function tellMoved(table, it) {
  if (it.source === "box" || it.target === "box") return null;
  const owner = ownerName(table, it.turned ?? it.owner);
  const kind = it.owner.startsWith("seat-") ? "" : it.owner.startsWith("black") ? "black" : it.owner;
  const [from, to] = [placeName(table, it.source), placeName(table, it.target)];
  if (it.target.startsWith("supply-")) return say("told.back", { who: owner, dice: diceWords(it, kind), from });
  if (it.source.startsWith("supply-")) return say("told.puts", { who: owner, dice: diceWords(it, kind), to });
  return say("told.moved", { dice: diceWords(it, kind), from, to });
}

function tellNotes(table, it) {
  if (it.winner) return say("told.imaginary", { who: ownerName(table, it.winner), money: sum(it.notes), where: placeName(table, it.source) });
  if (isPurse(it.target)) return say(it.source === "bank" ? "told.banks" : "told.wins", { who: placeName(table, it.target), money: sum(it.notes), where: placeName(table, it.source) });
  if (isPurse(it.source)) return say("told.pays", { who: placeName(table, it.source), money: sum(it.notes) });
  return null;
}

function tellChips(table, it) {
  const gets = isPurse(it.target);
  return say(gets ? "told.getschips" : "told.payschips", { who: placeName(table, gets ? it.target : it.source), count: it.chips });
}

// What happened in a commit: [{kind, seat, text}], oldest first.
export function sentences(table, commit) {
  return [...tellClock(table, commit), ...commit.events.flatMap((event) => {
    const text = TELL[event.type]?.(table, event);
    return text ? [{ kind: event.type, seat: seatBehind(event), text: text[0].toUpperCase() + text.slice(1) }] : [];
  })];
}

// Where somebody's time was over, a bot answered for them.
function tellClock(table, { by, command }) {
  const late = by === "clock" && command?.seat;
  return Number.isInteger(late) ? [{ kind: "clock", seat: late, text: say("told.clock", { who: seatName(table, late) }) }] : [];
}

function seatBehind(event) {
  const told = event.seat ?? ([event.target, event.source].filter((place) => /^(purse|supply)-/.test(place ?? "")).map(seatIn)[0] ?? null);
  return told ?? null;
}

export { list, diceWords };
