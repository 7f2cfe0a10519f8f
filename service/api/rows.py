"""Rows of lists on their way out: with the names that players have now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from service.lobby.lobby import LobbyGame, LobbySeat
from service.players.names import Names


def name_rows(names: Names, rows: Sequence[LobbyGame]) -> tuple[LobbyGame, ...]:
    """Raises Unavailable."""
    players = {seat.player for row in rows for seat in row.seats if seat.player}
    called = names.look_up(players) if players else {}
    return tuple(_name_row(row, called) for row in rows) if players else tuple(rows)


def _name_row(row: LobbyGame, called: Mapping[str, str]) -> LobbyGame:
    return replace(row, seats=tuple(_name_seat(seat, called) for seat in row.seats))


def _name_seat(seat: LobbySeat, called: Mapping[str, str]) -> LobbySeat:
    return replace(seat, name=called[seat.player]) if seat.player else seat
