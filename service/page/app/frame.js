// Around every page: the sign, the headline of what is shown, settings, and the explanation that is always at hand.
import { html, useRef } from "./html.js";
import { Explanation } from "./explanation.js";
import { language, speed, theme } from "./memory.js";
import { follow } from "./router.js";
import { languages, say, speak } from "./words.js";

export function Frame({ children, bar, menu }) {
  return html`<header class="top">
      <a class="brand" href="/" aria-label=${say("app.home")} onClick=${follow}><span aria-hidden="true">Croupier</span></a>
      <div class="headline">${bar}</div>
      <${Dialog} label=${say("app.help")} sign="?"><${Explanation} /></${Dialog}>
      <${Dialog} label=${say("app.settings")} sign="☰"><div class="menu">${menu}</div><${Settings} /></${Dialog}>
    </header>
    <main id="main">${children}</main>`;
}

export function Dialog({ label, sign, children }) {
  const dialog = useRef(null);
  const close = () => dialog.current.close();
  return html`<button type="button" class="round-button" aria-label=${label} title=${label} onClick=${() => dialog.current.showModal()}><span aria-hidden="true">${sign}</span></button>
    <dialog ref=${dialog} aria-label=${label} onClick=${(event) => event.target === dialog.current && close()}>
      <div class="dialog-body"><h2>${label}</h2>${children}<p class="then"><button type="button" class="primary" onClick=${close}>${say("app.close")}</button></p></div>
    </dialog>`;
}

function Settings() {
  return html`<div class="settings">
    <${Pick} label=${say("app.speed")} value=${speed.value} set=${(value) => (speed.value = value)} options=${["slow", "normal", "fast", "off"].map((it) => [it, say(`speed.${it}`)])} />
    <${Pick} label=${say("app.theme")} value=${theme.value} set=${(value) => (theme.value = value)} options=${["system", "dark", "light"].map((it) => [it, say(`theme.${it}`)])} />
    ${Object.keys(languages).length > 1 && html`<${Pick} label=${say("app.language")} value=${language.value || document.documentElement.lang} set=${speak} options=${Object.entries(languages)} />`}
  </div>`;
}

function Pick({ label, value, set, options }) {
  return html`<label>${label} <select value=${value} onChange=${(event) => set(event.target.value)}>
    ${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
  </select></label>`;
}
