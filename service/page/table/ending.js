// The end: who won, what everybody has, and what to do now.
import { html, useEffect } from "../app/html.js";
import { begin } from "../replay/analysis.js";
import { follow } from "../app/router.js";
import { Share } from "../app/share.js";
import { money, say } from "../app/words.js";
import { seatName } from "./names.js";
import { SeatMark } from "./pieces.js";
import { Purse } from "./seats.js";
import { list } from "./sentences.js";

// `again` is what stands before the links.
export function Ending({ table, again }) {
  const ranked = [...table.seats].sort((one, other) => (other.total ?? 0) - (one.total ?? 0));
  const verdict = table.closed ? say(`closed.${table.closed.reason}`) : result(table);
  // The analysis takes a while; it is begun while people look at the result.
  useEffect(() => {
    if (!table.closed) begin(table.id);
  }, [table.id]);
  const mine = table.you !== null && table.winners?.includes(table.you);
  return html`<div class=${`ending ${mine ? "mine" : ""}`}>
    <p class="over">${say("end.title")}</p>
    <p class="winner">${mine ? `${say("end.won")} ` : ""}${verdict}</p>
    ${!mine && !table.closed && isSeated(table) && html`<p class="place">${say("end.place", { place: placeOf(table, table.you), players: table.seats.length })}</p>`}
    <ol class="ranking">${ranked.map((seat) => html`<li key=${seat.seat} class=${table.winners?.includes(seat.seat) ? "won" : ""}>
      <span class="rank">${table.closed ? "" : `${placeOf(table, seat.seat)}.`}</span><${SeatMark} seat=${seat.seat} /><span class="name">${seatName(table, seat.seat)}</span><b class="money">${money(seat.total)}</b><${Purse} seat=${seat} />
    </li>`)}</ol>
    <div class="then">${again}${!table.closed && html`<a class="button" href=${`/games/${table.id}?at=${table.version}`} onClick=${follow}>${say("end.analyse")}</a>`}<a class="button" href=${`/games/${table.id}?at=1`} onClick=${follow}>${say("end.replay")}</a> <${Share} address=${`${location.origin}/games/${table.id}`} label=${say("end.share")} /> <a class="button" href="/" onClick=${follow}>${say("end.home")}</a></div>
  </div>`;
}

const isSeated = ({ you }) => you !== null && you !== undefined;

// By money; a winner was better, also with as much of it.
function placeOf({ seats, winners }, mine) {
  if (winners?.includes(mine)) return 1;
  const sum = seats[mine].total ?? 0;
  return 1 + seats.filter(({ seat, total }) => winners?.includes(seat) || (total ?? 0) > sum).length;
}

function result(table) {
  const winners = table.winners ?? [];
  return say("end.result", { who: list(winners.map((seat) => seatName(table, seat))), count: winners.length, money: money(table.seats[winners[0]]?.total) });
}
