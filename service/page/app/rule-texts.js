// What the service tells of the edition that is played: what each option changes, what each tile does in a few words
// (`gist`), and what the spaces of its counter pay (`track`).
import * as api from "./api.js";
import { signal, useEffect } from "./html.js";

// {tiles: {code: text}, options: {name: text}} of the edition that was asked for last.
export const ruleTexts = signal({ tiles: {}, options: {} });

// Has the texts at hand for a table, and returns them: empty until the service has answered. A log still names tiles that
// no longer lie on the board.
export function useRuleTexts(table) {
  const edition = table?.edition ?? null;
  useEffect(() => {
    const keep = ({ tiles, options }) => (ruleTexts.value = { tiles: Object.fromEntries(tiles.map((tile) => [tile.code, tile])), options });
    if (edition) api.rules(edition).then(keep, () => {});
  }, [edition, document.documentElement.lang]);
  return ruleTexts.value;
}
