// How strong a bot was measured to be at just this kind of table. What was measured elsewhere says nothing here.
import { knows, say } from "../app/words.js";

export const botName = (name) => (knows(`bot.${name}`) ? say(`bot.${name}`) : name);

// How hard it is to beat, in a word, by all that was measured of it.
export const difficultyName = ({ difficulty }) => say(`difficulty.${difficulty.replace(" ", "-")}`);

// Against the strongest that it was measured against.
export function strength(bot, bots, edition, options, players) {
  const rows = bot.strength.filter((row) => row.edition === edition.id && row.players === players && alike(edition, row.options, options));
  const [row] = rows.toSorted((one, other) => rank(edition, other) - rank(edition, one));
  if (row) return say("door.strength", { share: inHundred(row.share), rival: row.against === bot.name ? say("door.itself") : botName(row.against), even: inHundred(row.even) });
  return say(isBaseline(bot, bots) ? "door.baseline" : "door.unmeasured");
}

const inHundred = (share) => Math.round(share * 100);
const rank = (edition, row) => edition.bots.indexOf(row.against);

// Others were measured against it, and it against nobody.
const isBaseline = (bot, bots) => bot.strength.length === 0 && bots.some((other) => other.strength.some((row) => row.against === bot.name));

// An option that is left out is as good as its default.
function alike(edition, one, other) {
  return Object.entries(edition.options.properties).every(([name, schema]) => same(one[name] ?? schema.default, other[name] ?? schema.default));
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
