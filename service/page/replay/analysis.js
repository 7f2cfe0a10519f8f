// What was luck and what were choices, once a game is over: the service's expert looks at every choice.
import { html, useEffect, useRef } from "../app/html.js";
import { Trouble } from "../app/trouble.js";
import { percent, say } from "../app/words.js";
import { LuckTable, Progress, useAnalysis } from "../table/luck.js";
import { inNames, seatName } from "../table/names.js";
import { SeatMark } from "../table/pieces.js";
import { choiceName, choicePlace } from "./choices.js";
import { Plot } from "./plots.js";

const MOST_MISTAKES = 8;
const LEAST_LOSS = 0.01; // what is less is within the figures' own noise

// `first` is whether it is what the person came for; `show(choice)` shows on the board what would have been better.
export function Analysis({ id, table, last, first, show }) {
  const box = useRef(null);
  const left = useRef(scrollY);
  const { state, done, found, fault, ask } = useAnalysis(id);
  // What is above it grows while the service answers; a person who has scrolled since is left alone.
  useEffect(() => {
    if (!first || scrollY !== left.current) return;
    box.current.scrollIntoView();
    left.current = scrollY;
  }, [state]);
  return html`<section ref=${box} class="chances panel" aria-label=${say("chances.title")}>
    <h2>${say("chances.title")}</h2>
    ${state === "unasked" && html`<button type="button" onClick=${ask}>${say("chances.ask")}</button>`}
    <div role="status">${state === "waiting" && html`<${Progress} done=${done} />`}</div>
    ${fault && html`<${Trouble} fault=${fault} small />`}
    ${state === "waiting" && done?.judged?.length > 0 && html`<${Chances} choices=${done.judged} table=${table} last=${last} />`}
    ${found && html`<${Found} found=${found} table=${table} last=${last} show=${show} />`}
  </section>`;
}

function Found({ found, table, last, show }) {
  const mistakes = found.choices.filter(isMistake).toSorted((one, other) => other.loss - one.loss).slice(0, MOST_MISTAKES);
  const worst = (seat) => show(found.choices.find(({ version }) => version === seat.worst));
  return html`<div class="counts"><${Chances} choices=${found.choices} table=${table} last=${last} seats=${found.seats} />
      <${LuckTable} table=${table} seats=${found.seats} />
      <ul class="seen">${found.seats.map((seat) => html`<li key=${seat.seat}><${SeatMark} seat=${seat.seat} /><span>${seat.choices ? say("chances.best", { who: seatName(table, seat.seat), ...seat, best: seat.best_choices }) : seat.text}${seat.worst !== null && html` <button type="button" class="plain" onClick=${() => worst(seat)}>${say("chances.worst", { version: seat.worst })}</button>`}</span></li>`)}</ul>
    </div>
    <div class="turning"><h3>${say("chances.mistakes")}</h3>
      ${mistakes.length === 0 ? html`<p class="hint">${say("chances.nomistakes")}</p>` : html`<ol>${mistakes.map((choice) => html`<${Mistake} key=${choice.version} table=${table} choice=${choice} show=${show} />`)}</ol>`}
    </div>`;
}

// What was chosen, what would have been better and by how much; it leads to the board.
function Mistake({ table, choice, show }) {
  const { who, best, loss, choice: chosen, isLong } = mistake(table, choice);
  const title = !best ? who : isLong ? best : capital(say("chances.instead", { best, choice: chosen }));
  return html`<li><button type="button" aria-label=${mistakeWords(table, choice)} onClick=${() => show(choice)}>
    <${SeatMark} seat=${choice.seat} /><span><b>${title}</b><small>${isLong && say("chances.not", { choice: chosen })} ${whyBetter(table, choice)}</small></span><em>${say("chances.more", { loss })}</em>
  </button></li>`;
}

// The expert speaks to the seat: "Ties you with a rival".
function whyBetter(table, { seat, better }) {
  if (!better) return "";
  const why = inNames(table, better.why);
  return seat === table.you ? why : say("chances.told", { who: seatName(table, seat), why });
}

// From even chances through what has been judged so far, and to what was won once all is known.
function Chances({ choices, table, last, seats = null }) {
  const lines = table.seats.map(({ seat }) => {
    const own = choices.filter((choice) => choice.seat === seat).map(({ version, after }) => [version, after]);
    const won = seats ? [[last, seats[seat].won]] : [];
    return { seat, points: [[1, 1 / table.seats.length], ...own, ...won] };
  });
  return html`<${Plot} title=${say("chances.plot")} table=${table} lines=${lines} show=${percent} brief=${percent} across=${(version) => say("chances.step", { version })} most=${1} end=${last} />`;
}

// Analyses that were stored before looks were counted do not say which choices were mistakes.
const isMistake = ({ loss, forced, best, looks, mistake }) => (looks ? mistake : loss >= LEAST_LOSS && !forced && best);

function mistakeWords(table, choice) {
  const told = mistake(table, choice);
  return say(!told.best ? "chances.mistakeat" : told.isLong ? "chances.mistakelong" : "chances.mistake", told);
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

// What was chosen and what would have been best: as the board calls it or, `isLong`, in the whole words of their labels.
// Without either `best` is null.
function mistake(table, { seat, version, choice, best, loss, better }) {
  const told = { who: seatName(table, seat), version, loss: Math.round(loss * 100) };
  const [short, bestShort] = [choiceName(table, choice), choiceName(table, best)];
  if (short && bestShort && short !== bestShort) return { ...told, choice: short, best: bestShort, isLong: false };
  if (better?.label && better.made) return { ...told, choice: inNames(table, better.made), best: inNames(table, better.label), isLong: true };
  return { ...told, choice: null, best: null, isLong: false };
}

// What would have been better than a choice, on the board of the step before it: {news, why, marks}.
export function betterOn(table, choice) {
  const told = mistake(table, choice);
  const why = whyBetter(table, choice);
  if (!told.best) return { news: say("chances.betterat", told), why };
  if (told.isLong) return { news: say("chances.betterlong", told), why };
  const place = choicePlace(choice.best);
  const { roll } = table;
  const dice = place && roll ? [{ owner: `seat-${choice.seat}`, small: roll.own.filter((it) => it === place.face).length, big: roll.big === place.face ? 1 : 0, face: place.face }] : [];
  const marks = place ? { casinos: new Set([place.casino]), ghosts: { [place.casino]: dice } } : {};
  return { news: say("chances.better", told), why, marks };
}
