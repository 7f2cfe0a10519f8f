// A game at its own address: watched, waited for, played, finished.
import { html, useEffect, useMemo, useState } from "../app/html.js";
import { Frame } from "../app/frame.js";
import { Missing } from "../app/missing.js";
import { Rules } from "../app/rules.js";
import { useRuleTexts } from "../app/rule-texts.js";
import { Trouble } from "../app/trouble.js";
import { say } from "../app/words.js";
import { faceOf, useAsking } from "./asking.js";
import { Board } from "./board.js";
import { Ending } from "./ending.js";
import { Guide, momentOf } from "./guide.js";
import { History } from "./history.js";
import { AnsweredFor, Lately, Story, isAnsweredFor } from "./lately.js";
import { openGame } from "./live.js";
import { Lobby } from "./lobby.js";
import { Menu, Rematch } from "./menu.js";
import { seatName } from "./names.js";
import { standingsAfter } from "./prospects.js";
import { Interlude } from "./round-table.js";
import { Seats } from "./seats.js";
import { Tray } from "./tray.js";

export function GamePage({ id }) {
  const game = useMemo(() => openGame(id), [id]);
  useEffect(() => game.close, [game]);
  const table = game.table.value;
  useEffect(() => {
    document.title = table && isMine(table) ? `● ${say("ask.yours")} · Croupier` : "Croupier";
  }, [table]);
  if (!table && game.error.value?.code === "unknown_game") return html`<${Missing} table />`;
  if (!table) return html`<${Frame} title=${say("table.title")}>${game.error.value ? html`<${Trouble} fault=${game.error.value} again=${game.reload} />` : html`<p class="loading">${say("app.loading")}</p>`}</${Frame}>`;
  return html`<${Frame} title=${say("table.title")} menu=${html`<${Menu} game=${game} table=${table} />`} help=${html`<${Rules} edition=${table.edition} table=${table} />`} bar=${html`<${Headline} table=${table} />`}>
    <div role="status" class="verdict">${table.status === "over" && html`<${Ending} table=${table} again=${html`<${Rematch} table=${table} />`} />`}</div>
    <div aria-live="polite" class="spoken">${game.told.value} ${isMine(table) ? say("ask.yours") : ""}</div>
    ${game.state.value === "lost" && html`<p class="banner" role="alert">${say("live.lost")}</p>`}
    ${game.error.value && html`<${Trouble} fault=${game.error.value} small />`}
    ${table.status === "lobby" ? html`<${Lobby} game=${game} table=${table} />` : html`<${Play} game=${game} table=${table} />`}
  </${Frame}>`;
}

const isMine = (table) => table.asks.some((ask) => ask.yours && !ask.answer);

function Headline({ table }) {
  return html`${table.you === null && table.status === "playing" && html`<span class="watching">${say("table.watching")}</span>`}${table.sandbox && html`<span class="sandbox" title=${say("table.sandboxhint")}>${say("table.sandbox")}</span>`}${table.fork && html`<span class="sandbox" title=${say("table.forkhint", table.fork)}>${say("table.fork")}</span>`}<${Progress} table=${table} />`;
}

function Progress({ table }) {
  if (table.status === "lobby") return html`<span>${say("lobby.title")}</span>`;
  if (table.status === "over") return html`<span class="round">${say("end.title")}</span>`;
  const starter = table.starter === null ? null : say("table.starts", { who: seatName(table, table.starter) });
  return html`<span class="round">${say("table.round", table)}</span>${starter && html`<span class="starter">${starter}</span>`}`;
}

function Play({ game, table }) {
  const [looking, light] = useState(null);
  const [logOpen, openLog] = useState(false);
  const commits = game.commits.value;
  const asking = useAsking(game, table);
  const { tiles: tileTexts } = useRuleTexts(table);
  const last = game.interlude.value;
  const interlude = last && html`<${Interlude} table=${table} last=${last} goOn=${game.goOn} />`;
  const pick = (target) => (interlude ? undefined : asking?.find(target));
  const playing = table.status === "playing";
  const marks = { ...lit(table, looking ?? asking?.held ?? null), paying: game.paying.value, tied: game.tied.value, tileTexts, pick };
  if (asking?.ask.tile && !interlude) marks.tiles.add(asking.ask.tile);
  const advise = table.options.advice === false ? null : game.advise;
  const moment = momentOf(table, asking);
  const lately = isAnsweredFor(table, commits) ? html`<${AnsweredFor} game=${game} table=${table} />` : moment ? html`<${Guide} key=${moment} moment=${moment} />` : html`<${Lately} table=${table} commits=${game.scene.value ? [] : commits} />`;
  const pacing = html`${game.behind.value > 2 && html`<button type="button" onClick=${game.catchUp}>${say("live.catchup", { count: game.behind.value })}</button>`}<button type="button" class="plain open-log" onClick=${() => openLog(true)}>${say("table.log")}</button>`;
  return html`<div class=${`play ${playing ? "playing" : ""} ${moment ? `guide-${moment}` : ""}`} data-version=${table.version}>
    ${playing && html`<${Board} table=${table} marks=${marks} />
    <${Tray} table=${table} asking=${asking?.busy && game.scene.value ? null : asking} advise=${advise} light=${light} news=${game.scene.value} lately=${lately} story=${html`<${Story} table=${table} commits=${commits} />`} pacing=${pacing} interlude=${interlude} />`}
    ${playing && html`<${Seats} table=${table} gains=${game.gains.value} pick=${pick} />`}
    <${History} table=${table} commits=${commits} round=${!interlude} open=${logOpen} shut=${playing ? () => openLog(false) : undefined} />
  </div>`;
}

// What an option is about, as marks of the board.
function lit(table, option) {
  const targets = option ? (option.targets ?? (option.target ? [option.target] : [])) : [];
  const casinos = new Set(targets.flatMap((target) => (target.casino ? [target.casino] : target.card ? [parseInt(target.card, 10)] : [])));
  const tiles = new Set(targets.flatMap((target) => (target.tile ? [target.tile] : [])));
  return { casinos, tiles, ghosts: ghosts(table, option, targets), standings: standingsAfter(option) };
}

function ghosts(table, option, targets) {
  const owner = `seat-${table.you}`;
  const cards = targets.filter((target) => target.card);
  if (cards.length) return Object.fromEntries(cards.map(({ card }) => [parseInt(card, 10), [{ owner, ...tally(cards, parseInt(card, 10)) }]]));
  if (!option?.dice || targets.length !== 1 || !targets[0].casino) return {};
  const face = targets[0].casino === "bandit" && table.roll ? faceOf(table.roll, option) : undefined;
  const { neutral, ...own } = option.dice;
  const lots = [{ owner, ...own, face }, { owner: "neutral", small: neutral, big: 0, face }];
  return { [targets[0].casino]: lots.filter(({ small, big }) => small + big) };
}

function tally(cards, number) {
  const here = cards.map(({ card }) => card).filter((card) => parseInt(card, 10) === number);
  return { small: here.filter((card) => !card.endsWith("d")).length, big: here.filter((card) => card.endsWith("d")).length };
}
