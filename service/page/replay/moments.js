// What is worth a mark on the way through a game: rounds, turns, payouts, and what was paid at each.
import { EVERYTHING, foldTo, showTable } from "../fold/table.js";
import { applyFact } from "../fold/facts.js";
import { emptyState } from "../fold/state.js";

const casinoIn = (place) => (/^(?:casino-(\d)|(bandit)(?:-\d)?)$/.exec(place) ?? []).slice(1).find(Boolean) ?? null;
const isPurse = (place) => place.startsWith("purse-");

// [{version, round, seat, payout, end}], one for each commit.
export function moments(commits) {
  let round = 0;
  return commits.map(({ version, events }) => {
    const types = events.map((event) => event.type);
    const started = events.find((event) => event.type === "round_started");
    round = started?.round ?? round;
    return {
      version, round, starts: Boolean(started), payout: types.includes("round_ended"),
      end: types.includes("game_ended") || types.includes("game_closed"),
      seat: events.find((event) => event.type === "dice_placed" || event.type === "cards_played")?.seat ?? null,
    };
  });
}

// The events of a commit that a person wants to see one by one: ties leave, notes are won.
export function scenesOf(commit) {
  const over = commit.events.findIndex((event) => event.type === "round_ended");
  return commit.events.slice(0, Math.max(over, 0)).flatMap((event, index) => {
    const place = event.type === "dice_returned" ? event.place : event.type === "notes_moved" ? event.source : "";
    const casino = casinoIn(place);
    return casino === null ? [] : [{ events: index + 1, casino: Number(casino) || casino }];
  });
}

// Why notes went where they went, casino by casino: whose dice left tied, who had how many, what was left over.
export function payments(commits, version) {
  const commit = commits[version - 1];
  const state = foldTo(commits, version - 1);
  const found = new Map();
  for (const event of commit.events) {
    if (event.type === "round_ended") break;
    const line = tell(state, event);
    if (line) found.set(line.casino, [...(found.get(line.casino) ?? []), line]);
    applyFact(state, event);
  }
  return [...found].map(([casino, lines]) => ({ casino, lines })).sort((one, other) => order(one.casino) - order(other.casino));
}

// The bandit comes last, as on the table.
const order = (casino) => Number(casino) || Infinity;

function tell(state, event) {
  if (event.type === "dice_returned" && casinoIn(event.place)) {
    const owners = event.owners.map((owner) => ({ owner, weight: weightAt(state, event.place, owner) }));
    return { kind: "tied", casino: casinoIn(event.place), owners: owners.filter(({ weight }) => weight) };
  }
  if (event.type !== "notes_moved" || !casinoIn(event.source)) return null;
  const owner = isPurse(event.target) ? event.target.replace("purse", "seat") : (event.winner ?? null);
  const kind = owner === null ? "left" : isPurse(event.target) ? "wins" : "imaginary";
  return { kind, casino: casinoIn(event.source), owner, notes: event.notes, weight: owner && weightAt(state, event.source, owner) };
}

// Dice that count for an owner there; on the bandit they lie in six stacks.
function weightAt(state, place, owner) {
  const casino = casinoIn(place);
  const shown = showTable(state, 0, EVERYTHING, {}).casinos.find(({ number }) => String(number) === casino);
  return (shown?.dice ?? []).filter((lot) => lot.owner === owner).reduce((sum, { weight }) => sum + weight, 0);
}

// What each seat had when each round was over: [[0, 0], [120000, 90000], …].
export function fortunes(commits) {
  const state = emptyState();
  const rows = [];
  for (const event of commits.flatMap((commit) => commit.events)) {
    applyFact(state, event);
    if (event.type === "game_started") rows.push(worth(state));
    if (event.type === "round_ended") rows.push(worth(state));
    if (event.type === "game_ended") rows[rows.length - 1] = event.totals;
  }
  return rows;
}

const worth = (state) => showTable(state, 0, EVERYTHING, {}).seats.map((seat) => seat.total ?? seat.money);
