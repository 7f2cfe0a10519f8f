// Bars that lie, each with its name before and its figure behind; `even` marks what all would have alike.
import { html } from "../app/html.js";

const ROW = 30;
const LEFT = 124;
const WIDE = 460;
const BAR = 160;
const FIGURE = LEFT + BAR + 14;

export function Bars({ title, rows, even = 0, below = "", most = 0 }) {
  const top = most || Math.max(...rows.map(([, value]) => value), even, 1);
  const length = (value) => (value / top) * BAR;
  const high = rows.length * ROW + 4;
  const spoken = `${title}. ${rows.map(([name, , figure]) => `${name}: ${figure}`).join(", ")}`;
  return html`<figure class="bars"><figcaption>${title}</figcaption>
    <svg viewBox=${`0 0 ${WIDE} ${high}`} role="img" aria-label=${spoken}>
      ${rows.map(([name, value, figure], at) => html`<g key=${name} transform=${`translate(0 ${at * ROW})`}>
        <text class="name" x=${LEFT - 10} y="20">${name}</text><rect x=${LEFT} y="5" width=${Math.max(2, length(value))} height="20" rx="5" /><text x=${FIGURE} y="20">${figure}</text>
      </g>`)}
      ${even > 0 && html`<line class="even" x1=${LEFT + length(even)} x2=${LEFT + length(even)} y1="0" y2=${high} />`}
    </svg>${below && html`<p class="hint">${below}</p>`}</figure>`;
}
