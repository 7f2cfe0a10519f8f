// Keeps the page for "no connection" ready, where the browser lets a page do so.
const WORKER = new URL("../phone/worker.js", import.meta.url).href;

export function keepOfflinePage() {
  if (!navigator.serviceWorker) return;
  const policy = window.trustedTypes?.createPolicy("croupier-worker", { createScriptURL: () => WORKER });
  navigator.serviceWorker.register(policy ? policy.createScriptURL("") : WORKER, { scope: "/" }).catch(() => {});
}
