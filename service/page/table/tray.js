// The roll, and what the caller can do with it. Every step of an ask is a button called by its label.
import { html, useEffect, useRef, useState } from "../app/html.js";
import { money, say, thousands } from "../app/words.js";
import { Adviser } from "./adviser.js";
import { faceOf, facesOf, keysOf, lookOf } from "./asking.js";
import { useFit } from "./fit.js";
import { useLooking } from "./looking.js";
import { casinoName, inNames, seatName, tileName } from "./names.js";
import { Card, Die, SeatMark } from "./pieces.js";
import { CasinoPicture, TilePicture } from "./pictograms.js";
import { Outcome, prospect } from "./prospects.js";
import { Remaining } from "./seats.js";
import { list } from "./sentences.js";

// Everything the table waits for or shows of a roll. `asking` is what the caller is asked, or null; `light(option)` is
// called with what is looked at; `news` is what is happening right now; `lately` and `pacing` are laid out here, and
// `interlude` takes the place of everything else.
export function Tray({ table, asking, advise, light, news, lately, pacing, interlude }) {
  return html`<section class=${`tray ${asking ? "mine" : ""}`} aria-label=${asking ? say("ask.yours") : say("turn.roll")}>
    ${interlude ? interlude : asking ? html`<${Ask} key=${asking.ask.ask} table=${table} asking=${asking} advise=${advise} light=${light} lately=${lately} />` : html`<${Waiting} table=${table} news=${news} lately=${lately} />`}
    <div class="pacing">${pacing}</div>
  </section>`;
}

function Waiting({ table, news, lately }) {
  const awaited = [...new Set(table.asks.flatMap((ask) => ask.seats))].map((seat) => seatName(table, seat));
  const sealed = table.asks.find((ask) => ask.answer);
  return html`<div class="ask">
    <div class="ask-head"><h2 class="ask-title">${headline(table, news, sealed, awaited)}</h2></div>
    ${sealed && html`<p class="sealed"><${Card} seat=${table.you} hidden /><${Card} seat=${table.you} hidden /><span class="spoken">${sealed.answer.label}</span></p>`}
    ${table.roll && html`<${Roll} roll=${table.roll} />`}
    <div class="ask-foot">${lately}</div>
  </div>`;
}

function headline(table, news, sealed, awaited) {
  const roller = table.roll?.seat ?? null;
  if (news) return news;
  if (sealed) return say("turn.sealed", { who: list(awaited) });
  if (roller !== null) return say("turn.other", { who: seatName(table, roller) });
  return awaited.length ? say("turn.waiting", { who: list(awaited) }) : say("table.round", table);
}

// The dice of a roll, grouped by number.
function Roll({ roll }) {
  return html`<div class="roll" aria-hidden="true" key=${JSON.stringify(roll)}>${facesOf(roll).map((face) => html`<${Group} key=${face} roll=${roll} face=${face} />`)}</div>`;
}

function Group({ roll, face }) {
  const owner = roll.seat === null || roll.seat === undefined ? "neutral" : `seat-${roll.seat}`;
  return html`<span class="group">
    ${roll.big === face && html`<${Die} face=${face} owner=${owner} big />`}
    ${roll.own.filter((it) => it === face).map((it) => html`<${Die} face=${it} owner=${owner} />`)}
    ${(roll.neutral ?? []).filter((it) => it === face).map((it) => html`<${Die} face=${it} owner="neutral" />`)}
  </span>`;
}

