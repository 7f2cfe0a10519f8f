// A game as it goes on: server-sent events over fetch, because a token belongs into a header.
import { gameAddress } from "./api.js";

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const RETRIES = [250, 500, 1000, 2000, 4000];

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

// Calls `onCommit` with each commit after a version, `onState` with "live", "lost", "over" or "reset", until
// the returned function is called. What was lost on the way is asked for again from the last version.
export function follow(id, { after, token, onCommit, onState }) {
  const stop = new AbortController();
  run(id, { after, token, onCommit, onState, signal: stop.signal });
  return () => stop.abort();
}

async function run(id, told) {
  let { after } = told;
  for (let failures = 0; !told.signal.aborted; ) {
    try {
      for await (const frame of await open(id, { ...told, after })) {
        failures = 0;
        if (frame.event === "over") return told.onState("over");
        if (frame.event === "reset") return told.onState("reset");
        if (frame.event === "bye") break;
        if (!frame.data) continue;
        const commit = JSON.parse(frame.data);
        after = commit.version;
        told.onCommit(commit);
      }
    } catch (fault) {
      if (told.signal.aborted) return;
      if (fault.ended) return told.onState(fault.ended);
    }
    if (told.signal.aborted) return;
    told.onState("lost");
    await pause(RETRIES[Math.min(failures++, RETRIES.length - 1)]);
  }
}

async function open(id, { after, token, onState, signal }) {
  const headers = { Accept: "text/event-stream", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const reply = await fetch(`${gameAddress(id)}/events?after=${after}`, { headers, signal, cache: "no-store" });
  if (reply.status === 204) throw Object.assign(new Error("over"), { ended: "over" });
  if (reply.status === 401 || reply.status === 404) throw Object.assign(new Error("gone"), { ended: "reset" });
  if (!reply.ok) throw new Error(`status ${reply.status}`);
  onState("live");
  return frames(reply.body);
}
