// How luck and choices counted, once a game is over: the service's expert looks at every choice.
import * as api from "../app/api.js";
import { html, useEffect, useRef, useState } from "../app/html.js";
import { tokenFor } from "../app/memory.js";
import { percent, say } from "../app/words.js";
import { seatName } from "./names.js";
import { SeatMark } from "./pieces.js";

const AGAIN = 1500;

// {state: "waiting" | "found" | "unasked", done, found, fault, ask}: it is made once for everybody, and the first who looks
// at the end of a game begins it.
export function useAnalysis(id) {
  const [told, setTold] = useState({ state: "waiting", done: null, found: null, fault: null });
  const timer = useRef(null);
  const ask = async () => {
    setTold((before) => ({ ...before, state: "waiting", fault: null }));
    try {
      const found = await api.read(`${api.gameAddress(id)}/analysis`, tokenFor(id));
      if (timer.current === GONE) return undefined;
      if (found.choices) return setTold({ state: "found", done: null, found, fault: null });
      setTold((before) => ({ ...before, done: found }));
      timer.current = setTimeout(ask, AGAIN);
    } catch (fault) {
      setTold({ state: "unasked", done: null, found: null, fault });
    }
    return undefined;
  };
  useEffect(() => {
    timer.current = null;
    ask();
    return () => {
      clearTimeout(timer.current);
      timer.current = GONE;
    };
  }, [id]);
  return { ...told, ask };
}
const GONE = Symbol("gone");

export const Progress = ({ done }) => html`<p class="hint">${say("chances.wait")} ${done?.of ? percent(done.done / done.of) : ""}</p><progress value=${done?.done ?? 0} max=${done?.of || 1} aria-label=${say("chances.wait")} />`;

// What dice, own choices and the others' choices gave or cost each seat, in points of a hundred chances to win.
export function LuckTable({ table, seats }) {
  const most = Math.max(0.01, ...seats.flatMap(({ luck, lost, others }) => [luck, lost, others].map(Math.abs)));
  return html`<div class="luck"><table>
    <thead><tr><th><span class="spoken">${say("table.players")}</span></th>${["dice", "own", "others"].map((name) => html`<th scope="col" key=${name}>${say(`luck.${name}`)}</th>`)}</tr></thead>
    <tbody>${seats.map(({ seat, luck, lost, others }) => html`<tr key=${seat}>
      <th scope="row"><span><${SeatMark} seat=${seat} /><span class="name">${seatName(table, seat)}</span></span></th>
      ${[luck, -lost, others].map((points, at) => html`<td key=${at}><${Points} points=${points} most=${most} /></td>`)}
    </tr>`)}</tbody></table>
    <p class="hint">${say("luck.even", { share: percent(seats[0]?.even ?? 0) })}</p>
  </div>`;
}

const rounded = (points) => Math.round(points * 100);
const signed = (points) => (points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0");

function Points({ points, most }) {
  const size = `${(Math.abs(points) / most) * 50}%`;
  const side = points < 0 ? "minus" : "plus";
  return html`<span class=${`points ${side}`}><i style=${{ width: size }} aria-hidden="true"></i><b>${signed(rounded(points))}</b></span>`;
}

const NOTABLE = 5;

// The same of one seat, said to who sat there.
export function luckWords({ luck, lost }) {
  const [dice, cost] = [rounded(luck), rounded(lost)];
  const fate = say(dice >= NOTABLE ? "luck.kind" : dice <= -NOTABLE ? "luck.unkind" : "luck.fair", { points: Math.abs(dice) });
  return `${fate} ${say(cost >= NOTABLE ? "luck.cost" : "luck.flawless", { points: cost })}`;
}
