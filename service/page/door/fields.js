// One control for one property of a JSON Schema, whichever it is.
import { html, useId } from "../app/html.js";
import { knows, say } from "../app/words.js";
import { TilePicture } from "../table/pictograms.js";
import { botName } from "./strength.js";

export function Field({ name, schema, edition, seats, value, set }) {
  const id = useId();
  const types = [schema.type].flat();
  const Control = schema.enum ? OneOf : schema["x-seat"] ? SeatNumber : types.includes("integer") ? Whole : Plain;
  const given = { id, schema, edition, seats, value: value ?? schema.default, set };
  if (types.includes("array")) return html`<${Several} ...${given} title=${titleOf(name, schema)} text=${textOf(name, schema)} />`;
  const flag = types.includes("boolean");
  return html`<div class=${`field ${flag ? "flag" : ""}`}>
    ${flag && html`<${Flag} ...${given} />`}
    <span><label for=${id}>${titleOf(name, schema)}</label><small id=${described(id)}>${textOf(name, schema)}</small></span>
    ${!flag && html`<${Control} ...${given} />`}
  </div>`;
}

const titleOf = (name, schema) => (knows(`option.${name}`) ? say(`option.${name}`) : schema.title);
const textOf = (name, schema) => (knows(`option.${name}.text`) ? say(`option.${name}.text`) : schema.description);
const described = (id) => `${id}-text`;

const Flag = ({ id, schema, value, set }) => html`<input id=${id} aria-describedby=${described(id)} type="checkbox" checked=${value} onChange=${(event) => set(event.target.checked === schema.default ? undefined : event.target.checked)} />`;

const Whole = ({ id, schema, value, set }) => html`<input id=${id} aria-describedby=${described(id)} type="number" min=${schema.minimum} max=${schema.maximum} value=${value} onInput=${(event) => set(event.target.value === "" ? undefined : Number(event.target.value))} />`;

const Plain = ({ id, value, set }) => html`<input id=${id} aria-describedby=${described(id)} value=${value ?? ""} onInput=${(event) => set(event.target.value || undefined)} />`;

const OneOf = ({ id, schema, value, set }) => html`<select id=${id} aria-describedby=${described(id)} onChange=${(event) => set(event.target.value === schema.default ? undefined : event.target.value)}>
  ${schema.enum.map((it) => html`<option key=${it} value=${it} selected=${it === value}>${valueOf(it)}</option>`)}
</select>`;

// Mostly who answers for somebody: a bot, once or for longer.
function valueOf(value) {
  const [, lasting, bot] = /^(takeover:)?(\w+)$/.exec(value) ?? [];
  return bot && knows(`bot.${bot}`) ? say(lasting ? "door.standin" : "door.once", { bot: botName(bot) }) : value;
}

const SeatNumber = ({ id, seats, value, set }) => html`<select id=${id} aria-describedby=${described(id)} onChange=${(event) => set(event.target.value === "" ? undefined : Number(event.target.value))}>
  <option value="" selected=${value === null}>${say("door.bychance")}</option>
  ${Array.from({ length: seats }, (_, at) => html`<option key=${at} value=${at} selected=${at === value}>${say("door.seat", { number: at + 1 })}</option>`)}
</select>`;

// Of the codes of which the schema allows one only, the one that was picked instead of this one.
function rivalOf(code, { allOf = [] }, value) {
  const groups = allOf.filter(({ contains, maxContains }) => maxContains === 1 && contains.enum.includes(code));
  return groups.flatMap(({ contains }) => contains.enum).find((other) => other !== code && value.includes(other));
}

// Tiles by code, in the order in which they are ticked.
function Several({ title, text, schema, edition, value, set }) {
  const toggle = (code) => {
    const now = value.includes(code) ? value.filter((it) => it !== code) : [...value, code];
    set(now.length ? now : undefined);
  };
  const names = Object.fromEntries(edition.tiles.map((tile) => [tile.code, tile]));
  const nameOf = (code) => names[code]?.name ?? code;
  const box = (code) => {
    const rival = rivalOf(code, schema, value);
    const full = !value.includes(code) && value.length >= schema.maxItems;
    return html`<label key=${code}><input type="checkbox" checked=${value.includes(code)} disabled=${full || Boolean(rival)} onChange=${() => toggle(code)} /> <${TilePicture} code=${code} /><span><b>${nameOf(code)}</b><small>${rival ? say("option.otherside", { tile: nameOf(rival) }) : names[code]?.text}</small></span></label>`;
  };
  return html`<details class="field several"><summary><b>${title}</b>${value.length > 0 && `: ${value.map(nameOf).join(", ")}`}</summary><small>${text}</small>
    <div>${schema.items.enum.map(box)}</div>
  </details>`;
}
