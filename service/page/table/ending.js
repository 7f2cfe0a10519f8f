// The end: who won, what everybody has, how luck and choices counted, and what to do now.
import { html } from "../app/html.js";
import { follow } from "../app/router.js";
import { Share } from "../app/share.js";
import { money, say } from "../app/words.js";
import { LuckTable, Progress, luckWords, useAnalysis } from "./luck.js";
import { seatName } from "./names.js";
import { SeatMark } from "./pieces.js";
import { Purse } from "./seats.js";
import { list } from "./sentences.js";

// `again` is what stands before the links.
export function Ending({ table, again }) {
  const ranked = [...table.seats].sort((one, other) => (one.place ?? 0) - (other.place ?? 0) || other.total - one.total);
  const verdict = table.closed ? say(`closed.${table.closed.reason}`) : result(table);
  const mine = table.you !== null && table.winners?.includes(table.you);
  return html`<div class=${`ending ${mine ? "mine" : ""}`}>
    ${mine && html`<${Confetti} />`}
    <p class="spoken">${say("end.title")}</p>
    ${!table.closed && html`<p class="crowned" aria-hidden="true">${table.winners.map((seat) => html`<span key=${seat}><${Crown} /><${SeatMark} seat=${seat} /></span>`)}</p>`}
    <p class="winner">${mine && table.winners.length === 1 ? say("end.won", { money: money(table.seats[table.you].total) }) : verdict}</p>
    ${!mine && !table.closed && isSeated(table) && html`<p class="place">${placeWords(table)}</p>`}
    <section class="ranked" aria-label=${say("table.players")}><ol class="ranking">${ranked.map((seat) => html`<li key=${seat.seat} class=${table.winners?.includes(seat.seat) ? "won" : ""}>
      <span class="rank">${table.closed ? "" : `${seat.place}.`}</span><${SeatMark} seat=${seat.seat} /><span class="name">${seatName(table, seat.seat)} ${tagOf(table, seat)}${isAhead(table, seat) && html` <small>${say("end.ahead", { chips: table.seats.some(({ chips }) => chips > 0) })}</small>`}</span><b class="money">${money(seat.total)}</b><${Purse} seat=${seat} />
    </li>`)}</ol></section>
    ${!table.closed && html`<${Counted} table=${table} />`}
    <div class="then">${again}${!table.closed && html`<a class="button" href=${`/games/${table.id}?at=${table.version}#analysis`} onClick=${follow}>${say("end.analyse")}</a>`}<a class="button" href=${`/games/${table.id}?at=1`} onClick=${follow}>${say("end.replay")}</a> <${Share} address=${`${location.origin}/games/${table.id}`} label=${say("end.share")} /> <a class="button" href="/" onClick=${follow}>${say("end.home")}</a></div>
  </div>`;
}

const tagOf = (table, seat) => (seat.seat === table.you ? html`<i class="me">${say("seat.you")}</i>` : seat.kind === "bot" && html`<i>${say("seat.bot")}</i>`);

// The analysis takes some seconds; it is made while people look at the result.
function Counted({ table }) {
  const { state, done, found } = useAnalysis(table.id);
  const own = found?.seats.find(({ seat, choices }) => seat === table.you && choices > 0);
  if (state === "unasked") return null;
  return html`<section class="counted" style=${{ "--seats": table.seats.length }} aria-live="off" aria-label=${say("chances.title")}>
    <h3>${say("chances.title")}</h3>
    ${own && html`<p>${luckWords(own)}</p>`}
    ${found ? html`<${LuckTable} table=${table} seats=${found.seats} />` : html`<${Progress} done=${done} />`}
  </section>`;
}

const Crown = () => html`<svg class="crown" viewBox="0 0 24 18"><path d="M2 4l5 5 5-8 5 8 5-5-2.500 12h-15z" /></svg>`;

const SCRAPS = 28;
// Each somewhere else, and always at the same places.
const scrap = (at) => ({ left: `${(at * 37) % 100}%`, animationDelay: `${((at * 29) % 90) / 100}s`, animationDuration: `${1.6 + ((at * 13) % 10) / 10}s` });
const Confetti = () => html`<span class="confetti" aria-hidden="true">${Array.from({ length: SCRAPS }, (_, at) => html`<i key=${at} class=${`seat-${at % 6}`} style=${scrap(at)}></i>`)}</span>`;

// Notes, and chips where there are some, decide between equal sums.
const isAhead = (table, seat) => table.seats.some((other) => other.total === seat.total && other.place > seat.place);

function placeWords(table) {
  const { place } = table.seats[table.you];
  const others = table.seats.filter((other) => other.place === place && other.seat !== table.you);
  const who = list(others.map(({ seat }) => seatName(table, seat)));
  return say(others.length ? "end.shared" : "end.place", { place, players: table.seats.length, who });
}

const isSeated = ({ you }) => you !== null && you !== undefined;

function result(table) {
  const winners = table.winners ?? [];
  return say("end.result", { who: list(winners.map((seat) => seatName(table, seat))), count: winners.length, money: money(table.seats[winners[0]]?.total) });
}
