// Tabs for code in several languages, buttons that copy it, and the theme that was chosen on the page.
const LANGUAGE = "croupier.guide-language";

function recall(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

function remember(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Private windows may keep nothing.
  }
}

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

async function copy(button, code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  } catch {
    // Without TLS a browser has no clipboard for us: select the text, so that one key copies it.
    getSelection().selectAllChildren(code);
    button.textContent = "Selected";
  }
  setTimeout(() => (button.textContent = "Copy"), 2000);
}

function addCopyButton(figure) {
  const button = make("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", () => copy(button, figure.querySelector("code")));
  figure.append(button);
}

const groups = [];

function makeTabs(group, number) {
  const figures = [...group.querySelectorAll("figure")];
  const list = make("div", { role: "tablist", "aria-label": "Language" });
  const tabs = figures.map((figure, at) => {
    const id = `tab-${number}-${at}`;
    const tab = make("button", { type: "button", role: "tab", id, "aria-controls": `${id}-code` }, figure.dataset.label);
    figure.id = `${id}-code`;
    figure.setAttribute("role", "tabpanel");
    figure.setAttribute("aria-labelledby", id);
    tab.addEventListener("click", () => choose(figure.dataset.label, tab));
    return tab;
  });
  list.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    const at = tabs.indexOf(document.activeElement);
    const next = step && tabs[(at + step + tabs.length) % tabs.length];
    if (next) choose(next.textContent, next);
    next?.focus();
  });
  list.append(...tabs);
  group.prepend(list);
  group.classList.add("tabbed");
  groups.push({ tabs, figures });
}

function show(label) {
  for (const { tabs, figures } of groups) {
    const wanted = figures.findIndex((figure) => figure.dataset.label === label);
    figures.forEach((figure, at) => {
      const chosen = at === Math.max(wanted, 0);
      figure.hidden = !chosen;
      tabs[at].setAttribute("aria-selected", chosen);
      tabs[at].tabIndex = chosen ? 0 : -1;
    });
  }
}

// All groups change with one click; the one that was clicked stays where it is on the screen.
function choose(label, tab) {
  const before = tab.getBoundingClientRect().top;
  show(label);
  scrollBy(0, tab.getBoundingClientRect().top - before);
  remember(LANGUAGE, label);
}

document.documentElement.dataset.theme = recall("croupier.theme") ?? "system";
document.querySelectorAll("figure").forEach(addCopyButton);
document.querySelectorAll(".code-group").forEach(makeTabs);
show(recall(LANGUAGE) ?? "curl");
if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
