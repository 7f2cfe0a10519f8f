// Games: mine on top, and below everything else open ones to join, running ones to watch, finished ones to replay.
import { html, signal, useEffect, useState } from "../app/html.js";
import * as api from "../app/api.js";
import { forget } from "../app/identity.js";
import { player } from "../app/memory.js";
import { follow } from "../app/router.js";
import { day, money, say } from "../app/words.js";
import { list } from "../table/sentences.js";

const EVERY = 10_000;
const MOST = 6;
const FIRST = 3; // of my own, so that the rest of the front door stays near

const lists = signal(null); // {open, running, finished, mine}

async function loadLists() {
  const [open, running, finished, mine] = await Promise.all([...["lobby", "playing", "over"].map(loadList), loadMine(player.value)]);
  return { open, running, finished, mine };
}

const loadList = (status) => api.listGames({ status, limit: MOST }).then(({ games }) => games);

// Those that wait for me first.
async function loadMine(me) {
  if (!me) return [];
  const ask = (query) => api.myGames(me.token, { ...query, limit: MOST });
  const [waiting, mine] = await ask({ awaiting: "true" }).then(async (first) => [first.games, (await ask({})).games]).catch(forget(me, [[], []]));
  const awaited = new Set(waiting.map((game) => game.id));
  return [...waiting.map((game) => ({ ...game, waits: true })), ...mine.filter((game) => !awaited.has(game.id))].slice(0, MOST);
}

// Keeps the lists up to date while the front door is open.
export function useLists() {
  useEffect(() => {
    let gone = false;
    const look = () => loadLists().then((found) => gone || (lists.value = found), () => {});
    look();
    const timer = setInterval(() => document.hidden || look(), EVERY);
    return () => {
      gone = true;
      clearInterval(timer);
    };
  }, [player.value?.token]);
}

export function MyGames({ titles }) {
  const [all, showAll] = useState(false);
  const mine = lists.value?.mine ?? [];
  if (!mine.length) return null;
  const shown = all ? mine : mine.slice(0, FIRST);
  return html`<section class="panel games mine" aria-labelledby="mine-title"><h2 id="mine-title">${say("door.mine")}</h2>
    <ul>${shown.map((game) => html`<${Row} key=${game.id} game=${game} titles=${titles} told=${toldOfMine(game)} verb=${game.waits ? "door.resume" : game.status === "over" ? "door.replay" : "door.look"} />`)}</ul>
    ${shown.length < mine.length && html`<button type="button" class="plain" onClick=${() => showAll(true)}>${say("history.all")}</button>`}
  </section>`;
}

// Against whom, how it ended, and when.
function toldOfMine(game) {
  const others = (game.seats ?? []).filter(({ seat }) => seat !== game.seat);
  const names = others.map((seat) => seat.name ?? seat.bot).filter(Boolean);
  const result = game.status !== "over" ? null : game.winners?.includes(game.seat) ? say("door.iwon", { money: money(game.total) }) : game.winners?.length ? say("door.wonby", { who: list(game.winners.map((seat) => game.seats[seat]?.name ?? "")) }) : say("door.nowinner");
  return [names.length ? say("door.with", { names: names.join(", ") }) : "", result, day(game.finished ?? game.updated)].filter(Boolean).join(" · ");
}

const TABS = { open: "door.join", running: "door.watch", finished: "door.replay" };

export function Lists({ titles }) {
  const [picked, setTab] = useState(null);
  if (!lists.value) return null;
  // The first list with something in it, until a person picks another one.
  const tab = picked ?? Object.keys(TABS).find((name) => lists.value[name].length) ?? "open";
  const games = lists.value[tab];
  if (!picked && !games.length) return html`<section class="panel games lists" aria-labelledby="lists-title"><h2 id="lists-title">${say("door.tables")}</h2><p class="none">${say("door.quiet")}</p></section>`;
  return html`<section class="panel games lists" aria-labelledby="lists-title">
    <h2 id="lists-title">${say("door.tables")}</h2>
    <div class="tabs" role="group" aria-labelledby="lists-title">${Object.keys(TABS).map((name) => html`<button type="button" key=${name} aria-pressed=${tab === name} onClick=${() => setTab(name)}>${say(`door.${name}`)} <small>${lists.value[name].length === MOST ? `${MOST}+` : lists.value[name].length}</small></button>`)}</div>
    ${games.length === 0 ? html`<p class="none">${say("door.none")}</p>` : html`<ul>${games.map((game) => html`<${Row} key=${game.id} game=${game} titles=${titles} told=${people(game)} verb=${TABS[tab]} replay=${tab === "finished"} />`)}</ul>`}
  </section>`;
}

function Row({ game, titles, told, verb, replay = false }) {
  return html`<li class=${game.waits ? "waits" : ""}><a href=${`/games/${game.id}${replay ? "?at=1" : ""}`} onClick=${follow}>
    <span class="what"><b>${titles[game.edition] ?? game.edition}</b><small>${told}</small></span>
    ${game.waits && html`<i class="your-move">${say("door.yourmove")}</i>`}
    <span class="verb">${say(verb)}</span>
  </a></li>`;
}

function people(game) {
  const names = (game.seats ?? []).map((seat) => seat.name ?? seat.bot).filter(Boolean);
  const free = (game.seats ?? []).filter((seat) => seat.open).length;
  return [names.join(", "), free ? say("door.free", { count: free }) : ""].filter(Boolean).join(" · ");
}
