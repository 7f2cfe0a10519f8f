"""Replays a stored game under its own rules release or another one: `replay`."""

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
    """Holds the result of a replay.

    `version` is the first commit that comes out differently, or None; `payouts` counts the payouts that
    differ. `unknown` says why the game could not be replayed.
    """

    edition: str = ""
    version: int | None = None
    payouts: int = 0
    unknown: str = ""


def replay(
    commits: Sequence[Commit], seed: str, release: str = "", editions: Editions = EDITIONS
) -> Replayed:
    """Decide all commands of a game again under a release, by default its own, and return what differs.

    `seed` is the secret that the service stores, so that unfinished games can be replayed, too.
    """
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
    """Return how many payouts were made only in the log or only in the replay, whichever is more."""
    paid = _count_payouts(commit.events for commit in commits)
    now = _count_payouts(events for _, events in steps)
    return max((paid - now).total(), (now - paid).total())


def _find_rules(
    commits: Sequence[Commit], created: GameCreated, release: str, editions: Editions
) -> Editions:
    """Return the rules of a release: the game's own without later tiles, another one as it is now."""
    if release in ("", created.rules):
        return find_rules(commits, created, editions)
    known = editions.find(created.edition, release, created.options)
    return Editions((restrict(known, created.options, tuple(known.tiles)),))


def _seeds(commits: Sequence[Commit], last: str) -> list[str]:
    """Return the seed that each commit was decided with: a fork reveals the seed of all commits before it."""
    seeds = list[str]()
    for commit in commits:
        for event in commit.events:
            if isinstance(event, GameForked):
                seeds += [event.seed] * (commit.version - len(seeds))
    return seeds + [last] * (len(commits) - len(seeds))


def find_seed(commits: Iterable[Commit], last: str) -> str:
    """Return the seed that was in use before these commits, in a game whose last seed is `last`.

    The commits are all that follow in the game's log.
    """
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
    """Return whether a command causes other events than are logged; `own` compares every detail."""
    if own:
        return events != commit.events or logged_form(commit.command, events) != commit.command
    return [*map(_plain, events)] != [*map(_plain, commit.events)]


def _plain(event: Event) -> Event:
    """Return an event without what differs between releases and makes no difference in the game."""
    match event:
        case GameCreated():
            return replace(event, rules="")
        case GameStarted():
            return replace(event, tiles=())
        case _:
            return event


def _count_payouts(batches: Iterable[Iterable[Event]]) -> Counter[Payout]:
    """Return how often each payout was made."""
    moved = (event for events in batches for event in events if isinstance(event, NotesMoved))
    return Counter((event.target, event.notes) for event in moved if event.target.startswith("purse"))
