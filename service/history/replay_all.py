"""Replays every stored game, to see what a new rules release would change: `croupier replay-all`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from events.commit import Unreadable
from events.redis import connect
from events.redis_store import RedisStore
from events.store import Store
from rules import EDITIONS
from rules.wording import did_you_mean
from service.config import say
from service.container import read_archive
from service.fairness.replay import Replayed, replay
from service.games.tokens import SEED
from service.text import escape, print_line

TOLD_EVERY = 1.0
# After how many games progress is written; as many may be replayed twice.
NOTED_EVERY = 100
MOST_NAMED = 20
# The exit status for a file of another query, or an unknown edition.
NOT_ASKED = 2


class ReplayQueryChanged(ValueError):
    """Says that a progress file belongs to another release or edition, or is none."""


class Progress(Struct, frozen=True, omit_defaults=True):
    """Holds how far a run has come, and what it has found.

    `after` is the last game that is done, in the order of their ids; `differing` describes some. `release`
    and `edition` are what was asked for: progress of one query says nothing about another.
    """

    after: str = ""
    games: int = 0
    differ: int = 0
    payouts: int = 0
    unknown: int = 0
    differing: tuple[str, ...] = ()
    release: str = ""
    edition: str = ""


Tell = Callable[[Progress, int], None]


def main(url: str, release: str, edition: str, file: str) -> int:
    """Run `croupier replay-all`, print the findings, and return the exit status.

    Differences under another release are expected: the status is 1 only for those under the games' own.
    """
    if edition and edition not in EDITIONS.newest:
        say(f"there is no edition {escape(edition)}; {did_you_mean(edition, EDITIONS.newest)}")
        return NOT_ASKED
    place = Path(file) if file else None
    with connect(url) as client:
        try:
            store = RedisStore(client, archive=read_archive())
            done = replay_all(store, release, edition, place, _print_progress)
        except ReplayQueryChanged as fault:
            say(f"{escape(file)}: {escape(str(fault))}")
            return NOT_ASKED
    print_line(_in_words(done, _under(release)))
    for name in done.differing:
        print_line(escape(name))
    return int(not release and bool(done.differ or done.unknown))


def _in_words(done: Progress, under: str) -> str:
    """Return the findings as a line of text."""
    return (
        f"games under {under}: {done.games:,}; differ: {done.differ:,}; payouts that differ: "
        f"{done.payouts:,}; could not be replayed: {done.unknown:,}"
    )


def _say_nothing(done: Progress, total: int) -> None:
    """Report no progress, for callers who want only the result."""


def _print_progress(done: Progress, total: int) -> None:
    """Print the progress."""
    print(f"{done.games:,} of {total:,} games, {done.differ} differ", file=sys.stderr, flush=True)


def replay_all(
    store: Store, release: str = "", edition: str = "", place: Path | None = None, tell: Tell = _say_nothing
) -> Progress:
    """Replay all stored games and return the findings; blocks until all are done.

    Goes on from the progress in the file, if there is one, and writes its own progress there. Raises
    ReplayQueryChanged if the file is about another release or edition.
    """
    done = _read(place, Progress(release=release, edition=edition))
    games = sorted([*store.list_games(), *store.list_archived()])
    told = monotonic()
    for number, game in enumerate(game for game in games if game > done.after):
        done = _add(done, game, _replay(store, game, release), edition)
        if number % NOTED_EVERY == 0:
            _write(place, done)
        if monotonic() - told > TOLD_EVERY:
            told = monotonic()
            tell(done, len(games))
    _write(place, done)
    return done


def _write(place: Path | None, done: Progress) -> None:
    """Write the progress to the file, if there is one."""
    if place:
        place.write_bytes(msgspec.json.encode(done))


def _read(place: Path | None, asked: Progress) -> Progress:
    """Return the progress in the file, or `asked` if there is no file. Raises ReplayQueryChanged."""
    if place is None or not place.exists():
        return asked
    try:
        done = msgspec.json.decode(place.read_bytes(), type=Progress)
    except msgspec.DecodeError as fault:
        raise ReplayQueryChanged("it does not say how far replay-all has come; name another file") from fault
    if (done.release, done.edition) != (asked.release, asked.edition):
        was = f"{_under(done.release)} and {done.edition or 'all editions'}"
        raise ReplayQueryChanged(
            f"it is about {was}; ask for the same to go on, or name another file to begin"
        )
    return done


def _under(release: str) -> str:
    """Return which release games are replayed under, in words."""
    return f"release {release}" if release else "their own releases"


def _replay(store: Store, game: str, release: str) -> Replayed:
    """Replay one stored game and return what differs."""
    try:
        return replay(store.read(game), store.vault(game)[SEED], release)
    except (Unreadable, LookupError) as fault:
        return Replayed(unknown=f"it cannot be read: {fault}")


def _add(done: Progress, game: str, replayed: Replayed, edition: str) -> Progress:
    """Return the progress with one more game; a game of another edition is not counted."""
    if edition not in ("", replayed.edition):
        return replace(done, after=game)
    named = tuple(_name(game, replayed))
    differ = done.differ + (replayed.version is not None)
    unknown = done.unknown + bool(replayed.unknown)
    differing = (*done.differing, *named)[:MOST_NAMED]
    payouts = done.payouts + replayed.payouts
    return replace(
        done,
        after=game,
        games=done.games + 1,
        differ=differ,
        payouts=payouts,
        unknown=unknown,
        differing=differing,
    )


def _name(game: str, replayed: Replayed) -> Iterator[str]:
    """Yield a line about a game that differs or could not be replayed."""
    if replayed.unknown:
        yield f"{game}: {replayed.unknown}"
    elif replayed.version is not None:
        yield f"{game}: from version {replayed.version} on, payouts that differ: {replayed.payouts}"
