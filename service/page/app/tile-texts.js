// What the service tells of the tiles of an edition: what each does in a few words (`gist`), and what the spaces of its
// counter pay (`track`).
import * as api from "./api.js";
import { signal, useEffect } from "./html.js";

// {code: text} of what was asked for so far; the log names tiles that no longer lie on the board.
export const tileTexts = signal({});

// Has the texts at hand for a table with tiles, and returns them: {} until the service has answered. When a game is over
// no tile lies any more, but its log is full of them.
export function useTileTexts(table) {
  const edition = table?.status === "over" || table?.casinos.some(({ tile }) => tile) ? table.edition : null;
  useEffect(() => {
    if (edition) api.rules(edition).then(({ tiles }) => (tileTexts.value = Object.fromEntries(tiles.map((tile) => [tile.code, tile]))), () => {});
  }, [edition, document.documentElement.lang]);
  return tileTexts.value;
}
