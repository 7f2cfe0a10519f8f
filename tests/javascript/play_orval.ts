import * as made from "./build/orval/client";
import * as zod from "./build/orval/zod";
import { base, playAll } from "./play";

// It calls `fetch` with the paths of the contract, as from a page that the service hands out.
const fetchAnywhere = globalThis.fetch;
globalThis.fetch = (path, init) => fetchAnywhere(new URL(String(path), base), init);

const bearer = (token?: string) => (token ? { headers: { Authorization: `Bearer ${token}` } } : {});
const json = { headers: { Accept: "application/json" } };

playAll("orval", {
  async create(edition, names) {
    const reply = await made.createGame({ edition, seats: names.map((name) => ({ name })) });
    if (reply.status !== 201) throw new Error(JSON.stringify(reply.data));
    const { id, seats } = zod.CreateGameResponse.parse(reply.data);
    return { id, tokens: seats.map((seat) => seat.token!) };
  },
  async show(game, token) {
    return zod.ShowTableResponse.parse((await made.showTable(game, {}, bearer(token))).data);
  },
  async choose(game, token, answer) {
    const reply = await made.choose(game, zod.ChooseBody.parse(answer), {}, bearer(token));
    return zod.ChooseResponse.parse(reply.data).table;
  },
  async readLog(game) {
    const reply = await made.showEvents(game, {}, json);
    if (!("stream" in reply)) throw new Error("what may be lines is a stream");
    const page = zod.ShowEventsResponse.parse(await reply.stream.json());
    return page.commits.flatMap((commit) => commit.events.map((event) => event.type));
  },
  async isVerified(game) {
    return zod.ShowAuditResponse.parse((await made.showAudit(game)).data).verified?.ok === true;
  },
  async refuse(game) {
    const reply = await made.choose(game, { ask: 1, choice: "place-1" });
    return reply.status === 401 ? reply.data.code : "";
  },
});
