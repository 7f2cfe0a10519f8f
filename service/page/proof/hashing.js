// SHA-256 and what is made of it, by the browser.
const encoder = new TextEncoder();
const BYTE = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

// Browsers keep these to pages that came over HTTPS or from this very machine.
export const canHash = () => Boolean(globalThis.crypto?.subtle);

export const utf8 = (text) => encoder.encode(text);

export const toHex = (bytes) => Array.from(bytes, (byte) => BYTE[byte]).join("");

// The bytes of lower-case hex of just this length, else null.
export function fromHex(text, length) {
  if (typeof text !== "string" || text.length !== 2 * length || !/^[0-9a-f]*$/.test(text)) return null;
  return Uint8Array.from({ length }, (_, at) => parseInt(text.slice(2 * at, 2 * at + 2), 16));
}

export async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

export const sha256Hex = async (bytes) => toHex(await sha256(bytes));

export function join(...parts) {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

// Signs texts with a key.
export async function signer(key) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (text) => new Uint8Array(await crypto.subtle.sign("HMAC", imported, utf8(text)));
}
