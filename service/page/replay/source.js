// Where a replay comes from: the service, or a file that was dropped on the page.
import * as api from "../app/api.js";
import { signal } from "../app/html.js";
import { tokenFor } from "../app/memory.js";
import { readExport } from "../proof/exported.js";
import { verify } from "../proof/verify.js";
import { botNames } from "../table/names.js";
import { canHash } from "../proof/hashing.js";

// Names and texts of editions, as the service told them; without any, casinos are called by their numbers.
const told = signal([]);
export const editionOf = (id) => told.value.find((edition) => edition.id === id) ?? null;

export async function learnNames() {
  if (told.value.length) return;
  const [editions, bots] = await Promise.all([api.editions().then((it) => it.editions, () => []), api.bots().then((it) => it.bots, () => [])]);
  told.value = editions;
  botNames.value = Object.fromEntries(bots.map((bot) => [bot.name, bot.seat_names]));
}

// The whole log as this browser may see it, read as strictly as a file.
export const fetchLog = async (id) => readExport(new Uint8Array(await fetchLines(`${api.gameAddress(id)}/events`, tokenFor(id))));

async function fetchLines(address, token) {
  const headers = { Accept: "application/x-ndjson", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const reply = await fetch(address, { headers, cache: "no-store" }).catch(() => null);
  if (!reply?.ok) throw new api.Refusal(reply?.status ?? 0, (await reply?.json().catch(() => null)) ?? null);
  return reply.arrayBuffer();
}

// The file that proves itself, by way of this page: an address for it would have to carry the token.
export async function save(id) {
  const lines = await fetchLines(`${api.gameAddress(id)}/export`, tokenFor(id));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([lines], { type: "application/x-ndjson" }));
  link.download = `${id}.ndjson`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// Null where the browser does not let this page hash.
export const check = (log) => (canHash() ? verify(log) : Promise.resolve(null));

