"""Connections are shared, few, and asked whether they still stand before they are used after a pause."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis

from events.pool import send
from events.redis import connect
from service.ops.redis_server import RedisServer


@pytest.fixture
def client(redis_server: RedisServer) -> Iterator[redis.Redis]:
    with connect(redis_server.url, connections=3, reply_seconds=0.2) as client:
        yield client


def opened_by(client: redis.Redis) -> int:
    """How many connections the pool has made."""
    pool: Any = client.connection_pool
    return len(pool._available_connections) + len(pool._in_use_connections)


def close_idle(client: redis.Redis, redis_server: RedisServer) -> Any:
    """The server closes the connection that the client used last."""
    number = client.client_id()
    with connect(redis_server.url) as other:
        other.client_kill_filter(_id=str(number))
    pool: Any = client.connection_pool
    return pool._available_connections[-1]


def test_many_threads_share_a_few_connections(redis_server: RedisServer) -> None:
    """With time enough for a busy machine."""
    with connect(redis_server.url, connections=3) as client, ThreadPoolExecutor(12) as threads:
        replies = list(threads.map(lambda number: send(client, "ECHO", number), range(300)))
        assert replies == [b"%d" % number for number in range(300)]
        assert opened_by(client) <= 3


def test_whoever_finds_all_in_use_waits_a_bounded_time(client: redis.Redis) -> None:
    pool = client.connection_pool
    taken = [pool.get_connection() for _ in range(3)]
    with pytest.raises(redis.ConnectionError, match="all connections are in use"):
        client.ping()
    for connection in taken:
        pool.release(connection)
    assert client.ping()


def test_a_connection_that_is_given_back_twice_counts_once(client: redis.Redis) -> None:
    pool = client.connection_pool
    connection = pool.get_connection()
    pool.release(connection)
    pool.release(connection)
    assert len({id(pool.get_connection()) for _ in range(3)}) == 3


def test_a_connection_that_the_server_closed_in_a_pause_is_opened_again(
    client: redis.Redis, redis_server: RedisServer
) -> None:
    close_idle(client, redis_server).used_at -= 60
    assert send(client, "ECHO", "here") == b"here"
    assert opened_by(client) == 1


def test_one_that_was_closed_a_moment_ago_fails_once(client: redis.Redis, redis_server: RedisServer) -> None:
    """As any does whose server goes away in the middle of a command."""
    close_idle(client, redis_server).used_at += 60
    with pytest.raises(redis.ConnectionError):
        send(client, "ECHO", "lost")
    assert send(client, "ECHO", "here") == b"here"
    assert opened_by(client) == 1


def test_a_refusal_leaves_the_connection_as_it_is(client: redis.Redis) -> None:
    number = client.client_id()
    with pytest.raises(redis.ResponseError):
        send(client, "EVALSHA", "0" * 40, 0)
    assert client.client_id() == number


def test_where_no_server_answers_every_command_says_so() -> None:
    with connect("redis://127.0.0.1:1", connections=1) as client:
        for _ in range(3):
            with pytest.raises(redis.ConnectionError, match="refused"):
                client.ping()
