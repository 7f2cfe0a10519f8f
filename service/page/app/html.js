// The libraries under one name, so that a module of the page imports them from one place.
import { h, render, Fragment } from "../vendor/preact.js";
import htm from "../vendor/htm.js";

// Chromium (seen in 156) does not style again what is below an element whose class changes as `moveBefore` moves it: rows
// of a list that is put into another order would look as they did before. Without it preact moves by `insertBefore`.
delete Element.prototype.moveBefore;

export { render, Fragment };
export { useEffect, useLayoutEffect, useMemo, useRef, useState, useId, useCallback } from "../vendor/preact-hooks.js";
export { signal, computed, effect, batch, untracked } from "../vendor/signals.js";
export const html = htm.bind(h);
