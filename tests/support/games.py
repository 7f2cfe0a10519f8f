"""Games of the service, brought to where a test wants them."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from typing import Any

import pytest

from events.chain import redact_commit
from events.codec import decode_raw, encode
from events.commit import Commit
from events.store import MemoryStore, Store, Unavailable
from events.values import SeatPlan
from rules.legal import choices
from rules.rejection import Reason, Rejected
from service.play.games import Games, Outcome

NAMES = ("Anna", "Ben", "Carla", "Denny", "Emily", "Fred")

# An edition, its options and how many play: together they go through every member a table may have.
TABLES: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("classic", {}, 2),
    ("classic", {"neutral_dice": True, "hide_money": True}, 3),
    ("classic", {"chip_cards": True}, 4),
    ("modern", {"neutral_dice": True}, 2),
    ("modern", {"bandit": True}, 5),
    ("royale", {"tiles": 6}, 3),
    ("royale", {"tiles": 0}, 2),
    ("cards", {}, 3),
    ("cards", {"sequential": True, "chip_cards": True}, 2),
)


def ticking_clock() -> Callable[[], datetime]:
    """A second for every look at it."""
    start, seconds = datetime(2026, 11, 15, 12, tzinfo=UTC), count()
    return lambda: start + timedelta(seconds=next(seconds))


def numbered_seeds() -> Callable[[], bytes]:
    numbers = count(1)
    return lambda: next(numbers).to_bytes(32, "big")


def make_games(store: Store | None = None) -> Games:
    """Games whose clock and seeds are the same in every run."""
    return Games(store or MemoryStore(), ticking_clock(), numbered_seeds())


def people(number: int) -> list[SeatPlan]:
    return [SeatPlan(name=name) for name in NAMES[:number]]


def start_game(
    games: Games, edition: str = "classic", options: Mapping[str, Any] | None = None, players: int = 2
) -> str:
    return games.create(edition, options or {}, people(players)).game


def answer_at_random(games: Games, game: str, random: Random) -> Outcome:
    """Somebody who is asked picks an option."""
    state = games.snapshot(game).state
    ask = state.ask
    assert ask is not None
    seat = random.choice(ask.awaited)
    return games.choose(game, seat, ask.id, random.choice(choices(state, seat)))


def play_answers(games: Games, game: str, number: int = 100_000, seed: int = 1) -> Iterator[Outcome]:
    """Up to so many answers, until the game is over."""
    random = Random(seed)
    for _ in range(number):
        if games.snapshot(game).state.status == "over":
            return
        yield answer_at_random(games, game, random)


def play_game(games: Games, edition: str, options: Mapping[str, Any], players: int, seed: int = 1) -> str:
    game = start_game(games, edition, options, players)
    for _ in play_answers(games, game, seed=seed):
        pass
    return game


def export_game(games: Games, game: str) -> list[dict[str, Any]]:
    """What anybody may download of a finished game."""
    return [decode_raw(encode(redact_commit(commit, everything=True))) for commit in games.commits(game)]


class InterruptedStore(MemoryStore):
    """Somebody else's commit comes between reading and writing, as often as there are interruptions."""

    def __init__(self) -> None:
        super().__init__()
        self.interruptions: list[Callable[[], object]] = []

    def append(self, game: str, commit: Commit, vault: Mapping[str, str] | None = None) -> None:
        if self.interruptions:
            self.interruptions.pop(0)()
        super().append(game, commit, vault)


class FalteringStore(MemoryStore):
    """A store that goes away before or after it has written."""

    def __init__(self) -> None:
        super().__init__()
        self.before = self.after = 0

    def append(self, game: str, commit: Commit, vault: Mapping[str, str] | None = None) -> None:
        if self.before:
            self.before -= 1
            raise Unavailable("the request got lost")
        super().append(game, commit, vault)
        if self.after:
            self.after -= 1
            raise Unavailable("the reply got lost")


class ForgetfulStore(MemoryStore):
    """A store that comes back without its latest commits, as after a failover."""

    def lose(self, game: str, after: int) -> None:
        del self._streams[game][after:]
        self._requests = {key: known for key, known in self._requests.items() if known[1] <= after}


class CountingStore(MemoryStore):
    """Notes every call."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []

    def append(self, game: str, commit: Commit, vault: Mapping[str, str] | None = None) -> None:
        self.calls.append("append")
        super().append(game, commit, vault)

    def read_stored(self, game: str, after: int = 0, limit: int | None = None) -> Any:
        self.calls.append("stored")
        return super().read_stored(game, after, limit)

    def vault(self, game: str) -> Mapping[str, str]:
        self.calls.append("vault")
        return super().vault(game)

    def read(self, game: str, after: int = 0, limit: int | None = None) -> Any:
        self.calls.append(f"read after {after}")
        return super().read(game, after, limit)


def open_ask(games: Games, game: str) -> tuple[int, int, tuple[str, ...]]:
    """Who is asked, under which number, and what may be answered."""
    state = games.snapshot(game).state
    assert state.ask is not None
    seat = state.ask.awaited[0]
    return seat, state.ask.id, choices(state, seat)


def refusal_reason(games: Games, game: str, seat: int, ask: int, choice: str) -> Reason:
    with pytest.raises(Rejected) as refusal:
        games.choose(game, seat, ask, choice)
    return refusal.value.reason
