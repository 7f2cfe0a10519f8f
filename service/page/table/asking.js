// What the caller is asked and how far the answer has come. Up to six options are offered as they are; of more, the
// service describes each as steps, and the page offers one step at a time. Cards are picked from the hand, then played.
import { useEffect, useMemo, useState } from "../app/html.js";
import { confirming } from "../app/memory.js";
import { say } from "../app/words.js";

const FLAT = 6;

// The next steps after those `taken`: [{label, target, options, option}]; a step with an `option` is the last one.
function stepsOf(ask, taken) {
  if (ask.options.length <= FLAT || !ask.options.every((option) => option.path?.length)) {
    return ask.options.map((option) => ({ label: option.label, target: option.target, options: [option], option }));
  }
  const steps = new Map();
  for (const option of ask.options.filter(({ path }) => taken.every((label, at) => path[at]?.label === label))) {
    const { label, target } = option.path[taken.length] ?? {};
    if (label === undefined) continue;
    const step = steps.get(label) ?? { label, target, options: [], option: null };
    step.options.push(option);
    if (option.path.length === taken.length + 1) step.option = option;
    steps.set(label, step);
  }
  return [...steps.values()];
}

// The steps in view. Where one leads to the things themselves, such as rolled dice, and one other is beside it, such as
// to pass, the things are offered at once, and the other as a small choice beside them: {beside: true}.
function stepsInView(ask, taken) {
  const steps = stepsOf(ask, taken);
  const [leading, ...others] = steps.filter(({ option }) => !option);
  if (!leading || others.length || steps.length !== 2) return steps;
  const inner = stepsOf(ask, [...taken, leading.label]);
  if (inner.length > FLAT || !inner.every(({ option }) => option)) return steps;
  return [...inner, { ...steps.find(({ option }) => option), beside: true }];
}

const targetsOf = (option) => option.targets ?? (option.target ? [option.target] : []);
const cardsOf = (option) => targetsOf(option).flatMap(({ card }) => (card ? [card] : []));

// Whether every answer is a set of cards of the caller's hand.
const asksForCards = (table, ask) => table.you !== null && ask.options.every((option) => cardsOf(option).length > 0 && cardsOf(option).length === targetsOf(option).length);

// What is left of `cards` without each of `taken`, or null where one of those is not among them.
function without(cards, taken) {
  const rest = [...cards];
  for (const card of taken) {
    const at = rest.indexOf(card);
    if (at < 0) return null;
    rest.splice(at, 1);
  }
  return rest;
}

// Each card of the hand, to be taken up or put back, and at last the way to play those that were taken: [{label, target,
// options, option, card, held, out, play}]. `taken` are places in the hand. A card is `out` where no answer has it beside
// those that are taken.
function stepsOfHand(table, ask, taken) {
  const most = ask.options.map(cardsOf);
  const hand = table.seats[table.you]?.hand ?? most.flat().filter((card, at, all) => all.indexOf(card) === at);
  const held = taken.map((at) => hand[at]);
  const fitting = (cards) => ask.options.filter((option) => without(cardsOf(option), cards));
  const option = held.length ? (ask.options.find((it) => cardsOf(it).length === held.length && without(cardsOf(it), held)) ?? null) : null;
  const cards = hand.map((card, at) => {
    const isHeld = taken.includes(at);
    const [nth, count] = [hand.slice(0, at + 1).filter((it) => it === card).length, hand.filter((it) => it === card).length];
    const options = isHeld ? fitting(held) : fitting([...held, card]);
    const alone = ask.options.find((it) => cardsOf(it).length === 1 && cardsOf(it)[0] === card);
    const label = say(count > 1 ? "card.oneof" : "card.one", { card: cardName(card), nth, count });
    return { label, target: { card }, options, option: null, card, at, held: isHeld, out: !isHeld && !options.length, alone };
  });
  return [...cards, { label: option ? option.label : say("card.play"), target: null, options: option ? [option] : [], option, play: true, out: !option }];
}

export const cardName = (card) => say(card.endsWith("d") ? "card.double" : "card.single", { number: parseInt(card, 10) });

const isSame = (one, other) => Boolean(one && other) && Object.keys(one).length > 0 && Object.entries(one).every(([key, value]) => other[key] === value);

