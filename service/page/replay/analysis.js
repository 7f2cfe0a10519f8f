// What was luck and what were choices, once a game is over: the service's expert looks at every choice.
import * as api from "../app/api.js";
import { html, useEffect, useRef, useState } from "../app/html.js";
import { tokenFor } from "../app/memory.js";
import { Trouble } from "../app/trouble.js";
import { say } from "../app/words.js";
import { seatName } from "../table/names.js";
import { SeatMark } from "../table/pieces.js";
import { choiceName } from "./choices.js";
import { Plot } from "./plots.js";

const AGAIN = 1500;
const MOST_MISTAKES = 8;
const LEAST_LOSS = 0.01; // what is less is within the figures' own noise
const percent = (share) => `${Math.round(share * 100)} %`;

// It is made once for everybody; the first who looks at the end of a game begins it.
export const begin = (id) => api.read(`${api.gameAddress(id)}/analysis`, tokenFor(id)).catch(() => {});

export function Analysis({ id, table, last, go }) {
  const { state, done, found, fault, ask } = useAnalysis(id);
  return html`<section class="chances panel" aria-label=${say("chances.title")}>
    <h2>${say("chances.title")}</h2>
    ${state === "unasked" && html`<button type="button" onClick=${ask}>${say("chances.ask")}</button>`}
    <div role="status">${state === "waiting" && html`<p class="hint">${say("chances.wait")}</p><progress value=${done?.done ?? 0} max=${done?.of || 1} aria-label=${say("chances.wait")} />`}</div>
    ${fault && html`<${Trouble} fault=${fault} small />`}
    ${state === "waiting" && done?.judged?.length > 0 && html`<${Chances} choices=${done.judged} table=${table} last=${last} />`}
    ${found && html`<${Found} found=${found} table=${table} last=${last} go=${go} />`}
  </section>`;
}

function useAnalysis(id) {
  const [told, setTold] = useState({ state: "unasked", done: null, found: null, fault: null });
  const timer = useRef(null);
  const ask = async () => {
    setTold((before) => ({ ...before, state: "waiting", fault: null }));
    try {
      const found = await api.read(`${api.gameAddress(id)}/analysis`, tokenFor(id));
      if (found.choices) return setTold({ state: "found", done: null, found, fault: null });
      setTold((before) => ({ ...before, done: found }));
      timer.current = setTimeout(ask, AGAIN);
    } catch (fault) {
      setTold({ state: "unasked", done: null, found: null, fault });
    }
    return undefined;
  };
  useEffect(() => {
    ask();
    return () => clearTimeout(timer.current);
  }, [id]);
  return { ...told, ask };
}

function Found({ found, table, last, go }) {
  const mistakes = found.choices.filter(isMistake).toSorted((one, other) => other.loss - one.loss).slice(0, MOST_MISTAKES);
  return html`<${Chances} choices=${found.choices} table=${table} last=${last} seats=${found.seats} />
    <ul class="seen">${found.seats.map((seat) => html`<li key=${seat.seat}><${SeatMark} seat=${seat.seat} /><span>${seat.text}</span></li>`)}</ul>
    <h3>${say("chances.mistakes")}</h3>
    ${mistakes.length === 0 ? html`<p class="hint">${say("chances.nomistakes")}</p>` : html`<ol class="turning">${mistakes.map((choice) => html`<li key=${choice.version}><button type="button" class="plain" onClick=${() => go(choice.version - 1)}><${SeatMark} seat=${choice.seat} /><span>${mistakeWords(table, choice)}</span></button>${choice.better && html`<small>${choice.better.why}</small>`}</li>`)}</ol>`}`;
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

const mistakeWords = (table, { seat, version, choice, best, loss }) => say("chances.mistake", { who: seatName(table, seat), version, choice: choiceName(table, choice), best: choiceName(table, best), loss: percent(loss) });
