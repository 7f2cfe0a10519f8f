// What an option would make of its casino, in words. The standing after it is the service's; nothing is reckoned here.
import { html } from "../app/html.js";
import { money, say, thousands } from "../app/words.js";
import { casinoName, ownerName } from "./names.js";
import { list } from "./sentences.js";

const numberOf = ({ casino, card }) => casino ?? (card ? parseInt(card, 10) : null);
const targetsOf = (option) => option.targets ?? (option.target ? [option.target] : []);
const sum = (notes) => notes.reduce((total, note) => total + note, 0);

// {number: standing} for the board; {} where the service does not say.
export function standingsAfter(option) {
  const [first] = option?.standing ? targetsOf(option) : [];
  return first ? { [numberOf(first)]: option.standing } : {};
}

// One sentence about the caller, or about whoever leads where the caller has no dice.
export function prospect(table, option) {
  const [[number, standing] = []] = Object.entries(standingsAfter(option));
  const text = standing ? foretell(table, standing, number) : "";
  return text && text[0].toUpperCase() + text.slice(1);
}

function foretell(table, standing, number) {
  const where = casinoName(table, number);
  const mine = standing.find((row) => row.owner === `seat-${table.you}`);
  if (!mine) return about(table, standing, where);
  if (mine.tied) return tied(table, standing, mine, where);
  const place = standing.indexOf(mine) + 1;
  return say(mine.notes.length ? "would.win" : "would.nothing", { place, where, money: money(sum(mine.notes)) });
}

function tied(table, standing, mine, where) {
  const others = standing.filter((row) => row.tied && row.weight === mine.weight && row !== mine);
  return say("would.tie", { who: list(others.map((row) => ownerName(table, row.owner))), count: others.length, where });
}

function about(table, standing, where) {
  const [first] = standing;
  if (!first || first.tied || !first.notes.length) return say("would.nobody", { where });
  return say("would.other", { who: ownerName(table, first.owner), where, money: money(sum(first.notes)) });
}

// The same in a word, on the option itself, where nobody can point at it before it is chosen.
export function Outcome({ table, option }) {
  const mine = option.standing?.find((row) => row.owner === `seat-${table.you}`);
  if (!mine) return null;
  const text = mine.tied ? say("table.ties") : thousands(sum(mine.notes));
  return html`<small class=${`outcome ${mine.tied ? "tied" : mine.notes.length ? "" : "none"}`} aria-hidden="true">${text}</small>`;
}
