"""A client of a cluster sends every command to the master of its keys, and repeats only what was not done."""

import signal
from collections.abc import Iterator
from contextlib import closing, suppress
from threading import Thread

import pytest
import redis

from events.chain import GENESIS
from events.cluster import Claim, View, merge_views, parse_nodes, slot_of
from events.commit import Commit
from events.durability import Script, send_durably
from events.feed_watch import FeedWatch
from events.inspection import inspect_server, read_memory
from events.layout import CLUSTER_PARTITIONS, Layout
from events.pool import send
from events.redis import connect, is_cluster, is_well_formed, translate_redis_errors
from events.redis_store import RedisStore
from events.server_url import Address
from events.store import Repeated, Unavailable
from tests.support.cluster import ClusterSet, run_cluster
from tests.support.event_samples import next_commit, with_key
from tests.support.sentinel import PASSWORD
from tests.support.waiting import wait_until

KEYS = [f"key-{number}" for number in range(20)]
FIRST = with_key(next_commit((0, GENESIS)), "k")
SCRIPT = "return redis.call('INCRBY', KEYS[1], ARGV[1])"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterSet]:
    with run_cluster(tmp_path_factory.mktemp("cluster"), timeout=1.0) as cluster:
        yield cluster


@pytest.fixture
def client(cluster: ClusterSet) -> Iterator[redis.Redis]:
    with connect(cluster.url) as client:
        client.flushall()
        yield client


def test_the_slot_of_a_key_is_that_of_the_servers(cluster: ClusterSet) -> None:
    keys = ["123456789", "", "{}a", "a{b}c{d}", "{{a}}", "a}{b", "x{", "croupier:{07}:feed", "ü{ä}ö"]
    told = [cluster.nodes[0].call("CLUSTER", "KEYSLOT", key) for key in keys]
    assert [slot_of(key) for key in keys] == told


def test_the_newest_claim_to_a_slot_counts() -> None:
    old, new, other = Address("a", 1), Address("b", 2), Address("c", 3)
    stale = View([Claim(1, old, [(0, 5)]), Claim(2, other, [(6, 16383)])], [])
    fresh = View([Claim(7, new, [(0, 5)]), Claim(2, other, [(6, 16383)])], [])
    for views in ([stale, fresh], [fresh, stale]):
        assert merge_views(views)[:7] == [new] * 6 + [other]


def test_a_map_is_read_with_what_is_moved_and_who_is_gone() -> None:
    text = (
        "a1 :7000@17000 myself,master - 0 0 3 connected 0-5 7 [9->-b2]\n"
        "b2 [::1]:7001@17001,host.example master,fail - 0 0 1 connected 8-10\n"
        "c3 10.0.0.3:7002@17002 slave a1 0 0 3 connected\n"
        "d4 :0@0 master,noaddr - 0 0 0 disconnected\n"
    )
    view = parse_nodes(text, Address("asked", 7000))
    assert view.claims == [
        Claim(3, Address("asked", 7000), [(0, 5), (7, 7)]),
        Claim(1, Address("::1", 7001), [(8, 10)]),
    ]
    assert [server.port for server in view.servers] == [7000, 7001, 7002]


def test_commands_and_pipelines_reach_the_masters_of_their_keys(client: redis.Redis) -> None:
    with client.pipeline(transaction=False) as batch:
        for number, key in enumerate(KEYS):
            batch.set(key, number)
        batch.time()
        for key in KEYS:
            batch.get(key)
        replies = batch.execute()
    assert replies[21:] == [b"%d" % number for number in range(20)]
    assert {key.decode() for key in client.scan_iter("key-*", count=2)} == set(KEYS)
    assert client.exists(*KEYS) == client.delete(*KEYS) == 20


def test_an_error_of_one_command_does_not_hide_the_other_replies(client: redis.Redis) -> None:
    client.set(KEYS[0], "x")
    with client.pipeline(transaction=False) as batch:
        batch.hget(KEYS[0], "a")
        batch.set(KEYS[1], "y")
        refused, done = batch.execute(raise_on_error=False)
        assert (type(refused), done) == (redis.ResponseError, True)
        batch.hget(KEYS[0], "a")
        with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
            batch.execute()


def test_a_transaction_is_one_multi_in_one_slot(client: redis.Redis, cluster: ClusterSet) -> None:
    with client.pipeline(transaction=True) as together:
        together.hset("{t}hash", "a", "1")
        together.hgetall("{t}hash")
        together.set("{t}text", "x")
        assert together.execute() == [1, {b"a": b"1"}, True]
        together.set(KEYS[0], "x")
        together.set(KEYS[1], "x")
        with pytest.raises(redis.exceptions.ClusterCrossSlotError):
            together.execute()
    assert client.exists(*KEYS) == 0
    assert b"cmdstat_exec:calls=" in cluster.master_of("{t}").call("INFO", "commandstats")


