// A page of its own for a person with a code: who invites, to what, one field, one button.
import { html, useEffect, useState } from "../app/html.js";
import * as api from "../app/api.js";
import { Frame, showHelp } from "../app/frame.js";
import { Rules } from "../app/rules.js";
import { follow, go } from "../app/router.js";
import { Trouble } from "../app/trouble.js";
import { say } from "../app/words.js";
import { Lobby } from "../table/lobby.js";

// A private table is shown only to people who sit there or have its code, so they sit down right here.
export function Invitation({ code }) {
  const [found, setFound] = useState(null);
  const [fault, setFault] = useState(null);
  const find = () => {
    setFault(null);
    api.findByCode(code).then(setFound, (problem) => setFault(problem.status === 404 ? Object.assign(problem, { code: "unknown_code" }) : problem));
  };
  useEffect(find, [code]);
  const help = found ? html`<${Rules} edition=${found.table.edition} table=${found.table} />` : undefined;
  return html`<${Frame} title=${say("invite.title")} help=${help}>
    ${fault && html`<${Trouble} fault=${fault} again=${find} />`}
    ${!fault && !found && html`<p class="loading">${say("app.loading")}</p>`}
    ${found && html`<${Lobby} game=${{ reload: () => go(`/games/${found.id}`) }} table=${found.table} code=${code} />`}
    ${found && html`<p class="foot"><button type="button" class="plain" onClick=${showHelp}>${say("app.help")}</button> · <a href="/" onClick=${follow}>${say("end.home")}</a></p>`}
  </${Frame}>`;
}
