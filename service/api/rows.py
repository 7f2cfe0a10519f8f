"""Rows of lists on their way out: with the names that players have now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from msgspec.structs import replace

from events.store import Unavailable
from service.api.services import Services
from service.lobby.lines import LobbyGame, LobbySeat
from service.play.snapshots import UnknownGame
from service.players.names import Names


def list_at_once(services: Services, game: str) -> None:
    """Whoever has just changed a game finds it so in the list; if that fails, the projector lists it soon."""
    with suppress(Unavailable, UnknownGame):
        services.lobby.update(services.games.snapshot(game))


def name_rows(names: Names, rows: Sequence[LobbyGame]) -> tuple[LobbyGame, ...]:
    """Raises Unavailable."""
    players = {seat.player for row in rows for seat in row.seats if seat.player}
    called = names.look_up(players) if players else {}
    return tuple(_name_row(row, called) for row in rows) if players else tuple(rows)


def _name_row(row: LobbyGame, called: Mapping[str, str]) -> LobbyGame:
    return replace(row, seats=tuple(_name_seat(seat, called) for seat in row.seats))


def _name_seat(seat: LobbySeat, called: Mapping[str, str]) -> LobbySeat:
    return replace(seat, name=called[seat.player]) if seat.player else seat
