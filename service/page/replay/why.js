// Why each note went where it went, told from the facts of a payout.
import { html, useEffect, useMemo, useRef } from "../app/html.js";
import { money, say } from "../app/words.js";
import { casinoName, ownerName } from "../table/names.js";
import { Note, NumberDie, OwnerMark } from "../table/pieces.js";
import { list } from "../table/sentences.js";
import { payments } from "./moments.js";

// `verdict` is who has won, where the game ended with this payout.
export function Why({ commits, version, table, payout, verdict, now }) {
  const paid = useMemo(() => (payout ? payments(commits, version) : []), [commits, version, payout]);
  const box = useRef(null);
  // On a phone the box is low and scrolls: the casino that is being paid is kept in sight.
  useEffect(() => {
    const line = box.current?.querySelector("li.now");
    if (line) box.current.scrollTop = line.offsetTop - box.current.offsetTop;
  }, [now]);
  if (!paid.length) return null;
  return html`<section ref=${box} class="why panel" aria-label=${say("why.title")}>
    ${verdict && !now ? html`<h2 class="won">${verdict}</h2>` : html`<h2>${say("why.title")}</h2>`}
    <ol>${paid.map(({ casino, lines }) => html`<li key=${casino} class=${String(now) === casino ? "now" : ""}>
      <h3>${casino === "bandit" ? null : html`<${NumberDie} face=${Number(casino)} />`}${casinoName(table, casino)}</h3>
      <ul>${lines.map((line, at) => html`<${Line} key=${at} table=${table} line=${line} place=${placeOf(lines, line)} />`)}</ul>
    </li>`)}</ol>
  </section>`;
}

const won = ({ kind }) => kind === "wins" || kind === "imaginary";
const placeOf = (lines, line) => lines.filter(won).indexOf(line) + 1;

function Line({ table, line, place }) {
  const owners = line.owners?.map(({ owner }) => owner) ?? (line.owner ? [line.owner] : []);
  return html`<li class=${`why-${line.kind}`}>
    ${owners.map((owner) => html`<${OwnerMark} key=${owner} owner=${owner} />`)}
    <span>${words(table, line, place)}</span>
    ${won(line) && line.notes.map((note, at) => html`<${Note} key=${at} value=${note} />`)}
  </li>`;
}

function words(table, line, place) {
  const sum = list((line.notes ?? []).map(money));
  if (line.kind === "left") return say("why.left", { money: sum });
  if (line.kind === "tied") return tiedWords(table, line.owners);
  return say(`why.${line.kind}`, { who: ownerName(table, line.owner), weight: line.weight, money: sum, place });
}

// Those with as many dice as each other are named together.
function tiedWords(table, owners) {
  const weights = [...new Set(owners.map(({ weight }) => weight))];
  return weights
    .map((weight) => {
      const alike = owners.filter((one) => one.weight === weight).map(({ owner }) => ownerName(table, owner));
      return say("why.tied", { who: list(alike), weight });
    })
    .join(" ");
}
