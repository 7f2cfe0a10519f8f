// Checks a game with nothing but its commits: chain, secrets, seed, every roll and draw, everything that moves.
// It knows no rules. Whether each answer was allowed is decided again by the service's audit, or by
// `croupier verify` on the same file; `unchecked` says so.
import { brief, checkChain } from "./chain.js";
import { fromHex, sha256Hex } from "./hashing.js";
import { canonical } from "./json.js";
import { Refused } from "./refused.js";
import { checkEvents } from "./rolls.js";
import { checkShape } from "./shapes.js";

const SEED_BYTES = 32;
const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ENDINGS = ["game_ended", "game_closed"];
const TOLD_TWICE = ["game", "edition", "seats", "commitment", "rematch_of", "visibility"];

// `ok` is true, false with `fault`, or null for a game that is not over: its seed is still a secret.
export async function verify({ commits, header = null }) {
  try {
    return await checkAll(commits, header);
  } catch (refusal) {
    if (!(refusal instanceof Refused)) throw refusal;
    const { what, values, version } = refusal;
    return { ok: false, commits: commits.length, fault: { what, values, version }, checks: [], unchecked: [] };
  }
}

async function checkAll(commits, header) {
  const { head, secrets } = await checkChain(commits);
  commits.forEach((commit, index) => checkShape(commit, index + 1));
  checkTimes(commits);
  const created = checkBeginning(commits);
  if (header) checkHeader(header, commits, created);
  const seed = await checkSeed(commits, created);
  const tally = await checkEvents(commits, seed);
  const checks = listChecks(commits, secrets, seed, tally);
  return {
    ok: seed ? true : null, game: created.game, commits: commits.length, head, checks,
    unchecked: seed ? ["rules", ...(tally.untold ? ["draws"] : [])] : ["seed", "rules"],
  };
}

function listChecks(commits, secrets, seed, tally) {
  const always = [["chain", commits.length], ["secrets", secrets], ["things", tally.events]];
  const proven = seed ? [["seed", 1], ["rolls", tally.rolls], ["draws", tally.draws], ["salts", tally.salts]] : [];
  return [...always, ...proven].filter(([, count]) => count).map(([what, count]) => ({ what, count }));
}

function checkTimes(commits) {
  let before = "";
  for (const { at, version } of commits) {
    const real = STAMP.test(at) && !Number.isNaN(Date.parse(at)) && new Date(at).toISOString() === at;
    if (!real) throw new Refused("time", {}, version);
    if (at < before) throw new Refused("earlier", {}, version);
    before = at;
  }
}

// The first event repeats what was asked for; no other creates, and all name one release of the rules.
function checkBeginning(commits) {
  const [{ command, events: [created] }] = commits;
  if (command.type !== "create" || created?.type !== "game_created") throw new Refused("beginning", {}, 1);
  const apart = TOLD_TWICE.find((name) => canonical(command[name] ?? null) !== canonical(created[name] ?? null));
  if (apart) throw new Refused("told_twice", { name: apart }, 1);
  for (const { version, command: { type }, rules } of commits) {
    if (version > 1 && type === "create") throw new Refused("created_twice", {}, version);
    if (rules !== created.rules) throw new Refused("release", {}, version);
  }
  return created;
}

// Nothing in it is its own: all of it follows from the commits.
function checkHeader({ format, verify: advice, ...header }, commits, created) {
  const [first, last] = [commits[0], commits.at(-1)];
  const end = last.events.find(isEnding);
  const result = end && (end.type === "game_closed" ? { closed: end.reason } : { winners: end.winners, totals: end.totals });
  const expected = {
    game: created.game, edition: created.edition, release: created.rules, options: created.options,
    seats: created.seats.length, created: first.at, commits: commits.length, head: last.hash,
    ...(end ? { ended: last.at, result } : {}),
  };
  const names = [...new Set([...Object.keys(expected), ...Object.keys(header)])];
  const apart = names.find((name) => canonical(header[name] ?? null) !== canonical(expected[name] ?? null));
  if (apart) throw new Refused("header", { name: brief(apart) });
}

// The bytes revealed by the end, where the game is over, and what was promised at the beginning.
async function checkSeed(commits, created) {
  const end = findEnd(commits);
  if (!end) return null;
  const seed = fromHex(end.event.seed, SEED_BYTES);
  if (!seed || (await sha256Hex(seed)) !== created.commitment) throw new Refused("seed", {}, end.version);
  return seed;
}

// After it a rematch may be made, once.
function findEnd(commits) {
  const found = commits.find(({ events }) => events.some(isEnding));
  if (!found) return null;
  for (const { version, command } of commits.slice(found.version)) {
    if (version > found.version + 1 || command.type !== "rematch") throw new Refused("after_end", {}, version);
  }
  return { version: found.version, event: found.events.find(isEnding) };
}

const isEnding = (event) => ENDINGS.includes(event.type);
