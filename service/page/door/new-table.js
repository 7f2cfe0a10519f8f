// The form for a new table. Its options are what the edition's JSON Schema says; what does not fit, the service says.
import { html, useState } from "../app/html.js";
import { Pick } from "../app/pick.js";
import { Trouble } from "../app/trouble.js";
import { say } from "../app/words.js";
import { Field } from "./fields.js";
import { openTable, usualBot } from "./opening.js";
import { botName, strength } from "./strength.js";

export function NewTable({ edition, bots }) {
  const [seats, setSeats] = useState(["me", ...Array(Math.min(3, edition.seats.max - 1)).fill(usualBot(edition))]);
  const [options, setOptions] = useState({});
  const [visibility, setVisibility] = useState("public");
  const [fault, setFault] = useState(null);
  const taken = seats.filter((seat) => seat !== "nobody");
  const shown = Object.entries(edition.options.properties).filter(([, schema]) => fitsPlayers(schema, taken.length));
  // What does not fit so many players is not shown, so nobody could take it back.
  const chosen = Object.fromEntries(shown.flatMap(([name]) => (name in options ? [[name, options[name]]] : [])));
  const open = async (event) => {
    event.preventDefault();
    try {
      await openTable({ edition: edition.id, options: chosen, seats: taken.map(plan), visibility });
    } catch (problem) {
      setFault(problem);
    }
  };
  const setSeat = (at, value) => setSeats(seats.map((seat, other) => (other === at ? value : seat)));
  return html`<form class="panel new-table" onSubmit=${open}>
    <h3>${edition.title}</h3>
    <p>${edition.text}</p>
    <fieldset><legend>${say("door.players")}</legend>
      <div class="seat-picks">${Array.from({ length: edition.seats.max }, (_, at) => html`<${SeatPick} key=${at} at=${at} value=${seats[at] ?? "nobody"} edition=${edition} set=${(value) => (at < seats.length ? setSeat(at, value) : setSeats([...seats, ...Array(at - seats.length).fill("nobody"), value]))} />`)}</div>
      <ul class="strengths">${bots.filter((bot) => edition.bots.includes(bot.name)).map((bot) => html`<li key=${bot.name}><b>${botName(bot.name)}</b> ${bot.text} <i>${strength(bot, bots, edition, chosen, taken.length)}</i></li>`)}</ul>
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
