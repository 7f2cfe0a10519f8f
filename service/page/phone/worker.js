// Shows a page of its own when an address of the service is opened without a connection. It answers nothing else, so the
// page that people play on is always the newest one.
const KEPT = "croupier-offline";
const FILES = ["offline.html", "../style/base.css"].map((name) => new URL(name, self.location).href);

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.mode === "navigate") event.respondWith(fetch(request).catch(() => caches.match(FILES[0])));
  // The page stands in for any address, so its style is asked for in the folder of that address.
  else if (request.url.endsWith("/style/base.css")) event.respondWith(fetch(request).catch(() => caches.match(FILES[1])));
});
