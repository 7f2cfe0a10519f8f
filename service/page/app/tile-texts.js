// What the service tells of the tiles of an edition: what each does in a few words (`gist`), and what the spaces of its
// counter pay (`track`).
import * as api from "./api.js";
import { useEffect, useState } from "./html.js";

// {code: text}; {} at a table without tiles, and until the service has answered.
export function useTileTexts(table) {
  const [texts, setTexts] = useState({});
  const edition = table?.casinos.some(({ tile }) => tile) ? table.edition : null;
  useEffect(() => {
    if (edition) api.rules(edition).then(({ tiles }) => setTexts(Object.fromEntries(tiles.map((tile) => [tile.code, tile]))), () => {});
  }, [edition, document.documentElement.lang]);
  return texts;
}
