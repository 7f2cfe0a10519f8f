// What a seed gives: rolls, picks and salts by their running number (docs/fairness.md).
import { join, sha256, sha256Hex, signer, toHex, utf8 } from "./hashing.js";

const WIDEST = 65_536;
const SALT_BYTES = 16;
// The highest multiple of six in a byte: above it the first faces would come more often.
const EVEN = 252;

export async function fairChance(seed, game, entropy) {
  const sign = await signer(seed);
  const prefix = `${game}|${await mixEntropy(entropy)}|`;
  const block = (purpose, number, at) => sign(`${prefix}${purpose}|${number}|${at}`);
  return {
    dice: (number, count) => rollDice((at) => block("dice", number, at), count),
    draw: (number) => picker((at) => block("draw", number, at)),
    salt: async (number) => toHex((await block("salt", number, 0)).slice(0, SALT_BYTES)),
  };
}

// Entropy is free text: hashed one by one, no two tables can read the same.
export async function mixEntropy(entropy) {
  const hashes = await Promise.all(entropy.map((text) => sha256(utf8(text))));
  return sha256Hex(join(...hashes));
}

async function rollDice(block, count) {
  const faces = [];
  for (let at = 0; faces.length < count; at += 1) {
    for (const byte of await block(at)) if (byte < EVEN) faces.push((byte % 6) + 1);
  }
  return faces.slice(0, count);
}

// Picks read on where the one before stopped; uneven remainders are drawn again.
function picker(block) {
  const next = byteReader(block);
  return async (bound) => {
    const wide = bound > 256;
    const span = wide ? WIDEST : 256;
    for (;;) {
      const value = wide ? (await next()) * 256 + (await next()) : await next();
      if (value < span - (span % bound)) return value % bound;
    }
  };
}

function byteReader(block) {
  let bytes = [];
  let at = 0;
  let read = 0;
  return async () => {
    if (read === bytes.length) {
      bytes = await block(at);
      at += 1;
      read = 0;
    }
    read += 1;
    return bytes[read - 1];
  };
}
