// What one can do at any step of a game: play on from it, or ask the expert about it.
import * as api from "../app/api.js";
import { html, useEffect, useState } from "../app/html.js";
import { asMe } from "../app/identity.js";
import { keepSeat, tokenFor } from "../app/memory.js";
import { go } from "../app/router.js";
import { Trouble } from "../app/trouble.js";
import { money, say } from "../app/words.js";
import { inNames, seatName } from "../table/names.js";
import { choiceName } from "./choices.js";

const STAND_IN = "steady"; // for the other people of the game, who are not here
const MOST_OPTIONS = 3;

// `table` is the one at `version`; `read` gives the text of the file that a game without an `id` comes from.
export function FromHere({ id, version, table, read }) {
  const [fault, setFault] = useState(null);
  const [busy, setBusy] = useState(false);
  const awaited = table.asks[0]?.seats[0] ?? null;
  const mine = awaited ?? table.you ?? 0;
  const playOn = async () => {
    setBusy(true);
    setFault(null);
    try {
      await fork(id ?? (await api.importGame(await read())), version, table, mine);
    } catch (problem) {
      setFault(problem);
    }
    setBusy(false);
  };
  if (table.status !== "playing") return null;
  return html`<section class="from-here panel" aria-label=${say("here.title")}>
    <button type="button" class="primary" disabled=${busy} title=${say("here.playhint")} onClick=${playOn}>${say("here.play")}</button>
    <small class="hint">${say("here.as", { who: seatName(table, mine) })}</small>
    ${id && awaited !== null && html`<${Expert} key=${version} id=${id} version=${version} table=${table} seat=${awaited} />`}
    ${fault && html`<${Trouble} fault=${fault} small />`}
  </section>`;
}

// A new game that begins with this table: the caller takes the seat that is to move, bots the others.
async function fork(id, at, table, mine) {
  const seats = table.seats.map(({ seat, bot }) => (seat === mine ? { player: true } : { bot: bot ?? STAND_IN }));
  const made = await asMe("", (token) => api.write(`${api.gameAddress(id)}/forks`, { at, seats }, token));
  for (const seat of made.seats) if (seat.token) keepSeat(made.id, seat.token);
  go(`/games/${made.id}`);
}

function Expert({ id, version, table, seat }) {
  const [told, setTold] = useState(null);
  const [fault, setFault] = useState(null);
  const [asking, setAsking] = useState(false);
  useEffect(() => setTold(null), [version]);
  const ask = async () => {
    setAsking(true);
    setFault(null);
    const there = await api.table(id, tokenFor(id), version).catch(() => table);
    await api.adviceAt(there, seat).then(setTold, setFault);
    setAsking(false);
  };
  return html`<button type="button" disabled=${asking} onClick=${ask}>${say(asking ? "advice.asking" : "here.expert")}</button>
    ${told && html`<ol class="told">${told.options.slice(0, MOST_OPTIONS).map((option) => html`<li key=${option.choice}><b>${choiceName(table, option.choice) ?? inNames(table, option.label ?? option.choice)}</b> ${typeof option.win === "number" ? say("advice.worth", { win: Math.round(option.win * 100), money: money(Math.round(option.money / 1000) * 1000) }) : ""} <small>${inNames(table, option.why)}</small></li>`)}</ol><p class="hint">${say("here.for", { who: seatName(table, seat) })}</p>`}
    ${fault && html`<${Trouble} fault=${fault} small />`}`;
}
