// The Strip at night, or at noon: towers, a pyramid, a wheel, and their lights.
import { html } from "../app/html.js";

const LIGHTS = Array.from({ length: 90 }, (_, at) => [((at * 137) % 1180) + 10, 178 - ((at * 53) % 96)]);

export const Skyline = () => html`<svg class="skyline" viewBox="0 0 1200 200" preserveAspectRatio="xMidYMax slice" aria-hidden="true">
  <g class="far"><path d="M0 200V130h60V96h50v60h40V70h36v86h60v-34h50v78h40V90h22V54h10v36h22v110h70V118h80v82h50V84h60v116h60v-70h44v70h30V60h40v140h60v-92h60v92h40v-60h70v60h60V92h70v108z" /></g>
  <g class="near"><path d="M0 200v-40h90v-30h60v70zM210 200l90-104 90 104zM420 200v-84h70v84zM520 200V92h14V70h8v22h14v108zM600 200v-60c20-34 80-34 100 0v60zM740 200v-96h80v96zM960 200l30-70 30 40 30-60 40 90zM1110 200v-72h90v72z" /></g>
  <g class="wheel"><circle cx="890" cy="132" r="58" /><circle cx="890" cy="132" r="8" /><path d="M890 74v116M832 132h116M849 91l82 82M931 91l-82 82M890 132l-34 68M890 132l34 68" /></g>
  <g class="lights">${LIGHTS.map(([x, y], at) => html`<rect key=${at} class=${`light light-${at % 5}`} x=${x} y=${y} width="4" height="4" rx="1" />`)}</g>
</svg>`;
