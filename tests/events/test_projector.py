import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import Any

import pytest
import redis

from events.commit import Commit
from events.follower import BATCH, RECENT, SLICE, Handler, Projector, RedisCursor
from events.redis import REPLY_SECONDS, connect, connect_blocking
from events.redis_store import RedisStore
from events.store import MemoryStore, Store, Unavailable, partition
from service.ops.redis_server import RedisServer
from tests.support.event_samples import next_commit
from tests.support.faults import kill_and_start
from tests.support.stores import LAYOUT
from tests.support.waiting import wait_until

GAMES = tuple(f"g_{number}" for number in range(5))
SECONDS = 0.02


class Seen:
    """A handler that writes down the versions it is given."""

    def __init__(self) -> None:
        self.versions: dict[str, list[int]] = {}

    def __call__(self, game: str, commits: Sequence[Commit]) -> None:
        self.versions.setdefault(game, []).extend(commit.version for commit in commits)

    def whole(self, store: Store) -> bool:
        """Each commit of each game at least once."""
        return all(
            set(self.versions.get(game, ())) == set(range(1, store.head(game)[0] + 1))
            for game in store.list_games()
        )


@pytest.fixture
def store(client: redis.Redis) -> RedisStore:
    return RedisStore(client)


@pytest.fixture
def follow(client: redis.Redis, store: RedisStore) -> Callable[[Handler], Projector]:
    """Another process that follows under the same name."""
    return lambda handler: Projector(store, RedisCursor(client, "lobby", SECONDS), handler)


Follow = Callable[[Handler], Projector]


def play(store: Store, *games: str, count: int = 1) -> None:
    for game in games:
        for _ in range(count):
            store.append(game, next_commit(store.head(game)))


def test_each_commit_is_handed_over_once_and_in_order(store: RedisStore, follow: Follow) -> None:
    seen = Seen()
    projector = follow(seen)
    projector.step()
    for _ in range(3):
        play(store, *GAMES, count=2)
        projector.step()
    assert seen.versions == {game: [1, 2, 3, 4, 5, 6] for game in GAMES}


class RecordingCursor:
    """Has no news, and notes where it was asked for some."""

    def __init__(self) -> None:
        self.waits: list[dict[int, str]] = []

    def positions(self) -> dict[int, str]:
        return {}

    def find_lost(self) -> set[int]:
        return set()

    def save(self, positions: Mapping[int, str]) -> None:
        pass

    def reach(self, number: int, position: str) -> None:
        pass

    def begin_epochs(self, numbers: Iterable[int]) -> None:
        pass

    def place_of(self, number: int) -> object:
        return None

    def wait_for_entries(self, positions: Mapping[int, str], at_once: bool = False) -> Sequence[int]:
        if not at_once:
            self.waits.append(dict(positions))
        return []


def test_who_has_looked_everywhere_waits_for_news() -> None:
    cursor, seen = RecordingCursor(), Seen()
    memory = MemoryStore()
    play(memory, *GAMES)
    projector = Projector(memory, cursor, seen)
    projector.step()
    assert cursor.waits == []
    play(memory, *GAMES)
    projector.step()
    assert [set(positions) for positions in cursor.waits] == [set(range(memory.partitions))]
    assert seen.versions == {game: [1] for game in GAMES}


def test_waiting_for_news_that_does_not_come_takes_as_long_as_told(client: redis.Redis) -> None:
    position, seconds = RedisStore(client).add_bookmark(0), 0.1
    start = monotonic()
    assert RedisCursor(client, "lobby", seconds).wait_for_entries({0: position}) == []
    # Servers count in whole milliseconds.
    assert monotonic() - start >= seconds - 0.002


