"""What a real server does when things break, and that nothing acknowledged is lost or doubled."""

from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import redis

from events.chain import GENESIS, check_chain
from events.commit import decode_raw
from events.inspection import SETTINGS, STATE, find_faults, inspect_server
from events.redis import connect, is_well_formed
from events.redis_store import RedisStore
from events.store import Conflict, Repeated, Unavailable
from service.ops.redis_server import RedisServer
from tests.support.event_samples import next_commit, with_key
from tests.support.faults import ReplyLosingProxy, kill_and_start
from tests.support.waiting import wait_until

GAME = "g_first"
REQUEST = "the same each time"
SOUND = {
    "redis_version": "6.2.0",
    "maxmemory_policy": "noeviction",
    "aof_enabled": 1,
    "aof_last_write_status": "ok",
    "role": "master",
}


def test_a_lost_reply_leaves_one_entry_and_the_retry_learns_its_version(
    real_redis: redis.Redis, redis_server: RedisServer, tmp_path: Path
) -> None:
    with ReplyLosingProxy(redis_server, tmp_path / "s") as proxy, connect(proxy.url) as client:
        store = RedisStore(client)
        store.append(GAME, next_commit((0, GENESIS)))
        commit = with_key(next_commit(store.head(GAME)), "k")
        proxy.cuts = 3
        for expected in (Unavailable, Unavailable, Unavailable, Repeated):
            with pytest.raises(expected):
                store.append(GAME, commit)
    assert len(RedisStore(real_redis).read(GAME)) == 2


def test_the_client_never_repeats_an_append_by_itself(
    real_redis: redis.Redis, redis_server: RedisServer, tmp_path: Path
) -> None:
    with ReplyLosingProxy(redis_server, tmp_path / "s") as proxy, connect(proxy.url) as client:
        store = RedisStore(client)
        store.append(GAME, next_commit((0, GENESIS)))
        sent, proxy.cuts = proxy.appends, 5
        with pytest.raises(Unavailable):
            store.append(GAME, next_commit(store.head(GAME)))
        assert proxy.appends == sent + 1


class Player:
    """Appends without pause, repeats under the same key what was not acknowledged, and remembers what was."""

    def __init__(self, store: RedisStore) -> None:
        self.store, self.acknowledged, self.stopped = store, dict[str, int](), Event()
        self.thread = Thread(target=self.play)

    def __enter__(self) -> "Player":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self.thread.join()

    def play(self) -> None:
        turn = 0
        while not self.stopped.is_set():
            if self.acknowledges(f"turn-{turn}"):
                turn += 1

    def acknowledges(self, key: str) -> bool:
        try:
            commit = with_key(next_commit(self.store.head(GAME)), key, REQUEST)
            self.store.append(GAME, commit)
            self.acknowledged[key] = commit.version
        except Repeated as known:
            self.acknowledged[key] = known.version
        except (Unavailable, Conflict):
            return False
        return True

    def goes_on(self) -> None:
        goal = len(self.acknowledged) + 40
        wait_until(lambda: len(self.acknowledged) > goal, "forty commits more")


def test_kill_9_loses_and_doubles_no_acknowledged_commit(
    spare_redis: RedisServer, spare_client: redis.Redis
) -> None:
    with Player(RedisStore(spare_client)) as player:
        for _ in range(3):
            player.goes_on()
            kill_and_start(spare_redis)
        player.goes_on()
    kept = {key: player.store.find_request(GAME, key, REQUEST) for key in player.acknowledged}
    assert kept == player.acknowledged
    assert sorted(player.acknowledged.values()) == [commit.version for commit in player.store.read(GAME)]
    assert (
        check_chain(decode_raw(entry) for entry in player.store.read_stored(GAME))
        == player.store.head(GAME)[1]
    )


