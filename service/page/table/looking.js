// What is looked at before it is chosen. A preview takes room, so none comes or goes between the press of a finger and
// its click: what is below it would move away.
import { useEffect, useRef, useState } from "../app/html.js";

const RELEASED = new Set(); // who waits until nothing is pressed any more
let pressed = false;

// Captured, because the focus moves right after it. For a finger the browser sends all of these once it has left.
addEventListener("mousedown", () => (pressed = true), true);
addEventListener("mouseup", () => setTimeout(release), true);

// Whether the person plays by keyboard: then the focus is what they look at; other people have none.
let keys = false;
addEventListener("keydown", () => (keys = true), true);
addEventListener("pointerdown", () => (keys = false), true);
export const byKeys = () => keys;

function release() {
  pressed = false;
  for (const show of RELEASED) show();
}

// [what is looked at or null, a function to look at something else]; `light` is called with it as well.
export function useLooking(light) {
  const [looking, setLooking] = useState(null);
  const wanted = useRef(null);
  const show = () => {
    setLooking(wanted.current);
    light(wanted.current);
  };
  useEffect(() => {
    RELEASED.add(show);
    return () => (RELEASED.delete(show), light(null));
  }, []);
  const look = (option) => {
    wanted.current = option;
    if (!pressed) show();
  };
  return [looking, look];
}
