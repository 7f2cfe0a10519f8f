// The entry: words first, then the page that the address asks for.
import { html, render, effect } from "./html.js";
import { language, theme } from "./memory.js";
import { route } from "./router.js";
import { speak } from "./words.js";
import { Door } from "../door/door.js";
import { GamePage } from "../table/game-page.js";
import { Replay } from "../replay/replay.js";

const PAGES = { door: Door, game: GamePage, replay: Replay };

function Page() {
  const { page, ...given } = route.value;
  return html`<${PAGES[page]} key=${`${page} ${given.id ?? ""}`} ...${given} />`;
}

effect(() => (document.documentElement.dataset.theme = theme.value));
await speak(language.value);
render(html`<${Page} />`, document.getElementById("page"));
