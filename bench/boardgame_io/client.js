// Plays many games at once against Croupier or boardgame.io, with the same loop, and times every choice.
//
//   node client.js CROUPIER_URL BOARDGAME_IO_URL
//
// Reads lines of JSON, {"side", "games", "seconds"}, and answers each with one: {"seconds", "milliseconds"},
// the length of the run and the time of every choice until it was acknowledged. Games are made before the
// clock starts; a run ends early when a game does, so that no run contains the making of games.
const http = require('node:http');
const readline = require('node:readline');
const { io } = require('socket.io-client');
const { LasVegas, PLAYERS } = require('./las_vegas');

const SEATS = [...Array(PLAYERS).keys()];
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

// Speaks boardgame.io's protocol over one socket a game: `sync` begins, `update` sends a move, and the server
// sends `update` with the whole state back. Its own client would do the same and keep a store as well.
class BoardgameIoPlayer {
  constructor(base) {
    this.base = base;
    this.socket = io(`${base}/${LasVegas.name}`, { transports: ['websocket'] });
    this.socket.on('update', (match, state) => {
      if (match === this.match) this.onState(state);
    });
    this.socket.on('sync', (match, { state }) => {
      if (match === this.match) this.onState(state);
    });
  }

  async begin() {
    const lobby = `${this.base}/games/${LasVegas.name}`;
    const { matchID } = await call(`${lobby}/create`, 'POST', { numPlayers: PLAYERS });
    this.credentials = [];
    for (const seat of SEATS) {
      const body = { playerID: String(seat), playerName: `Player ${seat}` };
      this.credentials.push((await call(`${lobby}/${matchID}/join`, 'POST', body)).playerCredentials);
    }
    this.match = matchID;
    const state = this.nextState();
    this.socket.emit('sync', matchID, '0', this.credentials[0], PLAYERS);
    return this.show(await state);
  }

  async place({ id, face, seat }) {
    const playerID = String(seat);
    const payload = { type: 'place', args: [face], playerID, credentials: this.credentials[seat] };
    const state = this.nextState();
    this.socket.emit('update', { type: 'MAKE_MOVE', payload }, id, this.match, playerID);
    return this.show(await state);
  }

  nextState() {
    return new Promise((resolve) => {
      this.onState = resolve;
    });
  }

  show({ G, ctx, _stateID: id }) {
    if (ctx.gameover) return { over: true };
    return { over: false, id, face: G.roll[0], seat: Number(ctx.currentPlayer) };
  }
}

const [croupierUrl, boardgameIoUrl] = process.argv.slice(2);
const makers = {
  croupier: () => new CroupierPlayer(croupierUrl),
  'boardgame.io': () => new BoardgameIoPlayer(boardgameIoUrl),
};
const players = { croupier: [], 'boardgame.io': [] };

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
