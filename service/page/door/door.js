// The front door: one click to a game, my own games, and everything else below them.
import { html, signal, useEffect, useState } from "../app/html.js";
import * as api from "../app/api.js";
import { FilePicker } from "../app/drop-zone.js";
import { Frame, showHelp } from "../app/frame.js";
import { nickname, whoIAm } from "../app/identity.js";
import { player } from "../app/memory.js";
import { follow, go } from "../app/router.js";
import { Trouble } from "../app/trouble.js";
import { say } from "../app/words.js";
import { Editions } from "./editions.js";
import { Invitation } from "./invitation.js";
import { Lists, MyGames, useLists } from "./lists.js";
import { openTable, usualBot } from "./opening.js";
import { Skyline } from "./skyline.js";

export const offer = signal(null); // {editions, bots, byKey}

async function loadOffer() {
  if (offer.value) return;
  const [editions, bots] = await Promise.all([api.editions(), api.bots()]);
  offer.value = { editions: editions.editions, bots: bots.bots, byKey: editions.access === "keys" };
}

export function Door({ code }) {
  const [fault, setFault] = useState(null);
  useLists();
  useEffect(() => {
    document.title = "Croupier";
    loadOffer().catch(setFault);
  }, []);
  if (code) return html`<${Invitation} code=${code} />`;
  const titles = Object.fromEntries((offer.value?.editions ?? []).map((it) => [it.id, it.title]));
  return html`<${Frame}>
    <section class="hero">
      <${Skyline} />
      <h1><span>Croupier</span></h1>
      <p class="tagline">${say("door.tagline")}</p>
      ${offer.value?.byKey ? html`<p class="hint">${say("door.keys")}</p>` : html`<${PlayNow} /><${Name} />`}
    </section>
    ${fault && html`<${Trouble} fault=${fault} again=${() => loadOffer().then(() => setFault(null), setFault)} />`}
    <${MyGames} titles=${titles} />
    ${offer.value && !offer.value.byKey && html`<${Editions} editions=${offer.value.editions} bots=${offer.value.bots} />`}
    <div class="more">
      <${Lists} titles=${titles} />
      <${ByCode} />
      <section class="panel own-file"><h2>${say("door.file")}</h2><p>${say("door.dropfile")}</p><${FilePicker} /></section>
    </div>
    <p class="foot"><a href="/stats" onClick=${follow}>${say("stats.link")}</a> · <a href="/docs">${say("door.docs")}</a></p>
  </${Frame}>`;
}

// Three bots of the usual level, in the edition that needs least explaining.
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
    <p class="hint">${say("door.playhint")} <button type="button" class="plain" onClick=${showHelp}>${say("app.help")}</button></p>
    ${fault && html`<${Trouble} fault=${fault} small />`}`;
}

function Name() {
  const [name, setName] = useState(player.value?.name ?? "");
  const [fault, setFault] = useState(null);
  const keep = async () => {
    setFault(null);
    if (name && name !== player.value?.name) await whoIAm(name).then((me) => setName(me.name), setFault);
  };
  return html`<label class="my-name">${say("door.name")} <input maxlength="40" value=${name} placeholder=${nickname.value} autocomplete="nickname" onInput=${(event) => setName(event.target.value)} onChange=${keep} /></label>
    ${fault && html`<${Trouble} fault=${fault} small />`}`;
}

function ByCode() {
  const [text, setText] = useState("");
  const find = (event) => {
    event.preventDefault();
    go(`/#code=${encodeURIComponent(text.trim())}`);
  };
  return html`<section class="panel by-code"><h2>${say("door.code")}</h2>
    <form onSubmit=${find}><label>${say("door.codelabel")} <input required maxlength="40" value=${text} onInput=${(event) => setText(event.target.value)} autocomplete="off" spellcheck=${false} placeholder="K7MQ-29XH-4TRB" /></label>
    <button>${say("door.find")}</button></form>
  </section>`;
}
