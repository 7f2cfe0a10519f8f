"""Replaces player ids by the names that players have now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from events.follower import Fenced
from events.store import Unavailable
from service.games.games import Games
from service.games.snapshots import Snapshot, UnknownGame
from service.history.timeline import Naming
from service.lobby.rows import LobbyGame, LobbySeat
from service.players.names import Names, name_bots, name_bots_only

if TYPE_CHECKING:
    from service.http.services import Services


def name_for(services: Services, game: str, names: Names) -> Naming:
    """Return the function that puts the players' current names into a snapshot."""
    return name_in(services.games, game, names)


def name_in(games: Games, game: str, names: Names) -> Naming:
    """Return the function that puts the players' current names into a snapshot of one of these games.

    A fork begins with tables of another game; when that was imported, its names stay as they are.
    """

    is_ours = dict[str, bool]()

    def put_names(snapshot: Snapshot) -> Snapshot:
        origin = snapshot.state.game
        if origin != game and origin not in is_ours:
            is_ours[origin] = _was_played_here(games, origin, snapshot)
        return names.put_into(snapshot) if origin == game or is_ours[origin] else name_bots_only(snapshot)

    return put_names


def _was_played_here(games: Games, origin: str, snapshot: Snapshot) -> bool:
    """Return whether a table that a fork inherited is one of that game, and the game was not imported.

    A log that was imported under an id of its own may name a game of this service as itself.
    """
    try:
        (commit,) = games.commits(origin, snapshot.version - 1, 1) or (None,)
        return commit is not None and commit.hash == snapshot.head and not games.snapshot(origin).imported_at
    except UnknownGame:
        return False


def list_at_once(services: Services, game: str) -> None:
    """Update the list of games at once, for the caller who has changed the game.

    If that fails, the projector does it soon.
    """
    with suppress(Fenced, Unavailable, UnknownGame):
        fence = services.lobby.read_fence(game)
        services.lobby.update(services.games.snapshot(game), fence)


def name_rows(names: Names, rows: Sequence[LobbyGame]) -> tuple[LobbyGame, ...]:
    """Return the rows with the names of bots and the players' current names. Raises Unavailable."""
    players = {seat.player for row in rows for seat in row.seats if seat.player}
    called = names.look_up(players) if players else {}
    return tuple(_name_row(row, called) for row in rows)


def _name_row(row: LobbyGame, called: Mapping[str, str]) -> LobbyGame:
    """Return a row with these names in its seats."""
    return replace(row, seats=tuple(_name_seat(seat, called) for seat in name_bots(row.seats)))


def _name_seat(seat: LobbySeat, called: Mapping[str, str]) -> LobbySeat:
    """Return a seat with its player's name."""
    return replace(seat, name=called[seat.player]) if seat.player else seat
