// Games: mine, open ones to join, running ones to watch, finished ones to replay.
import { html, useEffect, useState } from "../app/html.js";
import * as api from "../app/api.js";
import { forget } from "../app/identity.js";
import { player } from "../app/memory.js";
import { follow } from "../app/router.js";
import { say } from "../app/words.js";

const EVERY = 10_000;
const MOST = 6;

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
  return [...waiting.map((game) => ({ ...game, waits: true })), ...mine.filter((game) => !awaited.has(game.id))];
}

export function Lists({ titles }) {
  const [lists, setLists] = useState(null);
  useEffect(() => {
    let gone = false;
    const look = () => loadLists().then((found) => gone || setLists(found), () => {});
    look();
    const timer = setInterval(() => document.hidden || look(), EVERY);
    return () => {
      gone = true;
      clearInterval(timer);
    };
  }, [player.value?.token]);
  if (!lists) return null;
  return html`<div class="lists">
    ${lists.mine.length > 0 && html`<${Games} title=${say("door.mine")} games=${lists.mine} titles=${titles} verb=${(game) => (game.waits ? "door.resume" : game.status === "over" ? "door.replay" : "door.look")} />`}
    <${Games} title=${say("door.open")} games=${lists.open} titles=${titles} verb=${() => "door.join"} />
    <${Games} title=${say("door.running")} games=${lists.running} titles=${titles} verb=${() => "door.watch"} />
    <${Games} title=${say("door.finished")} games=${lists.finished} titles=${titles} verb=${() => "door.replay"} replay />
  </div>`;
}

function Games({ title, games, titles, verb, replay = false }) {
  return html`<section class="panel games"><h2>${title}</h2>
    ${games.length === 0 ? html`<p class="none">${say("door.none")}</p>` : html`<ul>${games.map((game) => html`<li key=${game.id} class=${game.waits ? "waits" : ""}>
      <a href=${`/games/${game.id}${replay ? "?at=1" : ""}`} onClick=${follow}>
        <span class="what"><b>${titles[game.edition] ?? game.edition}</b><small>${people(game)}</small></span>
        ${game.waits && html`<i class="your-move">${say("door.yourmove")}</i>`}
        <span class="verb">${say(verb(game))}</span>
      </a></li>`)}</ul>`}
  </section>`;
}

function people(game) {
  const names = (game.seats ?? []).map((seat) => seat.name ?? seat.bot).filter(Boolean);
  const free = (game.seats ?? []).filter((seat) => seat.open).length;
  return [names.join(", "), free ? say("door.free", { count: free }) : ""].filter(Boolean).join(" · ");
}
