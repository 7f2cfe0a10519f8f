// The roll, and what the caller can do with it. Every step of an ask is a button called by its label.
import { html, useEffect, useMemo, useRef, useState } from "../app/html.js";
import { ruleTexts } from "../app/rule-texts.js";
import { money, say, thousands } from "../app/words.js";
import { Adviser } from "./adviser.js";
import { AnswerPicture, drawnAs, placePicture, wordsOf } from "./answers.js";
import { facesOf, lookOf, rolledAs } from "./asking.js";
import { useFit } from "./fit.js";
import { byKeys, useLooking } from "./looking.js";
import { casinoName, inNames, seatName, tileName } from "./names.js";
import { Card, Die, SeatMark } from "./pieces.js";
import { CasinoPicture, TilePicture } from "./pictograms.js";
import { Outcome, prospect } from "./prospects.js";
import { Remaining } from "./seats.js";
import { list } from "./sentences.js";

// Everything the table waits for or shows of a roll. `asking` is what the caller is asked, or null; `light(option)` is
// called with what is looked at; `news` is what is happening right now; `lately`, `story` and `pacing` are laid out here,
// and `interlude` takes the place of everything else.
export function Tray({ table, asking, advise, light, news, lately, story, pacing, interlude }) {
  return html`<section class=${`tray ${asking ? "mine" : ""}`} aria-label=${asking ? say("ask.yours") : say("turn.roll")}>
    ${interlude ? interlude : asking ? html`<${Ask} key=${asking.ask.ask} table=${table} asking=${asking} advise=${advise} light=${light} lately=${lately} />` : html`<${Waiting} table=${table} news=${news} lately=${lately} story=${story} />`}
    <div class="pacing">${pacing}</div>
  </section>`;
}

function Waiting({ table, news, lately, story }) {
  const awaited = [...new Set(table.asks.flatMap((ask) => ask.seats))].map((seat) => seatName(table, seat));
  const sealed = table.asks.find((ask) => ask.answer);
  return html`<div class="ask">
    <div class="ask-head"><h2 class="ask-title">${headline(table, news, sealed, awaited)}</h2></div>
    ${sealed && html`<p class="sealed"><${Card} seat=${table.you} hidden /><${Card} seat=${table.you} hidden /><span class="spoken">${sealed.answer.label}</span></p>`}
    ${table.roll && html`<${Roll} roll=${table.roll} />`}
    ${story}
    <div class="ask-foot">${lately}</div>
  </div>`;
}

function headline(table, news, sealed, awaited) {
  const roller = table.roll?.seat ?? null;
  if (news) return news;
  if (sealed) return say("turn.sealed", { who: list(awaited) });
  const tile = table.asks[0]?.tile;
  if (tile && awaited.length === 1) return say("turn.tile", { who: awaited[0], tile: tileName(table, tile) });
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
    if (!byKeys() || (asking.hand && taken.length)) return;
    if (document.activeElement === document.body || document.activeElement === null) buttons.current?.querySelector("button:not(:disabled)")?.focus({ preventScroll: true });
  }, [ask.ask, taken.length]);
  // Dice that are turned to a number were not rolled: where one option cannot be drawn as the roll shows it, none is.
  const drawn = steps.every(({ option }) => !option?.dice || picture(table, option));
  const kind = asking.hand ? "of-hand" : drawn && steps.some(({ option }) => option && picture(table, option)) ? "of-dice" : steps.some((step) => thing(table, step, ask)) ? "of-things" : "of-words";
  const faces = steps.some(({ face }) => (face ?? null) !== null);
  const words = useMemo(() => wordsOf(table, asking.hand || faces || kind === "of-dice" ? [] : steps, known(ask)), [steps, kind]);
  const casinos = steps.flatMap(({ target }) => (target?.casino ? [target.casino] : []));
  const brief = new Set(casinos).size === casinos.length;
  const why = advice?.options[0]?.why;
  return html`<div ref=${whole} class=${`ask ${still ? "still" : ""}`} data-ask=${ask.ask} data-step=${taken.length} onPointerDown=${() => setStill(true)}>
    <div class="ask-head"><h2 class="ask-title">${ask.tile && html`<${TilePicture} code=${ask.tile} />`}${titleOf(table, asking, tile)}${tile && known(ask) && html`<small class="asks">${tile.name}</small>`}</h2><${Remaining} table=${table} seat=${table.you} /></div>
    <${Above} table=${table} asking=${asking} looking=${looking} kind=${kind} faces=${faces} tile=${tile} />
    ${words.line && html`<p class="common" aria-hidden="true">${words.line}</p>`}
    <div ref=${buttons} class=${`options ${kind}`} role="group" aria-label=${say("ask.options")}>
      ${steps.map((step) => html`<${StepButton} key=${step.card ? step.at : step.play ? "play" : step.label} table=${table} step=${step} drawn=${drawn} words=${words} brief=${brief} advice=${advice} asking=${asking} look=${look} />`)}
    </div>
    <div class="ask-foot">${lately}${advise && html`<${Adviser} key=${ask.ask} advise=${advise} advice=${advice} setAdvice=${setAdvice} />`}${why && html`<p class="advice-why">${say("advice.why", { why: inNames(table, why) })}</p>`}</div>
  </div>`;
}

