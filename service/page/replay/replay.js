// A game as it was: any version of it, by link or from a file. Shows tables with the components of ../table.
import { FilePicker } from "../app/drop-zone.js";
import { Frame } from "../app/frame.js";
import { html, useEffect, useState } from "../app/html.js";
import { Trouble } from "../app/trouble.js";
import { say } from "../app/words.js";
import { Refused } from "../proof/refused.js";
import { Badge, faultWords } from "./badge.js";
import { Player } from "./player.js";
import { check, fetchLog, learnNames } from "./source.js";

// By link: the log comes from the service and is checked here.
export function Replay({ id, at, analysis }) {
  const [log, setLog] = useState(null);
  const [verdict, setVerdict] = useState(undefined);
  const [fault, setFault] = useState(null);
  const load = () => {
    setFault(null);
    Promise.all([fetchLog(id), learnNames()]).then(([found]) => setLog(found), setFault);
  };
  useEffect(load, [id]);
  useEffect(() => {
    if (log) check(log).then(setVerdict, setFault);
  }, [log]);
  if (fault instanceof Refused) return html`<${Rejected} name=${id} fault=${fault} />`;
  if (fault) return html`<${Frame} title=${say("replay.title")}><${Trouble} fault=${fault} again=${load} /></${Frame}>`;
  if (verdict === undefined) return html`<${Frame} title=${say("replay.title")}><p class="loading">${say("app.loading")}</p></${Frame}>`;
  if (verdict?.ok === false) return html`<${Rejected} name=${id} fault=${verdict.fault} />`;
  return html`<${Player} id=${id} at=${at} analysis=${analysis} commits=${log.commits} badge=${html`<${Badge} verdict=${verdict} id=${id} />`} />`;
}

// From a file: no service is asked for anything before it is played on.
export function FileReplay({ file }) {
  const fault = file.fault ?? (file.verdict?.ok === false ? file.verdict.fault : null);
  if (fault) return html`<${Rejected} name=${file.name} fault=${fault} />`;
  return html`<${Player} commits=${file.log.commits} read=${file.read} badge=${html`<${Badge} verdict=${file.verdict} name=${file.name} />`} />`;
}

// Nobody has changed a game here: it never was one.
const wasNone = ({ what, values, version }) => ["no_text", "empty"].includes(what) || (what === "no_json" && (values.line ?? 1) === 1) || (what === "no_commit" && version === 1) || (what === "order" && version === 1 && values.found === "null");

// What does not hold is not shown: a table laid out from it would be a lie.
function Rejected({ name, fault }) {
  const [none, place] = [wasNone(fault), fault.version ?? null];
  return html`<${Frame}>
    <section class="panel rejected" role="alert">
      <h1>${say(none ? "proof.none" : "proof.rejected")}</h1>
      <p class="file">${name}</p>
      ${place !== null && !none && html`<p class="place">${say("proof.place", { version: place })}</p>`}
      <p>${faultWords(fault)}</p>
      <p class="hint">${say(none ? "proof.nonehint" : "proof.rejectedhint")}</p>
      <p class="then"><${FilePicker} /></p>
    </section>
  </${Frame}>`;
}
