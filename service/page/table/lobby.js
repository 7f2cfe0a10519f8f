// A table that waits for people: who sits there, how friends find it, what its host can do.
import { html, useEffect, useState } from "../app/html.js";
import * as api from "../app/api.js";
import { Share } from "../app/share.js";
import { asMe } from "../app/identity.js";
import { inviteCode, keepCode, keepSeat, player, tokenFor } from "../app/memory.js";
import { Trouble } from "../app/trouble.js";
import { knows, say } from "../app/words.js";
import { SpecialPicture } from "../door/pictures.js";
import { seatName } from "./names.js";
import { SeatMark } from "./pieces.js";

// `game.reload` is called when something has changed; `code` is what a stranger found the table by.
export function Lobby({ game, table, code }) {
  const open = table.seats.filter((seat) => seat.open).length;
  const stranger = table.you === null;
  const host = table.seats[table.host];
  return html`<div class="lobby panel">
    <${SpecialPicture} edition=${table.edition} />
    <h2>${stranger && open && host ? say("invite.by", { who: seatName(table, table.host) }) : say(open ? "lobby.title" : "lobby.full")}</h2>
    <${Terms} table=${table} />
    <ul class="places">${table.seats.map((seat) => html`<li key=${seat.seat} class=${seat.open ? "open" : `of-seat seat-${seat.seat}`}><${SeatMark} seat=${seat.seat} /> ${seatName(table, seat.seat)} ${seat.kind === "bot" && html`<span class="kind-of">${say("seat.bot")}</span>`}</li>`)}</ul>
    ${stranger ? open > 0 && html`<${SitDown} game=${game} table=${table} code=${code} />` : html`<${Invite} table=${table} code=${code} />`}
    ${!stranger && html`<${Hosting} game=${game} table=${table} />`}
  </div>`;
}

const USUAL = ["advice", "fresh_tiles"]; // not what a person decides by to sit down

// What one agrees to by sitting down: the edition and what it is, its rounds and tiles, the clock.
function Terms({ table }) {
  const [edition, setEdition] = useState(null);
  useEffect(() => {
    api.editions().then(({ editions }) => setEdition(editions.find(({ id }) => id === table.edition) ?? null), () => {});
  }, [table.edition]);
  const { tiles, turn_seconds: turn, total_seconds: total } = table.options;
  const special = Object.entries(table.options).flatMap(([name, on]) => (on === true && !USUAL.includes(name) && knows(`option.${name}`) ? [say(`option.${name}`)] : []));
  const parts = [edition?.title, say("invite.rounds", { count: table.rounds }), ...special, tiles ? say("invite.tiles", { count: tiles }) : "", turn ? say("invite.turn", { seconds: turn }) : total ? say("invite.total", { seconds: total }) : say("invite.noclock")];
  return html`${edition && html`<p class="about">${edition.text}</p>`}<p class="terms">${parts.filter(Boolean).join(" · ")}</p>`;
}

function Invite({ table, code }) {
  const known = code ?? inviteCode(table.id);
  if (!known && table.visibility === "private") return null;
  const link = known ? `${location.origin}/#code=${known}` : `${location.origin}/games/${table.id}`;
  return html`<p>${say("lobby.invite")}</p><p class="invite"><code>${link}</code> <${Share} address=${link} label=${say("lobby.copy")} main /></p>
    ${known && html`<p>${say("lobby.code")} <strong class="code">${known}</strong></p>`}`;
}

function SitDown({ game, table, code }) {
  const [name, setName] = useState(player.value?.name ?? "");
  const [fault, setFault] = useState(null);
  const sit = async (event) => {
    event.preventDefault();
    try {
      await sitDown(table.id, name, code ?? inviteCode(table.id));
      await game.reload();
    } catch (problem) {
      setFault(problem);
    }
  };
  return html`<form class="sit" onSubmit=${sit}>
    <label>${say("lobby.name")} <input required maxlength="40" value=${name} onInput=${(event) => setName(event.target.value)} autocomplete="nickname" /></label>
    <button class="primary">${say("lobby.sit")}</button>
    ${fault && html`<${Trouble} fault=${fault} small />`}
  </form>`;
}

// As the player of this browser, so that the game stands among their own from now on; by name alone where players are
// made for API keys only.
async function sitDown(id, name, code) {
  const shown = code ? { code } : {};
  await asMe(name, (token) => api.takeSeat(id, shown, token)).catch(async (fault) => {
    if (fault.code !== "key_required") throw fault;
    keepSeat(id, (await api.takeSeat(id, { ...shown, name })).token);
  });
  if (code) keepCode(id, code);
}

function Hosting({ game, table }) {
  const [fault, setFault] = useState(null);
  const ask = (what, body = {}) => async () => {
    try {
      await api.settle(table.id, what, body, tokenFor(table.id));
      await game.reload();
    } catch (problem) {
      setFault(problem);
    }
  };
  return html`<p class="then">
    ${table.host === table.you && html`<button type="button" onClick=${ask("start")}>${say("lobby.start")}</button> <button type="button" onClick=${ask("cancel")}>${say("lobby.cancel")}</button>`}
    ${table.host !== table.you && html`<button type="button" onClick=${ask("leave")}>${say("lobby.leave")}</button>`}
    ${fault && html`<${Trouble} fault=${fault} small />`}
  </p>`;
}