def test_scripts_are_found_again_after_a_server_has_forgotten_them(client: redis.Redis) -> None:
    count = client.register_script(SCRIPT)
    counted: list[int] = []
    for _ in range(2):
        for key in KEYS:
            count([key], [1])
        with client.pipeline(transaction=False) as batch:
            for key in KEYS:
                count([key], [1], client=batch)
            counted = batch.execute()
        client.script_flush()
    assert counted == [4] * 20
    assert Script(SCRIPT.encode()).run(client, [KEYS[0]], [1]) == 5


def test_a_message_is_heard_at_every_master(client: redis.Redis, cluster: ClusterSet) -> None:
    with closing(client.pubsub()) as bell:  # type: ignore[no-untyped-call]
        bell.subscribe("bell")
        wait_until(lambda: bell.get_message(timeout=0.1), "the subscription")
        for key in KEYS:
            client.eval("redis.call('SET', KEYS[1], 1) return redis.call('PUBLISH', 'bell', KEYS[1])", 1, key)
        heard: list[bytes] = []

        def has_heard_all() -> bool:
            message = bell.get_message(timeout=0.1)
            heard.extend([message["data"]] if message else [])
            return len(heard) == len(KEYS)

        wait_until(has_heard_all, "all messages")
    assert sorted(heard) == sorted(key.encode() for key in KEYS)


def test_a_store_in_a_cluster_keeps_games_of_all_partitions(client: redis.Redis) -> None:
    store = RedisStore(client)
    games = [f"g{number}" for number in range(30)]
    for game in games:
        store.append(game, FIRST, {"a": "b"})
        with pytest.raises(Repeated):
            store.append(game, FIRST)
    assert set(store.list_games()) == store.find_present([*games, "other"]) == set(games)
    assert {store.read(game)[0].hash for game in games} == {FIRST.hash}
    assert store.read_whole("g0") is not None


def test_feeds_of_a_cluster_are_watched_by_the_bell(client: redis.Redis) -> None:
    store = RedisStore(client)
    games = [f"g{number}" for number in range(5)]
    positions = {number: store.add_bookmark(number) for number in range(store.partitions)}
    assert is_cluster(client)
    with closing(FeedWatch(client)) as watch:
        assert watch.wait(positions, 0.0) == []
        for game in games:
            store.append(game, FIRST)
        found: set[int] = set()

        def has_found_all() -> bool:
            found.update(watch.wait(positions, 0.1))
            return found == {store.layout.partition(game) for game in games}

        wait_until(has_found_all, "the feeds of all games")
        # A line that breaks is noticed, and what was missed meanwhile is found.
        client.connection_pool.disconnect()
        store.append("later", FIRST)
        later = store.layout.partition("later")
        wait_until(lambda: later in watch.wait(positions, 0.1), "what came meanwhile")


class Move:
    """A slot on its way from one master to another, key by key."""

    def __init__(self, cluster: ClusterSet, key: str) -> None:
        self._slot = slot_of(key)
        self._nodes = cluster.nodes
        self.source = cluster.master_of(key)
        self.target = next(node for node in map(cluster.master_of, KEYS) if node is not self.source)
        self._to = self.target.call("CLUSTER", "MYID").decode()
        come = self.source.call("CLUSTER", "MYID").decode()
        self.target.call("CLUSTER", "SETSLOT", self._slot, "IMPORTING", come)
        self.source.call("CLUSTER", "SETSLOT", self._slot, "MIGRATING", self._to)

    def take(self, key: str) -> None:
        self.source.call("MIGRATE", "127.0.0.1", self.target.port, key, 0, 2000, "AUTH", PASSWORD)

    def end(self) -> None:
        for node in (self.target, self.source):
            node.call("CLUSTER", "SETSLOT", self._slot, "NODE", self._to)


def test_a_slot_that_moves_is_followed(client: redis.Redis, cluster: ClusterSet) -> None:
    client.set("{m}a", 1)
    client.set("{m}b", 1)
    move = Move(cluster, "{m}")
    assert send(client, "SET", "{m}new", 1) == b"OK"
    move.take("{m}a")
    assert [client.get(key) for key in ("{m}a", "{m}b", "{m}new")] == [b"1"] * 3
    with client.pipeline(transaction=False) as batch:
        batch.incr("{m}a")
        batch.incr("{m}b")
        assert batch.execute() == [2, 2]
    with pytest.raises(Unavailable) as fault, translate_redis_errors():
        client.rename("{m}a", "{m}b")
    assert fault.value.cause == "unreachable"
    move.take("{m}b")
    renaming = Thread(target=client.rename, args=("{m}a", "{m}b"))
    renaming.start()
    move.end()
    renaming.join()
    assert (client.get("{m}b"), client.exists("{m}a", "{m}new")) == (b"2", 1)
    assert client.ttl("{m}b") == -1


