"""Splits a log into segments, the parts that have one seed each: `find_segments`.

A log is one segment, or one before each fork and one after the last (W12).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from events.chain import Broken
from events.commands import Create, Fork, Rematch
from events.commit import ENDINGS, Commit
from events.text import Text
from events.types import GameForked
from events.values import SeatPlan
from service.fairness.dice import SEED_BYTES, commitment

Beginning = Create | Fork


class Segment(Struct, frozen=True):
    """Holds commits that were decided with one seed; the fork that ends a segment is its last commit.

    `same_dice` says that a fork goes on with the dice of the segment before.
    """

    game: str
    seats: tuple[SeatPlan, ...]
    seed: bytes
    commits: Sequence[Commit]
    same_dice: bool = False


def find_segments(commits: Sequence[Commit]) -> list[Segment]:
    """Return the segments of a finished game.

    Raises Broken if the game is not over, or a revealed seed is not the one that was committed to.
    """
    return list(_cut(commits, _find_end(commits)))


def check_forks(commits: Sequence[Commit]) -> None:
    """Raise Broken if a fork reveals a seed that was not committed to; the game need not be over."""
    for _ in _cut(commits, None):
        pass


def _cut(commits: Sequence[Commit], end: Commit | None) -> Iterator[Segment]:
    """Yield the segment before each fork, and the last one if `end` is the commit that ends the game."""
    start = 0
    beginning = _read_beginning(commits[0])
    for commit in commits:
        if isinstance(commit.command, Fork):
            _check_origin(commit, commit.command, beginning.game)
            yield _segment(beginning, commit, commits[start : commit.version])
            start = commit.version
            beginning = commit.command
    if end is not None:
        yield _segment(beginning, end, commits[start:])


def _read_beginning(first: Commit) -> Beginning:
    """Return the command of the first commit. Raises Broken if it creates no game."""
    if not isinstance(first.command, Create):
        raise Broken(1, "a game begins with its creation")
    return first.command


def _segment(beginning: Beginning, revealing: Commit, commits: Sequence[Commit]) -> Segment:
    """Return a segment whose seed is revealed by a commit. Raises Broken if it was not committed to."""
    seed = _bytes(_find_seed(revealing))
    if len(seed) != SEED_BYTES or commitment(seed) != beginning.commitment:
        raise Broken(revealing.version, "the revealed seed is not the one that was committed to")
    same_dice = isinstance(beginning, Fork) and beginning.same_dice
    return Segment(beginning.game, beginning.seats, seed, commits, same_dice)


def _check_origin(commit: Commit, command: Fork, game: str) -> None:
    """Raise Broken if a fork names another game, version or hash than those it follows."""
    origin = command.origin
    if (origin.at, origin.head) != (commit.version - 1, commit.prev):
        raise Broken(commit.version, "it is forked off another version or hash than it says")
    if origin.game != game:
        # Some services once named the fork that a table was inherited by, and revealed its seed (W12).
        raise Broken(
            commit.version,
            Text(
                "it says it is forked off {game}, and what is before is of {other}",
                game=origin.game,
                other=game,
            ),
        )


def _find_seed(commit: Commit) -> str:
    """Return the seed that a commit reveals; empty if it reveals none."""
    revealing = (event for event in commit.events if isinstance(event, (GameForked, *ENDINGS)))
    return next((event.seed for event in revealing), "")


def _find_end(commits: Sequence[Commit]) -> Commit:
    """Return the commit that ends the game. After it a rematch may be recorded, once (W8).

    Raises Broken if there is no end or more follows.
    """
    ended = [commit for commit in commits if any(isinstance(event, ENDINGS) for event in commit.events)]
    if not ended:
        why = Text(
            "the file is incomplete: it ends at version {version}, before the game is over",
            version=len(commits),
        )
        raise Broken(len(commits), why)
    for commit in commits[ended[0].version :]:
        if commit.version > ended[0].version + 1 or not isinstance(commit.command, Rematch):
            raise Broken(commit.version, "it comes after the end of the game")
    return ended[0]


def _bytes(text: str) -> bytes:
    """Return the bytes of a hexadecimal text; empty if it is none."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""
