// What a choice is called on the board, from its code alone; a code that is not known is shown as it is.
import { say } from "../app/words.js";
import { casinoName } from "../table/names.js";
import { list } from "../table/sentences.js";

const CALLED = [
  [/^place-(\d)$/, (table, [, number]) => casinoName(table, number)],
  [/^bandit-(\d)$/, (table, [, number]) => `${number} → ${casinoName(table, "bandit")}`],
  [/^pass$/, () => say("choice.pass")],
  [/^play-(.+)$/, (table, [, cards]) => list(cards.split("-").map((card) => (card.endsWith("d") ? `${card[0]}×2` : card)))],
];

export function choiceName(table, choice) {
  for (const [form, call] of CALLED) {
    const found = form.exec(choice);
    if (found) return call(table, found);
  }
  return choice;
}
