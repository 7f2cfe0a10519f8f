// Who this browser is to the service.
import * as api from "./api.js";
import { player, remembered } from "./memory.js";

// A person who gives no name is called one of these, the same in every language and in this browser for ever, so that no
// two at a table are "Guest". No bot has one of them.
const NICKNAMES = ["Lola", "Vito", "Ziggy", "Mimi", "Dino", "Frankie", "Tito", "Dolly", "Bugsy", "Zaza", "Ludo", "Fanny"];
export const nickname = remembered("nickname", NICKNAMES[Math.floor(Math.random() * NICKNAMES.length)]);

// The player of this browser, made when first needed, and called anew when the name changes.
export async function whoIAm(name) {
  const known = player.value;
  if (known && name && name !== known.name) player.value = await rename(known, name);
  return (player.value ??= await api.createPlayer(name || nickname.value));
}

// Nobody, where the service knows this player no more.
const rename = (known, name) => api.rename(name, known.token).then((now) => ({ ...known, ...now }), forget(known, null));

// Does it with the player's token. What this browser no longer is to the service, it becomes anew; to a stranger a
// private table does not exist, so there it has to be asked who one is.
export async function asMe(name, act) {
  const me = await whoIAm(name);
  return act(me.token).catch(async (fault) => {
    if (fault.status === 404) await api.me(me.token).then(() => Promise.reject(fault), forget(me));
    else forget(me)(fault);
    return act((await whoIAm(name || me.name)).token);
  });
}

// What remains when a call of `me` was refused: whom the service does not know, this browser forgets.
export function forget(me, rest) {
  return (fault) => {
    if (fault.status !== 401) throw fault;
    if (player.value?.token === me.token) player.value = null;
    return rest;
  };
}
