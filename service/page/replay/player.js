// Walks through a game: slider, keys, play and pause, the eyes of any seat.
import { Frame } from "../app/frame.js";
import { useRuleTexts } from "../app/rule-texts.js";
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../app/html.js";
import { speed } from "../app/memory.js";
import { rewrite } from "../app/router.js";
import { say } from "../app/words.js";
import { EVERYTHING, tableAt } from "../fold/table.js";
import { Board } from "../table/board.js";
import { History } from "../table/history.js";
import { seatName } from "../table/names.js";
import { Seats } from "../table/seats.js";
import { sentences } from "../table/sentences.js";
import { Tray } from "../table/tray.js";
import { Analysis, betterOn } from "./analysis.js";
import { Controls } from "./controls.js";
import { Explained } from "./explained.js";
import { FromHere } from "./from-here.js";
import { Hands } from "./hands.js";
import { moments, scenesOf } from "./moments.js";
import { Just } from "./just.js";
import { MoneyPlot } from "./plots.js";
import { useServed, withServed } from "./served.js";
import { editionOf, save } from "./source.js";
import { Why } from "./why.js";

const PACE = { slow: 1500, normal: 800, fast: 350, off: 150 };
const nothing = () => {};

export function Player({ id, at, analysis = false, commits, badge, read }) {
  const walk = useWalk(commits, at ?? 1);
  const [viewer, setViewer] = useState(EVERYTHING);
  const marks = useMemo(() => moments(commits), [commits]);
  const edition = editionOf(commits[0].events[0].edition);
  // While a payout is played the tiles are still those of the step before.
  const served = useServed(id, walk.scene ? walk.version - 1 : walk.version);
  const table = useMemo(() => withServed(tableOf(commits, walk, viewer, edition), served, !walk.scene), [commits, walk.version, walk.scene, viewer, edition, served]);
  useEffect(() => {
    if (id) rewrite(`/games/${id}?at=${walk.version}`);
  }, [id, walk.version]);
  const { tiles: tileTexts } = useRuleTexts(id ? table : null);
  useKeys(walk, marks);
  const finished = useMemo(() => commits.some(({ events }) => events.some(({ type }) => type === "game_ended")), [commits]);
  const [tip, setTip] = useState(null); // a choice that could have been better
  const showBetter = (choice) => {
    walk.go(choice.version - 1);
    setTip(choice);
    scrollTo(0, 0);
  };
  const better = tip && !walk.scene && walk.version === tip.version - 1 ? betterOn(table, tip) : {};
  const lately = html`<${Just} table=${table} commit=${commits[walk.version - 1]} better=${better} />`;
  const shown = walk.scene ? walk.version - 1 : walk.version;
  const tiled = useMemo(() => commits.some(({ events }) => events.some(({ type, tiles }) => type === "tiles_laid" && tiles.length)), [commits]);
  const told = useMemo(() => commits.slice(0, shown), [commits, shown]);
  return html`<${Frame} title=${say("replay.title")} bar=${html`<${Headline} table=${table} walk=${walk} before=${Boolean(better.news)} />`}>
    <div class=${`replay ${table.seats[0].placed === undefined ? "" : "of-cards"}`}>
      <${Controls} walk=${walk} marks=${marks} table=${table} viewer=${viewer} setViewer=${marks.some((mark) => mark.end) ? setViewer : null} />
      <div role="status" class="spoken">${say("replay.at", { at: walk.version, last: walk.last })}. ${happened(table, commits[walk.version - 1])}</div>
      <${Board} table=${table} marks=${{ ...better.marks, paying: walk.scene?.casino ?? null, tileTexts, tiled }} />
      <div class="beside">
        <div class="went">
          ${table.status === "playing" && !walk.scene && html`<${Tray} table=${watched(table)} light=${nothing} news=${better.news} lately=${lately} />`}
          <${Why} commits=${commits} version=${walk.version} table=${table} payout=${marks[walk.version - 1].payout} verdict=${verdictOf(table, commits[walk.version - 1])} now=${walk.scene?.casino ?? null} />
          ${!walk.scene && html`<${FromHere} id=${id} version=${walk.version} table=${table} read=${read} />`}
          ${id && html`<${Explained} id=${id} version=${walk.version} />`}
          <${History} table=${table} commits=${told} />
        </div>
        <div class="have">
          <${Seats} table=${table} />
          <${Hands} table=${table} />
          <${MoneyPlot} commits=${commits} table=${table} />
          ${!id && html`<p class="hint">${say("replay.norules")}</p>`}
        </div>
      </div>
      ${badge}
      ${id && finished && html`<${Analysis} id=${id} table=${table} last=${walk.last} first=${analysis} show=${showBetter} />`}
      ${id && html`<p class="then"><button type="button" onClick=${() => save(id)}>${say("replay.save")}</button></p>`}
      <p class="hint keys">${say("replay.keys")}</p>
    </div>
  </${Frame}>`;
}

