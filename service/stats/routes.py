"""HTTP operation for statistics over all finished public games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from marshmallow import fields
from msgspec import Meta, Struct

from events.values import MOST_SEATS
from rules import EDITIONS
from service.catalog.bots import BOT_NAMES
from service.http.auth import PUBLIC_ACCESS
from service.http.fields import NumberText, OneOf, Strict
from service.http.operation import Call, operation
from service.http.responses import Reply
from service.players.names import Names
from service.stats.counts import Board, Row, Tree, chi_square, exceedance, grow_tree

MOST_ROWS = 25
FEWEST_PLAYERS = 2
FACES = tuple("123456")


class BotCount(Struct, frozen=True):
    """Of the seats that it had, so many won; shared victories count for each."""

    bot: str
    seats: int
    won: int


class TableCount(Struct, frozen=True):
    """Games of one edition and number of players. Those that ended without winners count as broken off."""

    edition: str
    players: int
    finished: int
    broken_off: int
    answers: Annotated[float, Meta(description="That a finished game took on average.")]
    lengths: Annotated[dict[str, int], Meta(description="Finished games by answers, from this number on.")]
    won_by_seat: Annotated[tuple[int, ...], Meta(description="Victories of each seat, by its number.")]
    bots: tuple[BotCount, ...]


class TileCount(Struct, frozen=True):
    """How often a tile lay at a casino for a round, how often it paid, and what in all."""

    edition: str
    code: str
    name: str
    laid: int
    paid: int
    dollars: int


class RollCount(Struct, frozen=True):
    """Every die that was thrown. Fair dice exceed a `chi_square` like this in a share `p` of all cases."""

    edition: str
    dice: int
    faces: tuple[int, ...]
    chi_square: float
    p: float


class RatedShown(Struct, frozen=True):
    """A bot by its name, or a player by id and name.

    Bots have the rating that was measured in the arena, with the games there. Players are rated by their
    games against bots and other players; docs/bots.md has the rules.
    """

    bot: str | None
    player: str | None
    name: str
    mu: float
    sigma: float
    ordinal: Annotated[float, Meta(description="mu - 3 sigma, by which boards are ordered.")]
    games: int
    won: int


class BoardShown(Struct, frozen=True):
    edition: str
    players: int
    rows: tuple[RatedShown, ...]


class StatsQuery(Strict):
    edition = fields.String(
        validate=OneOf([*EDITIONS.newest]),
        metadata={"description": "Figures of this edition only; see /v1/editions."},
    )
    players = NumberText(
        FEWEST_PLAYERS,
        MOST_SEATS,
        metadata={
            "description": "Figures of tables with so many players only. Tiles and rolls are counted for all "
            "tables of an edition together, and are left out."
        },
    )
    bot = fields.String(
        validate=OneOf(BOT_NAMES),
        metadata={
            "description": "Tables where this bot has played, and its own figures and ratings only. Tiles "
            "and rolls are counted for all players together, and are left out."
        },
    )
    min_games = NumberText(
        0,
        load_default=0,
        metadata={
            "description": "Only tables with so many finished games, tiles laid so often, and players and "
            "bots with so many rated games: a rate of three games tells little."
        },
    )


class StatsFilter(Struct, frozen=True):
    """Holds which figures are asked for; `edition` and `bot` are empty and `players` is 0 for all."""

    edition: str
    players: int
    bot: str
    min_games: int

    def fits_table(self, edition: str, players: int) -> bool:
        """Return whether figures of such tables are asked for."""
        return self.edition in ("", edition) and self.players in (0, players)

    def fits_edition(self, edition: str) -> bool:
        """Return whether figures are asked for that are counted for all tables of an edition together."""
        return self.edition in ("", edition) and not self.players and not self.bot

    def fits_bot(self, bot: str | None) -> bool:
        """Return whether figures of a bot are asked for, or of a player if it is None."""
        return self.bot in ("", bot)


class StatsReply(Struct, frozen=True):
    """`waiting` games are over and not counted yet."""

    tables: tuple[TableCount, ...]
    tiles: tuple[TileCount, ...]
    rolls: tuple[RollCount, ...]
    ratings: tuple[BoardShown, ...]
    waiting: int


@operation(
    "GET /v1/stats",
    "Counts and ratings over all finished public games, and the fairness of their rolls",
    StatsReply,
    access=PUBLIC_ACCESS,
    query=StatsQuery,
    errors=("unavailable",),
)
def show_stats(call: Call[None]) -> Reply:
    """Return the counts and boards that are asked for, with the current names of players."""
    stats = call.services.stats
    wanted = StatsFilter(
        edition=call.query.get("edition", ""),
        players=call.query.get("players", 0),
        bot=call.query.get("bot", ""),
        min_games=call.query["min_games"],
    )
    tree = grow_tree(stats.read_counts())
    boards = [
        _board(board, call.services.names, wanted)
        for board in stats.read_boards(MOST_ROWS, wanted.min_games)
        if wanted.fits_table(board.edition, board.players)
    ]
    reply = StatsReply(
        tables=tuple(_tables(tree, wanted)),
        tiles=tuple(_tiles(tree, wanted)),
        rolls=tuple(_rolls(tree, wanted)),
        ratings=tuple(boards),
        waiting=stats.count_waiting(),
    )
    return Reply(reply)


def _tables(tree: Tree, wanted: StatsFilter) -> Iterator[TableCount]:
    """Yield the counts of each edition and number of players."""
    for edition, parts in tree.branches():
        for players, table in parts.branches():
            if not players.isdigit() or not wanted.fits_table(edition, int(players)):
                continue
            bots = [bot for bot in _bots(table) if wanted.fits_bot(bot.bot)]
            if table.count("finished") >= wanted.min_games and (bots or not wanted.bot):
                yield _table(edition, int(players), table, bots)


def _table(edition: str, players: int, table: Tree, bots: Sequence[BotCount]) -> TableCount:
    """Return the counts of one edition and number of players."""
    finished = table.count("finished")
    lengths = table.at("length").leaves()
    return TableCount(
        edition,
        players,
        finished,
        table.count("broken_off"),
        round(table.count("answers") / finished, 2) if finished else 0.0,
        {length: lengths[length] for length in sorted(lengths, key=int)},
        tuple(table.count("seat", str(seat), "won") for seat in range(players)),
        tuple(bots),
    )


def _bots(table: Tree) -> Iterator[BotCount]:
    """Yield the seats and victories of each bot."""
    for name, bot in table.branches():
        if name.startswith("bot:"):
            yield BotCount(name.removeprefix("bot:"), bot.count("seats"), bot.count("won"))


def _tiles(tree: Tree, wanted: StatsFilter) -> Iterator[TileCount]:
    """Yield the counts of each tile."""
    for edition, parts in tree.branches():
        if not wanted.fits_edition(edition):
            continue
        known = EDITIONS.newest[edition].tiles if edition in EDITIONS.newest else {}
        for code, tile in parts.at("tile").branches():
            name = known[code].name if code in known else code
            if tile.count("laid") >= wanted.min_games:
                yield TileCount(
                    edition, code, name, *(tile.count(part) for part in ("laid", "paid", "dollars"))
                )


def _rolls(tree: Tree, wanted: StatsFilter) -> Iterator[RollCount]:
    """Yield the faces of each edition with their chi-square statistic."""
    for edition, parts in tree.branches():
        faces = tuple(parts.count("face", face) for face in FACES)
        if any(faces) and wanted.fits_edition(edition):
            found = chi_square(faces)
            yield RollCount(edition, sum(faces), faces, round(found, 4), round(exceedance(found), 4))


def _board(board: Board, names: Names, wanted: StatsFilter) -> BoardShown:
    """Return a board with the current names of players."""
    players = names.look_up([row.who.removeprefix("player:") for row in board.rows if _is_player(row)])
    rated = [_rated(row, players) for row in board.rows]
    rows = tuple(row for row in rated if wanted.fits_bot(row.bot))
    return BoardShown(board.edition, board.players, rows)


def _is_player(row: Row) -> bool:
    """Return whether a row is a player's, not a bot's."""
    return row.who.startswith("player:")


def _rated(row: Row, names: Mapping[str, str]) -> RatedShown:
    """Return a row of a board with its name."""
    who = row.who.partition(":")[2]
    found = row.rating
    bot, player = (None, who) if _is_player(row) else (who, None)
    figures = (round(found.mu, 3), round(found.sigma, 3), found.ordinal, found.games, found.won)
    return RatedShown(bot, player, names[who] if player else who, *figures)
