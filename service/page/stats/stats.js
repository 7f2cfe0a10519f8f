// All finished public games together: whether the dice are fair, how long games are, who wins, what tiles pay, who is strong.
import { html, useEffect, useState } from "../app/html.js";
import { editions, read } from "../app/api.js";
import { Frame } from "../app/frame.js";
import { Trouble } from "../app/trouble.js";
import { knows, money, percent, say } from "../app/words.js";
import { Bars } from "./bars.js";

export function Stats() {
  const [told, setTold] = useState({});
  useEffect(() => {
    Promise.all([read("/v1/stats"), editions()]).then(([stats, known]) => setTold({ stats, titles: titlesOf(known) }), (fault) => setTold({ fault }));
  }, []);
  return html`<${Frame} bar=${html`<h1>${say("stats.title")}</h1>`}>
    <div class="stats">${told.fault ? html`<${Trouble} fault=${told.fault} />` : told.stats ? html`<${Shown} ...${told} />` : html`<p class="loading">${say("app.loading")}</p>`}</div>
  </${Frame}>`;
}

const titlesOf = (known) => Object.fromEntries(known.editions.map(({ id, title }) => [id, title]));
const decimal = (value, digits) => value.toLocaleString(document.documentElement.lang, { minimumFractionDigits: digits, maximumFractionDigits: digits });
const share = (part, whole) => percent(part / (whole || 1));

function Shown({ stats, titles }) {
  const title = (edition) => titles[edition] ?? edition;
  if (stats.tables.length === 0) return html`<p class="panel">${say("stats.nothing")}</p>`;
  return html`
    <${Part} name="rolls">${stats.rolls.map((rolls) => html`<${Rolls} key=${rolls.edition} rolls=${rolls} title=${title(rolls.edition)} />`)}</${Part}>
    <${Part} name="tables">${stats.tables.map((table) => html`<${Table} key=${`${table.edition} ${table.players}`} table=${table} title=${title(table.edition)} />`)}</${Part}>
    ${stats.tiles.length > 0 && html`<${Part} name="tiles"><${Tiles} tiles=${stats.tiles} /></${Part}>`}
    ${stats.ratings.length > 0 && html`<${Ratings} ratings=${stats.ratings} titles=${titles} />`}`;
}

function Part({ name, children }) {
  return html`<section class="panel"><h2>${say(`stats.${name}`)}</h2><p class="hint">${say(`stats.${name}.text`)}</p><div class="figures">${children}</div></section>`;
}

function Rolls({ rolls, title }) {
  const said = say("stats.fair", { share: decimal(100 * rolls.p, 1) });
  return html`<${Bars} title=${title} rows=${rolls.faces.map((count, at) => [String(at + 1), count, share(count, rolls.dice)])} even=${rolls.dice / 6} below=${said} />`;
}

function Table({ table, title }) {
  const name = say("stats.table", { title, players: table.players });
  const below = say("stats.games", { games: table.finished, answers: Math.round(table.answers), broken: table.broken_off });
  const rows = table.won_by_seat.map((won, seat) => [say("seat.number", { number: seat + 1 }), won, share(won, table.finished)]);
  const bots = table.bots.map(({ bot, won, seats }) => [botName(bot), won / (seats || 1), say("stats.of", { share: share(won, seats), seats })]);
  return html`<div class="table-figures"><${Bars} title=${name} rows=${rows} even=${table.finished / table.players} below=${below} />
    ${bots.length > 0 && html`<${Bars} title=${say("stats.bots")} rows=${bots} most=${1} />`}</div>`;
}

const botName = (bot) => (knows(`bot.${bot}`) ? say(`bot.${bot}`) : bot);

function Tiles({ tiles }) {
  const rows = [...tiles].sort((one, other) => other.dollars / (other.laid || 1) - one.dollars / (one.laid || 1));
  return html`<${Bars} title=${say("stats.tiles.title")} rows=${rows.map(({ name, laid, paid, dollars }) => [name, dollars / (laid || 1), say("stats.tile", { money: money(Math.round(dollars / (laid || 1))), paid, laid })])} />`;
}

// A list for each number of players is long, so one edition is open at a time.
function Ratings({ ratings, titles }) {
  const editions = [...new Set([...Object.keys(titles), ...ratings.map(({ edition }) => edition)])].filter((edition) => ratings.some((board) => board.edition === edition));
  return html`<section class="panel"><h2>${say("stats.ratings")}</h2><p class="hint">${say("stats.ratings.text")}</p>
    ${editions.map((edition, at) => html`<details key=${edition} class="ratings" name="ratings" open=${at === 0}><summary>${titles[edition] ?? edition}</summary><div class="figures">${ratings.filter((board) => board.edition === edition).map((board) => html`<${Board} key=${board.players} board=${board} title=${titles[edition] ?? edition} />`)}</div></details>`)}
  </section>`;
}

// A bot's games were against other bots of every strength, so only people's wins can be compared.
function Board({ board, title }) {
  const people = board.rows.some(({ bot }) => !bot);
  return html`<table class="board-figures"><caption>${say("stats.table", { title, players: board.players })}</caption>
    <thead><tr>${["name", "rating", "games", ...(people ? ["won"] : [])].map((column) => html`<th key=${column} scope="col">${say(`stats.column.${column}`)}</th>`)}</tr></thead>
    <tbody>${board.rows.map((row) => html`<tr key=${row.player ?? row.bot}><th scope="row">${row.bot ? botName(row.bot) : row.name}</th><td>${decimal(row.mu, 1)} ± ${decimal(2 * row.sigma, 1)}</td><td>${row.games}</td>${people && html`<td>${row.bot ? "–" : share(row.won, row.games)}</td>`}</tr>`)}</tbody></table>`;
}
