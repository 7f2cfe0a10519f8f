// What was luck and what were choices, once a game is over: the service's expert looks at every choice when it is asked to.
import * as api from "../app/api.js";
import { html, useEffect, useRef, useState } from "../app/html.js";
import { tokenFor } from "../app/memory.js";
import { Trouble } from "../app/trouble.js";
import { say } from "../app/words.js";
import { seatName } from "../table/names.js";
import { SeatMark } from "../table/pieces.js";
import { Plot } from "./plots.js";

const AGAIN = 2000;
const percent = (share) => `${Math.round(share * 100)} %`;
const signed = (share) => `${Math.round(share * 100) < 0 ? "−" : Math.round(share * 100) ? "+" : ""}${percent(Math.abs(share))}`;

export function Chances({ id, table, last, go }) {
  const { state, found, fault, ask } = useAnalysis(id);
  return html`<section class="chances panel" aria-label=${say("chances.title")}>
    <h2>${say("chances.title")}</h2>
    ${state === "unasked" && html`<button type="button" onClick=${ask}>${say("chances.ask")}</button>`}
    <div role="status">${state === "waiting" && html`<p class="hint">${say("chances.wait")}</p>`}</div>
    ${fault && html`<${Trouble} fault=${fault} small />`}
    ${found && html`<${Found} found=${found} table=${table} last=${last} go=${go} />`}
  </section>`;
}

// It takes its time, and is made once for everybody.
function useAnalysis(id) {
  const [told, setTold] = useState({ state: "unasked", found: null, fault: null });
  const timer = useRef(null);
  useEffect(() => () => clearTimeout(timer.current), []);
  const ask = async () => {
    setTold({ state: "waiting", found: null, fault: null });
    try {
      const found = await api.read(`${api.gameAddress(id)}/analysis`, tokenFor(id));
      if (found.choices) setTold({ state: "found", found, fault: null });
      else timer.current = setTimeout(ask, AGAIN);
    } catch (fault) {
      setTold({ state: "unasked", found: null, fault });
    }
  };
  return { ...told, ask };
}

function Found({ found, table, last, go }) {
  const lines = found.seats.map(({ seat, even, won }) => {
    const own = found.choices.filter((choice) => choice.seat === seat).map(({ version, after }) => [version, after]);
    return { seat, points: [[1, even], ...own, [last, won]] };
  });
  return html`<${Plot} title=${say("chances.plot")} table=${table} lines=${lines} show=${percent} brief=${percent} across=${(version) => say("chances.step", { version })} most=${1} />
    <ul class="seen">${found.seats.map((seat) => html`<li key=${seat.seat}><${SeatMark} seat=${seat.seat} /><span>${say("chances.seat", { who: seatName(table, seat.seat), luck: signed(seat.luck), others: signed(seat.others), lost: signed(-seat.lost), best: seat.best_choices, choices: seat.choices })}</span></li>`)}</ul>
    ${found.turning_points.length > 0 && html`<h3>${say("chances.turning")}</h3>
      <ul class="turning">${found.turning_points.map((point) => html`<li key=${`${point.version} ${point.ending}`}><button type="button" class="plain" onClick=${() => go(point.version)}>${say("chances.point", { who: seatName(table, point.seat), version: point.version, luck: signed(point.luck), others: signed(point.others), loss: signed(-point.loss) })}</button></li>`)}</ul>`}`;
}
