"""Whose turn it is: creators share the workers' time, and so do the games of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from redis import Redis

from service.queue.fair_queue import MEMORY_SECONDS, FairQueue, QueuedGame
from tests.support.app import open_memory


@pytest.fixture
def memory() -> Iterator[Redis]:
    with open_memory() as client:
        yield client


@pytest.fixture
def lanes(memory: Redis) -> FairQueue:
    return FairQueue(memory)


def take(lanes: FairQueue, seconds: float = 0.05) -> QueuedGame:
    """The next turn, which takes so long."""
    turn = lanes.take()
    assert turn is not None
    lanes.charge(turn, seconds)
    return turn


def take_and_put(lanes: FairQueue, seconds: float = 0.05) -> QueuedGame:
    """The same, and the game has more to do."""
    turn = take(lanes, seconds)
    lanes.put(turn.game, turn.creator, is_awaited=True)
    return turn


def test_where_nobody_waits_there_is_no_turn(lanes: FairQueue) -> None:
    assert lanes.take() is None


def test_a_game_waits_once(lanes: FairQueue) -> None:
    assert [lanes.put("g_1", "eve", True) for _ in range(3)] == [True, False, False]
    assert take(lanes).game == "g_1"
    assert lanes.take() is None


def test_who_comes_with_one_game_does_not_wait_for_a_hundred_of_somebody_else(lanes: FairQueue) -> None:
    for number in range(100):
        lanes.put(f"g_{number}", "eve", True)
    for _ in range(10):
        take_and_put(lanes)
    lanes.put("g_anna", "anna", True)
    assert "g_anna" in [take_and_put(lanes).game for _ in range(2)]


def test_nor_for_a_hundred_of_the_same_address(lanes: FairQueue) -> None:
    """Nobody waits for those games: their only person lets the clock answer."""
    for number in range(100):
        lanes.put(f"g_{number}", "eve", False)
    for _ in range(20):
        take(lanes)
        lanes.put("g_anna", "eve", True)
        assert take(lanes).game == "g_anna"


def test_who_used_no_time_lately_comes_before_a_hundred_who_did(lanes: FairQueue) -> None:
    for number in range(100):
        lanes.put(f"g_{number}", f"creator-{number}", True)
    for _ in range(250):
        take_and_put(lanes)
    lanes.put("g_zoe", "zoe", True)
    assert take(lanes).game == "g_zoe"


def test_a_game_that_waits_moves_up_when_somebody_waits_for_it(lanes: FairQueue) -> None:
    lanes.put("g_1", "eve", False)
    lanes.put("g_2", "eve", False)
    assert not lanes.put("g_2", "eve", True)
    assert not lanes.put("g_2", "eve", False)
    turns = [take(lanes) for _ in range(2)]
    assert [(turn.game, turn.is_awaited) for turn in turns] == [("g_2", True), ("g_1", False)]
    assert lanes.take() is None


def test_creators_share_the_time_not_the_turns(lanes: FairQueue) -> None:
    """Eve's slices are ten times as long, so that Anna gets ten times as many."""
    for creator in ("eve", "anna"):
        for number in range(3):
            lanes.put(f"g_{creator}_{number}", creator, True)
    spent = Counter[str]()
    for _ in range(330):
        turn = lanes.take()
        assert turn is not None
        seconds = 0.1 if turn.creator == "eve" else 0.01
        lanes.charge(turn, seconds)
        lanes.put(turn.game, turn.creator, is_awaited=True)
        spent[turn.creator] += round(seconds * 100)
    assert spent["eve"] == pytest.approx(spent["anna"], rel=0.1)


def test_games_of_a_lane_are_played_in_turn(lanes: FairQueue) -> None:
    games = {f"g_{number}" for number in range(10)}
    for game in games:
        lanes.put(game, "eve", True)
    for _ in range(5):
        assert {take_and_put(lanes).game for _ in games} == games


def test_a_game_that_used_much_time_comes_after_those_that_used_little(lanes: FairQueue) -> None:
    lanes.put("g_dear", "eve", True)
    lanes.put("g_cheap", "eve", True)
    turns = Counter[str]()
    for _ in range(110):
        turn = lanes.take()
        assert turn is not None
        lanes.charge(turn, 0.1 if turn.game == "g_dear" else 0.01)
        lanes.put(turn.game, "eve", is_awaited=True)
        turns[turn.game] += 1
    assert turns["g_cheap"] == pytest.approx(10 * turns["g_dear"], rel=0.2)


def test_within_a_lane_games_that_somebody_waits_for_come_first(lanes: FairQueue) -> None:
    lanes.put("g_bots", "eve", is_awaited=False)
    lanes.put("g_people", "eve", is_awaited=True)
    assert [take(lanes).game for _ in range(2)] == ["g_people", "g_bots"]


def test_but_they_do_not_come_before_games_of_others(lanes: FairQueue) -> None:
    """Else whoever puts a name to a game would go before everybody."""
    for number in range(50):
        lanes.put(f"g_{number}", "eve", is_awaited=True)
    lanes.put("g_bots", "anna", is_awaited=False)
    assert "g_bots" in [take_and_put(lanes).game for _ in range(2)]


def test_two_workers_that_take_at_once_do_not_both_serve_the_same_creator(lanes: FairQueue) -> None:
    for creator in ("anna", "eve"):
        for number in range(3):
            lanes.put(f"g_{creator}_{number}", creator, True)
    turns = [turn for turn in (lanes.take(), lanes.take()) if turn is not None]
    assert {turn.creator for turn in turns} == {"anna", "eve"}


def test_a_worker_that_dies_with_a_game_leaves_the_others_their_turns(lanes: FairQueue) -> None:
    for number in range(3):
        lanes.put(f"g_{number}", "eve", True)
    lost = lanes.take()
    assert lost is not None
    assert lanes.put(lost.game, "eve", True)
    assert {take(lanes).game for _ in range(3)} == {"g_0", "g_1", "g_2"}


def test_lost_keys_lose_nobody_who_is_put_in_again(memory: Redis, lanes: FairQueue) -> None:
    """Each key in turn, as if another had written over it."""
    for number in range(3):
        lanes.put(f"g_{number}", f"creator-{number % 2}", True)
    take_and_put(lanes)
    for key in memory.keys("*"):
        memory.delete(key)
        for number in range(3):
            lanes.put(f"g_{number}", f"creator-{number % 2}", True)
        assert {take_and_put(lanes).game for _ in range(6)} == {"g_0", "g_1", "g_2"}


def test_nothing_stays_of_those_who_have_gone(memory: Redis, lanes: FairQueue) -> None:
    for number in range(5):
        lanes.put(f"g_{number}", f"creator-{number}", True)
        take(lanes)
    left = [key for key in memory.keys("*") if not 0 < memory.ttl(key) <= MEMORY_SECONDS]
    assert left == []


def test_a_turn_tells_how_long_it_waited() -> None:
    now = [100.0]
    with open_memory() as client:
        lanes = FairQueue(client, lambda: now[0])
        lanes.put("g_1", "eve", True)
        now[0] = 102.5
        lanes.put("g_1", "eve", True)
        assert take(lanes).waited == 2.5
