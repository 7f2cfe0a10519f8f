import { choose, createGame, showAudit, showEvents, showTable } from "./build/hey-api";
import { client } from "./build/hey-api/client.gen";
import { base, playAll } from "./play";

client.setConfig({ baseUrl: base, throwOnError: true });

playAll("hey-api", {
  async create(edition, names) {
    const { data } = await createGame({ body: { edition, seats: names.map((name) => ({ name })) }, throwOnError: true });
    return { id: data.id, tokens: data.seats.map((seat) => seat.token!) };
  },
  async show(game, token) {
    return (await showTable({ path: { game }, auth: token, throwOnError: true })).data;
  },
  async choose(game, token, answer) {
    return (await choose({ path: { game }, body: answer, auth: token, throwOnError: true })).data.table;
  },
  async readLog(game) {
    const { data } = await showEvents({ path: { game }, throwOnError: true });
    if (!data || typeof data === "string") throw new Error("pages are the default");
    return data.commits.flatMap((commit) => commit.events.map((event) => event.type));
  },
  async isVerified(game) {
    return (await showAudit({ path: { game }, throwOnError: true })).data.verified?.ok === true;
  },
  async refuse(game) {
    const reply = await choose({ path: { game }, body: { ask: 1, choice: "place-1" }, throwOnError: false });
    return reply.error?.code ?? "";
  },
});
