// Checks a game with nothing but its commits: chain, secrets, seed, every roll and draw, everything that moves, and
// what adds up: rounds, payouts of casinos, purses, totals and winners. Whether each move was allowed, and what tiles
// do, is decided again by the service's audit, or by `croupier verify` on the same file; `unchecked` says so.
import { brief, checkChain } from "./chain.js";
import { canonical } from "./json.js";
import { Refused } from "./refused.js";
import { checkEvents } from "./rolls.js";
import { findSegments, isEnding } from "./segments.js";
import { checkShape } from "./shapes.js";

const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const FIRST_DAY = "2000";
const LAST_DAY = "2201";
// What headers have said of how to verify a file.
const WAYS_TO_VERIFY = [
  "python3 verifier/verify.py FILE needs nothing but Python and shares no code with the server; " +
    "croupier verify FILE decides every move again; docs/fairness.md says how to write one's own",
];
const BEGINNINGS = { create: "game_created", fork: "game_forked" };

// `ok` is true, false with `fault`, or null for a game that is not over, whose seed is still a secret, and for one of
// rules that are not in the books of this page, which it cannot add up.
export async function verify({ commits, header = null }) {
  try {
    return await checkAll(commits, header);
  } catch (refusal) {
    // Whatever somebody wrote there, it is not what a server writes.
    const { what, values, version } = refusal instanceof Refused ? refusal : new Refused("other");
    return { ok: false, commits: commits.length, fault: { what, values, version }, checks: [], unchecked: [] };
  }
}

async function checkAll(commits, header) {
  const { head, secrets } = await checkChain(commits);
  commits.forEach((commit, index) => checkShape(commit, index + 1));
  checkTimes(commits);
  const created = checkBeginning(commits);
  checkEnd(commits);
  const segments = await findSegments(commits);
  if (header) checkHeader(header, commits, created, segments.at(-1));
  const tally = await checkEvents(segments);
  const over = segments.at(-1).seed !== null;
  const unknown = [...luckOf(segments.at(-1)), ...(tally.added ? [] : ["sums"])];
  return {
    ok: over && tally.added ? true : null, game: segments.at(-1).game, commits: commits.length, head,
    checks: listChecks(commits, secrets, segments, tally),
    unchecked: over ? [...unknown, ...(header?.signature ? ["signature"] : []), "rules", ...(tally.untold ? ["draws"] : [])] : ["seed", ...unknown, "rules"],
  };
}

// Dice that were chosen, or that everybody could know, follow from the seed and say nothing about luck.
function luckOf({ sandbox, sameDice }) {
  if (sandbox) return ["chosen"];
  return sameDice ? ["known"] : [];
}

function listChecks(commits, secrets, segments, tally) {
  const seeds = segments.filter(({ seed }) => seed).length;
  const counts = {
    chain: commits.length, secrets, things: tally.events, seed: seeds, rolls: tally.rolls, draws: tally.draws, salts: tally.salts,
    payouts: tally.payouts, sums: tally.added && seeds ? 1 : 0,
  };
  return Object.entries(counts).filter(([, count]) => count).map(([what, count]) => ({ what, count }));
}

function checkTimes(commits) {
  let before = "";
  for (const { at, version } of commits) {
    const real = STAMP.test(at) && at >= FIRST_DAY && at < LAST_DAY && !Number.isNaN(Date.parse(at)) && new Date(at).toISOString() === at;
    if (!real) throw new Refused("time", {}, version);
    if (at < before) throw new Refused("earlier", {}, version);
    before = at;
  }
}

// A game is created once and by its first commit; whatever begins one says so, and all name one release of the rules.
function checkBeginning(commits) {
  const [{ events: [created] }] = commits;
  if (created?.type !== "game_created") throw new Refused("beginning", {}, 1);
  for (const { version, command: { type }, events, rules } of commits) {
    const begun = events.filter((event) => Object.values(BEGINNINGS).includes(event.type)).map((event) => event.type);
    const expected = Object.hasOwn(BEGINNINGS, type) ? [BEGINNINGS[type]] : [];
    if (canonical(begun) !== canonical(expected)) throw new Refused("beginning", {}, version);
    if ((type === "create") !== (version === 1)) throw new Refused("created_twice", {}, version);
    if (rules !== created.rules) throw new Refused("release", {}, version);
  }
  return created;
}

// After it a rematch may be made, once.
function checkEnd(commits) {
  const end = commits.findIndex(({ events }) => events.some(isEnding)) + 1;
  for (const { version, command } of end ? commits.slice(end) : []) {
    if (version > end + 1 || command.type !== "rematch") throw new Refused("after_end", {}, version);
  }
}

// All of it follows from the commits but the signature, which this page does not check.
function checkHeader({ format, ...header }, commits, created, { game, began, origin }) {
  const signed = format === "croupier/2";
  if (signed && !isSignature(header.signature)) throw new Refused("header", { name: "signature" });
  const last = commits.at(-1);
  const end = last.events.find(isEnding);
  const result = end && (end.type === "game_closed" ? { closed: end.reason } : { winners: end.winners, totals: end.totals });
  const expected = {
    game, edition: created.edition, release: created.rules, options: created.options,
    verify: WAYS_TO_VERIFY.find((way) => way === header.verify) ?? WAYS_TO_VERIFY[0],
    seats: created.seats.length, created: began, commits: commits.length, head: last.hash,
    ...(end ? { ended: last.at, result } : {}), ...(origin ? { fork: { game: origin.game, at: origin.at } } : {}),
    ...(signed && end ? { signature: header.signature } : {}),
  };
  const names = [...new Set([...Object.keys(expected), ...Object.keys(header)])];
  const same = (name) => [header, expected].every((one) => Object.hasOwn(one, name)) && canonical(header[name]) === canonical(expected[name]);
  const apart = names.find((name) => !same(name));
  if (apart) throw new Refused("header", { name: brief(apart) });
}

const isSignature = (told) => Object.keys(told ?? {}).length === 2 && /^[0-9a-f]{16}$/.test(told.key) && /^[0-9a-f]{128}$/.test(told.value);
