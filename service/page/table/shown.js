// A table with one fact more, as far as eyes can follow it: what lies where. Who wins what is for the service to say, so
// each of these is replaced by the service's own table as soon as the commit has been watched.

const casinoIn = (place) => (/^casino-(\d)$/.exec(place) ?? [])[1];
const purseIn = (place) => (/^purse-(\d)$/.exec(place) ?? [])[1];

function atCasino(table, number, change) {
  const casinos = table.casinos.map((casino) => (String(casino.number) === String(number) ? { ...casino, ...change(casino) } : casino));
  return { ...table, casinos };
}

function atSeat(table, seat, change) {
  return { ...table, seats: table.seats.map((it) => (it.seat === Number(seat) ? { ...it, ...change(it) } : it)) };
}

function addDice(casino, owner, small, big, face) {
  const lots = casino.dice.map((lot) => ({ ...lot }));
  const found = lots.find((lot) => lot.owner === owner && lot.face === face);
  if (found) Object.assign(found, { small: found.small + small, big: found.big + big, weight: found.weight + small + 2 * big });
  else if (small + big) lots.push({ owner, small, big, weight: small + 2 * big, ...(face ? { face } : {}) });
  return lots.filter((lot) => lot.small + lot.big > 0);
}

// Who is paid has won it, whatever was said before the last die.
function won(casino, owner, notes) {
  const weight = casino.dice.filter((lot) => lot.owner === owner).reduce((sum, lot) => sum + lot.weight, 0);
  return [...casino.standing.filter((row) => row.owner !== owner), { owner, weight, tied: false, notes }].sort((one, other) => other.weight - one.weight);
}

const CHANGES = {
  dice_placed(table, { seat, number, target, small = 0, big = 0, neutral = 0 }) {
    const bandit = target.startsWith("bandit");
    const face = bandit ? number : undefined;
    const placed = atCasino(table, bandit ? "bandit" : casinoIn(target), (casino) => {
      const own = addDice(casino, `seat-${seat}`, small, big, face);
      return { dice: neutral ? addDice({ dice: own }, "neutral", neutral, 0, face) : own };
    });
    return { ...atSeat(placed, seat, (it) => ({ dice: it.dice - small, big: it.big && !big, neutral_dice: it.neutral_dice - neutral })), roll: null, asks: [] };
  },
  cards_played(table, { seat, cards }) {
    const laid = cards.reduce((found, card) => {
      const big = card.endsWith("d") ? 1 : 0;
      return atCasino(found, parseInt(card, 10), (casino) => ({ dice: addDice(casino, `seat-${seat}`, 1 - big, big) }));
    }, table);
    return { ...atSeat(laid, seat, (it) => ({ placed: it.placed + cards.length })), asks: [] };
  },
  dice_returned(table, { place, owners }) {
    return atCasino(table, casinoIn(place), (casino) => ({ dice: casino.dice.filter((lot) => !owners.includes(lot.owner)), standing: casino.standing.filter((row) => !owners.includes(row.owner)) }));
  },
  notes_moved(table, { source, target, notes }) {
    const left = (casino) => {
      const rest = [...casino.notes];
      for (const note of notes) rest.splice(rest.indexOf(note), 1);
      return { notes: rest, standing: purseIn(target) ? won(casino, `seat-${purseIn(target)}`, notes) : casino.standing };
    };
    const from = casinoIn(source) ?? (source === "bandit" ? source : null);
    const taken = from ? atCasino(table, from, left) : table;
    const worth = notes.reduce((sum, note) => sum + note, 0);
    const gain = (it) => ({ note_count: it.note_count + notes.length, money: it.money === null ? null : it.money + worth, total: it.total === null ? null : it.total + worth });
    return purseIn(target) ? atSeat(taken, purseIn(target), gain) : taken;
  },
};

export function withFact(table, event) {
  return CHANGES[event.type]?.(table, event) ?? table;
}

// The table while these dice cancel each other; what was said of ties before the last die may no longer hold.
export function withTies(table, { place, owners }) {
  const standing = (rows) => rows.map((row) => (owners.includes(row.owner) ? { ...row, tied: true, notes: [] } : { ...row, tied: false }));
  return atCasino(table, casinoIn(place), (casino) => ({ standing: standing(casino.standing) }));
}

// The facts of a commit that are worth a look of their own: placed dice and cards first, then what each casino pays.
export function scenes(commit) {
  const over = commit.events.findIndex((event) => event.type === "round_ended");
  const watched = over < 0 ? commit.events : commit.events.slice(0, over);
  const found = [];
  for (const event of watched) {
    if (event.type === "dice_placed") found.push({ casino: event.target.startsWith("bandit") ? "bandit" : Number(casinoIn(event.target)), facts: [event], kind: "placed" });
    if (event.type === "cards_played" && event.cards.length) found.push({ casino: parseInt(event.cards[0], 10), facts: [event], kind: "placed" });
    const paying = { dice_returned: event.place, notes_moved: event.source }[event.type];
    const casino = casinoIn(paying) ? Number(casinoIn(paying)) : paying === "bandit" ? "bandit" : null;
    if (casino === null) continue;
    if (event.type === "notes_moved" && !purseIn(event.target)) continue;
    found.push({ casino, facts: [event], kind: event.type === "dice_returned" ? "tied" : "paid" });
  }
  return found;
}
