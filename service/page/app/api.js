// The public contract, and nothing else of the service: /v1 as openapi.yaml describes it.

export class Refusal extends Error {
  // `problem` is the body of RFC 9457; without one the service could not be reached at all.
  constructor(status, problem) {
    super(problem?.detail ?? problem?.title ?? "no answer");
    this.status = status;
    this.problem = problem ?? {};
    this.code = this.problem.code ?? "unreachable";
  }
}

function headersFor(token, body, more) {
  return {
    Accept: "application/json",
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
    ...more,
  };
}

// Sends once. Throws a Refusal for whatever is no good reply.
async function send(method, path, { body, token, headers, signal } = {}) {
  let reply;
  try {
    reply = await fetch(path, {
      method,
      headers: headersFor(token, body, headers),
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      cache: "no-store",
    });
  } catch (fault) {
    if (signal?.aborted) throw fault;
    throw new Refusal(0, null);
  }
  const text = await reply.text();
  const told = text && /json/.test(reply.headers.get("Content-Type") ?? "") ? JSON.parse(text) : null;
  if (!reply.ok) throw new Refusal(reply.status, told);
  return told;
}

const PATIENCE = [300, 800, 2000, 4000];
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// What may pass by itself: the service is away or overloaded. The key makes it safe to ask again.
async function insist(method, path, more) {
  for (const wait of PATIENCE) {
    try {
      return await send(method, path, more);
    } catch (fault) {
      if (!(fault instanceof Refusal) || (fault.status !== 0 && fault.status !== 503)) throw fault;
      await pause(wait);
    }
  }
  return send(method, path, more);
}

export function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0"));
  return [bytes.slice(0, 4), bytes.slice(4, 6), bytes.slice(6, 8), bytes.slice(8, 10), bytes.slice(10)]
    .map((part) => part.join(""))
    .join("-");
}

const get = (path, token) => send("GET", path, { token });
const post = (path, body, token) => insist("POST", path, { body, token, headers: { "Idempotency-Key": uuid() } });
const game = (id) => `/v1/games/${encodeURIComponent(id)}`;

// What can be played changes with a release of the service: asked once.
let told = null;
export const editions = () => (told ??= get("/v1/editions").catch((fault) => ((told = null), Promise.reject(fault))));
export const bots = () => get("/v1/bots");
export const listGames = (query) => get(`/v1/games?${new URLSearchParams(query)}`);
export const createGame = (plan, token) => post("/v1/games", plan, token);
export const createPlayer = (name) => post("/v1/players", { name });
export const me = (token) => get("/v1/me", token);
export const rename = (name, token) => send("PATCH", "/v1/me", { body: { name }, token });
export const myGames = (token, query = {}) => get(`/v1/me/games?${new URLSearchParams(query)}`, token);
export const findByCode = (code) => send("POST", "/v1/codes", { body: { code } });
export const table = (id, token, at) => insist("GET", `${game(id)}${at ? `?at=${at}` : ""}`, { token });
export const takeSeat = (id, body, token) => post(`${game(id)}/seats`, body, token);
export const choose = (id, ask, choice, token) => post(`${game(id)}/choices`, { ask, choice }, token);
// Ranked options for the seat of this token; a bot that takes its time is asked again until it has an answer.
export async function advice(id, token, most = 20) {
  for (let tries = 1; ; tries++) {
    const told = await send("POST", "/v1/advice", { body: { game: id }, token });
    if (told?.options) return told;
    if (tries >= most) throw new Refusal(504, { code: "task_failed" });
    await pause(700);
  }
}
export const audit = (id) => get(`${game(id)}/audit`);
// leave, return, start, cancel, void, rematch
export const settle = (id, what, body, token) => post(`${game(id)}/${what}`, body, token);

// All commits after a version, page by page.
export async function commitsAfter(id, after, token) {
  const found = [];
  for (let next = `${game(id)}/events?after=${after}`; ; ) {
    const page = await get(next, token);
    if (page.commits.length === 0) return found;
    found.push(...page.commits);
    next = page.next;
  }
}
export { game as gameAddress, get as read, post as write };