def test_what_waits_for_a_key_that_moves_goes_on_after_it(client: redis.Redis, cluster: ClusterSet) -> None:
    client.set("{n}a", 1)
    client.set("{n}b", 1)
    move = Move(cluster, "{n}")
    move.take("{n}a")
    done: list[object] = []
    waiting = Thread(target=lambda: done.append(client.mget("{n}a", "{n}b")))
    waiting.start()
    move.take("{n}b")
    move.end()
    waiting.join()
    with client.pipeline(transaction=True) as together:
        together.incr("{n}a")
        together.incr("{n}b")
        assert (together.execute(), done) == ([2, 2], [[b"1", b"1"]])


def test_all_masters_are_inspected(client: redis.Redis, cluster: ClusterSet) -> None:
    inspection = inspect_server(client)
    assert (inspection.unfit, inspection.troubles, inspection.replicas) == ([], [], 1)
    assert ["DURABILITY is local" in warning for warning in inspection.warnings] == [True]
    assert read_memory(client).used > 0
    node = cluster.master_of(KEYS[0])
    node.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    node.call("CONFIG", "SET", "cluster-require-full-coverage", "yes")
    try:
        inspection = inspect_server(client)
    finally:
        node.call("CONFIG", "SET", "maxmemory-policy", "noeviction")
        node.call("CONFIG", "SET", "cluster-require-full-coverage", "no")
    assert (inspection.cause, len(inspection.unfit)) == ("evicting", 1)
    assert "cluster-require-full-coverage no" in inspection.warnings[0]


def test_a_stopped_master_is_left_and_the_others_do_not_wait(cluster: ClusterSet) -> None:
    """There is no replica left to confirm what the new master writes, until the former one follows it."""
    game, other = "g1", next(name for name in KEYS if is_elsewhere(cluster, name, "g1"))
    with connect(cluster.url, replicas=1) as client, connect(cluster.url) as local:
        store = RedisStore(client)
        store.append(game, FIRST)
        following = with_key(next_commit((1, FIRST.hash)), "following")
        master = cluster.master_of(Layout(CLUSTER_PARTITIONS).game_key("game", game))
        master.send_signal(signal.SIGSTOP)
        try:
            appending = Thread(target=append_surely, args=(RedisStore(local), game, following))
            appending.start()
            answered = 0
            while appending.is_alive():
                answered += bool(send_durably(client, other, "INCR", other))
            assert answered > 100
            assert inspect_server(client).cause == "replicas"
        finally:
            master.send_signal(signal.SIGCONT)
        wait_until(cluster.is_whole, "the former master following the new one")
        assert [commit.hash for commit in store.read(game)] == [FIRST.hash, following.hash]
        assert int(client.get(other) or 0) == answered
        assert inspect_server(client).cause is None


def is_elsewhere(cluster: ClusterSet, key: str, game: str) -> bool:
    return cluster.master_of(key) is not cluster.master_of(Layout(CLUSTER_PARTITIONS).game_key("game", game))


def append_surely(store: RedisStore, game: str, commit: Commit) -> None:
    def is_acknowledged() -> bool:
        with suppress(Unavailable):
            with suppress(Repeated):
                store.append(game, commit)
            return True
        return False

    wait_until(is_acknowledged, "an acknowledged commit")


def test_a_cluster_that_is_away_is_an_outage_with_its_cause() -> None:
    with connect("redis+cluster://127.0.0.1:1,127.0.0.1:2") as client:
        with pytest.raises(Unavailable) as fault:
            RedisStore(client).append("g", FIRST)
        assert fault.value.cause == "unreachable"
        for ask in (lambda: inspect_server(client), lambda: RedisStore(client).list_games()):
            with pytest.raises(Unavailable):
                ask()


def test_a_wrong_password_or_option_is_told(cluster: ClusterSet) -> None:
    with connect(cluster.url.replace("@", "x@", 1)) as client, pytest.raises(redis.AuthenticationError):
        client.get("x")
    assert is_well_formed("redis+cluster://x,y:7000?socket_keepalive=yes")
    assert not is_well_formed("redis+cluster://x?sockets=3")
