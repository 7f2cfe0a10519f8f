// What the tiles of an edition do, in a few words, as the service tells it.
import * as api from "./api.js";
import { useEffect, useState } from "./html.js";

// {code: words}; {} at a table without tiles, and until the service has answered.
export function useGists(table) {
  const [gists, setGists] = useState({});
  const edition = table?.casinos.some(({ tile }) => tile) ? table.edition : null;
  useEffect(() => {
    if (edition) api.rules(edition).then(({ tiles }) => setGists(Object.fromEntries(tiles.map(({ code, gist }) => [code, gist]))), () => {});
  }, [edition, document.documentElement.lang]);
  return gists;
}