// Who has won, at the step that ended the game.
const verdictOf = (table, commit) => sentences(table, commit).find(({ kind }) => kind === "game_ended" || kind === "game_closed")?.text;

// In the middle of a payout nobody is asked for anything.
function tableOf(commits, { version, scene }, viewer, edition) {
  if (!scene) return tableAt(commits, version, viewer, edition);
  return { ...tableAt(commits, version - 1, viewer, edition, scene.events), asks: [], roll: null };
}

const happened = (table, commit) => sentences(table, commit).map(({ text }) => text).join(" ");

// Nobody answers in a replay.
const watched = (table) => ({ ...table, asks: table.asks.map((ask) => ({ ...ask, yours: false })) });

// `before` is whether it is shown what would have been better than the next step.
function Headline({ table, walk, before }) {
  return html`<span class="round">${table.round ? say("table.round", table) : say("lobby.title")}</span>
    ${table.starter !== null && html`<span class="starter">${say("table.starts", { who: seatName(table, table.starter) })}</span>`}
    <span class="step">${before ? say("replay.before", { at: walk.version + 1, last: walk.last }) : say("replay.at", { at: walk.version, last: walk.last })}</span>`;
}

// Where one stands: a version, and while a payout is played one of its scenes.
function useWalk(commits, first) {
  const last = commits.length;
  const within = (version) => Math.min(last, Math.max(1, version));
  const [place, setPlace] = useState({ version: within(first), scenes: [] });
  const [playing, setPlaying] = useState(false);
  const jump = (version) => setPlace({ version: within(version), scenes: [] });
  const timer = useRef(null);
  useEffect(() => {
    if (!playing) return undefined;
    if (place.version >= last && !place.scenes.length) {
      setPlaying(false);
      return undefined;
    }
    timer.current = setTimeout(() => setPlace(next(commits, place)), PACE[speed.value] ?? PACE.normal);
    return () => clearTimeout(timer.current);
  }, [playing, place]);
  const toggle = () => {
    if (!playing && place.version >= last) jump(1);
    setPlaying(!playing);
  };
  const go = (version) => {
    setPlaying(false);
    jump(version);
  };
  return { version: place.version, scene: place.scenes[0] ?? null, last, playing, toggle, go };
}

// One scene further, or one version.
function next(commits, { version, scenes }) {
  if (scenes.length) return { version, scenes: scenes.slice(1) };
  return { version: version + 1, scenes: scenesOf(commits[version]) };
}

const OTHERS = "input:not([type=range]), select, textarea, dialog[open], dialog[open] *";

function useKeys(walk, marks) {
  const held = useRef(null);
  held.current = { walk, marks };
  // Before anybody can see the page: who sees it presses keys.
  useLayoutEffect(() => {
    const press = (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(OTHERS)) return;
      const act = KEYS[event.key];
      // A button in focus is pressed by the space bar, whatever this page does with it.
      if (!act || (event.key === " " && event.target.closest?.("button, summary, a"))) return;
      event.preventDefault();
      act(held.current.walk, held.current.marks);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

const KEYS = {
  ArrowRight: (walk) => walk.go(walk.version + 1),
  ArrowLeft: (walk) => walk.go(walk.version - 1),
  Home: (walk) => walk.go(1),
  End: (walk) => walk.go(walk.last),
  PageDown: (walk, marks) => walk.go(marks.find((mark) => mark.starts && mark.version > walk.version)?.version ?? walk.last),
  PageUp: (walk, marks) => walk.go(marks.findLast((mark) => mark.starts && mark.version < walk.version)?.version ?? 1),
  " ": (walk) => walk.toggle(),
};
