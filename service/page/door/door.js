// The front door: one click to a game, and everything else below it.
import { html, signal, useEffect, useState } from "../app/html.js";
import * as api from "../app/api.js";
import { FilePicker } from "../app/drop-zone.js";
import { Frame } from "../app/frame.js";
import { Explanation } from "../app/explanation.js";
import { whoIAm } from "../app/identity.js";
import { player } from "../app/memory.js";
import { follow, go } from "../app/router.js";
import { Trouble } from "../app/trouble.js";
import { say } from "../app/words.js";
import { Lobby } from "../table/lobby.js";
import { Editions } from "./editions.js";
import { Lists } from "./lists.js";
import { openTable, usualBot } from "./opening.js";
import { Skyline } from "./skyline.js";

export const offer = signal(null); // {editions, bots}

async function loadOffer() {
  if (offer.value) return;
  const [editions, bots] = await Promise.all([api.editions(), api.bots()]);
  offer.value = { editions: editions.editions, bots: bots.bots };
}

export function Door({ code }) {
  const [fault, setFault] = useState(null);
  useEffect(() => {
    document.title = "Croupier";
    loadOffer().catch(setFault);
  }, []);
  return html`<${Frame}>
    <section class="hero">
      <${Skyline} />
      <h1><span>Croupier</span></h1>
      <p class="tagline">${say("door.tagline")}</p>
      <${PlayNow} />
      <${Name} />
    </section>
    ${code && html`<${ByCode} code=${code} />`}
    ${fault && html`<${Trouble} fault=${fault} again=${() => loadOffer().then(() => setFault(null), setFault)} />`}
    <section class="panel rules" aria-labelledby="rules-title"><h2 id="rules-title">${say("explain.title")}</h2><${Explanation} /></section>
    ${offer.value && html`<${Editions} editions=${offer.value.editions} bots=${offer.value.bots} />`}
    ${!code && html`<${ByCode} />`}
    <${Lists} titles=${Object.fromEntries((offer.value?.editions ?? []).map((it) => [it.id, it.title]))} />
    <section class="panel own-file"><p>${say("door.dropfile")}</p><${FilePicker} /></section>
    <p class="foot"><a href="/stats" onClick=${follow}>${say("stats.link")}</a> · <a href="/docs">${say("door.docs")}</a></p>
  </${Frame}>`;
}

// Three bots of the first level above chance: quick, and to be beaten; in the edition that needs least explaining.
function PlayNow() {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState(null);
  const play = async () => {
    setBusy(true);
    try {
      await loadOffer();
      const [edition] = offer.value.editions;
      const bot = usualBot(edition);
      await openTable({ edition: edition.id, seats: [{ player: true }, { bot }, { bot }, { bot }], visibility: "unlisted" });
    } catch (problem) {
      setFault(problem);
      setBusy(false);
    }
  };
  return html`<button type="button" class="play-now" disabled=${busy} onClick=${play}>${say("door.play")}</button>
    <p class="hint">${say("door.playhint")}</p>
    ${fault && html`<${Trouble} fault=${fault} small />`}`;
}

function Name() {
  const [name, setName] = useState(player.value?.name ?? "");
  const [fault, setFault] = useState(null);
  const keep = async () => {
    setFault(null);
    if (name && name !== player.value?.name) await whoIAm(name).then((me) => setName(me.name), setFault);
  };
  return html`<label class="my-name">${say("door.name")} <input maxlength="40" value=${name} placeholder=${say("door.guest")} autocomplete="nickname" onInput=${(event) => setName(event.target.value)} onChange=${keep} /></label>
    ${fault && html`<${Trouble} fault=${fault} small />`}`;
}

// A private table is shown to nobody who does not sit there, so who has its code sits down right here.
function ByCode({ code }) {
  const [text, setText] = useState(code ?? "");
  const [found, setFound] = useState(null);
  const [fault, setFault] = useState(null);
  const find = async (event) => {
    event?.preventDefault();
    setFault(null);
    await api.findByCode(text).then(setFound, (problem) => setFault(problem.status === 404 ? Object.assign(problem, { code: "unknown_code" }) : problem));
  };
  useEffect(() => {
    if (code) find();
  }, []);
  const enter = () => go(`/games/${found.id}`);
  if (found) return html`<${Lobby} game=${{ reload: enter }} table=${found.table} code=${text} />`;
  return html`<section class="panel by-code"><h2>${say("door.code")}</h2>
    <form onSubmit=${find}><label>${say("door.codelabel")} <input required maxlength="40" value=${text} onInput=${(event) => setText(event.target.value)} autocomplete="off" spellcheck=${false} /></label>
    <button>${say("door.find")}</button></form>
    ${fault && html`<${Trouble} fault=${fault} small />`}
  </section>`;
}
