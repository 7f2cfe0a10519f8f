// A note on its way from a casino to a seat. It is decoration: nothing waits for it.

export function flyNote(value, casino, seat, ms) {
  const from = document.querySelector(`[data-casino="${casino}"] .notes`)?.getBoundingClientRect();
  const to = document.querySelector(`[data-seat="${seat}"] .wealth`)?.getBoundingClientRect();
  if (!from || !to || !to.width || !document.body.animate) return;
  const note = document.createElement("span");
  note.className = `note flying value-${value / 10000}`;
  note.setAttribute("aria-hidden", "true");
  note.append(Object.assign(document.createElement("b"), { textContent: `$${value.toLocaleString("en-US")}` }));
  document.body.append(note);
  note.style.left = `${from.left + from.width / 2 - 36}px`;
  note.style.top = `${from.top}px`;
  const [x, y] = [to.left - from.left - from.width / 2 + 36, to.top - from.top];
  const path = [{ transform: "none", opacity: 1 }, { transform: `translate(${x * 0.5}px, ${y * 0.5 - 40}px) scale(1.15)`, opacity: 1, offset: 0.5 }, { transform: `translate(${x}px, ${y}px) scale(.7)`, opacity: 0.2 }];
  note.animate(path, { duration: Math.min(600, Math.max(200, ms)), easing: "ease-out" }).finished.finally(() => note.remove());
}
