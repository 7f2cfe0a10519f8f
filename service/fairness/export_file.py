"""A game as one file that proves itself: a line that says what it is, then its commits, one a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from events.chain import redact_commit
from events.commands import Create
from events.commit import ENDINGS, Commit
from events.seat_types import GameForked
from events.types import Event, GameClosed, GameCreated, GameEnded, OptionValue
from events.values import GameId, Moment

# The members of the header are part of it: a file with others is of another format.
FILE_FORMAT = "croupier/1"
# Of the lines between several files.
CURSOR_FORMAT = "croupier-cursor/1"
HOW_TO_VERIFY = (
    "python3 verifier/verify.py FILE needs nothing but Python and shares no code with the server; "
    "croupier verify FILE decides every move again; docs/fairness.md says how to write one's own"
)
# All that files were ever written with: whoever words it anew adds to these.
WAYS_TO_VERIFY = (HOW_TO_VERIFY,)
_encoder = msgspec.json.Encoder()


class GameResult(Struct, frozen=True, omit_defaults=True):
    """Of a game that was played to its end, or why it was `closed` before."""

    winners: tuple[int, ...] | None = None
    totals: tuple[int, ...] | None = None
    closed: str = ""


class ForkedFrom(Struct, frozen=True):
    """The game and the version where this one begins."""

    game: GameId
    at: int


class ExportHeader(Struct, frozen=True, omit_defaults=True):
    """The first line of a file. All of it follows from the commits; `result` comes with the end."""

    format: str
    game: GameId
    edition: str
    release: str
    options: dict[str, OptionValue]
    seats: int
    created: Moment
    commits: int
    head: str
    verify: str
    ended: Moment | None = None
    result: GameResult | None = None
    fork: ForkedFrom | None = None


class ExportCursor(Struct, frozen=True):
    """Between the files of many games: whoever breaks off here sends `cursor` to go on."""

    format: str
    cursor: str
    more: bool


def cut_at_end(commits: Sequence[Commit]) -> Sequence[Commit]:
    """Whatever is noted after the end, as that there is a rematch, is no part of the game."""
    ends = (number for number, commit in enumerate(commits, 1) if _find_end(commit) is not None)
    return commits[: next(ends, len(commits))]


def write_file(commits: Sequence[Commit], viewer: int | None = None) -> bytes:
    """The whole game up to its end, as the viewer may see it; once it is over, the same bytes for ever."""
    first, *others = cut_at_end(commits)
    whole = [arrange_options(first), *others]
    return b"\n".join([_encoder.encode(describe_file(whole)), *_write_lines(whole, viewer), b""])


def arrange_options(first: Commit) -> Commit:
    """By their names: no hash covers their order, and all that a hash stands for is to be the same bytes."""
    command, events = first.command, first.events
    if isinstance(command, Create):
        command = replace(command, options=dict(sorted(command.options.items())))
    return replace(first, command=command, events=tuple(map(_arrange, events)))


def _arrange(event: Event) -> Event:
    if isinstance(event, GameCreated):
        return replace(event, options=dict(sorted(event.options.items())))
    return event


def _write_lines(commits: Sequence[Commit], viewer: int | None) -> Iterator[bytes]:
    over = _find_end(commits[-1]) is not None
    return (_encoder.encode(redact_commit(commit, viewer, over)) for commit in commits)


def describe_file(commits: Sequence[Commit]) -> ExportHeader:
    """Raises LookupError where they do not begin with a creation."""
    created, fork = _find_creation(commits[0].events), _find_fork(commits)
    last, end = commits[-1], _find_end(commits[-1])
    return ExportHeader(
        format=FILE_FORMAT,
        game=fork.game if fork else created.game,
        edition=created.edition,
        release=created.rules,
        options=created.options,
        seats=len(created.seats),
        created=commits[fork.origin.at if fork else 0].at,
        commits=len(commits),
        head=last.hash,
        verify=HOW_TO_VERIFY,
        ended=last.at if end else None,
        result=_describe_end(end) if end else None,
        fork=ForkedFrom(fork.origin.game, fork.origin.at) if fork else None,
    )


def _find_fork(commits: Sequence[Commit]) -> GameForked | None:
    """The last one: a fork may be forked again."""
    forks = [event for commit in commits for event in commit.events if isinstance(event, GameForked)]
    return forks[-1] if forks else None


def _find_creation(events: Sequence[Event]) -> GameCreated:
    for event in islice(events, 1):
        if isinstance(event, GameCreated):
            return event
    raise LookupError("a game begins with its creation")


def _find_end(commit: Commit) -> GameEnded | GameClosed | None:
    return next((event for event in commit.events if isinstance(event, ENDINGS)), None)


def _describe_end(end: GameEnded | GameClosed) -> GameResult:
    if isinstance(end, GameEnded):
        return GameResult(end.winners, end.totals)
    return GameResult(closed=end.reason)
