// How seats, casinos and owners are called, from a table alone.
import { ruleTexts } from "../app/rule-texts.js";
import { signal } from "../app/html.js";
import { knows, say } from "../app/words.js";
import { seatOf } from "./pieces.js";

// {level: [the name of its bot in each seat]}, where the service has told them.
export const botNames = signal({});

export function seatName(table, seat) {
  const found = table.seats[seat];
  if (!found) return say("seat.number", { number: Number(seat) + 1 });
  if (found.open) return say("seat.open");
  if (found.kind !== "bot") return found.name ?? say("seat.number", { number: found.seat + 1 });
  // A file has only the levels of bots; the service gives each a name of its own.
  if (found.name !== found.bot) return found.name;
  const named = botNames.value[found.bot]?.[found.seat];
  if (named) return named;
  const level = knows(`bot.${found.bot}`) ? say(`bot.${found.bot}`) : found.bot;
  const twins = table.seats.filter((other) => other.name === found.name);
  return twins.length > 1 ? `${level} ${"ABCDEF"[found.seat]}` : level;
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

// The service numbers casinos in its sentences, in every language that it speaks; the board shows their names.
export function inNames(table, text) {
  const name = (_, number) => casinoName(table, number);
  return text.replace(/\bcasinos (\d) and (\d)\b/gi, (_, one, other) => `${casinoName(table, one)} ${say("and")} ${casinoName(table, other)}`).replace(/\bcasino (\d)\b/gi, name);
}

export const tileAt = (table, code) => table.casinos.find((casino) => casino.tile?.code === code) ?? null;

export function tileName(table, code) {
  return tileAt(table, code)?.tile.name ?? ruleTexts.value.tiles[code]?.name ?? code;
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
