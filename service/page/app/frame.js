// Around every page: the sign, the headline of what is shown, settings, and the explanation that is always at hand.
import { effect, html, signal, useLayoutEffect, useRef } from "./html.js";
import { Explanation } from "./explanation.js";
import { confirming, guided, language, sound, speed, theme } from "./memory.js";
import { Pick } from "./pick.js";
import { follow, route } from "./router.js";
import { languages, say, speak } from "./words.js";

// Which dialog is open, for a frame that takes the place of another one when what it waited for has come.
const opened = signal(null);
effect(() => route.value && (opened.value = null));

// `title` is read aloud; a page that shows its own heading has none. `help` is what "?" shows, `menu` what one can do here
// beside the game.
export function Frame({ children, bar, menu, title, help = html`<${Explanation} />` }) {
  return html`<header class="top">
      <a class="brand" href="/" aria-label=${say("app.home")} onClick=${follow}><span aria-hidden="true">Croupier</span></a>
      <div class="headline">${bar}</div>
      <${Dialog} name="help" label=${say("app.help")} sign="?">${help}</${Dialog}>
      ${menu && html`<${Dialog} name="menu" label=${say("menu.title")} sign="⋯"><div class="menu">${menu}</div></${Dialog}>`}
      <${Dialog} name="settings" label=${say("app.settings")} sign="☰"><${Settings} /></${Dialog}>
    </header>
    <main id="main">${title && html`<h1 class="spoken">${title}</h1>`}${children}</main>`;
}

// What "?" shows, from anywhere on a page.
export const showHelp = () => document.querySelector(".top [data-opens='help']").click();

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
  return html`<button type="button" class="round-button" data-opens=${name} aria-label=${label} title=${label} onClick=${open}><span aria-hidden="true">${sign}</span></button>
    <dialog ref=${dialog} aria-label=${label} onClose=${() => (opened.value = null)} onClick=${(event) => event.target === dialog.current && close()}>
      <div class="dialog-body"><h2>${label}</h2>${opened.value === name && children}<p class="then"><button type="button" class="primary" onClick=${close}>${say("app.close")}</button></p></div>
    </dialog>`;
}

function Settings() {
  return html`<div class="settings">
    <${Pick} label=${say("app.speed")} value=${speed.value} set=${(value) => (speed.value = value)} options=${["slow", "normal", "fast", "off"].map((it) => [it, say(`speed.${it}`)])} />
    <${Pick} label=${say("app.theme")} value=${theme.value} set=${(value) => (theme.value = value)} options=${["system", "dark", "light"].map((it) => [it, say(`theme.${it}`)])} />
    <${Flag} label=${say("app.confirm")} kept=${confirming} />
    <${Flag} label=${say("app.sound")} kept=${sound} />
    <${Flag} label=${say("app.guide")} kept=${guided} />
    ${Object.keys(languages).length > 1 && html`<${Pick} label=${say("app.language")} value=${language.value || document.documentElement.lang} set=${speak} options=${Object.entries(languages)} />`}
  </div>`;
}

const Flag = ({ label, kept }) => html`<label class="pick flag"><span>${label}</span><input type="checkbox" checked=${kept.value} onChange=${(event) => (kept.value = event.target.checked)} /></label>`;
