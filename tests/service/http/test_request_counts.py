"""How often somebody did something: over all processes, and without Redis in each."""

from __future__ import annotations

from collections.abc import Iterator

import fakeredis
import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st
from limits import RateLimitItem, RateLimitItemPerMinute

from service.http.limits import AWAY_SECONDS, PORTION, RequestCounts
from tests.support.app import open_memory

TIGHT, GENEROUS = RateLimitItemPerMinute(5), RateLimitItemPerMinute(2 * PORTION)
ANNA, EVE = "192.0.2.1", "192.0.2.2"
Pair = tuple[RequestCounts, RequestCounts]


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def processes(memory: redis.Redis, clock: Clock) -> Pair:
    return RequestCounts(memory, clock), RequestCounts(memory, clock)


def count_times(
    process: RequestCounts, times: int, item: RateLimitItem = TIGHT, who: str = ANNA
) -> Iterator[int]:
    for _ in range(times):
        yield process.count("creating", item, who)[0]


def test_tight_limits_are_exact_over_all_processes(processes: Pair) -> None:
    one, other = processes
    assert list(count_times(one, 2)) == [1, 2]
    assert list(count_times(other, 3)) == [3, 4, 5]
    assert list(count_times(one, 3)) == [6, 6, 6]
    assert list(count_times(one, 1, who=EVE)) == [1]


@given(turns=st.lists(st.booleans(), min_size=1, max_size=300))
def test_of_generous_limits_each_process_lets_at_most_a_portion_more_through(turns: list[bool]) -> None:
    portion = GENEROUS.amount // PORTION
    clock = Clock()
    with open_memory() as client:
        one = RequestCounts(client, clock)
        other = RequestCounts(client, clock)
        passed = 0
        for done, first in enumerate(turns, start=1):
            (known,) = count_times(one if first else other, 1, GENEROUS)
            assert known <= done
            passed += known <= GENEROUS.amount
    most = GENEROUS.amount
    assert min(len(turns), most) <= passed <= most + 2 * portion


def test_after_its_time_everything_counts_anew(processes: Pair, clock: Clock) -> None:
    one, other = processes
    assert list(count_times(one, 6))[-1] == 6
    _, left = one.count("creating", TIGHT, ANNA)
    assert 0 < left <= 60
    clock.now += left
    assert list(count_times(other, 1)) == [1]
    assert list(count_times(one, 1)) == [2]


def test_without_redis_each_process_counts_for_itself(clock: Clock) -> None:
    server = fakeredis.FakeServer()
    memory = fakeredis.FakeRedis(server=server)
    one, other = RequestCounts(memory, clock), RequestCounts(memory, clock)
    server.connected = False
    assert list(count_times(one, 6)) == [1, 2, 3, 4, 5, 6]
    assert list(count_times(other, 2)) == [1, 2]
    server.connected = True
    clock.now += AWAY_SECONDS
    assert list(count_times(other, 1)) == [3]
    assert list(count_times(RequestCounts(memory, clock), 1)) == [4]


def test_redis_keeps_nothing_longer_than_it_counts(processes: Pair, memory: redis.Redis) -> None:
    list(count_times(processes[0], 3))
    (key,) = memory.keys()
    assert 0 < memory.ttl(key) <= 60
