// Addresses of the page: `/`, `/stats`, `/games/ID` and, for the replay, `/games/ID?at=57`, which begins at the analysis with
// `#analysis`. A code is in the fragment, which no browser sends: `/#code=K7MQ-29XH-4TRB`.
import { signal } from "./html.js";

function readAddress() {
  const { pathname, searchParams, hash } = new URL(location.href);
  const found = /^\/games\/([^/]+)$/.exec(pathname);
  const at = searchParams.get("at");
  const code = new URLSearchParams(hash.slice(1)).get("code");
  if (found) return { page: at === null ? "game" : "replay", id: found[1], at: Number(at) || null, analysis: hash === "#analysis" };
  if (pathname === "/stats") return { page: "stats" };
  return pathname === "/" ? { page: "door", code } : { page: "missing" };
}

export const route = signal(readAddress());
addEventListener("popstate", () => (route.value = readAddress()));
addEventListener("hashchange", () => (route.value = readAddress()));

export function go(address) {
  history.pushState(null, "", address);
  route.value = readAddress();
  scrollTo(0, 0);
}

// The address without a new page: the replay's slider writes where it stands.
export const rewrite = (address) => history.replaceState(null, "", address);

// Put on a link: a plain click stays in the page.
export function follow(event) {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  go(event.currentTarget.getAttribute("href"));
}
