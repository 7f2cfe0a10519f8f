// Notes and dice on their way. It is decoration: nothing waits for it.

const LONGEST = 600;

function fly(element, from, to, ms) {
  document.body.append(element);
  element.style.left = `${from.left}px`;
  element.style.top = `${from.top}px`;
  const x = to.left - from.left;
  const y = to.top - from.top;
  const path = [{ transform: "none", opacity: 1 }, { transform: `translate(${x * 0.5}px, ${y * 0.5 - 40}px) scale(1.15) rotate(20deg)`, opacity: 1, offset: 0.5 }, { transform: `translate(${x}px, ${y}px) scale(.7)`, opacity: 0.2 }];
  element.animate(path, { duration: Math.min(LONGEST, Math.max(200, ms)), easing: "ease-out" }).finished.finally(() => element.remove());
}

const isThere = (box) => Boolean(box?.width) && Boolean(document.body.animate);

// From a casino to a seat.
export function flyNote(value, casino, seat, ms) {
  const from = document.querySelector(`[data-casino="${casino}"] .notes`)?.getBoundingClientRect();
  const to = document.querySelector(`[data-seat="${seat}"] .wealth`)?.getBoundingClientRect();
  if (!isThere(from) || !isThere(to)) return;
  const note = document.createElement("span");
  note.className = `note small flying value-${value / 10000}`;
  note.setAttribute("aria-hidden", "true");
  note.append(Object.assign(document.createElement("b"), { textContent: `$${value.toLocaleString("en-US")}` }));
  fly(note, from, to, ms);
}

// From the tray to a casino: the very dice that were rolled, as far as they are to be seen there.
export function flyDice(face, count, casino, ms) {
  const to = document.querySelector(`[data-casino="${casino}"] .standings`)?.getBoundingClientRect();
  if (!isThere(to)) return;
  for (const die of [...document.querySelectorAll(`.tray .die[data-face="${face}"]`)].slice(0, count)) {
    const from = die.getBoundingClientRect();
    if (!isThere(from)) continue;
    const copy = die.cloneNode(true);
    copy.classList.add("flying");
    fly(copy, from, to, ms);
  }
}
