"""HTTP operation for statistics over all finished public games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

from msgspec import Meta, Struct

from rules import EDITIONS
from service.http.auth import PUBLIC_ACCESS
from service.http.operation import Call, operation
from service.http.responses import Reply
from service.players.names import Names
from service.stats.counts import Board, Row, Tree, chi_square, exceedance, grow_tree

MOST_ROWS = 25
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
    errors=("unavailable",),
)
def show_stats(call: Call[None]) -> Reply:
    """Return all counts and boards, with the current names of players."""
    stats = call.services.stats
    tree = grow_tree(stats.read_counts())
    boards = tuple(_board(board, call.services.names) for board in stats.read_boards(MOST_ROWS))
    counted = tuple(_tables(tree)), tuple(_tiles(tree)), tuple(_rolls(tree))
    return Reply(StatsReply(*counted, boards, stats.count_waiting()))


def _tables(tree: Tree) -> Iterator[TableCount]:
    """Yield the counts of each edition and number of players."""
    for edition, parts in tree.branches():
        for players, table in parts.branches():
            if players.isdigit():
                yield _table(edition, int(players), table)


def _table(edition: str, players: int, table: Tree) -> TableCount:
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
        tuple(_bots(table)),
    )


def _bots(table: Tree) -> Iterator[BotCount]:
    """Yield the seats and victories of each bot."""
    for name, bot in table.branches():
        if name.startswith("bot:"):
            yield BotCount(name.removeprefix("bot:"), bot.count("seats"), bot.count("won"))


def _tiles(tree: Tree) -> Iterator[TileCount]:
    """Yield the counts of each tile."""
    for edition, parts in tree.branches():
        known = EDITIONS.newest[edition].tiles if edition in EDITIONS.newest else {}
        for code, tile in parts.at("tile").branches():
            name = known[code].name if code in known else code
            yield TileCount(edition, code, name, *(tile.count(part) for part in ("laid", "paid", "dollars")))


def _rolls(tree: Tree) -> Iterator[RollCount]:
    """Yield the faces of each edition with their chi-square statistic."""
    for edition, parts in tree.branches():
        faces = tuple(parts.count("face", face) for face in FACES)
        if any(faces):
            found = chi_square(faces)
            yield RollCount(edition, sum(faces), faces, round(found, 4), round(exceedance(found), 4))


def _board(board: Board, names: Names) -> BoardShown:
    """Return a board with the current names of players."""
    players = names.look_up([row.who.removeprefix("player:") for row in board.rows if _is_player(row)])
    return BoardShown(board.edition, board.players, tuple(_rated(row, players) for row in board.rows))


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
