// What a choice is called on the board, from its code alone; null where only the service knows, as at tiles.
import { say } from "../app/words.js";
import { casinoName } from "../table/names.js";
import { list } from "../table/sentences.js";

const CALLED = [
  [/^place-(\d)$/, (table, [, number]) => casinoName(table, number)],
  [/^bandit-(\d)$/, (table, [, number]) => `${number} → ${casinoName(table, "bandit")}`],
  [/^pass$/, () => say("choice.pass")],
  [/^play-(.+)$/, (table, [, cards]) => list(cards.split("-").map((card) => (card.endsWith("d") ? `${card[0]}×2` : card)))],
];

// The casino of a choice and the rolled number that goes there, or null where only the service knows.
export function choicePlace(choice) {
  const [, kind, number] = /^(place|bandit)-(\d)$/.exec(choice ?? "") ?? [];
  return kind ? { casino: kind === "bandit" ? kind : Number(number), face: Number(number) } : null;
}

export function choiceName(table, choice) {
  for (const [form, call] of CALLED) {
    const found = form.exec(choice);
    if (found) return call(table, found);
  }
  return null;
}