// {ask, steps, taken, pending, press(step), back(), send()}, or null while the caller is not asked. `pending` is a choice
// that waits to be confirmed.
export function useAsking(game, table) {
  const ask = table.asks.find((it) => it.yours && !it.answer) ?? null;
  const [taken, setTaken] = useState([]);
  const [pending, setPending] = useState(null);
  useEffect(() => {
    setTaken([]);
    setPending(null);
  }, [ask?.ask]);
  const hand = Boolean(ask) && asksForCards(table, ask);
  const steps = useMemo(() => {
    if (!ask) return [];
    return withKeys(table, hand ? stepsOfHand(table, ask, taken) : stepsInView(ask, taken).map((step) => ({ ...step, face: rolledFace(table, step) })));
  }, [ask, taken]);
  const busy = ask ? game.answered.value.has(ask.ask) : false;
  const send = (option) => {
    setPending(null);
    game.choose(ask, option);
  };
  const press = (step) => {
    if (busy || step.out) return;
    if (step.card) setTaken(step.held ? taken.filter((at) => at !== step.at) : [...taken, step.at]);
    else if (!step.option) setTaken([...taken, step.label]);
    else if (confirming.value && pending !== step.option) setPending(step.option);
    else send(step.option);
  };
  const back = () => (pending ? setPending(null) : setTaken(taken.slice(0, -1)));
  useKeys(ask && !busy, { steps, press, back, pending, send });
  if (!ask) return null;
  const find = (target) => {
    const fitting = busy ? [] : steps.filter((step) => !step.out && (isSame(target, step.target) || (step.card && parseInt(step.card, 10) === target.casino)));
    return fitting.length === 1 ? () => press(fitting[0]) : undefined;
  };
  // The cards that were taken so far, as what is looked at.
  const held = hand && taken.length ? (steps.at(-1).option ?? { targets: steps.filter((step) => step.held).map(({ target }) => target) }) : null;
  return { ask, steps, taken, pending, busy, press, back, find, hand, held, send: () => send(pending) };
}

export const facesOf = (roll) => [...new Set([...roll.own, ...(roll.big ? [roll.big] : []), ...(roll.neutral ?? [])])].sort();

// Which rolled number these dice are: the one that there are so many of, on the casino of that number or beyond.
export function faceOf(roll, option) {
  const { small, big, neutral } = option.dice;
  const alike = facesOf(roll).filter((face) => count(roll.own, face) === small && (roll.big === face ? 1 : 0) === big && count(roll.neutral ?? [], face) === neutral);
  const named = /-(\d)$/.exec(option.choice);
  return alike.find((face) => face === option.target.casino) ?? alike.find((face) => named && face === Number(named[1])) ?? null;
}

const count = (all, one) => all.filter((it) => it === one).length;

// The number of the caller's rolled dice that an option places, or null.
export const rolledAs = ({ roll, you }, option) => (roll && roll.seat === you && option.dice && option.target?.casino ? faceOf(roll, option) : null);

// The rolled number that all options of a step place, or null; a last step is drawn as its option.
function rolledFace(table, { option, options }) {
  if (option) return null;
  const [face, ...others] = new Set(options.map((it) => rolledAs(table, it)));
  return others.length === 0 ? (face ?? null) : null;
}

const MOST_NUMBERS = 6;

// Each step with its key: the number of its dice where all dice are rolled ones, and from 7 on for what stands beside
// them; or else its place in the row. What plays cards is pressed by Enter.
function withKeys(table, steps) {
  const numbers = steps.map(({ face, option }) => face ?? (option && rolledAs(table, option)));
  const known = numbers.filter(Boolean);
  const byNumber = known.length > 0 && new Set(known).size === known.length && steps.every(({ option }, at) => !option?.dice || numbers[at]);
  let beside = MOST_NUMBERS;
  return steps.map((step, at) => ({ ...step, key: step.play ? null : !byNumber ? at + 1 : (numbers[at] ?? ++beside) }));
}

// 1 to 9 press the step with that key; Enter confirms; Escape and Backspace go back.
function useKeys(active, { steps, press, back, pending, send }) {
  useEffect(() => {
    if (!active) return undefined;
    const onKey = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || event.target.matches?.("input, select, textarea")) return;
      if (/^[1-9]$/.test(event.key)) {
        const step = steps.find(({ key }) => key === Number(event.key));
        if (step) press(step);
        // What Enter does next is to play the cards, not to press the one that has the focus.
        if (step?.card) document.activeElement?.blur();
      } else if (event.key === "Enter" && event.target === document.body) {
        const play = steps.find((step) => step.play && step.option);
        if (pending) send(pending);
        else if (play) press(play);
      }
      else if (event.key === "Backspace" || event.key === "Escape") back();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}

// What a step is about, as the board shows it: as an option where it is the last one.
export function lookOf(step, held = null) {
  if (!step) return null;
  if (!step.card) return step.option ?? { target: step.target };
  return step.alone && !held ? step.alone : { targets: [...targetsOf(held ?? {}), ...(step.held ? [] : [step.target])] };
}
