"""Time for each answer and for all, and who answers when it is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from events.commands import Choose, Leave, Return, Void
from events.commit import decode_raw
from events.store import MemoryStore
from events.types import SeatReturned
from service.fairness.verify import verify
from service.games.games import Games
from service.games.table_view import ClockShown, render_snapshot
from service.games.writer import Caller
from tests.support.forgeries import reseal
from tests.support.games import (
    ENDLESS,
    ManualClock,
    after,
    awaited_seats,
    choose,
    is_over,
    read_snapshot,
    start_mixed_game,
    verify_stored,
    written_by,
)
from workers.turns import TurnPlayer

EDITIONS = ["classic", "modern", "royale", "cards"]
Raws = list[dict[str, Any]]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def games(store: MemoryStore, clock: ManualClock) -> Games:
    return Games(store, clock)


def last_answer(games: Games, game: str) -> tuple[str, str, str]:
    commit = games.commits(game)[-1]
    assert isinstance(commit.command, Choose)
    return commit.by, commit.command.bot, commit.command.why


def test_a_named_bot_answers_this_once(games: Games, clock: ManualClock) -> None:
    """W9."""
    game = start_mixed_game(games, "Anna", "Ben", options={"turn_seconds": 5, "on_timeout": "greedy"})
    clock.forward(5)
    TurnPlayer(games, clock).play_turns(game, ENDLESS)
    assert last_answer(games, game) == ("clock", "greedy", "timeout")
    assert games.snapshot(game).state.seats[0].stand_in is None
    assert awaited_seats(games, game) == (1,)


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_bot_takes_over_until_the_person_answers_again(
    games: Games, store: MemoryStore, clock: ManualClock, edition: str
) -> None:
    """W9, W4: somebody who never answers, and somebody who comes back."""
    options = {"turn_seconds": 5, "on_timeout": "takeover:random"}
    game = start_mixed_game(games, "Anna", "Ben", edition=edition, options=options)
    while 0 not in awaited_seats(games, game) or games.snapshot(game).state.seats[0].stand_in is None:
        clock.forward(5)
        TurnPlayer(games, clock).play_turns(game, after(1))
    assert "clock" in [commit.by for commit in games.commits(game)]
    assert isinstance(written_by(choose(games, game, 0)).events[0], SeatReturned)
    while not is_over(games, game):
        clock.forward(5)
        TurnPlayer(games, clock).play_turns(game, ENDLESS)
    assert ("bot:random", "random", "away") in {
        (commit.by, commit.command.bot, commit.command.why)
        for commit in games.commits(game)
        if isinstance(commit.command, Choose)
    }
    assert verify_stored(store, game).ok


@pytest.mark.parametrize("edition", EDITIONS)
def test_who_never_answers_uses_up_the_time_and_the_game_goes_on(
    games: Games, store: MemoryStore, clock: ManualClock, edition: str
) -> None:
    """W10."""
    options = {"total_seconds": 60, "on_timeout": "greedy"}
    game = start_mixed_game(games, "Anna", "random", edition=edition, options=options)
    TurnPlayer(games, clock).play_turns(game, ENDLESS)
    clock.forward(59.999)
    TurnPlayer(games, clock).play_turns(game, ENDLESS)
    assert awaited_seats(games, game) == (0,)
    clock.forward(0.001)
    TurnPlayer(games, clock).play_turns(game, ENDLESS)
    assert is_over(games, game)
    assert verify_stored(store, game).ok


def test_what_is_left_shrinks_by_thinking_and_grows_by_answering(games: Games, clock: ManualClock) -> None:
    """W10; also where the game is read from the log alone."""
    options = {"total_seconds": 60, "increment_seconds": 5, "turn_seconds": 50}
    game = start_mixed_game(games, "Anna", "Ben", options=options)
    assert deadlines(games, game, None) == "2026-11-15T12:00:50.000Z"
    clock.forward(20.5)
    choose(games, game, 0)
    clock.forward(10)
    assert shown(games, game) == (
        ClockShown(0, 44.5, None),
        ClockShown(1, 60, "2026-11-15T12:01:10.500Z"),
    )
    choose(games, game, 1)
    assert deadlines(games, game, 0) == "2026-11-15T12:01:15.000Z"
    clock.forward(44.5)
    TurnPlayer(games, clock).play_turns(game, ENDLESS)
    assert last_answer(games, game) == ("clock", "random", "timeout")
    assert shown(games, game)[0].seconds == 5
    assert read_snapshot(Games(MemoryStoreOf(games, game), clock), game) == read_snapshot(games, game)


def shown(games: Games, game: str) -> tuple[ClockShown, ...]:
    clocks = render_snapshot(games.snapshot(game), None).clock
    assert isinstance(clocks, tuple)
    return clocks


def deadlines(games: Games, game: str, viewer: int | None) -> str | None:
    (ask,) = render_snapshot(games.snapshot(game), viewer).asks
    return ask.deadline


class MemoryStoreOf(MemoryStore):
    """A copy of one game's log."""

    def __init__(self, games: Games, game: str) -> None:
        super().__init__()
        for commit in games.commits(game):
            self.append(game, commit, {"seed": "00"})


