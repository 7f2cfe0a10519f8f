"""The times when games are due, in one index a partition, beside the logs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis

from events.redis_store import RedisStore
from events.store import partition
from events.types import Event
from service.lobby.due_index import DueIndex, LogHead
from tests.support.event_samples import EVENTS, next_commit
from tests.support.stores import LAYOUT

NOW = datetime(2027, 1, 15, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
GAME = "g_first"


def append(store: RedisStore, event: Event = EVENTS[0]) -> LogHead:
    store.append(GAME, next_commit(store.head(GAME), [event]))
    return LogHead(*store.head(GAME))


def due_at(client: Any) -> float | None:
    """In milliseconds since 1970."""
    found: float | None = client.zscore(LAYOUT.key(partition(GAME), "due"), GAME)
    return found


def test_who_was_stopped_before_writing_writes_nothing_once_the_log_has_gone_on(
    real_redis: redis.Redis,
) -> None:
    store = RedisStore(real_redis)
    index = DueIndex(real_redis)
    stale = append(store)
    newest = append(store)
    index.write(GAME, NOW, newest)
    for write in (index.write, index.write_earlier):
        write(GAME, LATER, stale)
        write(GAME, None, stale)
        write(GAME, NOW - timedelta(hours=1), stale)
    assert due_at(real_redis) == NOW.timestamp() * 1000


def test_who_knows_a_log_that_was_lost_writes_nothing(real_redis: Any) -> None:
    """The log goes on from an earlier version, and has as many commits as before."""
    store = RedisStore(real_redis)
    index = DueIndex(real_redis)
    before = append(store)
    lost = append(store)
    key = LAYOUT.game_key("game", GAME)
    (first,) = real_redis.xrange(key, "1-0", "1-0")
    real_redis.delete(key)
    real_redis.xadd(key, first[1], id="1-0")
    index.write(GAME, LATER, lost)
    assert due_at(real_redis) is None
    assert store.head(GAME) == (before.version, before.hash)
    found = append(store, EVENTS[1])
    assert (found.version, found.hash != lost.hash) == (lost.version, True)
    index.write(GAME, LATER, lost)
    assert due_at(real_redis) is None
    index.write(GAME, NOW, found)
    assert due_at(real_redis) == NOW.timestamp() * 1000


def test_games_of_all_partitions_are_taken_once(real_redis: redis.Redis) -> None:
    index = DueIndex(real_redis)
    games = [f"g_{number}" for number in range(200)]
    for number, game in enumerate(games):
        index.write(game, NOW - timedelta(seconds=number))
    index.write("g_later", LATER)
    assert index.measure_overdue(NOW) == pytest.approx(199)
    taken = index.take(NOW)
    assert sorted(taken.games) == sorted(games)
    assert index.take(NOW).games == ()


def test_times_of_an_earlier_release_are_taken_over(real_redis: redis.Redis) -> None:
    former = "croupier:due:{lobby}"
    real_redis.zadd(former, {GAME: NOW.timestamp() * 1000, "*whole*": "inf"})
    index = DueIndex(real_redis)
    assert index.take(NOW).games == ()
    index.take_over_former()
    assert index.take(NOW).games == (GAME,)
    assert not real_redis.exists(former)
