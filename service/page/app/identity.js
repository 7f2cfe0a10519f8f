import * as api from "./api.js";
import { player } from "./memory.js";
import { say } from "./words.js";

// The player of this browser, made when first needed, and called anew when the name changes.
export async function whoIAm(name) {
  const known = player.value;
  if (!known) player.value = await api.createPlayer(name || say("door.guest"));
  else if (name && name !== known.name) player.value = { ...known, ...(await api.rename(name, known.token)) };
  return player.value;
}
