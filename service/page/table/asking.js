// What the caller is asked and how far the answer has come. Up to six options are offered as they are; of more, the
// service describes each as steps, and the page offers one step at a time.
import { useEffect, useMemo, useState } from "../app/html.js";
import { confirming } from "../app/memory.js";

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
  const steps = useMemo(() => (ask ? stepsInView(ask, taken).map((step) => ({ ...step, face: rolledFace(table, step) })) : []), [ask, taken]);
  const busy = ask ? game.answered.value.has(ask.ask) : false;
  const send = (option) => {
    setPending(null);
    game.choose(ask, option);
  };
  const press = (step) => {
    if (busy) return;
    if (!step.option) setTaken([...taken, step.label]);
    else if (confirming.value && pending !== step.option) setPending(step.option);
    else send(step.option);
  };
  const back = () => (pending ? setPending(null) : setTaken(taken.slice(0, -1)));
  useKeys(ask && !busy, { steps, press, back, pending, send });
  if (!ask) return null;
  const find = (target) => {
    const fitting = busy ? [] : steps.filter((step) => isSame(target, step.target));
    return fitting.length === 1 ? () => press(fitting[0]) : undefined;
  };
  return { ask, steps, taken, pending, busy, press, back, find, send: () => send(pending) };
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

// The rolled number that all options of a step place, or null; a last step is drawn as its option.
function rolledFace({ roll, you }, { option, options }) {
  if (option || !roll || roll.seat !== you || !options.every(({ dice, target }) => dice && target?.casino)) return null;
  const [face, ...others] = new Set(options.map((it) => faceOf(roll, it)));
  return others.length === 0 ? (face ?? null) : null;
}

// The key of each step: its number where each step has one of its own, or else its place in the row.
export function keysOf(steps) {
  const numbers = steps.map(({ target, face }) => face ?? (Number.isInteger(target?.casino) ? target.casino : null));
  const known = numbers.filter(Boolean);
  const byNumber = known.length > 0 && new Set(known).size === known.length;
  return byNumber ? numbers : steps.map((_, at) => at + 1);
}

// 1 to 9 press the step with that key; Enter confirms; Escape and Backspace go back.
function useKeys(active, { steps, press, back, pending, send }) {
  useEffect(() => {
    if (!active) return undefined;
    const onKey = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || event.target.matches?.("input, select, textarea")) return;
      if (/^[1-9]$/.test(event.key)) {
        const step = steps[keysOf(steps).indexOf(Number(event.key))];
        if (step) press(step);
      } else if (event.key === "Enter" && pending && event.target === document.body) send(pending);
      else if (event.key === "Backspace" || event.key === "Escape") back();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}

// What a step is about, as the board shows it: as an option where it is the last one.
export const lookOf = (step) => (step ? (step.option ?? { target: step.target }) : null);
