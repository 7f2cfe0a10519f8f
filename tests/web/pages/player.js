// A page that knows nothing but the contract. The function that follows a game stands in docs/guides/follow-a-game.md.
const base = new URLSearchParams(location.search).get("base");
const heard = [];
let isOver = false;
let streams = 0;
let game;
let careless;

const Original = EventSource;
EventSource = class extends Original {
  constructor(address) {
    super(address);
    streams += 1;
  }
};

async function call(method, address, body) {
  const headers = { "Content-Type": "application/json" };
  if (game) headers.Authorization = `Bearer ${game.token}`;
  const reply = await fetch(base + address, { method, headers, body: body && JSON.stringify(body) });
  if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
  return reply.json();
}

async function begin(edition) {
  const made = await call("POST", "/v1/games", { edition, seats: [{ name: "Anna" }, { bot: "random" }] });
  game = { id: made.id, address: `/v1/games/${made.id}`, token: made.seats[0].token };
  follow(game.id, game.token, 0, (commit) => (commit ? heard.push(commit) : (isOver = true)));
}

// So many answers, or until the game is over.
async function playOn(most) {
  let table = await call("GET", game.address);
  while (table.status !== "over" && most) {
    const ask = table.asks.find((ask) => ask.yours);
    if (ask) {
      most -= 1;
      const answer = { ask: ask.ask, choice: ask.options[0].choice };
      table = (await call("POST", `${game.address}/choices`, answer)).table;
    } else {
      table = await call("GET", `${game.address}?min_version=${table.version + 1}&wait=25`);
    }
  }
  return table;
}

// As the browser would by itself, if nobody closed the stream.
async function openCarelessly() {
  const { ticket } = await call("POST", "/v1/tickets", { game: game.id });
  careless = new EventSource(`${base}${game.address}/events?ticket=${ticket}`);
}
