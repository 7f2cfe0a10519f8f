// Small pictures: one for each casino number, one for each tile. Strokes only, coloured by what is around them.
import { html } from "../app/html.js";

const CASINOS = {
  1: "M12 2l2.6 5.6 6.1.7-4.5 4.2 1.2 6L12 15.500l-5.400 3 1.200-6L3.300 8.300l6.100-.7zM5 22h14",
  2: "M3 8l9-5 9 5zM5 8v11M9.500 8v11M14.500 8v11M19 8v11M3 19h18M2 22h20",
  3: "M12 22c.5-5 .3-9-.8-12M11 10C8 6 5 6 2.500 8.500M11 10c0-4-2-6-5-7M11 10c2-4 5-5 8-4M11 10c4-1 7 1 8.500 4.500M6 22h13",
  4: "M12 4a4.500 4.500 0 0 1 4.500 4.500A4.500 4.500 0 0 1 12 13a4.500 4.500 0 0 1-4.500-4.500A4.500 4.500 0 0 1 12 4zM2 18c3-4 6-4 9-1s7 3 11-2M2 22c4-3 7-3 10-1s6 2 10-1M12 1v1M4.500 8.500H3M21 8.500h-1.500",
  5: "M12 3L2 20h20zM12 3l3.500 17M7 11.500h6M4.500 16h10M17 8l4-3M18.500 11l3.500-.5",
  6: "M12 2v4M12 2l4 1.500L12 5M2 13c5-1 8-3.500 10-7 2 3.500 5 6 10 7M4 13v9M20 13v9M2 13c1 2 3 2 4 0 1 2 3 2 4 0 1 2 3 2 4 0 1 2 3 2 4 0 1 2 3 2 4 0M10 22v-4a2 2 0 0 1 4 0v4",
  bandit: "M4 5h13v17H4zM7 9h2v4H7zM9.500 9h2v4h-2zM12 9h2v4h-2zM7 17h7M17 15h3V6M20 6a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM8 5V2h5v3",
};

// By the tile's code; a tile that is not here gets a star. A picture is no rule.
const TILES = {
  A1: "M6 11V7a2 2 0 0 1 4 0V6a2 2 0 0 1 4 0v1a2 2 0 0 1 4 0v6c0 5-2 8-7 8-3 0-5-2-6-5l-2-4a1.500 1.500 0 0 1 3-1zM10 7v4M14 7v4",
  A2: "M3 6h18v12H3zM9 6v12M15 6v12M5 10h2l-1.500 4M11 10h2l-1.500 4M17 10h2l-1.500 4",
  B1: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 7v5l4 2",
  B2: "M7 20V5M7 5L3.500 9M7 5l3.500 4M17 4v15M17 19l-3.500-4M17 19l3.500-4",
  C1: "M8 12V5M11 11V3.500M14 11V4.500M17 12V6.500M8 12c-2-2-4-1-3 .8l3.500 6C10 21 12 21.500 14 21c3-.6 4-3 4-6v-3",
  C2: "M12 3c3 4 6 7 6 11a6 6 0 0 1-12 0c0-4 3-7 6-11zM9.500 12l5 5M14.500 12l-5 5",
  D1: "M4 5h16v15H4zM4 9h16M8 3v4M16 3v4M12 11v7M14 12.500c-1-1-4-.8-4 .8s4 1 4 2.600-3 1.600-4 .6",
  D2: "M13 2L5 14h6l-1 8 8-12h-6z",
  E1: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM7 10.500h10v3H7z",
  E2: "M5 9h11v6a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4zM16 10h2a2.500 2.500 0 0 1 0 5h-2M8 6c0-1.500 1.500-1.500 1.500-3M12 6c0-1.500 1.500-1.500 1.500-3M4 22h13",
  F1: "M3 10h8v8H3zM13 10h8v8h-8zM8 3h8v7H8zM6 14h2M16 14h2M11 6.500h2",
  F2: "M4 4h9v9H4zM8.500 8.500h0M15 9l6-3M15 12h6M11 16l3 5M15 15l5 4",
  G1: "M3 8l9-4 9 4-9 4zM3 8v9l9 4 9-4V8M12 12v9",
  G2: "M4 3h10v10H4zM10 11h10v10H10zM15 13.500v5M12.500 16h5",
  H1: "M4 4h16v16H4zM8.500 8.500h.01M15.500 15.500h.01M15.500 8.500h.01M8.500 15.500h.01M12 12h.01",
  H2: "M12 3l2.500 5.500 6 .6-4.500 4 1.300 5.900L12 16l-5.300 3 1.300-5.900-4.500-4 6-.6z",
};
const STAR = TILES.H2;

const Strokes = ({ path, kind }) => html`<svg class=${`pictogram ${kind}`} viewBox="0 0 24 24" aria-hidden="true"><path d=${path} /></svg>`;

export const CasinoPicture = ({ number }) => html`<${Strokes} path=${CASINOS[number] ?? STAR} kind="of-casino" />`;
export const TilePicture = ({ code }) => html`<${Strokes} path=${TILES[code] ?? STAR} kind="of-tile" />`;