// The line between the question and its answers: how far the answer has come, what would come of what is looked at, or
// the rule of the tile or option that asks: a prompt begins with the name of its option.
function Above({ table, asking, looking, kind, faces, tile }) {
  const { ask, taken, pending, hand, held } = asking;
  if (pending || (taken.length && !hand)) return html`<${Taken} table=${table} asking=${asking} />`;
  const told = prospect(table, looking?.standing ? looking : held);
  if (hand) return html`<p class="prospect" aria-live="polite">${told || html`<span class="hint">${say(taken.length ? "card.then" : "card.first")}</span>`}</p>`;
  const rule = tile?.text ?? ruleTexts.value.options[ask.prompt.split(".")[0]];
  if (rule) return html`<p class="ask-text" aria-live="polite">${told ? html`<b>${told}</b>` : rule}</p>`;
  if (ask.options.some((option) => option.standing)) return html`<p class="prospect" aria-live="polite">${told || html`<${Hint} table=${table} dice=${kind === "of-dice"} faces=${faces} />`}</p>`;
  return html`<p class="prospect"></p>`;
}

// A prompt that the page has no words for is called by its tile.
const known = (ask) => say(`prompt.${ask.prompt}`) !== `prompt.${ask.prompt}`;

function titleOf(table, { ask, taken }, tile) {
  if (taken.length && ask.prompt === "turn.place") return say("turn.where");
  if (known(ask)) return say(`prompt.${ask.prompt}`, tile?.shows);
  return ask.tile ? say("ask.tile", { tile: tileName(table, ask.tile) }) : say("ask.yours");
}

// What has been picked so far, with the way back and, where it is whole, the way on.
function Taken({ table, asking: { taken, pending, back, send } }) {
  const parts = pending ? [...taken, pending.path?.at(-1)?.label ?? pending.label] : taken;
  return html`<p class="steps"><button type="button" class="plain" onClick=${back}>${say("ask.back")}</button><span><b>${parts.map((part) => inNames(table, part)).join(" · ")}</b></span>
    ${pending && html`<button type="button" class="primary" onClick=${send}>${say("ask.confirm")}</button>`}</p>`;
}

// With a mouse an option can be pointed at before it is chosen; otherwise the outcome stands on it.
function Hint({ table, dice, faces }) {
  if (faces) return html`<span class="hint">${say("would.faces")}</span>`;
  const tiled = table.casinos.some(({ tile }) => tile);
  return html`<span class="hint"><span class="pointing">${say(dice ? "would.hint" : "would.choice")}</span><span class="tapping">${dice ? say("would.below") : tiled ? say("would.onchoice") : ""}</span></span>`;
}

const targetsOf = (option) => option.targets ?? (option.target ? [option.target] : []);
const cardsOf = (option) => targetsOf(option).flatMap((target) => (target.card ? [target.card] : []));

