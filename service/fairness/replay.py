"""Replays a stored game under its own rules release or another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from events.chain import Broken
from events.commit import Commit, logged_form
from events.types import Event, GameCreated, GameForked, GameStarted, NotesMoved
from rules import EDITIONS, Rejected
from rules.releases import Editions, UnknownRules, restrict
from service.fairness.segments import check_forks
from service.fairness.verify import find_rules, replay_commits

Payout = tuple[str, tuple[int, ...]]
# A commit, and the events that its command causes now.
Step = tuple[Commit, tuple[Event, ...]]


class Replayed(Struct, frozen=True):
    """`version` is where it first goes another way, if it does; `payouts` counts those that differ.

    `unknown` says why it could not be replayed.
    """

    edition: str = ""
    version: int | None = None
    payouts: int = 0
    unknown: str = ""


def replay(
    commits: Sequence[Commit], seed: str, release: str = "", editions: Editions = EDITIONS
) -> Replayed:
    """With the seed that the vault keeps, so that games that go on are replayed, too."""
    created = commits[0].events[0]
    if not isinstance(created, GameCreated):
        return Replayed(unknown="it does not begin with a creation")
    try:
        check_forks(commits)
        rules = _find_rules(commits, created, release, editions)
    except (Broken, UnknownRules) as unknown:
        return Replayed(created.edition, unknown=str(unknown))
    steps = list(_decide(commits, _seeds(commits, seed), rules))
    own = release in ("", created.rules)
    version = next((commit.version for commit, events in steps if _differs(commit, events, own)), None)
    return Replayed(created.edition, version, _count_differing(steps, commits) if version else 0)


def _count_differing(steps: Sequence[Step], commits: Sequence[Commit]) -> int:
    paid = _count_payouts(commit.events for commit in commits)
    now = _count_payouts(events for _, events in steps)
    return max((paid - now).total(), (now - paid).total())


def _find_rules(
    commits: Sequence[Commit], created: GameCreated, release: str, editions: Editions
) -> Editions:
    """Of its own release as if nothing had come after; of another as it is now."""
    if release in ("", created.rules):
        return find_rules(commits, created, editions)
    known = editions.find(created.edition, release, created.options)
    return Editions((restrict(known, created.options, tuple(known.tiles)),))


def _seeds(commits: Sequence[Commit], last: str) -> list[str]:
    """What each commit was decided with: a fork tells the seed of all that came before it."""
    seeds = list[str]()
    for commit in commits:
        for event in commit.events:
            if isinstance(event, GameForked):
                seeds += [event.seed] * (commit.version - len(seeds))
    return seeds + [last] * (len(commits) - len(seeds))


def find_seed(commits: Iterable[Commit], last: str) -> str:
    """What was decided right before these, which are all that follow in a game that ended with `last`."""
    forks = (event.seed for commit in commits for event in commit.events if isinstance(event, GameForked))
    return next(forks, last)


def _decide(commits: Sequence[Commit], seeds: Sequence[str], rules: Editions) -> Iterator[Step]:
    """Yield each commit with the events that its command causes now, up to the first that is refused."""
    replayed = replay_commits(commits, [bytes.fromhex(seed) for seed in seeds], rules)
    for commit in commits:
        try:
            decided = next(replayed)
        except Rejected:
            yield commit, ()
            return
        yield commit, tuple(decided.table.events)


def _differs(commit: Commit, events: tuple[Event, ...], own: bool) -> bool:
    if own:
        return events != commit.events or logged_form(commit.command, events) != commit.command
    return [*map(_plain, events)] != [*map(_plain, commit.events)]


def _plain(event: Event) -> Event:
    """Which release it was, and what a release says of its own accord, is no difference in the game."""
    match event:
        case GameCreated():
            return replace(event, rules="")
        case GameStarted():
            return replace(event, tiles=())
        case _:
            return event


def _count_payouts(batches: Iterable[Iterable[Event]]) -> Counter[Payout]:
    moved = (event for events in batches for event in events if isinstance(event, NotesMoved))
    return Counter((event.target, event.notes) for event in moved if event.target.startswith("purse"))
