// The four editions, what is special about each, and the form that sets up a table of one.
import { Fragment, html, useState } from "../app/html.js";
import { say } from "../app/words.js";
import { SpecialPicture } from "./pictures.js";
import { NewTable } from "./new-table.js";

export function Editions({ editions, bots }) {
  const [chosen, setChosen] = useState(null);
  return html`<section class="editions" aria-labelledby="editions-title">
    <h2 id="editions-title">${say("door.newtable")}</h2>
    <ul>${editions.map((it) => html`<${Fragment} key=${it.id}><li><button type="button" class=${`edition ${it.id === chosen ? "chosen" : ""}`} aria-expanded=${it.id === chosen} onClick=${() => setChosen(it.id === chosen ? null : it.id)}>
      <${SpecialPicture} edition=${it.id} />
      <strong>${it.title}${it === editions[0] && html` <em>${say("door.easiest")}</em>`}</strong>
      <span>${special(it)}</span>
      <small>${say("door.seats", { least: it.seats.min, most: it.seats.max, rounds: it.rounds })}</small>
    </button></li>${it.id === chosen && html`<li class="opened"><${NewTable} edition=${it} bots=${bots} /></li>`}</${Fragment}>`)}</ul>
  </section>`;
}

function special(edition) {
  const key = `special.${edition.id}`;
  return say(key) === key ? edition.text : say(key);
}