function StepButton({ table, step, drawn, words, brief, advice, asking, look }) {
  const { option } = step;
  const see = () => look(lookOf(step, asking.held));
  const away = () => look(null);
  // A finger points at nothing before it presses.
  const byMouse = (then) => (event) => event.pointerType === "mouse" && then();
  const pictured = drawn && option && !step.play ? picture(table, option) : null;
  const drawing = step.card ? html`<${Card} card=${step.card} seat=${table.you} />` : pictured ?? (step.play ? null : thing(table, step, asking.ask, { words, brief }));
  const best = Boolean(advice) && !step.out && isBest(step, advice, asking);
  // Advice comes with the best first; a step is worth what the best of its answers is. A card has no room for figures.
  const told = step.card ? null : advice?.options.find((it) => step.options.some(({ choice }) => choice === it.choice));
  const outcome = option ?? (asking.taken.length ? null : step.alone);
  const classes = ["option", step.beside && "beside", best && "best", step.card ? "of-card" : step.play ? "primary play-cards" : pictured ? "pictured" : drawing ? "thing" : "worded", step.held && "held", asking.pending && asking.pending === option && "chosen"];
  const name = inNames(table, step.label);
  return html`<button type="button" class=${classes.filter(Boolean).join(" ")} aria-describedby=${told ? `advice-${told.choice}` : undefined} aria-label=${name} aria-pressed=${step.card ? Boolean(step.held) : undefined} title=${name} disabled=${asking.busy || Boolean(step.out)} data-choice=${option?.choice}
    onClick=${() => asking.press(step)} onPointerEnter=${byMouse(see)} onFocus=${see} onPointerLeave=${byMouse(away)} onBlur=${away}>
    ${step.play ? say("card.play") : (drawing ?? html`<${Words} words=${words.of(step)} />`)}
    ${outcome && !step.play && html`<${Outcome} table=${table} option=${outcome} />`}
    ${told && html`<${Advice} id=${`advice-${told.choice}`} advice=${told} best=${best} />`}
    <kbd aria-hidden="true">${step.key}</kbd>
  </button>`;
}

// Of a hand, each card that the best answer still needs, or the way to play them.
function isBest(step, advice, { held }) {
  const choice = advice.options[0]?.choice;
  if (!step.card) return step.options.some((option) => option.choice === choice);
  return !step.held && step.options.some((option) => option.choice === choice && option !== held);
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

// What one does stands out; what comes of it is told below, in smaller letters. Where there is little room, `brief` says
// enough: the title asks, and each casino is offered once.
function Words({ words: { what, then }, brief }) {
  if (!what) return null;
  return html`<span class="said"><b>${what}</b>${then && html` <small>${then}</small>`}</span>${brief && html`<b class="brief">${brief}</b>`}`;
}

// Rolled dice, a casino, a tile, a seat or what else the answer is about, with the words of the step.
function thing(table, step, ask, { words, brief } = {}) {
  const { target, face } = step;
  if ((face ?? null) !== null) return html`<${Group} roll=${table.roll} face=${face} /><${Either} table=${table} step=${step} />`;
  const said = () => html`<${Words} words=${words.of(step)} brief=${brief && target?.casino ? casinoName(table, target.casino) : null} />`;
  if (drawnAs(table, ask, step)) return html`<${AnswerPicture} table=${table} ask=${ask} step=${step} />${words && said()}`;
  const place = placePicture(table, ask, step);
  if (place) return html`${place}${words && said()}`;
  if (Number.isInteger(target?.seat)) return html`<${SeatMark} seat=${target.seat} />${words && said()}`;
  return null;
}

// Dice that may lie in the casino of their number or in one other: what each would bring. The name of the button is the
// number's, so the casinos are only drawn.
function Either({ table, step: { face, options } }) {
  const signOf = (number) => table.casinos.find((casino) => casino.number === number)?.name;
  return html`<span class="either"><span class="where">${face}</span>${options.length <= 2 && html`<span class="brings" aria-hidden="true">${options.map((option) => html`<span class=${`casino-${option.target.casino}`}><${CasinoPicture} number=${option.target.casino} name=${signOf(option.target.casino)} /><${Outcome} table=${table} option=${option} /></span>`)}</span>`}</span>`;
}

// Cards, or the rolled dice that the option places; all others are words.
function picture(table, option) {
  const cards = cardsOf(option);
  if (cards.length && table.you !== null) return html`<span class="cards">${cards.map((card, at) => html`<${Card} key=${at} card=${card} seat=${table.you} />`)}</span>`;
  const face = rolledAs(table, option);
  if (!face) return null;
  return html`<${Group} roll=${table.roll} face=${face} /><span class="where">${casinoName(table, option.target.casino)}</span>`;
}
