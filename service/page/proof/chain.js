// The hash chain over the public form, and every opened secret against its commitment.
import { fromHex, join, sha256Hex, utf8 } from "./hashing.js";
import { canonical } from "./json.js";
import { Refused } from "./refused.js";

const GENESIS = "0".repeat(64);
const SALT_BYTES = 16;
const SECRET_MEMBERS = ["hidden", "value", "salt", "audience"];

// Returns the head and how many secrets were opened; refuses the first commit that does not fit.
export async function checkChain(commits) {
  // Hashes are made elsewhere and take their time on the way: all set out at once.
  const hashes = await Promise.all(commits.map(digest));
  const opened = await Promise.all(commits.map(openSecrets));
  let head = GENESIS;
  for (const [index, commit] of commits.entries()) {
    checkLink(commit, index + 1, head, hashes[index]);
    for (const fault of opened[index]) if (fault) throw new Refused(fault, {}, index + 1);
    head = commit.hash;
  }
  return { head, secrets: opened.flat().length };
}

function checkLink(commit, version, head, hash) {
  if (!isObject(commit)) throw new Refused("no_commit", {}, version);
  if (commit.version !== version) throw new Refused("order", { found: brief(commit.version) }, version);
  if (commit.prev !== head) throw new Refused("follows", {}, version);
  if (commit.hash !== hash) throw new Refused("hash", {}, version);
}

function digest(commit) {
  if (!isObject(commit)) return "";
  const { hash, ...body } = publicForm(commit);
  return sha256Hex(utf8(canonical(body)));
}

// Commitments in place of secrets.
export function publicForm(thing) {
  if (Array.isArray(thing)) return thing.map(publicForm);
  if (!isObject(thing)) return thing;
  if (isSecret(thing)) return { hidden: thing.hidden };
  return Object.fromEntries(Object.entries(thing).map(([name, item]) => [name, publicForm(item)]));
}

// What is wrong with each secret that is opened; null where nothing is.
const openSecrets = (commit) => Promise.all([...openedSecrets(commit)].map(findFault));

async function findFault(secret) {
  if (!Object.keys(secret).every((name) => SECRET_MEMBERS.includes(name))) return "secret_members";
  return (await proves(secret)) ? null : "secret";
}

// Whether salt and value open the commitment: what was sealed is what is shown now.
export async function proves({ hidden, salt, value = null }) {
  const grains = fromHex(salt, SALT_BYTES);
  return grains !== null && hidden === (await sha256Hex(join(grains, utf8(canonical(value)))));
}

// Secrets that show more than their commitment; one that was revealed is an event and proves itself, too.
function* openedSecrets(thing) {
  if (isObject(thing) && isSecret(thing)) {
    if (Object.keys(thing).length > 1) yield thing;
    return;
  }
  if (isObject(thing) && thing.type === "revealed") yield revealedSecret(thing);
  for (const item of isObject(thing) || Array.isArray(thing) ? Object.values(thing) : []) yield* openedSecrets(item);
}

const revealedSecret = ({ hidden, salt, value }) => ({ hidden, salt, value });

export const isObject = (thing) => thing !== null && typeof thing === "object" && !Array.isArray(thing);

export const isSecret = (thing) => Object.hasOwn(thing, "hidden") && !Object.hasOwn(thing, "type");

// Words from a file, short enough to be shown.
export function brief(thing) {
  const text = canonical(thing ?? null);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
