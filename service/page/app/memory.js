// What this browser remembers: tokens, settings, a name. Nothing of it is ever part of an address.
import { signal, effect } from "./html.js";

function read(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Private windows may keep nothing; the page works until it is closed.
  }
}

// A signal that outlives the page, under this key.
export function remembered(key, otherwise) {
  const kept = signal(read(`croupier.${key}`, otherwise));
  effect(() => write(`croupier.${key}`, kept.value));
  return kept;
}

export const player = remembered("player", null); // {id, name, token}
export const speed = remembered("speed", "normal"); // slow, normal, fast, off
export const theme = remembered("theme", "system"); // system, dark, light
export const language = remembered("language", "");
export const confirming = remembered("confirm", false); // whether a choice is asked for twice
export const sound = remembered("sound", false);
export const guided = remembered("guided", true); // whether the first-game guide still speaks
const seats = remembered("seats", {}); // {game: token}
const codes = remembered("codes", {}); // {game: code} of private tables that were made or found here

export const seatToken = (game) => seats.value[game] ?? null;
export const inviteCode = (game) => codes.value[game] ?? null;
export const keepSeat = (game, token) => (seats.value = newest({ ...seats.value, [game]: token }));
export const keepCode = (game, code) => (codes.value = newest({ ...codes.value, [game]: code }));

// The seat's token, or the player's, who may sit there; none is a spectator's.
export const tokenFor = (game) => seatToken(game) ?? player.value?.token ?? null;

// The service knows it no more: what is left is to watch, or to begin anew.
export function forgetToken(game) {
  const { [game]: own, ...others } = seats.value;
  if (own) seats.value = others;
  else player.value = null;
}

function newest(kept, most = 200) {
  return Object.fromEntries(Object.entries(kept).slice(-most));
}
