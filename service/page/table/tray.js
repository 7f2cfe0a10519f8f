// The roll, and what the caller can do with it. Every option of an ask is a button called by the option's label.
import { html, useEffect, useRef, useState } from "../app/html.js";
import { money, say, thousands } from "../app/words.js";
import { Adviser } from "./adviser.js";
import { useLooking } from "./looking.js";
import { casinoName, seatName, tileName } from "./names.js";
import { Card, Die } from "./pieces.js";
import { TilePicture } from "./pictograms.js";
import { Outcome, prospect } from "./prospects.js";
import { list } from "./sentences.js";

// Everything the table waits for or shows of a roll. `choose(ask, option)` is called with what is picked; `light(option)`
// with what is looked at, or null. `news` is what is happening right now, `before` what has happened until then.
export function Tray({ table, choose, advise, light, busy, news, before }) {
  const mine = table.asks.find((ask) => ask.yours && !ask.answer);
  return html`<section class=${`tray ${mine ? "mine" : ""}`} aria-label=${mine ? say("ask.yours") : say("turn.roll")}>
    ${before}
    ${mine ? html`<${Ask} key=${mine.ask} table=${table} ask=${mine} choose=${choose} advise=${advise} light=${light} busy=${busy} />` : html`<${Waiting} table=${table} news=${news} />`}
  </section>`;
}

function Waiting({ table, news }) {
  const awaited = [...new Set(table.asks.flatMap((ask) => ask.seats))].map((seat) => seatName(table, seat));
  const sealed = table.asks.find((ask) => ask.answer);
  const roller = table.roll?.seat;
  const heading = news || (sealed ? say("turn.sealed", { who: list(awaited) }) : roller !== undefined && roller !== null ? say("turn.other", { who: seatName(table, roller) }) : awaited.length ? say("turn.waiting", { who: list(awaited) }) : say("table.round", table));
  return html`<h2 class="ask-title">${heading}</h2>
    ${sealed && html`<p class="sealed"><${Card} seat=${table.you} hidden /><${Card} seat=${table.you} hidden /><span class="spoken">${sealed.answer.label}</span></p>`}
    ${table.roll && html`<${Roll} roll=${table.roll} />`}`;
}

// The dice of a roll, grouped by number.
function Roll({ roll }) {
  return html`<div class="roll" aria-hidden="true" key=${JSON.stringify(roll)}>${faces(roll).map((face) => html`<${Group} key=${face} roll=${roll} face=${face} />`)}</div>`;
}

const faces = (roll) => [...new Set([...roll.own, ...(roll.big ? [roll.big] : []), ...(roll.neutral ?? [])])].sort();

function Group({ roll, face }) {
  const owner = roll.seat === null || roll.seat === undefined ? "neutral" : `seat-${roll.seat}`;
  return html`<span class="group">
    ${roll.big === face && html`<${Die} face=${face} owner=${owner} big />`}
    ${roll.own.filter((it) => it === face).map((it) => html`<${Die} face=${it} owner=${owner} />`)}
    ${(roll.neutral ?? []).filter((it) => it === face).map((it) => html`<${Die} face=${it} owner="neutral" />`)}
  </span>`;
}

function Ask({ table, ask, choose, advise, light, busy }) {
  const known = say(`prompt.${ask.prompt}`);
  const title = known !== `prompt.${ask.prompt}` ? known : ask.tile ? say("ask.tile", { tile: tileName(table, ask.tile) }) : say("ask.yours");
  const tile = ask.tile && table.casinos.find((casino) => casino.tile?.code === ask.tile)?.tile;
  const [held, setHeld] = useState([]);
  const [advice, setAdvice] = useState(null);
  const [looking, look] = useLooking(light);
  const list = useRef(null);
  // Whoever plays by keyboard answered with the last button, which is gone now.
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement === null) list.current?.querySelector("button")?.focus({ preventScroll: true });
  }, [ask.ask]);
  // Dice that are turned to a number were not rolled: where one option cannot be drawn as the roll shows it, none is.
  const drawn = ask.options.every((option) => !option.dice || picture(table, option));
  const hand = table.you === null ? null : table.seats[table.you]?.hand;
  const inHand = Array.isArray(hand) && ask.options.some((option) => cardsOf(option).length);
  return html`<div data-ask=${ask.ask}><h2 class="ask-title">${ask.tile && html`<${TilePicture} code=${ask.tile} />`}${title}</h2>
    ${tile && html`<p class="ask-text" lang="en">${tile.text}</p>`}
    ${inHand && html`<${Hand} seat=${table.you} hand=${hand} held=${held} setHeld=${setHeld} />`}
    ${ask.options.some((option) => option.standing) && html`<p class="prospect" aria-live="polite">${prospect(table, looking) || html`<${Hint} />`}</p>`}
    <div ref=${list} class=${`options ${drawn && ask.options.some((option) => picture(table, option)) ? "of-dice" : "of-words"} ${ask.options.length > MANY ? "many" : ""} ${inHand ? "of-cards" : ""}`} role="group" aria-label=${say("ask.options")}>
      ${ask.options.map((option) => html`<${OptionButton} key=${option.choice} table=${table} ask=${ask} option=${option} drawn=${drawn} fits=${fits(option, held)} advice=${advice?.options.find((it) => it.choice === option.choice)} best=${advice?.options[0]?.choice === option.choice} choose=${choose} light=${look} busy=${busy} />`)}
    </div>
    ${inHand && held.length > 0 && html`<button type="button" class="plain" onClick=${() => setHeld([])}>${say("hand.clear")}</button>`}
    ${advise && html`<${Adviser} key=${ask.ask} advise=${advise} advice=${advice} setAdvice=${setAdvice} />`}</div>`;
}

