// One control for one property of a JSON Schema, whichever it is.
import { html } from "../app/html.js";
import { knows, say } from "../app/words.js";

export function Field({ name, schema, edition, seats, value, set }) {
  const title = knows(`option.${name}`) ? say(`option.${name}`) : schema.title;
  const types = [schema.type].flat();
  const Kind = types.includes("boolean") ? Flag : types.includes("array") ? Several : schema.enum ? OneOf : schema["x-seat"] ? SeatNumber : types.includes("integer") ? Whole : Plain;
  return html`<${Kind} title=${title} text=${schema.description} name=${name} schema=${schema} edition=${edition} seats=${seats} value=${value ?? schema.default} set=${set} />`;
}

const Flag = ({ title, text, value, set }) => html`<label class="field flag"><input type="checkbox" checked=${value} onChange=${(event) => set(event.target.checked || undefined)} /> <span><b>${title}</b><small>${text}</small></span></label>`;

const Whole = ({ title, text, schema, value, set }) => html`<label class="field"><span><b>${title}</b><small>${text}</small></span><input type="number" min=${schema.minimum} max=${schema.maximum} value=${value} onInput=${(event) => set(event.target.value === "" ? undefined : Number(event.target.value))} /></label>`;

const Plain = ({ title, text, value, set }) => html`<label class="field"><span><b>${title}</b><small>${text}</small></span><input value=${value ?? ""} onInput=${(event) => set(event.target.value || undefined)} /></label>`;

const OneOf = ({ title, text, schema, value, set }) => html`<label class="field"><span><b>${title}</b><small>${text}</small></span><select value=${value} onChange=${(event) => set(event.target.value === schema.default ? undefined : event.target.value)}>
  ${schema.enum.map((it) => html`<option key=${it} value=${it} selected=${it === value}>${it}</option>`)}
</select></label>`;

const SeatNumber = ({ title, text, seats, value, set }) => html`<label class="field"><span><b>${title}</b><small>${text}</small></span><select onChange=${(event) => set(event.target.value === "" ? undefined : Number(event.target.value))}>
  <option value="" selected=${value === null}>${say("door.bychance")}</option>
  ${Array.from({ length: seats }, (_, at) => html`<option key=${at} value=${at} selected=${at === value}>${say("door.seat", { number: at + 1 })}</option>`)}
</select></label>`;

// Tiles by code, in the order in which they are ticked.
function Several({ title, text, schema, edition, value, set }) {
  const toggle = (code) => {
    const now = value.includes(code) ? value.filter((it) => it !== code) : [...value, code];
    set(now.length ? now : undefined);
  };
  const names = Object.fromEntries(edition.tiles.map((tile) => [tile.code, tile]));
  return html`<details class="field several"><summary><b>${title}</b> ${value.join(", ")}</summary><small>${text}</small>
    <div>${schema.items.enum.map((code) => html`<label key=${code} title=${names[code]?.text}><input type="checkbox" checked=${value.includes(code)} disabled=${!value.includes(code) && value.length >= schema.maxItems} onChange=${() => toggle(code)} /> ${names[code]?.name ?? code}</label>`)}</div>
  </details>`;
}
