"""Describes one row of the list of games, and names the lists that a row belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.values import PUBLIC, GameId, Moment, Visibility
from rules import EDITIONS, State
from rules.scoring import totals
from rules.state import Status
from service.games.deadlines import awaited_seats
from service.games.snapshots import Snapshot

ALL: Literal["*"] = "*"
# One hash tag, so that all of it lies in one slot of a cluster.
PREFIX = "croupier:{lobby}:"


class LobbySeat(Struct, frozen=True, omit_defaults=True):
    seat: int
    name: str | None
    bot: str | None = None
    open: bool = False
    player: str = ""


class LobbyGame(Struct, frozen=True):
    """One line of the list; nothing in it is secret.

    `awaits` are the seats that owe an answer, `totals` are null where they are hidden until the end.
    `imported` says since when a game that was played elsewhere is here.
    """

    id: GameId
    edition: str
    status: Status
    created: Moment
    round: int
    rounds: int
    seats: tuple[LobbySeat, ...]
    winners: tuple[int, ...] | None = None
    version: int = 0
    updated: Moment = ""
    finished: Moment | None = None
    awaits: tuple[int, ...] = ()
    totals: tuple[int, ...] | None = None
    visibility: Visibility = PUBLIC
    imported: Moment | None = None
    sandbox: bool | UnsetType = UNSET

    @property
    def is_listed(self) -> bool:
        """Return whether the game stands in public lists: it is public, and was played here in earnest."""
        return self.visibility == PUBLIC and not self.sandbox and not self.imported

    @property
    def open_seats(self) -> int:
        """Return how many seats can still be taken."""
        return sum(seat.open for seat in self.seats) if self.status == "lobby" else 0


_decoder = msgspec.json.Decoder(LobbyGame)


def write_line(snapshot: Snapshot) -> LobbyGame:
    """Return the row that describes a game."""
    state = snapshot.state
    return LobbyGame(
        id=snapshot.game,
        edition=state.edition,
        status=state.status,
        created=snapshot.created_at,
        round=state.round,
        rounds=EDITIONS.of(state).rounds,
        seats=tuple(_write_seat(snapshot, number) for number in range(len(state.seats))),
        winners=state.winners,
        version=snapshot.version,
        updated=snapshot.listed_at,
        finished=snapshot.ended_at or None,
        awaits=awaited_seats(state),
        totals=_totals(state),
        visibility=state.visibility,
        imported=snapshot.imported_at or None,
        sandbox=state.sandbox or UNSET,
    )


def _write_seat(snapshot: Snapshot, number: int) -> LobbySeat:
    """Return a seat's part of the row; in an imported game no seat belongs to a player of this service."""
    seat = snapshot.state.seats[number]
    player = "" if snapshot.imported_at else seat.player
    return LobbySeat(number, seat.name, seat.bot, seat.name is None, player)


def _totals(state: State) -> tuple[int, ...] | None:
    """Return what each seat has, or None before the first round and while totals are hidden (M8)."""
    hidden = state.options.get("hide_money") and state.status != "over"
    return None if hidden or not state.round else totals(state)


def decode_line(stored: bytes) -> LobbyGame:
    """Return the row that is stored as these bytes.

    The part before the brace is for the script. Rows of older releases have no time of change.
    """
    line = _decoder.decode(stored[stored.index(b"{") :])
    return line if line.updated else replace(line, updated=line.created)


def lists_of(line: LobbyGame) -> Iterator[str]:
    """Yield the names of the lists that a row belongs to; none unless the game stands in public lists.

    An imported game does not: files may come in any number, with any names and times.
    """
    if not line.is_listed:
        return
    for status in (line.status, ALL):
        yield from (name_list(status, edition) for edition in (line.edition, ALL))
    if line.status == "over":
        yield from (name_exports_list(edition) for edition in (line.edition, ALL))
    yield from lists_of_people(line)
    yield from (name_open_list(number) for number in range(1, line.open_seats + 1))


def lists_of_people(line: LobbyGame) -> Iterator[str]:
    """Yield the names of the lists of those who sit in a game."""
    for seat in line.seats:
        yield from _lists_of_person(seat)


def _lists_of_person(seat: LobbySeat) -> Iterator[str]:
    """Yield the name of the list of games of a seat's player, or of the person with its name."""
    if seat.player:
        yield name_players_list(seat.player)
    elif seat.name is not None and seat.bot is None:
        yield name_persons_list(seat.name)


def name_list(status: str, edition: str) -> str:
    """Return the name of the list of games with a status and an edition; `ALL` stands for any."""
    return f"{status}:{edition}"


def name_exports_list(edition: str) -> str:
    """Return the name of the list of exports of an edition."""
    return f"exports:{edition}"


def name_persons_list(name: str) -> str:
    """Return the name of the list of games in which a person of that name sits, ignoring case."""
    return f"name:{sha256(name.casefold().encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def name_players_list(player: str) -> str:
    """Return the name of the list of games in which a registered player sits."""
    return f"player:{player}"


def name_open_list(seats: int) -> str:
    """Return the name of the list of games with at least so many open seats."""
    return f"open:{seats}"
