"""Games of the service, brought to where a test wants them, under a clock and chance of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from itertools import count
from random import Random
from typing import Any

import pytest
import redis
from msgspec.structs import replace

from events.archive import Archive
from events.chain import redact_commit
from events.commands import Choose, Command, Create
from events.commit import BotNote, Commit, decode_raw, encode
from events.redis_store import RedisStore
from events.store import MemoryStore, Store
from events.values import SeatPlan
from rules.errors import Reason, Rejected
from rules.legal import choices
from rules.state import State
from service.fairness.dice import commitment
from service.fairness.verify import Verdict, verify
from service.games.cache import Snapshots
from service.games.games import Games
from service.games.idempotency import identify_request, name_game
from service.games.seating import draft_game
from service.games.snapshots import Snapshot, begin_log
from service.games.tokens import SecretsCache, hash_token
from service.games.writer import Caller, CommandResult, Writer
from tests.support.api_client import long_key
from workers.turns import IsOver


def note_of(bot: str | None) -> BotNote | None:
    """None for a person's answer."""
    return BotNote(bot, "test", 0, "0" * 64) if bot else None


def sign(command: Command, state: State) -> tuple[str, BotNote | None]:
    """By whom the commit is made, and the note of the bot if it is one that sits there."""
    if isinstance(command, Create):
        return "creator", None
    seat: int = getattr(command, "seat")  # noqa: B009 - of those that are made here each has one
    return f"seat-{seat}", note_of(state.seats[seat].bot) if isinstance(command, Choose) else None


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


def numbered_ids(store: Store, process: int = 0) -> Callable[[], str]:
    """Ids that no game of the store has yet; those of two processes are never the same."""
    numbers = count(1)

    def next_id() -> str:
        while True:
            game = name_game(sha256(b"game %d of %d" % (next(numbers), process)).digest())
            if not store.head(game)[0]:
                return game

    return next_id


def make_games(store: Store | None = None) -> Games:
    """Games whose clock, seeds and ids, and so dice, are the same in every run."""
    kept = store or MemoryStore()
    return Games(kept, ticking_clock(), numbered_seeds(), numbered_ids(kept))


def make_served_games(client: redis.Redis, process: int = 0, archive: Archive | None = None) -> Games:
    """Games of an application: by the real clock, with dice that are the same in every run."""
    store = RedisStore(client, archive=archive)
    return Games(store, seeds=numbered_seeds(), ids=numbered_ids(store, process))


def people(number: int) -> list[SeatPlan]:
    return [SeatPlan(name=name) for name in NAMES[:number]]


def read_snapshot(games: Games, game: str) -> Snapshot:
    """Without the number of its log epoch, which every process gives for itself."""
    return replace(games.snapshot(game), log_epoch=0)


def seat_of_token(games: Games, game: str, token: str) -> int | None:
    holder = games.find_holder(game, hash_token(token))
    return None if holder is None else holder.seat


def start_game(
    games: Games,
    edition: str = "classic",
    options: Mapping[str, Any] | None = None,
    players: int = 2,
    key: str | None = None,
) -> str:
    return games.create(edition, options or {}, people(players), caller=Caller(key=key)).game


def written_by(result: CommandResult) -> Commit:
    """Return the commit of a command that changed something."""
    assert result.commit is not None
    return result.commit


def answer_at_random(games: Games, game: str, random: Random) -> CommandResult:
    """Somebody who is asked picks an option."""
    state = games.snapshot(game).state
    ask = state.ask
    assert ask is not None
    seat = random.choice(ask.awaited)
    note = note_of(state.seats[seat].bot)
    return games.choose(game, Caller(seat, bot=note), ask.id, random.choice(choices(state, seat)))


def play_answers(games: Games, game: str, number: int = 100_000, seed: int = 1) -> Iterator[CommandResult]:
    """Up to so many answers, until the game is over."""
    random = Random(seed)
    for _ in range(number):
        if games.snapshot(game).state.status == "over":
            return
        yield answer_at_random(games, game, random)


def play_game(games: Games, edition: str, options: Mapping[str, Any], players: int, seed: int = 1) -> str:
    """The same in every run; in one store, only once."""
    key = long_key((edition, options, players, seed))
    game = start_game(games, edition, options, players, key)
    for _ in play_answers(games, game, seed=seed):
        pass
    return game


def export_game(games: Games, game: str) -> list[dict[str, Any]]:
    """What anybody may download of a finished game."""
    return [decode_raw(encode(redact_commit(commit, everything=True))) for commit in games.commits(game)]


@cache
def _played(edition: str, players: int, options: tuple[tuple[str, Any], ...]) -> list[dict[str, Any]]:
    games = make_games()
    return export_game(games, play_game(games, edition, dict(options), players))


def exported_game(edition: str = "classic", players: int = 2, **options: Any) -> list[dict[str, Any]]:
    """Return a fresh copy of the commits of a finished game, played once per process."""
    return deepcopy(_played(edition, players, tuple(options.items())))


def open_ask(games: Games, game: str) -> tuple[int, int, tuple[str, ...]]:
    """Who is asked, under which number, and what may be answered."""
    state = games.snapshot(game).state
    assert state.ask is not None
    seat = state.ask.awaited[0]
    return seat, state.ask.id, choices(state, seat)


def refusal_reason(games: Games, game: str, seat: int, ask: int, choice: str) -> Reason:
    with pytest.raises(Rejected) as refusal:
        games.choose(game, Caller(seat), ask, choice)
    return refusal.value.reason


def after(answers: int) -> IsOver:
    """A slice that is over after so many answers."""
    left = [False] * answers
    return lambda: not left or left.pop()


ENDLESS: IsOver = lambda: False  # noqa: E731


class ManualClock:
    def __init__(self, now: datetime = datetime(2026, 11, 15, 12, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def start_mixed_game(
    games: Games,
    *seats: str,
    edition: str = "classic",
    options: Mapping[str, Any] | None = None,
) -> str:
    """Seats by name; `random` and `greedy` are bots. Seat 0 starts."""
    plans = [SeatPlan(bot=seat) if seat in ("random", "greedy") else SeatPlan(name=seat) for seat in seats]
    return games.create(edition, {"start_seat": 0, **(options or {})}, plans).game


def choose(games: Games, game: str, seat: int, random: Random | None = None) -> CommandResult:
    """A person answers, with the first option unless chance is given."""
    state = games.snapshot(game).state
    assert state.ask is not None
    options = choices(state, seat)
    return games.choose(game, Caller(seat), state.ask.id, random.choice(options) if random else options[0])


def awaited_seats(games: Games, game: str) -> tuple[int, ...]:
    ask = games.snapshot(game).state.ask
    return ask.awaited if ask is not None else ()


def is_over(games: Games, game: str) -> bool:
    return games.snapshot(game).state.status == "over"


def verify_stored(store: Store, game: str) -> Verdict:
    """Every answer decided again from the seed."""
    return verify([decode_raw(entry) for entry in store.read_stored(game)])


SEED = bytes(range(32))


def play_under(name: str, edition: str = "classic", players: int = 2) -> Sequence[Commit]:
    """A true game to its end."""
    store = MemoryStore()
    snapshots = Snapshots(store)
    command = Create(name, edition, tuple(people(players)), commitment(SEED))
    writer = Writer(store, snapshots, SecretsCache(store, snapshots), ticking_clock())
    request = identify_request("create", None, ())
    writer.write(name, begin_log(name), draft_game(command, SEED, None, {}), request)
    games = Games(store, ticking_clock())
    for _ in play_answers(games, name):
        pass
    return games.commits(name)
