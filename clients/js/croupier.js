// A client of Croupier, the Las Vegas dice games over HTTP: one ES module for browsers and Node, with no dependencies.

// The service refused a request. `problem` is the body of RFC 9457; without one the service gave no answer at all.
export class Refusal extends Error {
  constructor(status, problem) {
    super(problem?.detail ?? problem?.title ?? "no answer");
    this.name = "Refusal";
    this.status = status;
    this.problem = problem ?? {};
    this.code = this.problem.code ?? "unreachable";
  }
}

// A webhook is not what the service sent: answer it with 400.
export class InvalidWebhook extends Error {}

// What may pass by itself: no answer, a line that was cut, a service that is away or overloaded.
const PASSING = new Set([0, 408, 429, 500, 502, 503, 504]);
const RETRIES = [50, 100, 200, 400, 800, 1500, 3000, 5000];
const WAIT_SECONDS = 25;
const LONGEST_REST = 5000;
const WEBHOOK_SECONDS = 300;

const pause = (ms, signal) =>
  new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
  });

// Also where a page is not served over TLS, and `crypto.randomUUID` is missing.
export function uuid() {
  if (globalThis.crypto?.randomUUID) return crypto.randomUUID();
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0"));
  return [bytes.slice(0, 4), bytes.slice(4, 6), bytes.slice(6, 8), bytes.slice(8, 10), bytes.slice(10)]
    .map((part) => part.join(""))
    .join("-");
}

export const gamePath = (game) => `/v1/games/${encodeURIComponent(game)}`;

export class Croupier {
  // `base` is the address of the service, empty for the page's own. `token` is that of a player or a seat; on a server
  // it may be an API key, which acts for `player`. `retries` are the pauses between tries in milliseconds.
  constructor(base = "", { token, player, language, retries = RETRIES } = {}) {
    this.base = base.replace(/\/$/, "");
    this.token = token;
    this.player = player;
    this.language = language;
    this.retries = retries;
  }

  // The same service with another token.
  as(token) {
    return new Croupier(this.base, { ...this, player: undefined, token });
  }

  // The same service with the API key acting for one of its players.
  actingFor(player) {
    return new Croupier(this.base, { ...this, player });
  }

  headers(more = {}) {
    return {
      Accept: "application/json",
      ...(this.token ? { Authorization: `Bearer ${this.token}` } : {}),
      ...(this.player ? { "Croupier-Player": this.player } : {}),
      ...(this.language ? { "Accept-Language": this.language } : {}),
      ...more,
    };
  }

  // Sends a request once and returns the JSON of the reply. Throws a Refusal.
  // `content` is sent as it is, `body` as JSON.
  async send(method, path, { body, content = body === undefined ? undefined : JSON.stringify(body), headers, signal } = {}) {
    const sent = this.headers({ ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers });
    let reply;
    let told = null;
    try {
      reply = await fetch(this.base + path, { method, headers: sent, body: content, signal, cache: "no-store" });
      const text = await reply.text();
      if (text && /json/.test(reply.headers.get("Content-Type") ?? "")) told = JSON.parse(text);
    } catch (fault) {
      if (signal?.aborted) throw fault;
      throw new Refusal(0, null);
    }
    if (!reply.ok) throw Object.assign(new Refusal(reply.status, told), { retryAfter: reply.headers.get("Retry-After") });
    return told;
  }

  // Sends a request until it is answered. A write carries an Idempotency-Key, so that nothing is done twice.
  async call(method, path, { body, headers, signal } = {}) {
    const more = method === "GET" ? { headers, signal } : { body, signal, headers: { "Idempotency-Key": uuid(), ...headers } };
    for (const wait of this.retries) {
      try {
        return await this.send(method, path, more);
      } catch (fault) {
        if (!(fault instanceof Refusal) || !PASSING.has(fault.status)) throw fault;
        const asked = Number(fault.retryAfter ?? 0) * 1000;
        await pause(Math.min(Math.max(asked, wait * (0.5 + Math.random() / 2)), LONGEST_REST), signal);
      }
    }
    return this.send(method, path, more);
  }

  get(path, query, more) {
    const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
    return this.call("GET", given.length ? `${path}?${new URLSearchParams(given)}` : path, more);
  }

  post(path, body = {}, more) {
    return this.call("POST", path, { body, ...more });
  }

  editions() {
    return this.get("/v1/editions");
  }

  createPlayer(name) {
    return this.post("/v1/players", { name });
  }

  createGame(plan) {
    return this.post("/v1/games", plan);
  }

  takeSeat(game, body) {
    return this.post(`${gamePath(game)}/seats`, body);
  }

  table(game, { at } = {}) {
    return this.get(gamePath(game), { at });
  }

  // The same answer twice gives the same reply.
  choose(game, ask, choice) {
    return this.post(`${gamePath(game)}/choices`, { ask, choice });
  }

