// A file of a game is checked and replayed here; nothing of it leaves the browser before it is played on.
import { dropped } from "../app/dropped.js";
import { readFile } from "../proof/exported.js";
import { Refused } from "../proof/refused.js";
import { check } from "./source.js";

const LONGEST_NAME = 120;

export async function openFile(file) {
  const name = file.name.slice(0, LONGEST_NAME);
  try {
    const log = await readFile(file);
    dropped.value = { name, log, verdict: await check(log), read: () => file.text() };
  } catch (fault) {
    if (!(fault instanceof Refused)) throw fault;
    dropped.value = { name, fault };
  }
}
