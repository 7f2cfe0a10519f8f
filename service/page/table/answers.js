// How an answer looks: the things that it is about, and as few words as tell it from the others. What is known of an
// answer comes from the service: its label, target and dice; the pictures below are drawn for names of choices, and an
// answer that has none is told in words.
import { html } from "../app/html.js";
import { say } from "../app/words.js";
import { casinoName, inNames, tileAt, tileName } from "./names.js";
import { Chip, ChipCard, Die, Note, Token } from "./pieces.js";
import { CasinoPicture, SignPicture, TilePicture } from "./pictograms.js";

// A label in clauses: what one does, and what comes of it. A casino's number in brackets is on its die already.
const inClauses = (text) => text.split(/[:;] | (?=\()/).filter((clause) => clause && !/^\(\d\)$/.test(clause));
const atComma = (text) => /^(.+?), (.+)$/.exec(text)?.slice(1) ?? [text];
const capital = (text) => (text ? text[0].toUpperCase() + text.slice(1) : text);
// A name may end in a question mark, as that of a tile does: what comes after it is a sentence of its own.
const joined = (text, clause) => (!text ? clause : text.endsWith("?") ? `${text} ${capital(clause)}` : `${text}; ${clause}`);

// {line, of(step): {what, then}}: what comes of all answers but one at most is told once, on a line above them. "Close
// Oasis to all dice: two chips for you" and "Close Sunset to all dice: two chips for you" become "Two chips for you" with
// the answers "Oasis" and "Sunset". Where no title `asks`, the line has the words around the answers, too.
export function wordsOf(table, steps, asks) {
  const clauses = steps.map(({ label }) => inClauses(inNames(table, label)));
  const ends = clauses.map(([, ...rest]) => rest).filter((rest) => rest.length);
  // Who leaves things as they are gets nothing; a remark in brackets is true of all answers or of some.
  const isCommon = (clause) => ends.length >= steps.length - !clause.startsWith("(") && ends.every((rest) => rest.includes(clause));
  const common = ends.length > 1 ? ends[0].filter(isCommon) : [];
  const short = steps.map((step, at) => shortOf(table, step, clauses[at][0]));
  const frame = frameOf(clauses.filter((_, at) => !short[at]).map(([head]) => head));
  const told = new Map(steps.map((step, at) => {
    const [head, ...rest] = clauses[at];
    const [what, then] = short[at] ?? (frame?.fits(head) ? [frame.gap(head)] : atComma(head));
    return [step.label, { what: capital(what), then: [then, ...rest.filter((clause) => !common.includes(clause))].filter(Boolean).reduce(joined, "").replaceAll("; (", " (") }];
  }));
  const around = frame && !asks ? [[...frame.before, "…", ...frame.after].join(" ")] : [];
  const line = [...around, ...common.map((clause) => clause.replace(/^\((.+)\)$/, "$1"))].reduce(joined, "");
  return { line: capital(line), of: (step) => told.get(step.label) ?? { what: inNames(table, step.label), then: "" } };
}

// What a die, a tile or a space needs no sentence for, since it is drawn.
function shortOf(table, { option, target, label }, head) {
  if (inPiles(label)) return [""];
  const choice = option?.choice ?? "";
  const space = /^(?:put|shift)-\w+-(\d)$/.exec(choice);
  if (space) return [say("answer.space", { number: space[1] }), atComma(head)[1]];
  if (/^activate-/.test(choice) && target?.tile) return [tileName(table, target.tile), casinoName(table, tileAt(table, target.tile)?.number)];
  const casinos = (option?.targets ?? (target ? [target] : [])).flatMap(({ casino }) => (casino ? [casino] : []));
  if (option?.dice && /^place-\d/.test(choice) && casinos.length) return [casinos.map((number) => casinoName(table, number)).join(" + ")];
  return null;
}

const LEAST_FRAME = 4; // words that two answers must share; of three answers and more, two are enough
const LONGEST_GAP = 8;

// The words before and after the one place where most of these sentences differ, or null.
function frameOf(heads) {
  const sentences = heads.map((head) => head.split(" "));
  let best = null;
  for (let one = 0; one < sentences.length; one++) {
    for (let other = one + 1; other < sentences.length; other++) {
      const frame = shared(sentences[one], sentences[other]);
      const size = frame.before.length + frame.after.length;
      const members = heads.filter(frame.fits).length;
      if (members < 2 || !frame.before.length || size < (members > 2 ? 2 : LEAST_FRAME)) continue;
      if (!best || members > best.members || (members === best.members && size > best.size)) best = { ...frame, size, members };
    }
  }
  return best;
}

function shared(one, other) {
  const most = Math.min(one.length, other.length) - 1;
  let [start, end] = [0, 0];
  while (start < most && one[start] === other[start]) start++;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  // A noun stays with its adjective: nouns have capitals in German, and so have names; dice are what it is about in English.
  while (end && (/^\p{Lu}/u.test(one.at(-end)) || /^(die|dice)$/.test(one.at(-end)))) end--;
  const [before, after] = [one.slice(0, start), end ? one.slice(-end) : []];
  const gapOf = (head) => head.split(" ").slice(start, end ? -end : undefined);
  const fits = (head) => {
    const words = head.split(" ");
    const gap = gapOf(head);
    return words.length > start + end && gap.length <= LONGEST_GAP && before.every((word, at) => words[at] === word) && after.every((word, at) => words.at(at - after.length) === word);
  };
  return { before, after, fits, gap: (head) => gapOf(head).join(" ").replace(/,$/, "") };
}

const repeat = (count, draw) => Array.from({ length: count }, (_, at) => draw(at));
const MOST_DICE = 5;

// What lies behind an answer, drawn, or null.
export function AnswerPicture({ table, ask, step }) {
  const drawn = drawnAs(table, ask, step);
  return drawn ? html`<span class="picture" aria-hidden="true">${drawn}</span>` : null;
}

export function drawnAs(table, ask, step) {
  const { option, target, options, label } = step;
  const choice = option?.choice ?? "";
  const [name, ...parts] = choice.split("-");
  const known = PICTURES[`${ask.prompt}/${name}`]?.(parts, table, ask);
  if (known) return known;
  if (name === "leave") return html`<${SignPicture} name="stop" />`;
  if (inPiles(label)) return piles(label.split(" | ").map((pile) => pile.split(" + ").map(worthOf)));
  if (/^\d \+ \d/.test(label)) return piles(label.match(/\d/g).slice(0, 2).map((count) => repeat(Number(count), () => null)));
  const prize = /^remove-\d-(\w+)$/.exec(options[0].choice)?.[1];
  if (prize && !option) return prizePicture(prize, label, table);
  if (/^take-(small|big)-/.test(choice) && target?.casino) return html`<${Die} owner=${`seat-${table.you}`} big=${parts[0] === "big"} face=${target.casino} /><${SignPicture} name="back" />`;
  const dice = sharedDice(options);
  return dice ? diceOf(table, ask, step, dice) : null;
}

const inPiles = (label) => label.includes(" | ");
const worthOf = (text) => (/\d/.test(text) ? Number(text.replace(/\D/g, "")) / 1000 : 0);
const piles = (all) => html`<span class="piles">${all.map((pile, at) => html`<span key=${at} class="pile-of">${pile.map((worth, nth) => html`<${Token} key=${nth} worth=${worth} />`)}</span>`)}</span>`;

function prizePicture(prize, label, table) {
  if (prize === "chip") return html`<${Chip} />`;
  if (prize === "money") return html`<${Note} value=${worthOf(label) * 1000} small />`;
  return html`<${Die} owner=${`seat-${table.you}`} />`;
}

// By prompt and the first word of a choice.
const PICTURES = {
  "A1.hide/hide": ([count]) => repeat(Number(count), (at) => html`<${Token} key=${at} />`),
  "A1.guess/guess": ([count]) => repeat(Number(count), (at) => html`<${Token} key=${at} />`),
  "chip_cards.take/take": ([colour]) => html`<${ChipCard} card=${colour} />`,
  "B2.bet/bet": ([way]) => html`<${SignPicture} name=${way} />`,
  "B2.bet/keep": () => html`<${SignPicture} name="stop" />`,
  "D2.turn/roll": (_, table) => repeat(3, (at) => html`<${Die} key=${at} face=${[5, 2, 6][at]} owner=${`seat-${table.you}`} />`),
  "G1.take/take": ([nth], table, ask) => piles([repeat(tileAt(table, ask.tile)?.tile.shows.piles?.[nth - 1] ?? 1, () => null)]),
  "H2.result/use": ([face]) => html`<${Die} face=${Number(face)} owner="black" />`,
  "B1.place/place": (faces) => (faces[0] === "none" ? html`<${SignPicture} name="stop" />` : faces.map((face, at) => html`<${Die} key=${at} face=${Number(face)} owner="black" />`)),
};

// The dice that every option of a step is about, or null.
function sharedDice(options) {
  const [first, ...others] = options.map(({ dice }) => dice && JSON.stringify(dice));
  if (!first || others.some((dice) => dice !== first)) return null;
  const { dice } = options[0];
  return dice.small + dice.big + (dice.neutral ?? 0) > 0 ? dice : null;
}

function diceOf(table, ask, { option, target }, { small, big, neutral = 0, owner = `seat-${table.you}` }) {
  const face = option && (Number.isInteger(target?.casino) ? target.casino : Number(/^(?:put|shift)-\w+-(\d)$/.exec(option.choice)?.[1]) || (/^move-/.test(option.choice) ? ask.casino : undefined));
  return html`${repeat(big, (at) => html`<${Die} key=${`big ${at}`} face=${face} owner=${owner} big />`)}
    ${repeat(Math.min(small, MOST_DICE), (at) => html`<${Die} key=${at} face=${face} owner=${owner} />`)}
    ${repeat(neutral, (at) => html`<${Die} key=${`neutral ${at}`} face=${face} owner="neutral" />`)}`;
}

// A casino or another tile that an answer is about.
export function placePicture(table, ask, { target }) {
  if (target?.casino) return html`<${CasinoPicture} number=${target.casino} name=${casinoName(table, target.casino)} />`;
  if (target?.tile && target.tile !== ask.tile) return html`<${TilePicture} code=${target.tile} />`;
  return null;
}