function Ask({ table, asking, advise, light, lately }) {
  const { ask, steps, taken, pending } = asking;
  const tile = ask.tile && table.casinos.find((casino) => casino.tile?.code === ask.tile)?.tile;
  const [advice, setAdvice] = useState(null);
  const [looking, look] = useLooking(light);
  const [still, setStill] = useState(false);
  const buttons = useRef(null);
  const whole = useRef(null);
  useFit(whole, [ask.ask, taken.length, pending, advice]);
  // A person who plays by keyboard answered with the last button, which is gone now.
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement === null) buttons.current?.querySelector("button")?.focus({ preventScroll: true });
  }, [ask.ask, taken.length]);
  // Dice that are turned to a number were not rolled: where one option cannot be drawn as the roll shows it, none is.
  const drawn = steps.every(({ option }) => !option?.dice || picture(table, option));
  const kind = drawn && steps.some(({ option }) => option && picture(table, option)) ? "of-dice" : steps.some((step) => thing(table, step, ask)) ? "of-things" : "of-words";
  const foretells = ask.options.some((option) => option.standing);
  const common = kind === "of-dice" ? "" : commonEnd(table, steps);
  const casinos = steps.flatMap(({ target }) => (target?.casino ? [target.casino] : []));
  const brief = new Set(casinos).size === casinos.length;
  const why = advice?.options[0]?.why;
  const keys = keysOf(steps);
  return html`<div ref=${whole} class=${`ask ${still ? "still" : ""}`} data-ask=${ask.ask} data-step=${taken.length} onPointerDown=${() => setStill(true)}>
    <div class="ask-head"><h2 class="ask-title">${ask.tile && html`<${TilePicture} code=${ask.tile} />`}${titleOf(table, ask)}</h2><${Remaining} table=${table} seat=${table.you} /></div>
    ${taken.length || pending ? html`<${Taken} asking=${asking} />` : why ? html`<p class="advice-why">${say("advice.why", { why: inNames(table, why) })}</p>` : foretells ? html`<p class="prospect" aria-live="polite">${prospect(table, looking) || html`<${Hint} />`}</p>` : tile ? html`<p class="ask-text">${tile.text}</p>` : html`<p class="prospect"></p>`}
    ${common && html`<p class="common" aria-hidden="true">… ${common}</p>`}
    <div ref=${buttons} class=${`options ${kind}`} role="group" aria-label=${say("ask.options")}>
      ${steps.map((step, at) => html`<${StepButton} key=${step.label} hotkey=${keys[at]} table=${table} step=${step} drawn=${drawn} common=${common} brief=${brief} advice=${advice} asking=${asking} look=${look} />`)}
    </div>
    <div class="ask-foot">${lately}${advise && html`<${Adviser} key=${ask.ask} advise=${advise} advice=${advice} setAdvice=${setAdvice} />`}</div>
  </div>`;
}

// A prompt that the page has no words for is called by its tile.
function titleOf(table, ask) {
  const known = say(`prompt.${ask.prompt}`);
  if (known !== `prompt.${ask.prompt}`) return known;
  return ask.tile ? say("ask.tile", { tile: tileName(table, ask.tile) }) : say("ask.yours");
}

// What has been picked so far, with the way back and, where it is whole, the way on.
function Taken({ asking: { taken, pending, back, send } }) {
  const parts = pending ? [...taken, pending.path?.at(-1)?.label ?? pending.label] : taken;
  return html`<p class="steps"><button type="button" class="plain" onClick=${back}>${say("ask.back")}</button><span><b>${parts.join(" · ")}</b></span>
    ${pending && html`<button type="button" class="primary" onClick=${send}>${say("ask.confirm")}</button>`}</p>`;
}

// With a mouse an option can be pointed at before it is chosen; otherwise the outcome stands on it.
const Hint = () => html`<span class="hint"><span class="pointing">${say("would.hint")}</span><span class="tapping">${say("would.below")}</span></span>`;

const targetsOf = (option) => option.targets ?? (option.target ? [option.target] : []);
const cardsOf = (option) => targetsOf(option).flatMap((target) => (target.card ? [target.card] : []));

