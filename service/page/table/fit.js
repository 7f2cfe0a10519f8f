// The tray keeps its height, and every answer is in sight: what does not fit is set closer, step by step.
import { useEffect, useLayoutEffect } from "../app/html.js";

const CLOSEST = 4;

// Sets `data-fit` of the element: 0 has room for everything, and each number above leaves out more (see table.css).
function fit(element, from = 0) {
  const tray = element.closest(".tray");
  for (let level = from; level <= CLOSEST; level++) {
    element.dataset.fit = level;
    if (tray.scrollHeight <= tray.clientHeight + 1) return;
  }
}

// Fits what `ref` holds: anew whenever one of `parts` changes, the tray gets another size, or a font has come, and closer
// after everything else that makes it longer.
export function useFit(ref, parts) {
  useLayoutEffect(() => fit(ref.current), parts);
  useLayoutEffect(() => fit(ref.current, Number(ref.current.dataset.fit)));
  useEffect(() => {
    const again = () => ref.current && fit(ref.current);
    const watch = new ResizeObserver(again);
    watch.observe(ref.current.closest(".tray"));
    document.fonts.ready.then(again);
    return () => watch.disconnect();
  }, []);
}
