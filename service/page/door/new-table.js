// The form for a new table: three presets, and the rest behind "More options". Options are what the edition's JSON Schema
// says; what does not fit, the service says.
import { html, useEffect, useRef, useState } from "../app/html.js";
import { Pick } from "../app/pick.js";
import { Trouble } from "../app/trouble.js";
import { say } from "../app/words.js";
import { Field } from "./fields.js";
import { openTable, usualBot } from "./opening.js";
import { botName, difficultyName, strength } from "./strength.js";

// Seats in the words of the form, and who may come. What an edition is known for is on, also where it takes more people.
const PRESETS = {
  bots: (edition) => ({ seats: ["me", ...several(edition, crowd(edition).others, usualBot(edition))], options: crowd(edition).options, visibility: "unlisted" }),
  friends: (edition) => ({ seats: ["me", ...several(edition, crowd(edition).others, "open")], options: crowd(edition).options, visibility: "private" }),
  duel: (edition) => ({ seats: ["me", edition.bots.at(-1)], options: {}, visibility: "unlisted" }),
};
const FAMOUS = "bandit";
const USUAL = 3;

function crowd(edition) {
  const famous = edition.options.properties[FAMOUS]?.["x-players"];
  return famous ? { others: famous.min - 1, options: { [FAMOUS]: true } } : { others: USUAL, options: {} };
}
const several = (edition, count, seat) => Array(Math.min(count, edition.seats.max - 1)).fill(seat);

export function NewTable({ edition, bots }) {
  const [fault, setFault] = useState(null);
  const box = useRef(null);
  const form = useRef(null);
  const open = (plan) => openTable(plan).catch(setFault);
  // A person who has picked an edition sees what it offers, wherever on the page it opened.
  useEffect(() => box.current.scrollIntoView({ block: "nearest" }), []);
  return html`<div ref=${box} class="panel new-table">
    <h3>${edition.title}</h3>
    <ul class="presets">${Object.entries(PRESETS).map(([name, make]) => html`<li key=${name}><${Preset} name=${name} edition=${edition} plan=${make(edition)} open=${open} /></li>`)}</ul>
    ${fault && html`<${Trouble} fault=${fault} small />`}
    <details ref=${form} class="own-table" onToggle=${() => form.current.open && form.current.scrollIntoView({ block: "start" })}><summary>${say("door.more")}</summary><${OwnTable} edition=${edition} bots=${bots} /></details>
  </div>`;
}

function Preset({ name, edition, plan: { seats, options, visibility }, open }) {
  const press = () => open({ edition: edition.id, options, seats: seats.map(plan), visibility });
  return html`<button type="button" class=${name === "bots" ? "primary preset" : "preset"} onClick=${press}><b>${say(`preset.${name}`)}</b><small>${say(`preset.${name}.text`, { bot: botName(edition.bots.at(-1)), others: seats.length - 1 })}</small></button>`;
}

const CLOCK = ["turn_seconds", "on_timeout", "total_seconds", "increment_seconds"];
const NO_CLOCK = { turn_seconds: undefined, total_seconds: undefined, increment_seconds: undefined };
const CLOCKS = { none: {}, calm: { turn_seconds: 60 }, quick: { turn_seconds: 20 }, chess: { total_seconds: 300, increment_seconds: 5 } };
const isClock = (chosen, clock) => Object.keys(NO_CLOCK).every((name) => (chosen[name] || 0) === (clock[name] ?? 0));

// What follows from another option, once that is chosen.
const FOLLOWS = { tiles: "tile_codes" };

