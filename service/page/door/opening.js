// Opening a table in this browser's name.
import * as api from "../app/api.js";
import { whoIAm } from "../app/identity.js";
import { keepCode, keepSeat, player } from "../app/memory.js";
import { go } from "../app/router.js";

// Makes the game and goes there. What this browser no longer is to the service, it becomes anew.
export async function openTable(plan) {
  const made = await create(plan);
  if (made.code) keepCode(made.id, made.code);
  for (const seat of made.seats) if (seat.token) keepSeat(made.id, seat.token);
  go(`/games/${made.id}`);
}

async function create(plan) {
  const me = await whoIAm();
  try {
    return await api.createGame(plan, me.token);
  } catch (fault) {
    if (fault.status !== 401) throw fault;
    player.value = null;
    return api.createGame(plan, (await whoIAm(me.name)).token);
  }
}

export const usualBot = (edition) => edition.bots[1] ?? edition.bots[0];
