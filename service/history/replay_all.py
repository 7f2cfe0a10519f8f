"""`croupier replay-all`: replays every stored game, to see what a new rules release would change."""

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
from service.fairness.replay import Replayed, replay
from service.games.tokens import SEED
from service.text import escape, print_line

TOLD_EVERY = 1.0
# So often what is done is written down, and so many games may be done twice.
NOTED_EVERY = 100
MOST_NAMED = 20
# The file to resume from is about something else, or there is no such edition.
NOT_ASKED = 2


class ReplayQueryChanged(ValueError):
    """A file says how far something else has come."""


class Progress(Struct, frozen=True, omit_defaults=True):
    """`after` is the last game of those done, in the order of their ids; `differing` names some.

    `release` and `edition` are what was asked for: how far one has come tells nothing of another.
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
    """0 where nothing differs that must not: under another release it is only told what would."""
    if edition and edition not in EDITIONS.newest:
        say(f"there is no edition {escape(edition)}; {did_you_mean(edition, EDITIONS.newest)}")
        return NOT_ASKED
    place = Path(file) if file else None
    with connect(url) as client:
        try:
            done = replay_all(RedisStore(client), release, edition, place, _tell)
        except ReplayQueryChanged as fault:
            say(f"{escape(file)}: {escape(str(fault))}")
            return NOT_ASKED
    print_line(_in_words(done, _under(release)))
    for name in done.differing:
        print_line(escape(name))
    return int(not release and bool(done.differ or done.unknown))


def _in_words(done: Progress, under: str) -> str:
    return (
        f"games under {under}: {done.games:,}; differ: {done.differ:,}; payouts that differ: "
        f"{done.payouts:,}; could not be replayed: {done.unknown:,}"
    )


def _say_nothing(done: Progress, total: int) -> None:
    """For those who only want the result."""


def _tell(done: Progress, total: int) -> None:
    print(f"{done.games:,} of {total:,} games, {done.differ} differ", file=sys.stderr, flush=True)


def replay_all(
    store: Store, release: str = "", edition: str = "", place: Path | None = None, tell: Tell = _say_nothing
) -> Progress:
    """Goes on from what stands in the file, if there is one, and writes there how far it has come.

    Raises ReplayQueryChanged where that was asked for another release or edition.
    """
    done = _read(place, Progress(release=release, edition=edition))
    games = sorted(store.list_games())
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
    if place:
        place.write_bytes(msgspec.json.encode(done))


def _read(place: Path | None, asked: Progress) -> Progress:
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
    return f"release {release}" if release else "their own releases"


def _replay(store: Store, game: str, release: str) -> Replayed:
    try:
        return replay(store.read(game), store.vault(game)[SEED], release)
    except (Unreadable, LookupError) as fault:
        return Replayed(unknown=f"it cannot be read: {fault}")


def _add(done: Progress, game: str, replayed: Replayed, edition: str) -> Progress:
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
    if replayed.unknown:
        yield f"{game}: {replayed.unknown}"
    elif replayed.version is not None:
        yield f"{game}: from version {replayed.version} on, payouts that differ: {replayed.payouts}"