  // A ticket for an EventSource, good once within a minute: for a game's stream, or the player's own.
  async ticket(game) {
    return (await this.post("/v1/tickets", game ? { game } : { me: true })).ticket;
  }

  // What the caller is asked in a game, each time it is, until the game is over.
  async *turns(game, { signal } = {}) {
    while (!signal?.aborted) {
      const table = await this.table(game);
      if (table.status === "over") return;
      const mine = table.asks.find((ask) => ask.yours);
      if (mine) yield mine;
      else await this.get(`${gamePath(game)}/events`, { after: table.version, limit: 1, wait: WAIT_SECONDS }, { signal });
    }
  }

  // All commits after a version that there are now.
  async commitsAfter(game, after = 0) {
    const found = [];
    for (let next = `${gamePath(game)}/events?after=${after}`; ; ) {
      const page = await this.get(next);
      if (page.commits.length === 0) return found;
      found.push(...page.commits);
      next = page.next;
    }
  }

  // Calls `onCommit` with each commit after a version, and `onState` with "live", "lost", "over" or "reset", until the
  // returned function is called. What was lost on the way is asked for again from the last version.
  follow(game, { after = 0, sentences = false, onCommit = () => {}, onState = () => {} } = {}) {
    const stop = new AbortController();
    this.#follow(game, { after, sentences, onCommit, onState, signal: stop.signal });
    return () => stop.abort();
  }

  async #follow(game, told) {
    let { after } = told;
    for (let failures = 0; !told.signal.aborted; ) {
      try {
        for await (const frame of await this.#open(game, { ...told, after })) {
          failures = 0;
          if (frame.event === "over" || frame.event === "reset") return told.onState(frame.event);
          if (frame.event === "bye") break;
          if (!frame.data) continue;
          const commit = JSON.parse(frame.data);
          after = commit.version;
          told.onCommit(commit);
        }
      } catch (fault) {
        if (told.signal.aborted) return undefined;
        if (fault.ended) return told.onState(fault.ended);
      }
      if (told.signal.aborted) return undefined;
      told.onState("lost");
      await pause(RETRIES[Math.min(2 + failures++, RETRIES.length - 1)], told.signal);
    }
    return undefined;
  }

  async #open(game, { after, sentences, onState, signal }) {
    const path = `${gamePath(game)}/events?after=${after}${sentences ? "&sentences=true" : ""}`;
    const reply = await fetch(this.base + path, { headers: this.headers({ Accept: "text/event-stream" }), signal, cache: "no-store" });
    if (reply.status === 204) throw Object.assign(new Error("over"), { ended: "over" });
    if (reply.status === 401 || reply.status === 404) throw Object.assign(new Error("gone"), { ended: "reset" });
    if (!reply.ok) throw new Error(`status ${reply.status}`);
    onState("live");
    return frames(reply.body);
  }

  // What happens in games of this key or player, or without a token in all public games. To go on later, keep the `id`
  // of the last event. An event `{reset: true, next}` says that some were missed.
  async *feed({ after, signal } = {}) {
    while (!signal?.aborted) {
      const page = await this.get("/v1/feed", { after, wait: WAIT_SECONDS }, { signal });
      if (page.reset) yield { reset: true, next: page.next };
      yield* page.events;
      after = page.next;
    }
  }
}

// Whole frames of server-sent events; one that was cut is left out.
async function* frames(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) yield Object.fromEntries(part.split("\n").map(field));
  }
}

function field(line) {
  const at = line.indexOf(":");
  return [line.slice(0, at), line.slice(at + 1).trimStart()];
}

// The event of a webhook (Standard Webhooks), of which `body` is the text as it came. Throws InvalidWebhook. A repeat
// carries the same `webhook-id`: keep those that you have handled.
export async function readWebhook(secret, headers, body, tolerance = WEBHOOK_SECONDS) {
  const given = new Headers(headers);
  const [id, sentAt, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => given.get(name));
  if (!id || !signatures || !/^\d+$/.test(sentAt ?? "")) throw new InvalidWebhook("a header is missing");
  if (Math.abs(Date.now() / 1000 - Number(sentAt)) > tolerance) throw new InvalidWebhook("the request is too old, or from the future");
  const key = await crypto.subtle.importKey("raw", fromBase64(secret.replace(/^whsec_/, "")), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const message = new TextEncoder().encode(`${id}.${sentAt}.${body}`);
  for (const signature of signatures.split(" ")) {
    const [version, value] = signature.split(",");
    // `verify` compares in constant time.
    if (version === "v1" && isBase64(value) && (await crypto.subtle.verify("HMAC", key, fromBase64(value), message))) return JSON.parse(body);
  }
  throw new InvalidWebhook("no signature fits");
}

const isBase64 = (text) => /^[A-Za-z0-9+/]+={0,2}$/.test(text ?? "");
const fromBase64 = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