const MANY = 6;

// Who has a mouse can point at an option before it is chosen; for others it stands on it.
const Hint = () => html`<span class="hint"><span class="pointing">${say("would.hint")}</span><span class="tapping">${say("would.below")}</span></span>`;

const targetsOf = (option) => option.targets ?? (option.target ? [option.target] : []);
const cardsOf = (option) => targetsOf(option).flatMap((target) => (target.card ? [target.card] : []));

// Whether an option has all the cards that are held up: 2 that it lays at least two 2s.
function fits(option, held) {
  if (held.length === 0) return "any";
  const rest = cardsOf(option);
  for (const card of held) {
    const at = rest.indexOf(card);
    if (at < 0) return "not";
    rest.splice(at, 1);
  }
  return rest.length === 0 ? "just" : "too";
}

function Hand({ seat, hand, held, setHeld }) {
  const [up, setUp] = useState(new Set());
  useEffect(() => {
    if (held.length === 0 && up.size) setUp(new Set());
  }, [held.length]);
  const toggle = (at) => {
    const now = new Set(up);
    if (!now.delete(at)) now.add(at);
    setUp(now);
    setHeld([...now].map((place) => hand[place]));
  };
  return html`<div class="hand" role="group" aria-label=${say("hand.title")}>
    ${hand.map((card, at) => html`<button type="button" key=${at} class="in-hand" aria-pressed=${up.has(at)} aria-label=${say("hand.card", { face: parseInt(card, 10), double: card.endsWith("d") })} onClick=${() => toggle(at)}><${Card} card=${card} seat=${seat} /></button>`)}
  </div>
  <p class="hint">${say("hand.hint")}</p>`;
}

function OptionButton({ table, ask, option, drawn, fits: fit, advice, best, choose, light, busy }) {
  const look = () => light(option);
  const away = () => light(null);
  // A finger points at nothing before it presses.
  const byMouse = (then) => (event) => event.pointerType === "mouse" && then();
  const pictured = drawn ? picture(table, option) : null;
  return html`<button type="button" lang="en" aria-describedby=${advice ? `advice-${option.choice}` : undefined} class=${`option ${best ? "best" : ""} ${pictured ? "pictured" : "worded"} fit-${fit}`} aria-label=${pictured ? called(table, option) : option.label} title=${option.label} disabled=${busy} data-choice=${option.choice}
    onClick=${() => choose(ask, option)} onPointerEnter=${byMouse(look)} onFocus=${look} onPointerLeave=${byMouse(away)} onBlur=${away}>
    ${pictured ?? html`<span>${option.label}</span>`}
    <${Outcome} table=${table} option=${option} />
    ${advice && html`<${Advice} id=${`advice-${option.choice}`} advice=${advice} best=${best} />`}
  </button>`;
}

// Not every adviser reckons; one that does not still says why. Where there is little room the figures stand alone.
function Advice({ id, advice: { win, money: sum, why }, best }) {
  const star = best ? "★ " : "";
  if (typeof win !== "number" || typeof sum !== "number") return html`<small class="advice" id=${id}>${star}${why}</small>`;
  const [share, worth] = [Math.round(win * 100), Math.round(sum / 1000) * 1000];
  return html`<small class="advice">
    <span class="in-full" id=${id}>${star}${say("advice.worth", { win: share, money: money(worth) })}</span>
    <span class="in-short" aria-hidden="true">${star}${say("advice.short", { win: share, money: thousands(worth) })}</span>
  </small>`;
}

// Who speaks to the page says what stands there; who listens hears what the service calls it as well.
const called = (table, option) => (option.target?.casino ? `${casinoName(table, option.target.casino)}: ${option.label}` : option.label);

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

// Which rolled number these dice are: the one that there are so many of, on the casino of that number or beyond.
export function faceOf(roll, option) {
  const { small, big, neutral } = option.dice;
  const alike = faces(roll).filter((face) => count(roll.own, face) === small && (roll.big === face ? 1 : 0) === big && count(roll.neutral ?? [], face) === neutral);
  const named = /-(\d)$/.exec(option.choice);
  return alike.find((face) => face === option.target.casino) ?? alike.find((face) => named && face === Number(named[1])) ?? null;
}

const count = (all, one) => all.filter((it) => it === one).length;
