// The parts of a log that each have a seed of their own: most have one; a game that was forked off another has the
// other's up to there. Each seed was promised before the first roll that it decides.
import { fromHex, sha256Hex } from "./hashing.js";
import { canonical } from "./json.js";
import { Refused } from "./refused.js";

const SEED_BYTES = 32;
const FORK = "game_forked";
const ENDINGS = ["game_ended", "game_closed"];
const TOLD_TWICE = ["game", "edition", "origin", "seats", "commitment", "rematch_of", "visibility", "sandbox", "same_dice"];
// What the dice of a sandbox game are made with instead of its id.
const SANDBOX = "sandbox";

export const isEnding = (event) => ENDINGS.includes(event.type);

// [{game, diceName, seats, seed, commits, origin}], the seed null while it is still a secret. `sameDice` is true for a
// fork that goes on with the dice before it: its seed is known, and so are the dice to come.
export async function findSegments(commits) {
  const segments = [];
  for (const commit of commits) {
    for (const event of commit.events) {
      if (event.type === FORK) checkOrigin(event.origin, segments.at(-1), commit);
      if (event.type === FORK || isEnding(event)) await reveal(segments.at(-1), event, commit);
      if (event.type === FORK || event.type === "game_created") segments.push(begin(event, commit, segments.at(-1)));
    }
    // What forks a game is the last of it.
    segments.at(event(commit, FORK) ? -2 : -1).commits.push(commit);
  }
  return segments;
}

const event = (commit, type) => commit.events.find((one) => one.type === type);

// The event repeats what its command asked for.
function begin(told, { command, version, at }, before = null) {
  const apart = TOLD_TWICE.find((name) => canonical(command[name] ?? null) !== canonical(told[name] ?? null));
  if (apart) throw new Refused("told_twice", { name: apart }, version);
  const { game, seats, commitment, origin = null, same_dice: sameDice = false } = told;
  const sandbox = before?.sandbox ?? Boolean(told.sandbox);
  const altered = sameDice && (commitment !== before.commitment || seats.some((plan) => plan.entropy));
  if (altered) throw new Refused("same_dice", {}, version);
  const diceName = sameDice ? before.diceName : sandbox ? SANDBOX : game;
  return { game, diceName, sandbox, sameDice, seats, commitment, origin, began: at, seed: null, commits: [] };
}

async function reveal(segment, { seed }, { version }) {
  const bytes = fromHex(seed, SEED_BYTES);
  const kept = bytes !== null && segment.seed === null && (await sha256Hex(bytes)) === segment.commitment;
  if (!kept) throw new Refused("seed", {}, version);
  segment.seed = bytes;
}

// It goes on from just that table.
function checkOrigin(origin, { game }, { version, prev }) {
  const table = { game, at: version - 1, head: prev };
  if (canonical(origin) !== canonical(table)) throw new Refused("origin", {}, version);
}
