// The slider, with rounds, turns and payouts marked, and the buttons beside it.
import { html } from "../app/html.js";
import { say } from "../app/words.js";
import { EVERYTHING } from "../fold/table.js";
import { seatName } from "../table/names.js";

export function Controls({ walk, marks, table, viewer, setViewer }) {
  const label = say("replay.slider");
  const value = say("replay.at", { at: walk.version, last: walk.last });
  return html`<section class="controls" aria-label=${say("replay.controls")}>
    <div class="buttons">
      <${Button} name="to-first" sign="first" text=${say("replay.first")} act=${() => walk.go(1)} off=${walk.version === 1} />
      <${Button} sign="back" text=${say("replay.back")} act=${() => walk.go(walk.version - 1)} off=${walk.version === 1} />
      <${Button} sign=${walk.playing ? "pause" : "play"} text=${say(walk.playing ? "replay.pause" : "replay.play")} act=${walk.toggle} main />
      <${Button} sign="step" text=${say("replay.step")} act=${() => walk.go(walk.version + 1)} off=${walk.version === walk.last} />
      <${Button} sign="end" text=${say("replay.end")} act=${() => walk.go(walk.last)} off=${walk.version === walk.last} />
      <button type="button" class="to-more" aria-label=${say("replay.more")} onClick=${showMore}>${say("replay.moreshort")}</button>
    </div>
    <div class="track">
      <${Rounds} marks=${marks} walk=${walk} />
      <input type="range" min="1" max=${walk.last} step="1" value=${walk.version} aria-label=${label} aria-valuetext=${value} onInput=${(event) => walk.go(Number(event.target.value))} />
      <${Turns} marks=${marks} last=${walk.last} />
    </div>
    ${setViewer && html`<label class="eyes"><span>${say("replay.eyes")}</span> <select value=${String(viewer)} onChange=${(event) => setViewer(chosen(event.target.value))}>
      <option value=${EVERYTHING}>${say("replay.everything")}</option>
      <option value="null">${say("replay.spectator")}</option>
      ${table.seats.map(({ seat }) => html`<option key=${seat} value=${seat}>${say("replay.seat", { who: seatName(table, seat) })}</option>`)}
    </select></label>`}
  </section>`;
}

const SIGNS = {
  first: "M3 3h3v14H3zM17 3v14L7 10z",
  back: "M12 3v14L3 10zM14 3h3v14h-3z",
  play: "M5 3v14l12-7z",
  pause: "M4 3h4v14H4zM12 3h4v14h-4z",
  step: "M8 3v14l9-7zM3 3h3v14H3z",
  end: "M14 3h3v14h-3zM3 3v14l10-7z",
};

const chosen = (value) => (value === EVERYTHING ? EVERYTHING : value === "null" ? null : Number(value));

// On a phone what one can do at a step lies below the controls; the first round's mark leads to the beginning there.
const showMore = () => document.querySelector(".replay :is(.from-here, .explained)")?.scrollIntoView();

const Button = ({ name = "", sign, text, act, off = false, main = false }) =>
  html`<button type="button" class=${main ? "primary" : name} aria-label=${text} title=${text} disabled=${off} onClick=${act}><svg viewBox="0 0 20 20" aria-hidden="true"><path d=${SIGNS[sign]} /></svg></button>`;

// In percent of the way, as the thumb of the slider goes.
const share = (version, last) => (last > 1 ? ((version - 1) / (last - 1)) * 100 : 0);

function Rounds({ marks, walk }) {
  const starts = marks.filter((mark) => mark.starts);
  return html`<div class="rounds">${starts.map(({ version, round }) => html`<button type="button" key=${version} class=${walk.version >= version ? "past" : ""} style=${{ left: `${share(version, walk.last)}%` }} title=${say("replay.round", { round })} aria-label=${say("replay.round", { round })} onClick=${() => walk.go(version)}>${round}</button>`)}</div>`;
}

// A tick in the colour of whoever moved, a coin where a round was paid out.
function Turns({ marks, last }) {
  return html`<div class="turns" aria-hidden="true">
    ${marks.filter((mark) => mark.seat !== null).map(({ version, seat }) => html`<i key=${version} class=${`turn of-seat seat-${seat}`} style=${{ left: `${share(version, last)}%` }}></i>`)}
    ${marks.filter((mark) => mark.payout).map(({ version }) => html`<b key=${`paid-${version}`} class="payout" style=${{ left: `${share(version, last)}%` }}>$</b>`)}
  </div>`;
}