class Pauses(Event):
    """Waits for nothing, notes how long that would have been, and is set in the end."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.pauses: list[float] = []
        self._most = most

    def wait(self, timeout: float | None = None) -> bool:
        self.pauses.append(timeout or 0)
        if len(self.pauses) == self._most:
            self.set()
        return self.is_set()


def test_a_log_that_is_away_is_asked_ever_more_slowly_until_it_is_back() -> None:
    memory, cursor, stopped = MemoryStore(), RecordingCursor(), Pauses(9)
    play(memory, GAMES[0])

    def fail_but_once(game: str, commits: Sequence[Commit]) -> None:
        if len(stopped.pauses) != 7 or cursor.waits:
            raise Unavailable("the log is away")

    class Failing(RecordingCursor):
        def wait_for_entries(self, positions: Mapping[int, str], at_once: bool = False) -> Sequence[int]:
            cursor.wait_for_entries(positions, at_once)
            raise Unavailable("the log is away")

    Projector(memory, Failing(), fail_but_once).run(stopped)
    assert stopped.pauses == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 0.05, 0.1]


def test_the_cursor_outlives_the_process(store: RedisStore, follow: Follow) -> None:
    earlier, later = Seen(), Seen()
    projector = follow(earlier)
    for _ in range(2):
        play(store, *GAMES)
        projector.step()
    play(store, *GAMES[:2])
    follow(later).step()
    assert earlier.versions == {game: [1, 2] for game in GAMES}
    assert later.versions == {game: [3] for game in GAMES[:2]}


def test_followers_of_another_name_have_their_own_cursor(
    client: redis.Redis, store: RedisStore, follow: Follow
) -> None:
    play(store, *GAMES)
    follow(Seen()).step()
    other = Seen()
    Projector(store, RedisCursor(client, "webhooks", SECONDS), other).step()
    assert other.versions == {game: [1] for game in GAMES}


def test_a_follower_without_a_cursor_catches_up_from_the_games(
    client: redis.Redis, store: RedisStore, follow: Follow
) -> None:
    follow(Seen()).step()
    play(store, *GAMES, count=3)
    RedisCursor(client, "lobby").forget()
    seen = Seen()
    follow(seen).step()
    assert seen.versions == {game: [1, 2, 3] for game in GAMES}


@pytest.mark.parametrize("running", [True, False], ids=["while it runs", "while it is down"])
@pytest.mark.parametrize("kept", [0, 1], ids=["dropped", "trimmed"])
def test_a_feed_that_lost_entries_is_made_good_from_the_games(
    client: Any, store: RedisStore, follow: Follow, running: bool, kept: int
) -> None:
    seen = Seen()
    projector = follow(seen)
    projector.step()
    play(store, *GAMES, count=3)
    for game in GAMES:
        client.execute_command("XTRIM", LAYOUT.feed_key(partition(game)), "MAXLEN", kept)
    if running:
        play(store, *GAMES)
    else:
        projector = follow(seen)
    projector.step()
    assert seen.whole(store)


def test_more_news_than_one_batch_is_worked_off(store: RedisStore, follow: Follow) -> None:
    seen = Seen()
    projector = follow(seen)
    projector.step()
    play(store, GAMES[0], count=BATCH + 5)
    for _ in range(2):
        projector.step()
    assert seen.versions == {GAMES[0]: list(range(1, BATCH + 6))}


def test_what_a_crash_interrupted_comes_again(store: RedisStore, follow: Follow) -> None:
    follow(Seen()).step()
    play(store, *GAMES)

    def crash(game: str, commits: Sequence[Commit]) -> None:
        raise Unavailable("the queue is away")

    with pytest.raises(Unavailable):
        follow(crash).step()
    seen = Seen()
    follow(seen).step()
    assert seen.versions == {game: [1] for game in GAMES}


def test_a_redis_error_of_the_handler_counts_as_away(store: RedisStore, follow: Follow) -> None:
    play(store, *GAMES)

    def crash(game: str, commits: Sequence[Commit]) -> None:
        raise redis.ConnectionError("the queue is away")

    with pytest.raises(Unavailable):
        follow(crash).step()


def test_one_bad_game_does_not_hold_up_the_others(
    client: redis.Redis, store: RedisStore, follow: Follow, caplog: pytest.LogCaptureFixture
) -> None:
    seen = Seen()
    projector = follow(seen)
    projector.step()
    play(store, *GAMES)
    client.delete(LAYOUT.game_key("game", GAMES[1]))
    client.xadd(LAYOUT.game_key("game", GAMES[1]), {"e": "no commit", "h": "no hash"}, id="1-0")
    with caplog.at_level(logging.ERROR):
        projector.step()
    assert seen.versions == {game: [1] for game in GAMES if game != GAMES[1]}
    assert [GAMES[1] in record.getMessage() for record in caplog.records] == [True]


def test_news_do_not_wait_for_games_that_are_caught_up_with(
    client: redis.Redis, store: RedisStore, follow: Follow
) -> None:
    """A game that is still to come whole comes whole at once, so that its commits stay in order."""
    many = [f"g_many_{number}" for number in range(5 * SLICE)]
    play(store, *many)
    seen = Seen()
    projector = follow(seen)
    projector.step()
    assert len(seen.versions) == SLICE
    late = next(game for game in many if game not in seen.versions)
    play(store, late, GAMES[0])
    projector.step()
    assert (seen.versions[late], seen.versions[GAMES[0]]) == ([1, 2], [1])
    for _ in range(4):
        projector.step()
    assert seen.versions == {game: [1] for game in (*many, GAMES[0])} | {late: [1, 2]}


def test_who_was_there_last_is_caught_up_with_first(store: RedisStore, follow: Follow) -> None:
    many = [f"g_many_{number}" for number in range(40 * SLICE)]
    play(store, *many, GAMES[0])
    seen = Seen()
    projector = follow(seen)
    for _ in range(store.partitions * RECENT // SLICE):
        projector.step()
    assert GAMES[0] in seen.versions
    assert len(seen.versions) < len(many)


def test_a_crash_while_catching_up_begins_again(
    client: redis.Redis, store: RedisStore, follow: Follow
) -> None:
    many = [f"g_many_{number}" for number in range(2 * SLICE)]
    play(store, *many)
    follow(Seen()).step()
    assert RedisCursor(client, "lobby").positions() == {}
    seen = Seen()
    projector = follow(seen)
    for _ in range(2):
        projector.step()
    assert seen.versions == {game: [1] for game in many}
    assert len(RedisCursor(client, "lobby").positions()) == store.partitions


@contextmanager
def running(server: RedisServer, handler: Handler) -> Iterator[None]:
    stopped = Event()
    with connect(server.url) as writer, connect_blocking(server.url, SECONDS) as reader:
        projector = Projector(RedisStore(writer), RedisCursor(reader, "lobby", SECONDS), handler)
        thread = Thread(target=projector.run, args=(stopped,))
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()


def is_back(store: RedisStore) -> bool:
    """A connection that answered just before the kill is found dead by the next one who uses it."""
    try:
        store.head(GAMES[0])
    except Unavailable:
        return False
    return True


def test_it_goes_on_after_redis_was_killed_and_started_again(
    spare_redis: RedisServer, spare_client: redis.Redis
) -> None:
    store, seen = RedisStore(spare_client), Seen()
    with running(spare_redis, seen):
        for _ in range(3):
            play(store, *GAMES, count=2)
            wait_until(lambda: seen.whole(store), "every commit handed over")
            kill_and_start(spare_redis)
            wait_until(lambda: is_back(store), "a connection to the new server")
        play(store, *GAMES)
        wait_until(lambda: seen.whole(store), "the commits after the last restart")


def test_after_an_outage_it_looks_everywhere(spare_redis: RedisServer, spare_client: redis.Redis) -> None:
    """What is lost while the log is away gives no news; the follower has to find it by itself."""
    store, seen, outage = RedisStore(spare_client), Seen(), Event()

    def fail_once(game: str, commits: Sequence[Commit]) -> None:
        if not outage.is_set():
            outage.set()
            spare_client.delete(*(LAYOUT.feed_key(partition(game)) for game in GAMES))
            raise Unavailable("the log is away")
        seen(game, commits)

    with running(spare_redis, Seen()):
        wait_until(
            lambda: len(RedisCursor(spare_client, "lobby").positions()) == store.partitions, "the cursor"
        )
    play(store, *GAMES)
    with running(spare_redis, fail_once):
        wait_until(lambda: seen.whole(store), "every commit handed over")


def test_a_reader_may_wait_as_long_as_it_said(redis_server: RedisServer, real_redis: redis.Redis) -> None:
    """A client that writes gives a reply less time than this follower waits for news."""
    position = RedisStore(real_redis).add_bookmark(0)
    with connect(redis_server.url, reply_seconds=SECONDS / 2) as writer, pytest.raises(Unavailable):
        RedisCursor(writer, "lobby", SECONDS).wait_for_entries({0: position})
    with connect_blocking(redis_server.url, SECONDS) as reader:
        assert RedisCursor(reader, "lobby", SECONDS).wait_for_entries({0: position}) == []
        assert reader.connection_pool.connection_kwargs["socket_timeout"] == SECONDS + REPLY_SECONDS
