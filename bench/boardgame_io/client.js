// Plays many games at once against Croupier or boardgame.io, with the same loop, and times every choice.
//
//   node client.js CROUPIER_URL BOARDGAME_IO_URL
//
// Reads lines of JSON, {"side", "games", "seconds"}, where a side is one of `makers` below, and answers each
// with one: {"seconds", "milliseconds"}, the length of the run and the time of every choice until it was
// acknowledged. Games are made before the clock starts; a run ends early when a game does, so that no run
// contains the making of games.
const http = require('node:http');
const readline = require('node:readline');
const { Client } = require('boardgame.io/client');
const { SocketIO } = require('boardgame.io/multiplayer');
const { io } = require('socket.io-client');
const { LasVegas, PLAYERS } = require('./las_vegas');

const SEATS = [...Array(PLAYERS).keys()];
const SOCKET = { transports: ['websocket'] };
// Replaced before each run: a server may be about to close what was idle since the last one.
let agent = new http.Agent({ keepAlive: true });

function call(url, method, body, token) {
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  const content = body && JSON.stringify(body);
  if (content) {
    headers['Content-Type'] = 'application/json';
    headers['Content-Length'] = Buffer.byteLength(content);
  }
  return new Promise((resolve, reject) => {
    const request = http.request(url, { agent, method, headers }, (response) => {
      const pieces = [];
      response.on('data', (piece) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(pieces).toString();
        if (response.statusCode >= 300) reject(new Error(`${method} ${url}: ${response.statusCode} ${text}`));
        else resolve(JSON.parse(text));
      });
    });
    request.on('error', reject);
    request.end(content);
  });
}

// A table is what the loop needs of either side: the face to place, who places it, whether the game is over.
class CroupierPlayer {
  constructor(base) {
    this.base = base;
  }

  async begin() {
    const seats = SEATS.map((seat) => ({ name: `Player ${seat}` }));
    const game = await call(`${this.base}/v1/games`, 'POST', { edition: 'classic', seats });
    this.address = `${this.base}/v1/games/${game.id}`;
    this.tokens = game.seats.map((seat) => seat.token);
    return this.show(await call(this.address, 'GET'));
  }

  async place({ ask, face, seat }) {
    const body = { ask, choice: `place-${face}` };
    const reply = await call(`${this.address}/choices`, 'POST', body, this.tokens[seat]);
    return this.show(reply.table);
  }

  show(table) {
    if (!table.asks.length) return { over: true };
    return { over: false, ask: table.asks[0].ask, face: table.roll.own[0], seat: table.roll.seat };
  }
}

async function createMatch(base) {
  const lobby = `${base}/games/${LasVegas.name}`;
  const { matchID } = await call(`${lobby}/create`, 'POST', { numPlayers: PLAYERS });
  const credentials = [];
  for (const seat of SEATS) {
    const body = { playerID: String(seat), playerName: `Player ${seat}` };
    credentials.push((await call(`${lobby}/${matchID}/join`, 'POST', body)).playerCredentials);
  }
  return { matchID, credentials };
}

function showState({ G, ctx, _stateID: id }) {
  if (ctx.gameover) return { over: true };
  return { over: false, id, face: G.roll[0], seat: Number(ctx.currentPlayer) };
}

// A player's own client of boardgame.io.
class Seat {
  constructor(options) {
    this.awaited = Infinity;
    this.client = Client({ game: LasVegas, debug: false, numPlayers: PLAYERS, ...options });
    this.client.subscribe((state) => {
      if (!state || state._stateID < this.awaited) return;
      this.awaited = Infinity;
      this.resolve(state);
    });
    this.client.start();
  }

  // The state with this id or a later one, once the server has sent it.
  async reach(id) {
    const state = this.client.getState();
    if (state && state._stateID >= id) return state;
    return new Promise((resolve) => {
      this.awaited = id;
      this.resolve = resolve;
    });
  }
}

// Plays as boardgame.io's documentation shows it: each player has a client, and all see every move. A choice
// is acknowledged when the client of the player who made it has the new state.
class BoardgameIoPlayer {
  constructor(base) {
    this.base = base;
    this.seats = [];
  }

  async begin() {
    for (const seat of this.seats) seat.client.stop();
    const { matchID, credentials } = await createMatch(this.base);
    const multiplayer = SocketIO({ server: this.base, socketOpts: SOCKET });
    this.seats = credentials.map(
      (secret, seat) => new Seat({ multiplayer, matchID, playerID: String(seat), credentials: secret }),
    );
    const states = await Promise.all(this.seats.map((seat) => seat.reach(0)));
    return showState(states[0]);
  }

  async place({ id, face, seat }) {
    await this.seats[seat].reach(id);
    this.seats[seat].client.moves.place(face);
    return showState(await this.seats[seat].reach(id + 1));
  }
}

// Speaks boardgame.io's protocol over one socket a game and without its client, the least it can be asked
// for: `sync` begins, `update` sends a move of any player, and the server sends `update` with the state back.
class BareSocketPlayer {
  constructor(base) {
    this.base = base;
    this.socket = io(`${base}/${LasVegas.name}`, SOCKET);
    this.socket.on('update', (match, state) => this.hear(match, state));
    this.socket.on('sync', (match, { state }) => this.hear(match, state));
  }

  hear(match, state) {
    if (match === this.match) this.resolve(state);
  }

  async begin() {
    const { matchID, credentials } = await createMatch(this.base);
    this.match = matchID;
    this.credentials = credentials;
    return this.send('sync', matchID, '0', credentials[0], PLAYERS);
  }

  async place({ id, face, seat }) {
    const playerID = String(seat);
    const payload = { type: 'place', args: [face], playerID, credentials: this.credentials[seat] };
    return this.send('update', { type: 'MAKE_MOVE', payload }, id, this.match, playerID);
  }

  async send(...message) {
    const state = new Promise((resolve) => {
      this.resolve = resolve;
    });
    this.socket.emit(...message);
    return showState(await state);
  }
}

const [croupierUrl, boardgameIoUrl] = process.argv.slice(2);
const makers = {
  croupier: () => new CroupierPlayer(croupierUrl),
  'boardgame.io': () => new BoardgameIoPlayer(boardgameIoUrl),
  'bare socket': () => new BareSocketPlayer(boardgameIoUrl),
};
const players = Object.fromEntries(Object.keys(makers).map((side) => [side, []]));

async function run({ side, games, seconds }) {
  const mine = players[side];
  while (mine.length < games) mine.push(makers[side]());
  const playing = mine.slice(0, games);
  agent.destroy();
  agent = new http.Agent({ keepAlive: true });
  const tables = await Promise.all(playing.map((player) => player.begin()));
  const milliseconds = [];
  const start = performance.now();
  const end = start + seconds * 1000;
  let over = false;

  async function play(player, first) {
    let table = first;
    let now = performance.now();
    while (!over && now < end) {
      table = await player.place(table);
      const then = now;
      now = performance.now();
      milliseconds.push(now - then);
      if (table.over) over = true;
    }
  }

  await Promise.all(playing.map((player, number) => play(player, tables[number])));
  return { seconds: (performance.now() - start) / 1000, milliseconds };
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await run(JSON.parse(line))));
  }
  process.exit(0);
}

main();
