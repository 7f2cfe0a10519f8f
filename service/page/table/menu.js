// What one can do at a table beside playing: leave, come back, break off, play again, tell others of it.
import { html, useState } from "../app/html.js";
import * as api from "../app/api.js";
import { Share } from "../app/share.js";
import { keepSeat, tokenFor } from "../app/memory.js";
import { follow, go } from "../app/router.js";
import { Trouble } from "../app/trouble.js";
import { say } from "../app/words.js";

export function Menu({ game, table }) {
  const [fault, setFault] = useState(null);
  const act = (what, body) => async () => {
    try {
      await api.settle(table.id, what, body, tokenFor(table.id));
      await game.reload();
    } catch (problem) {
      setFault(problem);
    }
  };
  const seat = table.you === null ? null : table.seats[table.you];
  const playing = table.status === "playing";
  const voted = table.void?.includes(table.you);
  return html`
    ${table.status !== "lobby" && html`<a class="button" href=${`/games/${table.id}?at=1`} onClick=${follow}>${say("menu.replay")}</a>`}
    <${Share} address=${`${location.origin}/games/${table.id}`} label=${say("menu.link")} />
    ${seat?.stand_in && playing && html`<button type="button" class="primary" onClick=${act("return", {})}>${say("menu.return")}</button>`}
    ${seat && playing && voted && html`<button type="button" onClick=${act("void", { agrees: false })}>${say("menu.unvoid")}</button>`}
    ${seat && playing && !seat.stand_in && html`<${Grave} label=${say("menu.leave")} warning=${say("menu.leavehint", { people: hasOthers(table) })} act=${act("leave", {})} />`}
    ${seat && playing && !voted && html`<${Grave} label=${say("menu.void")} warning=${say("menu.voidhint")} act=${act("void", { agrees: true })} />`}
    ${fault && html`<${Trouble} fault=${fault} small />`}`;
}

const hasOthers = ({ seats, you }) => seats.some(({ seat, kind }) => seat !== you && kind === "human");

// What cannot be taken back says what it means for the others, and is asked for twice.
function Grave({ label, warning, act }) {
  const [asked, ask] = useState(false);
  if (!asked) return html`<button type="button" onClick=${() => ask(true)}>${label}</button>`;
  return html`<div class="grave" role="alert"><p>${warning}</p><p class="then"><button type="button" class="danger" onClick=${act}>${label}</button><button type="button" onClick=${() => ask(false)}>${say("menu.stay")}</button></p></div>`;
}

// The same people again; for who was at the table.
export function Rematch({ table }) {
  const [fault, setFault] = useState(null);
  const again = () => api.settle(table.id, "rematch", {}, tokenFor(table.id)).then(enter, setFault);
  if (table.you === null || table.closed) return null;
  return html`<button type="button" class="primary" onClick=${again}>${say("end.rematch")}</button>${fault && html`<${Trouble} fault=${fault} small />`}`;
}

// Each who wants a rematch gets a token of their own; a player's own token is good there, too.
function enter(made) {
  const own = made.seats.find((seat) => seat.token);
  if (own) keepSeat(made.id, own.token);
  go(`/games/${made.id}`);
}
