// Hands an address to somebody else: by the share sheet of a phone, or copied.
import { html, useState } from "./html.js";
import { say } from "./words.js";

export function Share({ address, label, main = false }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(address);
    setDone(true);
    setTimeout(() => setDone(false), 2000);
  };
  // A person who closes the share sheet has changed their mind; nothing went wrong.
  const share = () => (navigator.share ? navigator.share({ title: "Croupier", url: address }).catch(() => {}) : copy());
  return html`<button type="button" class=${main ? "primary" : ""} onClick=${share}><span class="either-word"><span hidden=${done}>${label}</span><span hidden=${!done}>${say("menu.copied")}</span></span></button>`;
}
