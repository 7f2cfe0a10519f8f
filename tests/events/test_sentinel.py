"""Clients follow the master that sentinels name, and read no reply that is not theirs."""

import signal
from collections.abc import Iterator
from contextlib import closing, suppress
from threading import Event, Thread
from typing import Any

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from redis.sentinel import Sentinel

from events.chain import GENESIS
from events.commit import Commit
from events.pool import send
from events.redis import connect
from events.redis_store import BELL, RedisStore
from events.store import Repeated, Unavailable
from tests.support.event_samples import next_commit, with_key
from tests.support.sentinel import NAME, PASSWORD, SentinelSet, run_sentinel_set
from tests.support.waiting import wait_until

DOWN_AFTER = 0.5


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SentinelSet]:
    with run_sentinel_set(tmp_path_factory.mktemp("servers"), down_after=DOWN_AFTER) as servers:
        yield servers


@pytest.mark.long
def test_redis_py_reads_the_replies_of_others_over_a_sentinel_connection(servers: SentinelSet) -> None:
    """Why connections here are not those of redis-py: this fails once it closes them itself."""
    hosts = [("127.0.0.1", sentinel.port) for sentinel in servers.sentinels]
    options: dict[str, Any] = {"password": PASSWORD, "socket_timeout": 0.1, "retry": Retry(NoBackoff(), 0)}
    sentinel: Any = Sentinel(hosts, protocol=2)  # type: ignore[no-untyped-call]
    with closing(sentinel.master_for(NAME, protocol=2, **options)) as client:
        connection = client.connection_pool.get_connection()
        connection.send_command("BLPOP", "nothing", "2")
        with pytest.raises(redis.TimeoutError):
            connection.read_response()
        connection.send_command("ECHO", "mine")
        wait_until(connection.can_read, "the reply of the first")
        assert connection.read_response() is None
        client.connection_pool.release(connection)


def test_a_connection_whose_reply_did_not_come_is_closed(servers: SentinelSet) -> None:
    with connect(servers.url, connections=1, reply_seconds=0.1) as client:
        for number in range(3):
            with pytest.raises(redis.TimeoutError):
                send(client, "BLPOP", "nothing", "20")
            assert send(client, "ECHO", number) == b"%d" % number
            with pytest.raises(redis.TimeoutError):
                client.blpop(["nothing"], 20)
            assert client.echo(str(number)) == b"%d" % number


def test_a_stopped_master_is_left_at_once_and_not_read_again(servers: SentinelSet) -> None:
    """Appends go on as soon as another server is the master; each that was acknowledged is there, once."""
    former = servers.await_master()
    with (
        connect(servers.url, replicas=1) as client,
        connect(servers.url, connections=1) as idle,
        connect(servers.url, connections=1) as subscriber,
    ):
        assert idle.info("server")["tcp_port"] == former.port
        store = RedisStore(client)
        rung = Event()
        ended = Event()
        listening = Thread(target=listen, args=(subscriber, rung, ended))
        listening.start()
        acknowledged = [append_surely(store, number) for number in range(3)]
        former.send_signal(signal.SIGSTOP)
        try:
            acknowledged += [append_surely(store, number) for number in range(3, 6)]
            new = servers.await_master(other_than=former)
        finally:
            former.send_signal(signal.SIGCONT)
        rung.clear()
        acknowledged.append(append_surely(store, 6))
        wait_until(rung.is_set, "a ring of the new master")
        ended.set()
        listening.join()
        # The former one still takes itself for the master, until the sentinels tell it, and answers.
        assert [store.read(f"g{number}")[0].hash for number in range(7)] == [one.hash for one in acknowledged]
        assert idle.info("server")["tcp_port"] == new.port


def append_surely(store: RedisStore, number: int) -> Commit:
    """Repeat it until it is acknowledged."""
    commit = with_key(next_commit((0, GENESIS)), f"key {number}")

    def is_acknowledged() -> bool:
        with suppress(Unavailable):
            with suppress(Repeated):
                store.append(f"g{number}", commit)
            return True
        return False

    wait_until(is_acknowledged, "an acknowledged commit")
    return commit


def listen(client: redis.Redis, rung: Event, ended: Event) -> None:
    """Subscribe to the bell again whenever the line breaks."""
    while not ended.is_set():
        with suppress(redis.RedisError), closing(client.pubsub()) as bell:  # type: ignore[no-untyped-call]
            bell.subscribe(BELL)
            while not ended.is_set():
                message = bell.get_message(timeout=0.1)
                if message and message["type"] == "message":
                    rung.set()


def test_passwords_are_not_told(servers: SentinelSet) -> None:
    with connect(servers.url.replace("@", "x@", 1)) as client:
        with pytest.raises(redis.AuthenticationError) as fault:
            client.ping()
        assert PASSWORD not in str(fault.value) + repr(client)


def test_sentinels_that_know_no_such_master_are_an_outage(servers: SentinelSet) -> None:
    with connect(servers.url.replace(f"/{NAME}", "/other")) as client:
        with pytest.raises(Unavailable, match="called other") as fault:
            RedisStore(client).head("g")
        assert fault.value.cause == "unreachable"


def test_play_goes_on_without_sentinels_as_long_as_the_master_lives(servers: SentinelSet) -> None:
    with connect(servers.url) as client:
        client.ping()
        for sentinel in servers.sentinels:
            sentinel.send_signal(signal.SIGSTOP)
        try:
            client.connection_pool.disconnect()
            assert client.ping()
        finally:
            for sentinel in servers.sentinels:
                sentinel.send_signal(signal.SIGCONT)