function StepButton({ table, step, hotkey, drawn, common, brief, advice, asking, look }) {
  const { option } = step;
  const see = () => look(lookOf(step));
  const away = () => look(null);
  // A finger points at nothing before it presses.
  const byMouse = (then) => (event) => event.pointerType === "mouse" && then();
  const pictured = drawn && option ? picture(table, option) : null;
  const drawing = pictured ?? thing(table, step, asking.ask, { common, brief });
  const best = Boolean(advice) && step.options.some(({ choice }) => choice === advice.options[0]?.choice);
  const told = option && advice?.options.find((it) => it.choice === option.choice);
  const classes = ["option", step.beside && "beside", best && "best", pictured ? "pictured" : drawing ? "thing" : "worded", asking.pending && asking.pending === option && "chosen"];
  return html`<button type="button" class=${classes.filter(Boolean).join(" ")} aria-describedby=${told ? `advice-${option.choice}` : undefined} aria-label=${inNames(table, step.label)} title=${inNames(table, step.label)} disabled=${asking.busy} data-choice=${option?.choice}
    onClick=${() => asking.press(step)} onPointerEnter=${byMouse(see)} onFocus=${see} onPointerLeave=${byMouse(away)} onBlur=${away}>
    ${drawing ?? html`<${Words} table=${table} label=${step.label} common=${common} />`}
    ${option && html`<${Outcome} table=${table} option=${option} />`}
    ${told && html`<${Advice} id=${`advice-${option.choice}`} advice=${told} best=${best} />`}
    <kbd aria-hidden="true">${hotkey > 0 && hotkey <= 9 ? hotkey : ""}</kbd>
  </button>`;
}

// Not every adviser reckons; one that does not still says why. Where there is little room the figures stand alone.
function Advice({ id, advice: { win, money: sum, why }, best }) {
  const star = best ? "★ " : "";
  if (typeof win !== "number" || typeof sum !== "number") return html`<small class="advice" id=${id}>${star}${why}</small>`;
  const share = Math.round(win * 100);
  const worth = Math.round(sum / 1000) * 1000;
  return html`<small class="advice">
    <span class="in-full" id=${id}>${star}${say("advice.worth", { win: share, money: money(worth) })}</span>
    <span class="in-short" aria-hidden="true">${star}${say("advice.short", { win: share, money: thousands(worth) })}</span>
  </small>`;
}

// A label in two parts: what one does, and what comes of it.
const inParts = (text) => /^(.+?)(?:[:;,] | (?=\())(.+)$/.exec(text)?.slice(1) ?? [text, ""];

// What comes of every step alike is told once, above them.
function commonEnd(table, steps) {
  const ends = steps.map(({ label }) => inParts(inNames(table, label))[1]).filter(Boolean);
  return ends.length > 1 && new Set(ends).size === 1 ? ends[0] : "";
}

// What one does stands out; what comes of it is told below, in smaller letters. Where there is little room, `brief` says
// enough: the title asks, and each casino is offered once.
function Words({ table, label, common, brief }) {
  const [what, then] = inParts(inNames(table, label));
  return html`<span class="said"><b>${what}</b>${then && then !== common && html` <small>${then}</small>`}</span>${brief && html`<b class="brief">${brief}</b>`}`;
}

// Rolled dice, a casino, a tile, a seat or a card, with the words of the step. The tile that asks is drawn above.
function thing(table, { target, label, face }, ask, { common, brief } = {}) {
  if (face !== null) return html`<${Group} roll=${table.roll} face=${face} /><span class="where">${face}</span>`;
  if (target?.card && table.you !== null) return html`<${Card} card=${target.card} seat=${table.you} />`;
  if (target?.casino) return html`<${CasinoPicture} number=${target.casino} /><${Words} table=${table} label=${label} common=${common} brief=${brief && casinoName(table, target.casino)} />`;
  if (target?.tile && target.tile !== ask.tile) return html`<${TilePicture} code=${target.tile} /><${Words} table=${table} label=${label} common=${common} />`;
  if (Number.isInteger(target?.seat)) return html`<${SeatMark} seat=${target.seat} /><${Words} table=${table} label=${label} common=${common} />`;
  return null;
}

// Cards, or the rolled dice that the option places; all others are words.
function picture(table, option) {
  const cards = cardsOf(option);
  if (cards.length && table.you !== null) return html`<span class="cards">${cards.map((card, at) => html`<${Card} key=${at} card=${card} seat=${table.you} />`)}</span>`;
  const { roll } = table;
  const target = option.target;
  if (!roll || !option.dice || !target?.casino || roll.seat !== table.you) return null;
  const face = faceOf(roll, option);
  if (face === null) return null;
  return html`<${Group} roll=${roll} face=${face} /><span class="where">${casinoName(table, target.casino)}</span>`;
}
