// How seats, casinos and owners are called, from a table alone.
import { say } from "../app/words.js";
import { seatOf } from "./pieces.js";

export function seatName(table, seat) {
  const found = table.seats[seat];
  if (!found) return say("seat.number", { number: Number(seat) + 1 });
  if (found.open) return say("seat.open");
  const twins = table.seats.filter((other) => other.name === found.name);
  if (found.kind !== "bot") return found.name ?? say("seat.number", { number: found.seat + 1 });
  const bot = say(`bot.${found.bot}`) === `bot.${found.bot}` ? (found.bot ?? found.name) : say(`bot.${found.bot}`);
  return twins.length > 1 ? `${bot} ${"ABCDEF"[found.seat]}` : bot;
}

export function ownerName(table, owner) {
  const seat = seatOf(owner);
  if (seat !== null) return seatName(table, Number(seat));
  return say(`owner.${owner.startsWith("black") ? "black" : owner}`);
}

// A casino without a name of its own is called by its number.
export function casinoName(table, number) {
  const found = table.casinos.find((casino) => String(casino.number) === String(number));
  const name = found?.name;
  return !name || /^\d$/.test(name) ? say("casino.number", { number }) : name;
}

export const tileAt = (table, code) => table.casinos.find((casino) => casino.tile?.code === code) ?? null;

export function tileName(table, code) {
  return tileAt(table, code)?.tile.name ?? code;
}

// "casino-3", "purse-1", "F1-2", "bandit-4" in words.
export function placeName(table, place) {
  const [kind, rest] = place.split(/-(.*)/);
  if (kind === "casino") return casinoName(table, rest);
  if (kind === "bandit") return casinoName(table, "bandit");
  if (kind === "supply" || kind === "purse") return seatName(table, Number(rest));
  if (/^[A-Z]\d$/.test(kind)) return tileName(table, kind);
  return say(`place.${kind}`);
}
