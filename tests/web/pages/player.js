// A page that knows nothing but the contract.
const service = new URLSearchParams(location.search).get("service");

async function call(method, address, body, token) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  const reply = await fetch(service + address, { method, headers, body: body && JSON.stringify(body) });
  if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
  return reply.json();
}

async function createGame(edition) {
  const game = await call("POST", "/v1/games", { edition, seats: [{ name: "Anna" }, { bot: "random" }] });
  return { address: `/v1/games/${game.id}`, id: game.id, token: game.seats[0].token };
}

async function playOn(game) {
  let table = await call("GET", game.address, null, game.token);
  while (table.status !== "over") {
    const ask = table.asks.find((ask) => ask.yours);
    if (ask) {
      const answer = { ask: ask.ask, choice: ask.options[0].choice };
      table = (await call("POST", `${game.address}/choices`, answer, game.token)).table;
    } else {
      const place = `?min_version=${table.version + 1}&wait=25`;
      table = await call("GET", game.address + place, null, game.token);
    }
  }
  return table;
}

const playGame = async (edition) => playOn(await createGame(edition));
