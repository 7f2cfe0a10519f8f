"""What a commit means to the players at the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from events.commit import Commit
from events.seat_types import SeatLeft
from events.types import Event, GameClosed, GameEnded, GameStarted, RoundEnded
from rules.decide_seats import VOIDED
from rules.evolve import fold
from rules.state import EMPTY, State
from service.play.due import awaited_seats

What = Literal["joined", "started", "asked", "round_ended", "over", "voided", "left"]


class News(Struct, frozen=True):
    """There is at most one of a kind for a seat in one version."""

    player: str
    version: int
    what: What
    seat: int


def follow_news(state: State, commits: Sequence[Commit]) -> tuple[list[News], State]:
    """What these commits mean, one after the other, and the state that they lead to."""
    news: list[News] = []
    for commit in commits:
        before, state = state, fold(state, commit.events)
        if state.game != before.game:
            # What happened before a fork happened in another game, to others (W12).
            news, before = [], EMPTY
        news += list_news(before, commit, state)
    return news, state


def list_news(before: State, commit: Commit, after: State) -> Iterator[News]:
    version = commit.version
    for number, player in sorted(_people(after).items() - _people(before).items()):
        yield News(player, version, "joined", number)
    for event in commit.events:
        yield from _tell(event, version, before, after)
    for _, seat in sorted(_open_asks(after) - _open_asks(before)):
        yield News(after.seats[seat].player, version, "asked", seat)


def _tell(event: Event, version: int, before: State, after: State) -> Iterator[News]:
    if isinstance(event, SeatLeft):
        left = _people(before).get(event.seat)
        yield from (News(left, version, "left", event.seat),) if left else ()
    what = _name_event(event)
    if what is not None:
        yield from (News(player, version, what, seat) for seat, player in _people(after).items())


def _name_event(event: Event) -> What | None:
    match event:
        case GameStarted():
            return "started"
        case RoundEnded():
            return "round_ended"
        case GameEnded():
            return "over"
        case GameClosed(reason):
            return "voided" if reason == VOIDED else "over"
        case _:
            return None


def _people(state: State) -> dict[int, str]:
    """The players by their seats."""
    return {number: seat.player for number, seat in enumerate(state.seats) if seat.player}


def _open_asks(state: State) -> set[tuple[int, int]]:
    return {(state.asked, seat) for seat in awaited_players(state)}


def awaited_players(state: State) -> Iterable[int]:
    """The seats of players who owe an answer and are there to give it."""
    seats = state.seats
    return [seat for seat in awaited_seats(state) if seats[seat].player and not seats[seat].acting_bot]


def concern_players(state: State, commits: Sequence[Commit]) -> bool:
    """Whether there is anything to tell; who has left may have been the only player."""
    return bool(_people(state)) or any(
        isinstance(event, SeatLeft) for commit in commits for event in commit.events
    )
