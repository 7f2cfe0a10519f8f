"""Games of bots and people in a store, and a clock that is set by hand."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from events.commit import decode_raw
from events.store import Store
from events.values import SeatPlan
from rules.legal import choices
from service.fairness.verify import Verdict, verify
from service.games.games import Games
from service.games.writer import Outcome
from workers.deadline import IsOver


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


def choose(games: Games, game: str, seat: int, random: Random | None = None) -> Outcome:
    """A person answers, with the first option unless chance is given."""
    state = games.snapshot(game).state
    assert state.ask is not None
    options = choices(state, seat)
    return games.choose(game, seat, state.ask.id, random.choice(options) if random else options[0])


def awaited_seats(games: Games, game: str) -> tuple[int, ...]:
    ask = games.snapshot(game).state.ask
    return ask.awaited if ask is not None else ()


def is_over(games: Games, game: str) -> bool:
    return games.snapshot(game).state.status == "over"


def verify_stored(store: Store, game: str) -> Verdict:
    """Every answer decided again from the seed."""
    return verify([decode_raw(entry) for entry in store.read_stored(game)])
