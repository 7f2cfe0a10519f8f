// Lines over rounds or versions, drawn by hand: one a seat, in its colour, ended by its mark.
import { html, useMemo } from "../app/html.js";
import { money, say, thousands } from "../app/words.js";
import { seatName } from "../table/names.js";
import { SeatMark } from "../table/pieces.js";
import { fortunes } from "./moments.js";

const WIDE = 600;
const HIGH = 240;
const LEFT = 78;
const RIGHT = 58;
const EDGE = 18;
const FOOT = 30;

export function MoneyPlot({ commits, table }) {
  const rows = useMemo(() => fortunes(commits), [commits]);
  if (rows.length < 2) return null;
  const lines = table.seats.map(({ seat }) => ({ seat, points: rows.map((row, round) => [round, row[seat]]) }));
  return html`<${Plot} title=${say("plot.money")} table=${table} lines=${lines} show=${money} brief=${rounded} across=${(round) => (round ? say("plot.round", { round }) : say("plot.start"))} />`;
}

// `lines` are [{seat, points: [[x, y], …]}]; `end` is how far they will go, if not to their last points.
export function Plot({ title, table, lines, show, brief, across, most, end }) {
  const all = lines.flatMap(({ points }) => points);
  const last = end ?? Math.max(...all.map(([x]) => x), 1);
  const top = most ?? niceTop(Math.max(...all.map(([, y]) => y), 1));
  const first = Math.min(...all.map(([x]) => x));
  const at = { x: (x) => LEFT + ((x - first) / (last - first || 1)) * (WIDE - LEFT - RIGHT), y: (y) => EDGE + (1 - y / top) * (HIGH - EDGE - FOOT) };
  const marks = spread(lines, at);
  const dotted = lines.every(({ points }) => points.length < MOST_DOTS);
  return html`<figure class="plot panel">
    <figcaption>${title}</figcaption>
    <svg viewBox=${`0 0 ${WIDE} ${HIGH}`} role="img" aria-label=${spoken(title, table, lines, show)}>
      ${[0, 0.5, 1].map((part) => html`<g key=${part} class="grid"><line x1=${LEFT} x2=${WIDE - RIGHT} y1=${at.y(top * part)} y2=${at.y(top * part)} /><text x=${LEFT - 8} y=${at.y(top * part) + 5}>${brief(top * part)}</text></g>`)}
      ${ticks(first, last).map((x) => html`<text key=${x} class="across" x=${at.x(x)} y=${HIGH - 8}>${across(x)}</text>`)}
      ${lines.map((line) => html`<${Line} key=${line.seat} line=${line} at=${at} mark=${marks[line.seat]} dotted=${dotted} />`)}
    </svg>
    <ul class="legend">${lines.map(({ seat, points }) => html`<li key=${seat} class=${`of-seat seat-${seat}`}><${SeatMark} seat=${seat} />${seatName(table, seat)} <b>${show(points.at(-1)[1])}</b></li>`)}</ul>
  </figure>`;
}

const spoken = (title, table, lines, show) => `${title}. ${lines.map(({ seat, points }) => `${seatName(table, seat)}: ${points.map(([, y]) => show(y)).join(", ")}`).join(". ")}`;

function Line({ line: { seat, points }, at, mark, dotted }) {
  const path = points.map(([x, y]) => `${at.x(x).toFixed(1)},${at.y(y).toFixed(1)}`).join(" ");
  const [x] = points.at(-1);
  return html`<g class=${`line of-seat seat-${seat}`}>
    <polyline points=${path} />
    ${dotted && points.map(([px, py]) => html`<circle key=${px} cx=${at.x(px)} cy=${at.y(py)} r="3.5" />`)}
    <g transform=${`translate(${at.x(x) + 10} ${mark - MARK / 2})`}><${SeatMark} seat=${seat} size=${MARK} /></g>
  </g>`;
}

const MARK = 28; // as high as a mark is drawn
const MOST_DOTS = 12;

// Marks at the end of lines that end alike stand below each other, and all of them above the foot.
function spread(lines, at) {
  const ends = lines.map(({ seat, points }) => ({ seat, y: at.y(points.at(-1)[1]) })).sort((one, other) => one.y - other.y);
  ends.forEach((end, place) => (end.y = Math.max(end.y, (ends[place - 1]?.y ?? -MARK / 2) + MARK)));
  ends.toReversed().forEach((end, place) => (end.y = Math.min(end.y, HIGH - FOOT - 6 - place * MARK)));
  return Object.fromEntries(ends.map(({ seat, y }) => [seat, y]));
}

const rounded = (amount) => thousands(Math.round(amount / 1000) * 1000);

const ticks = (first, last) => (last - first < 8 ? Array.from({ length: last - first + 1 }, (_, at) => first + at) : [first, Math.round((first + last) / 2), last]);

function niceTop(most) {
  const unit = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 3, 4, 5, 6, 8, 10].map((times) => times * unit).find((top) => top >= most);
}
