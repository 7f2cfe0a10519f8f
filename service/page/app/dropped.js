// What was dropped on the page: {name, log, verdict, read}, or {name, fault} for what is no game. It is shown instead of the
// page that the address asks for, until another is asked for.
import { effect, signal } from "./html.js";
import { route } from "./router.js";

export const dropped = signal(null);

effect(() => {
  if (route.value) dropped.value = null;
});
