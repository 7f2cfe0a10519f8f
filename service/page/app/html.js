// The libraries under one name, so that a module of the page imports them from one place.
import { h, render, Fragment } from "../vendor/preact.js";
import htm from "../vendor/htm.js";

export { render, Fragment };
export { useEffect, useLayoutEffect, useMemo, useRef, useState, useId, useCallback } from "../vendor/preact-hooks.js";
export { signal, computed, effect, batch, untracked } from "../vendor/signals.js";
export const html = htm.bind(h);
