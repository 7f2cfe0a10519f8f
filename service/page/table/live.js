// A game that goes on: the log is followed, and each commit is shown for as long as a person needs to see it.
import { batch, computed, signal } from "../app/html.js";
import * as api from "../app/api.js";
import { forgetToken, speed, tokenFor } from "../app/memory.js";
import { play as playSound } from "../app/sound.js";
import { flyDice, flyNote } from "./flights.js";
import { lastRound } from "./round-table.js";
import { sentences } from "./sentences.js";
import { scenes, withFact, withTies } from "./shown.js";

// Milliseconds that a turn of somebody else is on screen, in all; a payment takes its part of that.
const PACE = { slow: 1300, normal: 640, fast: 300, off: 0 };
const PARTS = { placed: 0.45, tied: 0.7, paid: 0.7 };
// Milliseconds to read what a round has brought; with a clock the shorter one.
const BREAKS = { slow: 8000, normal: 5000, fast: 2500 };
const MOST_BEHIND = 40;
// Troubles that are over when there is an answer again, of any kind, and when something was written again.
const AWAY = new Set(["unreachable"]);
const PASSING = new Set([...AWAY, "unavailable"]);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// {table, commits, state, behind, paying, gains, told, scene, interlude, error: signals; choose, catchUp, goOn, reload, close}
export function openGame(id) {
  const table = signal(null);
  const commits = signal([]);
  const state = signal("loading"); // loading, live, lost, over, refused
  const error = signal(null);
  const queue = signal([]);
  const paying = signal(null);
  const tied = signal(null); // the casino whose tied dice are leaving
  const gains = signal({});
  const told = signal("");
  const scene = signal(""); // what is being watched, in words
  const interlude = signal(null); // what the round that is over has brought, while the next one waits
  const answered = signal(new Set());
  let goOn = () => {};
  let skipping = false;
  let pumping = false;
  let closed = false;
  let stop = () => {};

  const pace = () => (skipping || calm.matches || document.hidden || queue.value.length > MOST_BEHIND ? 0 : PACE[speed.value] ?? PACE.normal);
  const token = () => tokenFor(id);

  // Who holds a token that is nobody's any more watches.
  async function load() {
    try {
      const found = await api.table(id, token());
      if (closed) return;
      batch(() => {
        table.value = found;
        state.value = found.status === "over" ? "over" : "live";
        error.value = null;
      });
      // Others may have moved since: what the table does not show yet comes with the stream, to be watched in turn.
      const known = (all) => all.filter(({ version }) => version <= found.version);
      api.commitsAfter(id, 0, token()).then((all) => (commits.value = merge(known(all), commits.value)), () => {});
      if (found.status !== "over") listen(found.version);
    } catch (fault) {
      if (closed) return;
      if (fault.status === 401 && token()) {
        forgetToken(id);
        return load();
      }
      batch(() => {
        error.value = fault;
        state.value = "refused";
      });
    }
  }

  function listen(after) {
    stop();
    stop = api.follow(id, {
      after,
      token: token(),
      onCommit: (commit) => {
        queue.value = [...queue.value, commit];
        pump();
      },
      onState: (now) => {
        if (now === "reset") reload();
        else if (now === "over") pump();
        else state.value = now;
        if (now === "live") forget(AWAY);
      },
    });
  }

  function forget(troubles) {
    if (troubles.has(error.value?.code)) error.value = null;
  }

  async function pump() {
    if (pumping) return;
    pumping = true;
    try {
      while (queue.value.length && !closed) await (pace() === 0 ? showNewest() : showNext());
      skipping = false;
      if (table.value?.status === "over") state.value = "over";
    } catch (fault) {
      error.value = fault;
    } finally {
      pumping = false;
      if (queue.value.length && !closed) setTimeout(pump, 500);
    }
  }

  // All that has come in at once.
  async function showNewest() {
    const newest = await api.table(id, token());
    const seen = queue.value.filter((commit) => commit.version <= newest.version);
    settle(newest, seen);
  }

  async function showNext() {
    const [commit] = queue.value;
    const watched = scenes(commit);
    for (const one of watched) await play(one, commit);
    if (!watched.length) await tell(commit);
    await rest(commit);
    if (pace() === 0) return;
    const alone = queue.value.length === 1;
    const next = await api.table(id, token(), alone ? undefined : commit.version);
    const seen = queue.value.filter((it) => it.version <= next.version);
    const [mine, ms] = [commit.by === `seat-${next.you}`, pace()];
    settle(next, seen);
    if (!mine) await linger(watched.at(-1), ms * (1 - PARTS.placed));
  }

  // A round is over: its board stays until it has been read what the round brought, and nobody moves meanwhile.
  async function rest(commit) {
    if (pace() === 0 || commit.events.some(({ type }) => type === "game_ended")) return;
    const last = lastRound(merge(commits.value, [commit]));
    if (last?.version !== commit.version) return;
    const { turn_seconds: turn, total_seconds: total } = table.value.options;
    const ms = turn || total ? BREAKS.fast : BREAKS[speed.value] ?? BREAKS.normal;
    // What flew to the seats was the notes of this payout; the round brought more.
    gains.value = {};
    interlude.value = { ...last, pause: ms };
    await Promise.race([pause(ms), new Promise((done) => (goOn = done))]);
    interlude.value = null;
  }

  // Where it happened stays lit, also while the caller may already move.
  async function linger(last, ms) {
    paying.value = last?.kind === "placed" ? last.casino : null;
    await pause(ms);
    paying.value = null;
  }

  // What lies nowhere is said for as long as a die would be watched.
  async function tell(commit) {
    const ms = pace();
    if (ms === 0 || commit.by === `seat-${table.value.you}`) return;
    scene.value = sentences(table.value, commit).filter((line) => line.kind !== "dice_rolled").map((line) => line.text).join(" ");
    await pause(ms * PARTS.placed);
  }

  async function play({ casino, facts, kind }, commit) {
    const ms = pace();
    if (ms === 0) return;
    playSound(kind);
    if (kind === "placed") for (const fact of facts) flyDice(fact.number, (fact.small ?? 0) + (fact.big ?? 0) + (fact.neutral ?? 0), casino, ms);
    batch(() => {
      scene.value = sentences(table.value, { events: facts }).map((line) => line.text).join(" ");
      paying.value = casino;
      tied.value = kind === "tied" ? casino : null;
      for (const fact of facts) table.value = kind === "tied" ? withTies(table.value, fact) : withFact(table.value, fact);
      for (const fact of facts) if (kind === "paid") gain(fact, casino, ms);
    });
    const own = commit.by === `seat-${table.value.you}` && kind === "placed";
    await pause(own ? Math.min(ms, 250) : ms * PARTS[kind]);
    // Tied dice are seen to cancel each other before they are gone.
    if (kind === "tied") {
      batch(() => {
        tied.value = null;
        for (const fact of facts) table.value = withFact(table.value, fact);
      });
    }
  }

  function gain(fact, casino, ms) {
    const seat = Number(fact.target.split("-")[1]);
    const worth = fact.notes.reduce((sum, note) => sum + note, 0);
    gains.value = { ...gains.value, [seat]: (gains.value[seat] ?? 0) + worth };
    for (const note of fact.notes) flyNote(note, casino, seat, ms);
  }

  function settle(next, seen) {
    batch(() => {
      const rounds = table.value?.round !== next.round;
      if (next.status === "over" && table.value?.status !== "over") playSound("over");
      else if (next.roll && next.roll.seat === next.you) playSound("throw");
      table.value = next;
      paying.value = null;
      tied.value = null;
      scene.value = "";
      forget(PASSING);
      if (rounds || Object.keys(gains.value).length) gains.value = {};
      commits.value = merge(commits.value, seen);
      queue.value = queue.value.filter((it) => it.version > next.version);
      told.value = seen.slice(-3).flatMap((commit) => sentences(next, commit)).slice(-6).map((line) => line.text).join(" ");
      if (next.status === "over") state.value = "over";
    });
  }

  async function choose(ask, option) {
    answered.value = new Set([...answered.value, ask.ask]);
    error.value = null;
    skipping = false;
    try {
      await api.choose(id, ask.ask, option.choice, token());
    } catch (fault) {
      error.value = fault;
      const again = new Set(answered.value);
      again.delete(ask.ask);
      answered.value = again;
      await look();
    }
  }

  // How things stand now, if anybody says.
  async function look() {
    try {
      table.value = await api.table(id, token());
      forget(AWAY);
    } catch {
      // The trouble that is shown already says it.
    }
  }

  async function advise() {
    try {
      return await api.advice(id, token());
    } catch (fault) {
      if (!AWAY.has(fault.code)) throw fault;
      error.value = fault;
      return null;
    }
  }

  function reload() {
    queue.value = [];
    return load();
  }

  function close() {
    closed = true;
    stop();
  }

  load();
  const behind = computed(() => queue.value.length);
  const catchUp = () => {
    skipping = true;
    goOn();
    pump();
  };
  return { table, commits, state, error, behind, paying, tied, gains, told, scene, interlude, answered, choose, advise, catchUp, goOn: () => goOn(), reload, close };
}

function merge(before, after) {
  const known = new Map([...before, ...after].map((commit) => [commit.version, commit]));
  return [...known.values()].sort((one, other) => one.version - other.version);
}
