"""Where in a game what happened, for those who move back and forth in it."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from events.agenda import Ask
from events.commit import Commit
from events.types import (
    AgendaChanged,
    DiceRolled,
    Event,
    GameClosed,
    GameEnded,
    RoundEnded,
    RoundStarted,
    TurnStarted,
)
from events.values import Moment


class RoundMark(Struct, frozen=True):
    """`last` is the commit that paid it out; null while it goes on."""

    round: int
    starter: int
    first: int
    last: int | None = None


class TurnMark(Struct, frozen=True):
    """A turn begins with this version; no seat where all play at once."""

    version: int
    round: int
    seat: int | None


class AskMark(Struct, frozen=True):
    """The seats were asked with this version."""

    version: int
    ask: int
    prompt: str
    seats: tuple[int, ...]


class PayoutMark(Struct, frozen=True):
    version: int
    round: int


class CommitMark(Struct, frozen=True):
    version: int
    at: Moment
    by: str


class Timeline(Struct, frozen=True):
    rounds: tuple[RoundMark, ...]
    turns: tuple[TurnMark, ...]
    asks: tuple[AskMark, ...]
    payouts: tuple[PayoutMark, ...]
    commits: tuple[CommitMark, ...]
    ended: int | None


class _Marks:
    def __init__(self) -> None:
        self.rounds: list[RoundMark] = []
        self.turns: list[TurnMark] = []
        self.asks: list[AskMark] = []
        self.payouts: list[PayoutMark] = []
        self.commits: list[CommitMark] = []
        self.ended: int | None = None

    def note(self, version: int, event: Event) -> None:
        match event:
            case RoundStarted(number, starter):
                self.rounds.append(RoundMark(number, starter, version))
            case RoundEnded(number):
                begun = self.rounds.pop()
                self.rounds.append(RoundMark(begun.round, begun.starter, begun.first, version))
                self.payouts.append(PayoutMark(version, number))
            case TurnStarted(seat):
                self._note_turn(version, seat)
            case DiceRolled(_, seat) if seat is not None and not event.black:
                self._note_turn(version, seat)
            case AgendaChanged(agenda):
                self._note_ask(version, agenda)
            case GameEnded() | GameClosed():
                self.ended = version
            case _:
                pass

    def _note_turn(self, version: int, seat: int | None) -> None:
        self.turns.append(TurnMark(version, self.rounds[-1].round, seat))

    def _note_ask(self, version: int, agenda: Iterable[object]) -> None:
        top = [*agenda][-1:]
        for item in top:
            if isinstance(item, Ask) and (not self.asks or self.asks[-1].ask != item.id):
                self.asks.append(AskMark(version, item.id, item.prompt, item.seats))


def mark_commits(commits: Iterable[Commit]) -> Timeline:
    """Nothing in it is hidden from anybody."""
    marks = _Marks()
    for commit in commits:
        marks.commits.append(CommitMark(commit.version, commit.at, commit.by))
        for event in commit.events:
            marks.note(commit.version, event)
    return Timeline(
        tuple(marks.rounds),
        tuple(marks.turns),
        tuple(marks.asks),
        tuple(marks.payouts),
        tuple(marks.commits),
        marks.ended,
    )
