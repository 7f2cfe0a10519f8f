// The rules of the very table: what the service tells every frontend, with pictures.
import * as api from "./api.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { Trouble } from "./trouble.js";
import { say } from "./words.js";
import { SpecialPicture, rulePictures } from "../door/pictures.js";
import { casinoName } from "../table/names.js";
import { TilePicture } from "../table/pictograms.js";

// `table` is the one that is played at; without it, all tiles of the edition are told. The game comes first: the text of a
// tile is also one tap away, at the tile.
export function Rules({ edition, table = null }) {
  const [rules, setRules] = useState(null);
  const [fault, setFault] = useState(null);
  const below = useRef(null);
  useEffect(() => {
    api.rules(edition).then(setRules, setFault);
  }, [edition, document.documentElement.lang]);
  if (fault) return html`<${Trouble} fault=${fault} small />`;
  if (!rules) return html`<p class="hint">${say("app.loading")}</p>`;
  const pictures = rulePictures(edition);
  const here = new Map(table?.casinos.flatMap(({ number, tile }) => (tile ? [[tile.code, casinoName(table, number)]] : [])) ?? []);
  const laid = [...here].map(([code, where]) => ({ ...rules.tiles.find((tile) => tile.code === code), where }));
  const tiles = rules.tiles.filter(({ code }) => !here.has(code));
  return html`<div class="rule-book">
    <h3>${rules.title}</h3><${SpecialPicture} edition=${edition} />
    ${here.size > 0 && html`<p class="to-tiles"><button type="button" class="plain" onClick=${() => below.current.scrollIntoView()}>${say("rules.tileshere")}</button></p>`}
    <ol class="explanation">${rules.paragraphs.map((text, at) => html`<li key=${at} class=${pictures[at] ? "" : "bare"}>${pictures[at] && html`<span class="picture" aria-hidden="true">${pictures[at]()}</span>`}<span>${text}</span></li>`)}</ol>
    <${Options} rules=${rules} table=${table} />
    ${here.size > 0 && html`<h3 ref=${below}>${say("rules.tileshere")}</h3><${Tiles} tiles=${laid} />`}
    ${tiles.length > 0 && html`<details open=${!here.size}><summary>${say(here.size ? "rules.tilesother" : "rules.tiles")}</summary><${Tiles} tiles=${tiles} /></details>`}
  </div>`;
}

const Tiles = ({ tiles }) => html`<ul class="tile-rules">${tiles.map(({ code, name, text, where }) => html`<li key=${code}><${TilePicture} code=${code} /><span><b>${name}</b>${where && html` <small>${where}</small>`}<br />${text}</span></li>`)}</ul>`;

// Those that are switched on here, and change how it is played.
const NO_RULES = new Set(["advice"]);

function Options({ rules, table }) {
  const on = Object.entries(table?.options ?? {}).filter(([name, value]) => value === true && rules.options[name] && !NO_RULES.has(name));
  if (!on.length) return null;
  return html`<h3>${say("rules.options")}</h3><ul class="option-rules">${on.map(([name]) => html`<li key=${name}>${rules.options[name]}</li>`)}</ul>`;
}
