// The entry: words first, then the page that the address asks for.
import { html, render, effect, signal } from "./html.js";
import { DropZone, prepare } from "./drop-zone.js";
import { dropped } from "./dropped.js";
import { Missing } from "./missing.js";
import { keepOfflinePage } from "./offline.js";
import { language, theme } from "./memory.js";
import { route } from "./router.js";
import { say, speak } from "./words.js";
import { Door } from "../door/door.js";
import { GamePage } from "../table/game-page.js";

const replay = () => import("../replay/replay.js");
const PAGES = { door: Door, game: GamePage, replay: later(replay, "Replay"), file: later(replay, "FileReplay"), stats: later(() => import("../stats/stats.js"), "Stats"), missing: Missing };

// A page that is asked for when it is first shown.
function later(load, name) {
  const found = signal(null);
  return (given) => {
    if (found.value) return html`<${found.value} ...${given} />`;
    load().then((module) => (found.value = module[name]));
    return html`<p class="loading">${say("app.loading")}</p>`;
  };
}

function Page() {
  if (dropped.value) return html`<${PAGES.file} key=${dropped.value.name} file=${dropped.value} />`;
  const { page, ...given } = route.value;
  return html`<${PAGES[page]} key=${`${page} ${given.id ?? ""}`} ...${given} />`;
}

effect(() => (document.documentElement.dataset.theme = theme.value));
await speak(language.value);
render(html`<${Page} /><${DropZone} />`, document.getElementById("page"));
// What is needed without a connection comes after what is needed first.
const whenIdle = globalThis.requestIdleCallback ?? ((act) => setTimeout(act, 1000));
whenIdle(() => {
  prepare().catch(() => {});
  keepOfflinePage();
});
