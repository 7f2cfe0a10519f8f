// The texts of the page: one file a language, each with the same keys; what a language lacks is said in English.
import { signal } from "./html.js";
import { language } from "./memory.js";
import english from "../texts/en.js";

const LANGUAGES = { en: "English", de: "Deutsch" };
const known = { en: english };
// All that is said now: what was worked out from it is worked out again when it changes.
export const texts = signal(english);

export const languages = LANGUAGES;

export async function speak(wanted) {
  const code = [wanted, ...navigator.languages.map((tag) => tag.slice(0, 2))].find((tag) => tag in LANGUAGES) ?? "en";
  try {
    known[code] ??= (await import(`../texts/${code}.js`)).default;
  } catch {
    return speak("en");
  }
  texts.value = known[code];
  document.documentElement.lang = code;
  if (wanted) language.value = wanted;
}

// say("turn.yours"), say("dice", {count: 3}): a text is a string with {places}, or a function of what is given.
export function say(key, given = {}) {
  const text = texts.value[key] ?? english[key];
  if (text === undefined) return key;
  if (typeof text === "function") return text(given);
  return text.replace(/\{(\w+)\}/g, (place, name) => given[name] ?? place);
}
export const knows = (key) => key in english;
export const money = (amount) => (amount === null || amount === undefined ? "—" : say("money", { amount }));
// A day as people write it, and of today the time.
export function day(moment) {
  if (!moment) return "";
  const then = new Date(moment);
  const isToday = then.toDateString() === new Date().toDateString();
  return then.toLocaleString(document.documentElement.lang, isToday ? { timeStyle: "short" } : { dateStyle: "medium" });
}
// A share of one, in percent.
export const percent = (share) => say("percent", { share: Math.round(share * 100) });
// Where there is little room.
export const thousands = (amount) => say("money.short", { amount });
