// Opening a table in this browser's name.
import * as api from "../app/api.js";
import { asMe } from "../app/identity.js";
import { keepCode, keepSeat } from "../app/memory.js";
import { go } from "../app/router.js";

// Makes the game and goes there.
export async function openTable(plan) {
  const made = await asMe("", (token) => api.createGame(plan, token));
  if (made.code) keepCode(made.id, made.code);
  for (const seat of made.seats) if (seat.token) keepSeat(made.id, seat.token);
  go(`/games/${made.id}`);
}

// Quick, like a person, and to be beaten.
const USUAL_BOT = "casual";

export const usualBot = (edition) => edition.bots.find((bot) => bot === USUAL_BOT) ?? edition.bots[0];
