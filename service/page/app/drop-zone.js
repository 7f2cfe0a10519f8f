// Files are caught wherever they are dropped: a browser would leave the page and show them itself.
import { html, useEffect, useState } from "./html.js";
import { say } from "./words.js";

const drops = () => import("../replay/drop.js");
const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

export function DropZone() {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const hover = (event) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event) => event.relatedTarget === null && setOver(false);
    const drop = async (event) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const [file] = event.dataTransfer.files;
      if (file) (await drops()).openFile(file);
    };
    const told = { dragover: hover, dragleave: leave, drop };
    for (const [name, act] of Object.entries(told)) addEventListener(name, act);
    return () => Object.entries(told).forEach(([name, act]) => removeEventListener(name, act));
  }, []);
  return over ? html`<div class="drop-zone" aria-hidden="true"><p>${say("drop.here")}</p></div>` : null;
}

// For keyboards and phones, which drop nothing.
const KINDS = ".ndjson,.jsonl,.json,application/x-ndjson,application/json";

async function pick({ target }) {
  const [file] = target.files;
  if (file) (await drops()).openFile(file);
}

export const FilePicker = () => html`<label class="file-picker button">${say("drop.pick")}<input type="file" accept=${KINDS} onChange=${pick} /></label>`;

// Once the page stands the rest is fetched: from then on files are replayed even if the service goes away.
export async function prepare() {
  const { learnNames } = await import("../replay/source.js");
  await Promise.all([drops(), import("../replay/replay.js"), learnNames()]);
  document.documentElement.dataset.files = "ready";
}