function OwnTable({ edition, bots }) {
  const [seats, setSeats] = useState(PRESETS.bots(edition).seats);
  const [options, setOptions] = useState(PRESETS.bots(edition).options);
  const [visibility, setVisibility] = useState("public");
  const [fault, setFault] = useState(null);
  const taken = seats.filter((seat) => seat !== "nobody");
  const shown = Object.entries(edition.options.properties).filter(([name, schema]) => fitsPlayers(schema, taken.length) && !options[FOLLOWS[name]]);
  // What does not fit so many players is not shown, so it could not be taken back.
  const chosen = Object.fromEntries(shown.flatMap(([name]) => (name in options ? [[name, options[name]]] : [])));
  const open = async (event) => {
    event.preventDefault();
    await openTable({ edition: edition.id, options: chosen, seats: taken.map(plan), visibility }).catch(setFault);
  };
  const field = ([name, schema]) => html`<${Field} key=${name} name=${name} schema=${schema} edition=${edition} seats=${taken.length} value=${options[name]} set=${(value) => setOptions(fitting({ ...options, [name]: value }, name, edition.options))} />`;
  const setSeat = (at, value) => setSeats(seats.map((seat, other) => (other === at ? value : seat)));
  return html`<form class="new-table-form" onSubmit=${open}>
    <fieldset><legend>${say("door.players")}</legend>
      <div class="seat-picks">${Array.from({ length: edition.seats.max }, (_, at) => html`<${SeatPick} key=${at} at=${at} value=${seats[at] ?? "nobody"} edition=${edition} bots=${bots} set=${(value) => (at < seats.length ? setSeat(at, value) : setSeats([...seats, ...Array(at - seats.length).fill("nobody"), value]))} />`)}</div>
      <details class="strengths"><summary>${say("door.bots")}</summary><ul>${bots.filter((bot) => edition.bots.includes(bot.name)).map((bot) => html`<li key=${bot.name}><b>${botName(bot.name)}</b>${bot.difficulty && html` (${difficultyName(bot)})`}: ${bot.text} <i>${strength(bot, bots, edition, chosen, taken.length)}</i></li>`)}</ul></details>
    </fieldset>
    <fieldset><legend>${say("door.options")}</legend>
      <div class="fields">${shown.filter(([name]) => !CLOCK.includes(name)).map(field)}</div>
    </fieldset>
    <fieldset><legend>${say("door.clock")}</legend>
      <p class="hint">${say("door.clockhint")}</p>
      <div class="tabs clocks" role="group" aria-label=${say("door.clock")}>${Object.entries(CLOCKS).map(([name, clock]) => html`<button type="button" key=${name} aria-pressed=${isClock(chosen, clock)} onClick=${() => setOptions(without({ ...options, ...NO_CLOCK, ...clock }))}>${say(`clock.${name}`)}</button>`)}</div>
      <details class="own-clock"><summary>${say("clock.own")}</summary><div class="fields">${shown.filter(([name]) => CLOCK.includes(name)).map(field)}</div></details>
    </fieldset>
    <fieldset><legend>${say("door.who")}</legend>
      ${["public", "unlisted", "private"].map((it) => html`<label key=${it} class="choice"><input type="radio" name="visibility" value=${it} checked=${visibility === it} onChange=${() => setVisibility(it)} /> ${say(`door.${it}`)}</label>`)}
    </fieldset>
    <div class="then">${fault && html`<${Trouble} fault=${fault} small />`}<button class="primary">${say("door.create")}</button></div>
  </form>`;
}

// The options, with what the schema says that one of them needs; the one that was changed last stays as it is.
function fitting(options, changed, { allOf = [] }) {
  const fitted = { ...options };
  for (const rule of allOf) {
    const [[cause, { const: when }]] = Object.entries(rule.if.properties);
    const [[needed, { const: must }]] = Object.entries(rule.then.properties);
    if (when === undefined || must === undefined || fitted[cause] !== when || fitted[needed] === must) continue;
    if (changed === needed) delete fitted[cause];
    else fitted[needed] = must;
  }
  return without(fitted);
}

const plan = (seat) => (seat === "me" ? { player: true } : seat === "open" ? { open: true } : { bot: seat });
const without = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

function fitsPlayers(schema, seats) {
  const range = schema["x-players"];
  return !range || (seats >= range.min && seats <= range.max);
}

function SeatPick({ at, value, edition, bots, set }) {
  const difficulty = (name) => bots.find((bot) => bot.name === name && bot.difficulty);
  const nameOf = (name) => `${botName(name)} (${difficulty(name) ? difficultyName(difficulty(name)) : say("seat.bot")})`;
  const options = [...(at === 0 ? [["me", say("door.me")]] : []), ["open", say("door.friend")], ...edition.bots.map((bot) => [bot, say("door.bot", { bot: nameOf(bot) })]), ...(at >= edition.seats.min ? [["nobody", say("door.nobody")]] : [])];
  return html`<${Pick} label=${say("door.seat", { number: at + 1 })} value=${value} set=${set} options=${options} />`;
}
