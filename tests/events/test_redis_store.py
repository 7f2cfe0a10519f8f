"""What the Redis store writes, on fakeredis with Lua and on a real server."""

from typing import Any

import pytest
import redis
from msgspec.structs import replace

from events.chain import GENESIS, link
from events.commit import Commit, encode
from events.packing import pack
from events.redis_store import PAGE, RedisStore
from events.store import Conflict, Repeated, Trimmed, Unavailable, partition
from tests.support.event_samples import SEED, next_commit, sample_log, with_key
from tests.support.stores import LAYOUT
from tests.support.waiting import wait_until

GAME = "g_first"
TAG = "{61}"


@pytest.fixture
def store(client: redis.Redis) -> RedisStore:
    return RedisStore(client)


def test_everything_of_a_game_is_in_one_slot(client: redis.Redis, store: RedisStore) -> None:
    store.append(GAME, with_key(next_commit((0, GENESIS)), "k"), {"seed": SEED})
    kinds = {f"croupier:{TAG}:{kind}:{GAME}" for kind in ("game", "requests", "vault")}
    found: Any = client.keys()
    assert {name.decode() for name in found} == kinds | {f"croupier:{TAG}:feed"}


def test_an_entry_is_the_commit_under_its_version(client: redis.Redis, store: RedisStore) -> None:
    commit = with_key(next_commit((0, GENESIS)), "k", "r")
    store.append(GAME, commit, {"seed": SEED})
    entries: Any = client.xrange(f"croupier:{TAG}:game:{GAME}")
    [(position, fields)] = entries
    assert (position, fields.keys(), fields[b"h"].hex()) == (b"1-0", {b"e", b"h"}, commit.hash)
    assert fields[b"e"] == pack(commit)
    assert client.hgetall(f"croupier:{TAG}:requests:{GAME}") == {b"k": b"1:r"}


def test_a_log_that_began_as_json_goes_on_packed(client: redis.Redis, store: RedisStore) -> None:
    """0.2 and earlier releases stored whole commits, and their hashes in hex."""
    log = sample_log()
    stream = f"croupier:{TAG}:game:{GAME}"
    for commit in log[:3]:
        client.xadd(stream, {"e": encode(commit), "h": commit.hash}, id=f"{commit.version}-0")
    assert store.head(GAME) == (3, log[2].hash)
    with pytest.raises(Conflict):
        store.append(GAME, next_commit((3, log[1].hash)))
    for commit in log[3:]:
        store.append(GAME, commit)
    for after in range(len(log)):
        assert list(store.read_stored(GAME, after)) == [encode(commit) for commit in log[after:]]
        assert list(store.read(GAME, after, limit=2)) == log[after : after + 2]


def test_the_vault_is_in_no_stream(client: redis.Redis, store: RedisStore) -> None:
    store.append(GAME, next_commit((0, GENESIS)), {"seed": SEED})
    for stream in (f"croupier:{TAG}:game:{GAME}", LAYOUT.feed_key(partition(GAME))):
        assert SEED not in str(client.xrange(stream))
    assert client.hgetall(f"croupier:{TAG}:vault:{GAME}") == {b"seed": SEED.encode()}


def test_a_server_that_forgot_the_script_is_given_it_again(client: redis.Redis, store: RedisStore) -> None:
    for version in range(3):
        client.script_flush()
        store.append(GAME, next_commit(store.head(GAME)))
        assert store.head(GAME)[0] == version + 1


def test_refusals_hold_for_a_script_sent_whole(client: redis.Redis, store: RedisStore) -> None:
    store.append(GAME, with_key(next_commit((0, GENESIS)), "k"))
    client.script_flush()
    with pytest.raises(Conflict):
        store.append(GAME, next_commit((0, GENESIS)))
    client.script_flush()
    with pytest.raises(Repeated):
        store.append(GAME, with_key(next_commit((0, GENESIS)), "k"))


def test_every_commit_rings_the_doorbell_once(client: Any, store: RedisStore) -> None:
    rung: list[bytes] = []
    with client.pubsub(ignore_subscribe_messages=True) as bell:
        bell.subscribe(**{"croupier:bell": lambda message: rung.append(message["data"])})
        wait_until(lambda: (bell.get_message(), bell.subscribed)[1], "the subscription")
        for _ in range(2):
            store.append(GAME, next_commit(store.head(GAME)))
        with pytest.raises(Conflict):
            store.append(GAME, next_commit((0, GENESIS)))
        store.append("g_last", next_commit((0, GENESIS)))
        wait_until(lambda: (bell.get_message(), b"g_last|1" in rung)[1], "the last ring")
    assert rung == [b"g_first|1", b"g_first|2", b"g_last|1"]


def test_a_feed_that_was_trimmed_or_dropped_says_so(client: Any, store: RedisStore) -> None:
    feed = LAYOUT.feed_key(partition(GAME))
    for lose in ("XTRIM", feed, "MAXLEN", 1), ("DEL", feed):
        position = store.add_bookmark(partition(GAME))
        store.append(GAME, next_commit(store.head(GAME)))
        client.execute_command(*lose)
        with pytest.raises(Trimmed):
            store.read_feed(partition(GAME), position, 10)


def test_the_feed_does_not_grow_for_ever(client: redis.Redis) -> None:
    store = RedisStore(client, longest_feed=50)
    head = next_commit((0, GENESIS))
    store.append(GAME, head)
    for _ in range(400):
        following = next_commit((head.version, head.hash))
        store.append(GAME, following)
        head = following
    # Redis trims whole nodes of about a hundred entries.
    assert 50 <= client.xlen(LAYOUT.feed_key(partition(GAME))) <= 200
    assert len(store.read(GAME)) == 401


def long_log(number: int, at: str = "2026-11-15T12:00:00.000Z") -> list[Commit]:
    commits: list[Commit] = []
    for version in range(number):
        head = commits[-1].hash if commits else GENESIS
        commits.append(link(replace(next_commit((version, head)), at=at)))
    return commits


@pytest.mark.parametrize("number", [PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, 2 * PAGE + 1])
def test_a_log_of_several_pages_is_read_whole_and_in_part(store: RedisStore, number: int) -> None:
    commits = long_log(number)
    store.create_with_history(GAME, commits, {})
    assert store.read(GAME) == commits
    assert store.read(GAME, 3) == commits[3:]
    assert store.read(GAME, 3, PAGE) == commits[3 : PAGE + 3]
    assert store.read(GAME, 3, PAGE + 7) == commits[3 : PAGE + 10]
    assert store.read(GAME, number) == []
    assert len(store.read_stored(GAME, 1, PAGE + 1)) == min(PAGE + 1, number - 1)


class ReplacedStore(RedisStore):
    """One whose log is replaced after each page that is read, so many times."""

    def __init__(self, client: redis.Redis, logs: list[list[Commit]]) -> None:
        super().__init__(client)
        self.logs = logs

    def _read_page(self, game: str, after: int, number: int) -> Any:
        page = super()._read_page(game, after, number)
        if self.logs:
            self.remove(game)
            self.create_with_history(game, self.logs.pop(), {})
        return page


def test_a_log_that_is_replaced_between_two_pages_is_read_again(
    client: redis.Redis, store: RedisStore
) -> None:
    """After a restore; the pages of two logs would make one that nobody wrote."""
    old, new = (long_log(PAGE + 5, f"2026-11-15T12:00:0{second}.000Z") for second in (1, 2))
    store.create_with_history(GAME, old, {})
    assert ReplacedStore(client, [new]).read(GAME) == new
    with pytest.raises(Unavailable):
        ReplacedStore(client, [new, old] * 3).read(GAME)
