// The dice game Las Vegas for boardgame.io: as many players, dice, rounds and notes as Croupier's `classic`.
const PLAYERS = 4;
const DICE = 8;
const CASINOS = 6;
const ROUNDS = 4;
// A casino is given notes until they are worth this much.
const LEAST_PRIZE = 50;
const NOTES = { 10: 6, 20: 8, 30: 8, 40: 6, 50: 6, 60: 5, 70: 5, 80: 5, 90: 5 };

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

function makeNotes() {
  return Object.entries(NOTES).flatMap(([worth, count]) => Array(count).fill(Number(worth)));
}

function dealNotes(deck) {
  const notes = [];
  while (sum(notes) < LEAST_PRIZE) notes.push(deck.pop());
  return notes.sort((one, other) => other - one);
}

function beginRound(G) {
  G.round += 1;
  G.left = Array(PLAYERS).fill(DICE);
  G.casinos = Array.from({ length: CASINOS }, () => ({
    notes: dealNotes(G.deck),
    dice: Array(PLAYERS).fill(0),
  }));
}

// Players with equally many dice in a casino get nothing there; the others take its notes in order.
function payOut(G) {
  for (const casino of G.casinos) {
    const players = casino.dice
      .map((dice, player) => ({ dice, player }))
      .filter(({ dice }) => dice > 0 && casino.dice.filter((other) => other === dice).length === 1)
      .sort((one, other) => other.dice - one.dice);
    for (const { player } of players) {
      if (casino.notes.length) G.won[player].push(casino.notes.shift());
    }
  }
}

function place({ G }, face) {
  const player = G.roller;
  const dice = G.roll.filter((die) => die === face).length;
  if (!dice) return 'INVALID_MOVE';
  G.casinos[face - 1].dice[player] += dice;
  G.left[player] -= dice;
  if (sum(G.left) > 0) return undefined;
  payOut(G);
  if (G.round === ROUNDS) G.over = true;
  else beginRound(G);
  return undefined;
}

// The next player who has dice left.
function nextPosition({ G, ctx }) {
  const after = [...Array(PLAYERS).keys()].map((step) => (ctx.playOrderPos + step + 1) % PLAYERS);
  return after.find((position) => G.left[position] > 0);
}

exports.PLAYERS = PLAYERS;
exports.LasVegas = {
  name: 'las-vegas',
  minPlayers: PLAYERS,
  maxPlayers: PLAYERS,
  disableUndo: true,
  setup: ({ random }) => {
    const G = { round: 0, roll: [], roller: 0, over: false };
    G.deck = random.Shuffle(makeNotes());
    G.won = Array.from({ length: PLAYERS }, () => []);
    beginRound(G);
    return G;
  },
  // The order of the notes is as secret as it is at Croupier's tables.
  playerView: ({ G: { deck, ...shown } }) => shown,
  moves: { place: { move: place, client: false } },
  turn: {
    minMoves: 1,
    maxMoves: 1,
    order: { first: () => 0, next: nextPosition },
    onBegin: ({ G, ctx, random }) => {
      G.roller = Number(ctx.currentPlayer);
      G.roll = random.Die(6, G.left[G.roller]);
    },
  },
  endIf: ({ G }) => (G.over ? { won: G.won.map(sum) } : undefined),
};
