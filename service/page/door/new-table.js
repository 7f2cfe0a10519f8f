// The form for a new table: three presets, and the rest behind "More options". Options are what the edition's JSON Schema
// says; what does not fit, the service says.
import { html, useState } from "../app/html.js";
import { Pick } from "../app/pick.js";
import { Trouble } from "../app/trouble.js";
import { say } from "../app/words.js";
import { Field } from "./fields.js";
import { openTable, usualBot } from "./opening.js";
import { botName, difficultyName, strength } from "./strength.js";

// Seats in the words of the form, and who may come.
const PRESETS = {
  bots: (edition) => ({ seats: ["me", ...several(edition, 3, usualBot(edition))], visibility: "unlisted" }),
  friends: (edition) => ({ seats: ["me", ...several(edition, 3, "open")], visibility: "private" }),
  duel: (edition) => ({ seats: ["me", edition.bots.at(-1)], visibility: "unlisted" }),
};
const several = (edition, count, seat) => Array(Math.min(count, edition.seats.max - 1)).fill(seat);

export function NewTable({ edition, bots }) {
  const [fault, setFault] = useState(null);
  const open = (plan) => openTable(plan).catch(setFault);
  return html`<div class="panel new-table">
    <h3>${edition.title}</h3>
    <ul class="presets">${Object.entries(PRESETS).map(([name, make]) => html`<li key=${name}><${Preset} name=${name} edition=${edition} plan=${make(edition)} open=${open} /></li>`)}</ul>
    ${fault && html`<${Trouble} fault=${fault} small />`}
    <details class="own-table"><summary>${say("door.more")}</summary><${OwnTable} edition=${edition} bots=${bots} /></details>
  </div>`;
}

function Preset({ name, edition, plan: { seats, visibility }, open }) {
  const press = () => open({ edition: edition.id, seats: seats.map(plan), visibility });
  return html`<button type="button" class=${name === "bots" ? "primary preset" : "preset"} onClick=${press}><b>${say(`preset.${name}`)}</b><small>${say(`preset.${name}.text`, { bot: botName(edition.bots.at(-1)) })}</small></button>`;
}

function OwnTable({ edition, bots }) {
  const [seats, setSeats] = useState(["me", ...several(edition, 3, usualBot(edition))]);
  const [options, setOptions] = useState({});
  const [visibility, setVisibility] = useState("public");
  const [fault, setFault] = useState(null);
  const taken = seats.filter((seat) => seat !== "nobody");
  const shown = Object.entries(edition.options.properties).filter(([, schema]) => fitsPlayers(schema, taken.length));
  // What does not fit so many players is not shown, so it could not be taken back.
  const chosen = Object.fromEntries(shown.flatMap(([name]) => (name in options ? [[name, options[name]]] : [])));
  const open = async (event) => {
    event.preventDefault();
    await openTable({ edition: edition.id, options: chosen, seats: taken.map(plan), visibility }).catch(setFault);
  };
  const setSeat = (at, value) => setSeats(seats.map((seat, other) => (other === at ? value : seat)));
  return html`<form class="new-table-form" onSubmit=${open}>
    <fieldset><legend>${say("door.players")}</legend>
      <div class="seat-picks">${Array.from({ length: edition.seats.max }, (_, at) => html`<${SeatPick} key=${at} at=${at} value=${seats[at] ?? "nobody"} edition=${edition} set=${(value) => (at < seats.length ? setSeat(at, value) : setSeats([...seats, ...Array(at - seats.length).fill("nobody"), value]))} />`)}</div>
      <ul class="strengths">${bots.filter((bot) => edition.bots.includes(bot.name)).map((bot) => html`<li key=${bot.name}><b>${botName(bot.name)}</b>${bot.difficulty && html` (${difficultyName(bot)})`} ${bot.text} <i>${strength(bot, bots, edition, chosen, taken.length)}</i></li>`)}</ul>
    </fieldset>
    <fieldset><legend>${say("door.options")}</legend>
      <div class="fields">${shown.map(([name, schema]) => html`<${Field} key=${name} name=${name} schema=${schema} edition=${edition} seats=${taken.length} value=${options[name]} set=${(value) => setOptions(without({ ...options, [name]: value }))} />`)}</div>
    </fieldset>
    <fieldset><legend>${say("door.who")}</legend>
      ${["public", "unlisted", "private"].map((it) => html`<label key=${it} class="choice"><input type="radio" name="visibility" value=${it} checked=${visibility === it} onChange=${() => setVisibility(it)} /> ${say(`door.${it}`)}</label>`)}
    </fieldset>
    ${fault && html`<${Trouble} fault=${fault} small />`}
    <p class="then"><button class="primary">${say("door.create")}</button></p>
  </form>`;
}

const plan = (seat) => (seat === "me" ? { player: true } : seat === "open" ? { open: true } : { bot: seat });
const without = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

function fitsPlayers(schema, seats) {
  const range = schema["x-players"];
  return !range || (seats >= range.min && seats <= range.max);
}

function SeatPick({ at, value, edition, set }) {
  const options = [...(at === 0 ? [["me", say("door.me")]] : []), ["open", say("door.friend")], ...edition.bots.map((bot) => [bot, `${botName(bot)} (${say("seat.bot")})`]), ...(at >= edition.seats.min ? [["nobody", say("door.nobody")]] : [])];
  return html`<${Pick} label=${say("door.seat", { number: at + 1 })} value=${value} set=${set} options=${options} />`;
}
