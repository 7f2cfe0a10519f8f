// Speaks to a person in their first game: one sentence when something happens for the first time, and a light on it.
import { html, useState } from "../app/html.js";
import { guided, remembered } from "../app/memory.js";
import { say } from "../app/words.js";

const told = remembered("told", []); // what has been read

// What is to be seen, most particular first. While a tile asks something nothing else is spoken of.
const MOMENTS = {
  tie: (table, asking) => !asking?.ask.tile && table.casinos.some(({ standing }) => standing.some(({ tied }) => tied)),
  tile: (table, asking) => Boolean(asking?.ask.tile),
  chips: (table, asking) => Boolean(asking?.ask.options.some(({ choice }) => choice === "pass")),
  big: (table, asking) => Boolean(asking && table.roll?.big),
  money: (table, asking) => (!asking || asking.ask.prompt === "turn.place") && table.casinos.some(({ standing }) => standing.some(({ notes }) => notes.length)),
  pick: (table, asking) => asking?.ask.prompt === "turn.place" && !asking.taken.length,
  cards: (table, asking) => Boolean(asking?.ask.prompt.startsWith("cards.")),
};
const FIRST = ["pick", "cards"];

// The moment that has a sentence now, or null. What a turn is comes before everything else.
export function momentOf(table, asking) {
  if (!guided.value || table.you === null || table.status !== "playing") return null;
  const unread = (name) => !told.value.includes(name) && MOMENTS[name](table, asking);
  return [...FIRST, ...Object.keys(MOMENTS)].find(unread) ?? null;
}

export function Guide({ moment }) {
  const [shown] = useState(moment);
  const next = () => (told.value = [...told.value, shown]);
  const never = () => (guided.value = false);
  return html`<p class="guide" role="note"><span>${say(`guide.${shown}`)}</span> <button type="button" onClick=${next}>${say("guide.read")}</button><button type="button" class="plain" onClick=${never}>${say("guide.never")}</button></p>`;
}
