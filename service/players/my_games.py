"""A player's own list of games: one row each, as the script keeps it."""

from __future__ import annotations

from datetime import datetime

import msgspec
from msgspec import Struct

from events.values import PUBLIC, Moment, Visibility
from rules.editions import EDITIONS
from rules.scoring import total
from rules.state import State, Status
from service.play.due import awaited_seats
from service.play.snapshots import Snapshot
from service.players.news import awaited_players


class MySeat(Struct, frozen=True, omit_defaults=True):
    seat: int
    name: str | None
    bot: str | None = None
    open: bool = False
    player: str = ""


class MyGame(Struct, frozen=True):
    """`seat` is the player's own, `awaiting` whether it is asked now; `total` comes with the end.

    `awaits` are all seats that owe an answer.
    """

    id: str
    edition: str
    status: Status
    version: int
    seat: int
    awaiting: bool
    created: Moment
    updated: Moment
    round: int
    rounds: int
    seats: tuple[MySeat, ...]
    winners: tuple[int, ...] | None = None
    total: int | None = None
    visibility: Visibility = PUBLIC
    awaits: tuple[int, ...] = ()
    finished: Moment | None = None


_decoder = msgspec.json.Decoder(MyGame)


def describe_game(snapshot: Snapshot, seat: int) -> MyGame:
    state = snapshot.state
    return MyGame(
        id=state.game,
        edition=state.edition,
        status=state.status,
        version=snapshot.version,
        seat=seat,
        awaiting=seat in awaited_players(state),
        created=snapshot.created,
        updated=snapshot.changed,
        round=state.round,
        rounds=EDITIONS.of(state).rounds,
        seats=tuple(_describe_seat(state, number) for number in range(len(state.seats))),
        winners=state.winners,
        total=total(state, seat) if state.winners is not None else None,
        visibility=state.visibility,
        awaits=awaited_seats(state),
        finished=snapshot.ended or None,
    )


def _describe_seat(state: State, number: int) -> MySeat:
    seat = state.seats[number]
    return MySeat(number, seat.name, seat.bot, seat.name is None, seat.player)


def encode_row(game: MyGame) -> str:
    """Behind what the script sorts and counts by: when, version, status, finished edition, won."""
    when = int(datetime.fromisoformat(game.updated).timestamp() * 1000)
    finished, won = "" if game.winners is None else game.edition, game.seat in (game.winners or ())
    about = f"{when:015d}|{game.version}|{game.status}|{finished}|{int(won)}|"
    return about + msgspec.json.encode(game).decode()


def decode_row(row: bytes) -> MyGame:
    return _decoder.decode(row.split(b"|", 5)[5])
