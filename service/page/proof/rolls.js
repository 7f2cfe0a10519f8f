// Every roll, draw and salt of a game against the seed, everything that moves against where it lay, and all that adds
// up against the ledger.
import { applyFact } from "../fold/facts.js";
import { PILE, emptyState } from "../fold/state.js";
import { checkAuthor } from "./authors.js";
import { isObject, isSecret } from "./chain.js";
import { fairChance } from "./chance.js";
import { fitsDraw } from "./draws.js";
import { canonical } from "./json.js";
import { Ledger } from "./ledger.js";
import { Refused } from "./refused.js";

const ROLL = "dice_rolled";

// Returns how many of each were checked, how many draws the file does not tell all of, and whether it was added up.
// Where a seed is not known yet only what moves is checked.
export async function checkEvents(segments) {
  const state = emptyState();
  const ledger = new Ledger();
  const tally = { events: 0, rolls: 0, draws: 0, salts: 0, untold: 0 };
  let last = { number: -1, type: "" };
  let entropy = [];
  for (const segment of segments) {
    entropy = entropyOf(segment, entropy);
    const chance = segment.seed && (await fairChance(segment.seed, segment.diceName, entropy));
    for (const commit of segment.commits) {
      checkAuthor(state, commit);
      await placed(commit, {}, () => ledger.checkAnswer(state, commit));
      for (const [index, event] of commit.events.entries()) {
        const place = { state, ledger, tally, chance, commit, index, event };
        last = nextNumber(place, last);
        await checkFact(place);
      }
    }
  }
  return { ...tally, payouts: ledger.payouts, added: ledger.book !== null };
}

async function checkFact(place) {
  const { state, ledger, tally, commit, index, event } = place;
  await placed(commit, { event: index + 1 }, async () => {
    if (isDrawn(state, event) !== ((event.chance ?? null) !== null)) throw new Refused("undrawn");
    if (place.chance && (event.chance ?? null) !== null) await checkChance(place);
    ledger.check(state, commit, index);
    applyFact(state, event);
  });
  tally.events += 1;
}

// A refusal from below gets the place.
async function placed({ version }, values, check) {
  try {
    await check();
  } catch (refusal) {
    if (!(refusal instanceof Refused)) throw refusal;
    throw new Refused(refusal.what, { ...values, ...refusal.values }, version);
  }
}

// Of all seats: nothing is rolled before the last one is taken. A fork with the same dice keeps that of the seats before.
function entropyOf({ seats, commits, sameDice }, before) {
  const entropy = sameDice ? [...before] : seats.map((plan) => plan.entropy ?? "");
  for (const { version, events } of commits) {
    for (const { type, seat, entropy: own = "", bot = "" } of events) {
      const taken = type === "seat_taken" || (type === "seat_left" && !bot);
      if (taken && entropy[seat] === undefined) throw new Refused("no_seat", { seat }, version);
      // Whoever leaves the lobby takes along what they brought; in play a bot goes on with it.
      if (taken) entropy[seat] = own;
    }
  }
  return entropy;
}

// Whether it tells of a draw, a roll or a seal: these have a running number, and nothing else has.
function isDrawn({ options, round }, event) {
  return DRAWN[event.type]?.(event, options, round) ?? false;
}

const always = () => true;
const fromPile = ({ source }) => source === PILE;
const DRAWN = {
  dice_rolled: always, cards_dealt: always, cards_played: always, notes_moved: fromPile, chip_cards_moved: fromPile,
  chosen: ({ choice }) => isObject(choice),
  tiles_laid: (event, options) => !options.tile_codes?.length,
  round_started: (event, options, round) => round === 0 && (options.start_seat ?? null) === null,
};

// None is left out, and only notes that are drawn together share one: else rolls could be chosen.
function nextNumber({ commit, event }, last) {
  if (event.chance === undefined || event.chance === null) return last;
  const shared = event.chance === last.number && event.type === last.type && event.type === "notes_moved";
  if (event.chance !== last.number + 1 && !shared) {
    throw new Refused("number", { found: event.chance, expected: last.number + 1 }, commit.version);
  }
  return { number: event.chance, type: event.type };
}

async function checkChance(place) {
  const { chance, event, tally } = place;
  if (event.type === ROLL) await checkRoll(chance, event, tally);
  else await checkDraw(place);
  const secrets = Object.values(event).filter((thing) => isObject(thing) && isSecret(thing));
  const salts = secrets.filter(({ salt }) => salt !== undefined);
  // Nobody can tell what was sealed there, nor with which salt.
  tally.untold += secrets.length - salts.length;
  const expected = salts.length ? await chance.salt(event.chance) : "";
  if (salts.some(({ salt }) => salt !== expected)) throw new Refused("salt");
  // No hash covers for whom a secret is: for the seat that it is told of.
  if (salts.some(({ audience }) => canonical(audience ?? null) !== canonical([event.seat]))) throw new Refused("secret_members");
  tally.salts += salts.length;
}

// Small dice come first, then the big one; those of a seat before its neutral ones.
async function checkRoll(chance, { chance: number, seat, own = [], big, neutral = [], black = [] }, tally) {
  const bigs = (big ?? null) === null ? [] : [big];
  const lots = (seat ?? null) === null ? [neutral, bigs, black] : [own, bigs, neutral];
  const faces = await chance.dice(number, lots.flat().length);
  for (const lot of lots) {
    const rolled = faces.splice(0, lot.length);
    // Black dice lie as they fell, all others in rising order.
    const expected = lot === black ? rolled : rolled.sort();
    if (canonical(lot) !== canonical(expected)) {
      throw new Refused("roll", { number, found: lot.join(" "), expected: expected.join(" ") });
    }
  }
  tally.rolls += 1;
}

// With the first event of a number all that share it.
async function checkDraw({ state, chance, commit, index, event, tally }) {
  const sharing = commit.events.filter((other) => other.type === event.type && other.chance === event.chance);
  if (commit.events.indexOf(sharing[0]) !== index) return;
  const fits = await fitsDraw(state, sharing, chance.draw(event.chance));
  if (fits === false) throw new Refused("draw", { number: event.chance });
  if (fits === null) tally.untold += 1;
  else if (event.type !== "chosen" && event.type !== "cards_played") tally.draws += 1;
}
