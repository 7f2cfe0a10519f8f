// What takes rules, from the service: who would win what, what a tile shows, how players are called.
import * as api from "../app/api.js";
import { useEffect, useState } from "../app/html.js";
import { tokenFor } from "../app/memory.js";

// Whoever drags the slider passes many versions; only where it rests the service is asked.
const REST = 120;
const MOST = 300;

export function useServed(id, version) {
  const [tables] = useState(() => new Map());
  const [served, setServed] = useState(null);
  useEffect(() => {
    if (!id || version === null) return undefined;
    if (tables.has(version)) {
      setServed(tables.get(version));
      return undefined;
    }
    const timer = setTimeout(() => fetchTable(id, version, tables).then(setServed, () => {}), REST);
    return () => clearTimeout(timer);
  }, [id, version]);
  return served?.version === version ? served : keepNames(served);
}

async function fetchTable(id, version, tables) {
  const table = await api.table(id, tokenFor(id), version);
  if (tables.size > MOST) tables.clear();
  tables.set(version, table);
  return table;
}

// Of another version only names are good.
const keepNames = (served) => served && { seats: served.seats.map(({ seat, name }) => ({ seat, name })), casinos: [] };

// `stands` is whether what would be won is still to be won.
export function withServed(table, served, stands = true) {
  if (!served) return table;
  const casinos = table.casinos.map((casino) => {
    const known = served.casinos.find(({ number }) => number === casino.number);
    return known ? { ...casino, standing: stands ? known.standing : casino.standing, tile: known.tile } : casino;
  });
  const seats = table.seats.map((seat) => withSeat(seat, served.seats[seat.seat]));
  return { ...table, casinos, seats };
}

const withSeat = (seat, known) => ({ ...seat, name: known?.name ?? seat.name, ...(known?.out === undefined ? {} : { out: known.out }) });