def test_at_one_ask_everybody_has_their_own_time(games: Games, clock: ManualClock) -> None:
    """W10, C2."""
    options = {"total_seconds": 60}
    game = start_mixed_game(games, "Anna", "Ben", edition="cards", options=options)
    clock.forward(10)
    choose(games, game, 0)
    clock.forward(20)
    choose(games, game, 1)
    assert deadlines(games, game, 0) == "2026-11-15T12:01:20.000Z"
    assert deadlines(games, game, 1) == deadlines(games, game, None) == "2026-11-15T12:01:00.000Z"
    clock.forward(30)
    TurnPlayer(games, clock).play_turns(game, ENDLESS)
    assert awaited_seats(games, game) == (0,)
    assert last_answer(games, game) == ("clock", "random", "timeout")


def test_who_is_away_loses_no_time(games: Games, clock: ManualClock) -> None:
    """W10."""
    game = start_mixed_game(games, "Anna", "Ben", options={"total_seconds": 60})
    games.execute(game, Caller(0), Leave(0, for_good=False))
    clock.forward(30)
    TurnPlayer(games, clock).play_turns(game, after(1))
    assert last_answer(games, game) == ("bot:greedy", "greedy", "away")
    assert shown(games, game)[0] == ClockShown(0, 60, None)


# What a verifier finds


def answer_early(raws: Raws) -> None:
    raws[1]["at"] = raws[0]["at"]


def hide_the_clock(raws: Raws) -> None:
    raws[1]["by"] = "seat-0"


def hide_the_bot(raws: Raws) -> None:
    del raws[1]["command"]["bot"]


def blame_another_bot(raws: Raws) -> None:
    raws[1]["command"]["bot"] = "random"


def find_another_reason(raws: Raws) -> None:
    raws[1]["command"]["why"] = "luck"


@pytest.mark.parametrize(
    "forge", [answer_early, hide_the_clock, hide_the_bot, blame_another_bot, find_another_reason]
)
def test_a_clock_that_does_what_it_may_not_is_found(
    games: Games, store: MemoryStore, clock: ManualClock, forge: Callable[[Raws], None]
) -> None:
    """W9, W10."""
    game = start_mixed_game(
        games, "Anna", "Ben", options={"total_seconds": 5, "on_timeout": "takeover:greedy"}
    )
    clock.forward(5)
    TurnPlayer(games, clock).play_turns(game, ENDLESS)
    clock.forward(5)
    TurnPlayer(games, clock).play_turns(game, ENDLESS)
    raws = [decode_raw(entry) for entry in store.read_stored(game)]
    assert verify(reseal(raws)).ok
    forge(raws)
    assert verify(reseal(raws)).ok is False


def test_thinking_is_taken_off_though_one_leaves_before_the_answer(
    games: Games, store: MemoryStore, clock: ManualClock
) -> None:
    """W10: nobody thinks for nothing by leaving when the time is nearly over."""
    game = start_mixed_game(games, "Anna", "Ben", options={"total_seconds": 60})
    clock.forward(55)
    games.execute(game, Caller(0), Leave(0, for_good=False))
    assert shown(games, game)[0] == ClockShown(0, 5, None)
    clock.forward(2)
    choose(games, game, 0)
    assert shown(games, game)[0].seconds == 5
    choose(games, game, 1)
    clock.forward(5)
    TurnPlayer(games, clock).play_turns(game, after(1))
    assert last_answer(games, game) == ("clock", "random", "timeout")
    assert read_snapshot(Games(MemoryStoreOf(games, game), clock), game) == read_snapshot(games, game)
    games.execute(game, Caller(0), Void(0, agrees=True))
    games.execute(game, Caller(1), Void(1, agrees=True))
    assert verify_stored(store, game).ok


def test_who_comes_back_to_the_same_ask_has_the_time_as_if_they_had_stayed(
    games: Games, clock: ManualClock
) -> None:
    """W10."""
    game = start_mixed_game(games, "Anna", "Ben", options={"total_seconds": 60})
    clock.forward(20)
    games.execute(game, Caller(0), Leave(0, for_good=False))
    clock.forward(1)
    games.execute(game, Caller(0), Return(0))
    assert deadlines(games, game, 0) == "2026-11-15T12:01:00.000Z"
    clock.forward(9)
    choose(games, game, 0)
    assert shown(games, game)[0].seconds == 30


def test_who_was_not_asked_loses_nothing_by_leaving(games: Games, clock: ManualClock) -> None:
    """W10."""
    game = start_mixed_game(games, "Anna", "Ben", options={"total_seconds": 60})
    clock.forward(30)
    games.execute(game, Caller(1), Leave(1, for_good=False))
    games.execute(game, Caller(1), Return(1))
    assert shown(games, game)[1].seconds == 60
