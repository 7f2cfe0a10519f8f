// The service as the page calls it, in the language of the page; the client is the one that everybody can use.
import { Croupier, Refusal, gamePath } from "../client/croupier.js";

// People are told soon that something is wrong.
const RETRIES = [300, 800, 2000, 4000];
const LONGEST_IMPORT = 60; // seconds
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const as = (token) => new Croupier("", { token, language: document.documentElement.lang, retries: RETRIES });

const get = (path, token) => as(token).send("GET", path);
const post = (path, body, token) => as(token).post(path, body);

// What can be played changes with a release of the service: asked once for each language.
const told = new Map();
export function editions() {
  const language = document.documentElement.lang;
  if (!told.has(language)) told.set(language, get("/v1/editions").catch((fault) => (told.delete(language), Promise.reject(fault))));
  return told.get(language);
}
export const rules = (edition) => get(`/v1/editions/${encodeURIComponent(edition)}/rules`);
export const bots = () => get("/v1/bots");
export const listGames = (query) => get(`/v1/games?${new URLSearchParams(query)}`);
export const createGame = (plan, token) => as(token).createGame(plan);
export const createPlayer = (name) => as().createPlayer(name);
export const me = (token) => get("/v1/me", token);
export const rename = (name, token) => as(token).send("PATCH", "/v1/me", { body: { name } });
export const myGames = (token, query = {}) => get(`/v1/me/games?${new URLSearchParams(query)}`, token);
export const findByCode = (code) => as().send("POST", "/v1/codes", { body: { code } });
export const table = (id, token, at) => as(token).table(id, { at });
export const takeSeat = (id, body, token) => as(token).takeSeat(id, body);
export const choose = (id, ask, choice, token) => as(token).choose(id, ask, choice);
// Ranked options for the seat of this token; a bot that takes its time is asked again until it has an answer.
export const advice = (id, token, most = 20) => settled(() => as(token).send("POST", "/v1/advice", { body: { game: id } }), most);
async function settled(ask, most) {
  for (let tries = 1; ; tries++) {
    const found = await ask();
    if (found?.options) return found;
    if (tries >= most) throw new Refusal(504, { code: "task_failed" });
    await pause(700);
  }
}
// The same about a table that nobody sits at.
export async function adviceAt(table, seat, most = 20) {
  return settled(() => as().send("POST", "/v1/advice", { body: { table, seat } }), most);
}
// Makes a file a game of this service, and returns its id; a large file becomes one later.
export async function importGame(text) {
  const made = await as().send("POST", "/v1/imports", { content: text, headers: { "Content-Type": "application/x-ndjson" } });
  let { id } = made;
  for (let tries = 1; !id.startsWith("g_"); tries++) {
    if (tries > LONGEST_IMPORT) throw new Refusal(504, { code: "task_failed" });
    await pause(1000);
    id = (await get(`/v1/tasks/${made.id}`)).result?.id ?? made.id;
  }
  return id;
}
export const audit = (id) => get(`${gamePath(id)}/audit`);
// leave, return, start, cancel, void, rematch
export const settle = (id, what, body, token) => post(`${gamePath(id)}/${what}`, body, token);
export const commitsAfter = (id, after, token) => as(token).commitsAfter(id, after);
export const follow = (id, { token, ...told }) => as(token).follow(id, told);
export { Refusal, gamePath as gameAddress, get as read, post as write };
