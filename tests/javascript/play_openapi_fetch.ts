import createClient from "openapi-fetch";

import type { paths } from "./build/openapi-typescript/schema";
import { base, playAll } from "./play";

const client = createClient<paths, "application/json" | "application/problem+json">({ baseUrl: base });
const bearer = (token?: string) => (token ? { headers: { Authorization: `Bearer ${token}` } } : {});

function take<T>(reply: { data?: T; error?: unknown }): T {
  if (reply.data === undefined) throw new Error(JSON.stringify(reply.error));
  return reply.data;
}

playAll("openapi-fetch", {
  async create(edition, names) {
    const body = { edition, seats: names.map((name) => ({ name })) };
    const { id, seats } = take(await client.POST("/v1/games", { body }));
    return { id, tokens: seats.map((seat) => seat.token!) };
  },
  async show(game, token) {
    return take(await client.GET("/v1/games/{game}", { params: { path: { game } }, ...bearer(token) }));
  },
  async choose(game, token, body) {
    const reply = await client.POST("/v1/games/{game}/choices", { params: { path: { game } }, body, ...bearer(token) });
    return take(reply).table;
  },
  async readLog(game) {
    const page = take(await client.GET("/v1/games/{game}/events", { params: { path: { game } } }));
    return page.commits.flatMap((commit) => commit.events.map((event) => event.type));
  },
  async isVerified(game) {
    const reply = await client.GET("/v1/games/{game}/audit", { params: { path: { game } } });
    return take(reply).verified?.ok === true;
  },
  async refuse(game) {
    const body = { ask: 1, choice: "place-1" };
    const reply = await client.POST("/v1/games/{game}/choices", { params: { path: { game } }, body });
    return reply.error?.code ?? "";
  },
});