def test_a_server_that_is_away_is_one_kind_of_fault(
    spare_redis: RedisServer, spare_client: redis.Redis
) -> None:
    store = RedisStore(spare_client)
    store.append(GAME, next_commit((0, GENESIS)))
    following = with_key(next_commit(store.head(GAME)), "k")
    spare_redis.stop()
    calls: list[Any] = [
        lambda: store.append(GAME, following),
        lambda: store.read(GAME),
        lambda: store.head(GAME),
        lambda: store.vault(GAME),
        lambda: store.add_to_vault(GAME, {"seed": "s"}),
        lambda: store.find_request(GAME, "k", "r"),
        lambda: store.read_feed(0, "", 1),
        lambda: store.add_bookmark(0),
        store.list_games,
        lambda: inspect_server(spare_client),
    ]
    for call in calls:
        with pytest.raises(Unavailable):
            call()


@pytest.mark.parametrize(
    "setting", [("maxmemory", "1"), ("min-replicas-to-write", "1")], ids=["memory full", "replicas missing"]
)
def test_a_server_that_would_not_keep_a_commit_is_unavailable(
    spare_client: redis.Redis, setting: tuple[str, str]
) -> None:
    store = RedisStore(spare_client)
    store.append(GAME, next_commit((0, GENESIS)))
    spare_client.config_set(*setting)
    with pytest.raises(Unavailable):
        store.append(GAME, with_key(next_commit(store.head(GAME)), "k"))
    spare_client.config_set(setting[0], "0")
    assert (store.head(GAME)[0], store.find_request(GAME, "k", "the request")) == (1, None)


def test_a_replica_is_unavailable_and_named(spare_client: redis.Redis) -> None:
    spare_client.replicaof("127.0.0.1", "1")
    with pytest.raises(Unavailable):
        RedisStore(spare_client).append(GAME, next_commit((0, GENESIS)))
    [fault] = inspect_server(spare_client).unfit
    assert "a slave, not the master" in fault


def test_our_own_server_keeps_what_it_is_given(spare_client: redis.Redis) -> None:
    inspection = inspect_server(spare_client)
    assert (inspection.unfit, inspection.troubles, inspection.warnings) == ([], [], [])
    found = inspection.found
    assert (found.appendonly, found.appendfsync, found.role) == (True, "always", "master")
    assert found.version[0].isdigit()


def test_a_server_that_evicts_or_keeps_no_file_is_named(spare_client: redis.Redis) -> None:
    spare_client.config_set("maxmemory-policy", "allkeys-lru")
    spare_client.config_set("appendonly", "no")
    evicts, forgets = inspect_server(spare_client).unfit
    assert "allkeys-lru" in evicts
    assert "set appendonly yes" in forgets


def test_a_server_that_syncs_later_is_fit_with_a_warning(spare_client: redis.Redis) -> None:
    spare_client.config_set("appendfsync", "everysec")
    inspection = inspect_server(spare_client)
    [warning] = inspection.warnings
    assert (inspection.unfit, inspection.found.appendfsync) == ([], "everysec")
    assert "set appendfsync always" in warning


def test_a_server_that_forbids_config_is_asked_no_further(
    spare_redis: RedisServer, spare_client: redis.Redis
) -> None:
    rights = ["+@all", "-config"]
    spare_client.acl_setuser("guest", enabled=True, nopass=True, keys=["*"], commands=rights)
    with connect(spare_redis.url.replace(f":{spare_redis.password}", "guest:any")) as guest:
        inspection = inspect_server(guest)
    assert (inspection.found.appendfsync, inspection.warnings, inspection.unfit) == (None, [], [])


@pytest.mark.parametrize("name", SOUND)
def test_whatever_a_server_does_not_tell_is_a_fault(name: str) -> None:
    wanted = SETTINGS + STATE
    assert find_faults(SOUND, wanted) == []
    assert len(find_faults({**SOUND, name: "else"}, wanted)) == 1
    assert len(find_faults({key: found for key, found in SOUND.items() if key != name}, wanted)) == 1


@pytest.mark.parametrize(
    ("version", "fits"), [("6.0.16", False), ("6.2.7", True), ("10.0", True), ("7", True)]
)
def test_a_server_that_is_too_old_is_unfit(version: str, fits: bool) -> None:
    assert (find_faults({**SOUND, "redis_version": version}, SETTINGS) == []) == fits


def test_an_option_that_the_client_does_not_know_is_noticed() -> None:
    assert is_well_formed("redis://127.0.0.1:6379/0?socket_timeout=3")
    assert not is_well_formed("redis://127.0.0.1:6379/0?sockets=3")
