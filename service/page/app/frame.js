// Around every page: the sign, the headline of what is shown, settings, and the explanation that is always at hand.
import { effect, html, signal, useLayoutEffect, useRef } from "./html.js";
import { Explanation } from "./explanation.js";
import { language, speed, theme } from "./memory.js";
import { Pick } from "./pick.js";
import { follow, route } from "./router.js";
import { languages, say, speak } from "./words.js";

// Which dialog is open, for a frame that takes the place of another one when what it waited for has come.
const opened = signal(null);
effect(() => route.value && (opened.value = null));

// `title` is for who cannot see what page this is; one that shows its own heading has none.
export function Frame({ children, bar, menu, title }) {
  return html`<header class="top">
      <a class="brand" href="/" aria-label=${say("app.home")} onClick=${follow}><span aria-hidden="true">Croupier</span></a>
      <div class="headline">${bar}</div>
      <${Dialog} name="help" label=${say("app.help")} sign="?"><${Explanation} /></${Dialog}>
      <${Dialog} name="settings" label=${say("app.settings")} sign="☰"><div class="menu">${menu}</div><${Settings} /></${Dialog}>
    </header>
    <main id="main">${title && html`<h1 class="spoken">${title}</h1>`}${children}</main>`;
}

function Dialog({ name, label, sign, children }) {
  const dialog = useRef(null);
  const open = () => {
    opened.value = name;
    dialog.current.showModal();
  };
  const close = () => dialog.current.close();
  useLayoutEffect(() => {
    if (opened.value === name) open();
  }, []);
  return html`<button type="button" class="round-button" aria-label=${label} title=${label} onClick=${open}><span aria-hidden="true">${sign}</span></button>
    <dialog ref=${dialog} aria-label=${label} onClose=${() => (opened.value = null)} onClick=${(event) => event.target === dialog.current && close()}>
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
