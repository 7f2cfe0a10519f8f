"""A connection pool with few steps, and commands that are sent without those of redis-py's client."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Semaphore
from time import monotonic
from typing import Any

from redis import ConnectionPool, Redis
from redis.exceptions import ConnectionError, ResponseError, TimeoutError

# A connection that was used within this time is not checked again before it is used.
TRUST_SECONDS = 0.1
# Replicas that take longer to confirm a write are taken to be away.
CONFIRM_SECONDS = 1.0


class FastPool(ConnectionPool):
    """redis-py's pool with fewer steps between two commands.

    With its own pool and client, half of the processor time of an append went into taking a connection.
    A caller waits while all connections are in use. A connection is checked before use, unless it was used a
    moment ago: if its server has gone since, the command fails as one that is cut off midway, and an append
    is retried with its key. The pool must not be shared with a forked process.

    `replicas` is how many replicas must have what `events.durability` sends, and `confirm_seconds` how long
    they may take to say so.
    """

    def __init__(
        self,
        *args: Any,
        timeout: float,
        replicas: int = 0,
        confirm_seconds: float = CONFIRM_SECONDS,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self.replicas = replicas
        self.confirm_seconds = confirm_seconds
        self._timeout = timeout
        self._free_slots = Semaphore(self.max_connections)

    def get_connection(self, command_name: Any = None, *keys: Any, **options: Any) -> Any:
        """Return the connection used last. Raises ConnectionError where none becomes free in time."""
        if not self._free_slots.acquire(timeout=self._timeout):
            raise ConnectionError("all connections are in use")
        try:
            idle: Any = self._available_connections
            connection: Any = idle.pop() if idle else self.make_connection()
        except BaseException:
            self._free_slots.release()
            raise
        self._in_use_connections.add(connection)
        if not self.is_current(connection):
            connection.disconnect()
        if monotonic() - getattr(connection, "used_at", 0.0) > TRUST_SECONDS:
            self._prepare(connection)
        return connection

    def is_current(self, connection: Any) -> bool:
        """Return whether the connection leads to where commands belong; if not, it is closed."""
        return True

    def _prepare(self, connection: Any) -> None:
        try:
            if not _is_ready(connection):
                connection.disconnect()
                connection.connect()
        except BaseException:
            self.release(connection)
            raise

    def release(self, connection: Any) -> None:
        if connection not in self._in_use_connections:
            return
        self._in_use_connections.remove(connection)
        connection.used_at = monotonic()
        self._available_connections.append(connection)
        self._free_slots.release()


def _is_ready(connection: Any) -> bool:
    """Whether the connection is open and has no unexpected data to read."""
    connection.connect()
    try:
        return not connection.can_read()
    except (ConnectionError, TimeoutError, OSError):
        return False


class RoutedClient(Redis, ABC):
    """A client that has several servers, and finds that of a command by its keys."""

    @abstractmethod
    def carry_out(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """Return the replies to commands, with the errors of servers in their places. Raises RedisError."""

    @abstractmethod
    def send_together(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """Return the replies to commands that go over one connection, as `carry_out` does."""


def send(client: Redis, *command: Any) -> Any:
    """Send one command and return its reply, without the counters and retries of the client.

    Raises RedisError.
    """
    if isinstance(client, RoutedClient):
        [reply] = client.carry_out([command])
        if isinstance(reply, Exception):
            raise reply
        return reply
    pool: Any = client.connection_pool
    connection = pool.get_connection()
    try:
        with closed_without_reply(connection):
            connection.send_command(*command)
            return connection.read_response()
    finally:
        pool.release(connection)


def send_batch(client: Redis, *commands: tuple[Any, ...]) -> list[Any]:
    """Send commands together over one connection and return their replies.

    An error that the server replies stands in the place of its reply. Raises RedisError if one is missing.
    """
    if isinstance(client, RoutedClient):
        return client.send_together(commands)
    return exchange(client.connection_pool, commands)


def exchange(pool: Any, commands: Sequence[Sequence[Any]]) -> list[Any]:
    """Send commands over one connection of a pool, and return their replies as `send_batch` does."""
    connection = pool.get_connection()
    try:
        with closed_without_reply(connection):
            connection.send_packed_command(connection.pack_commands(commands))
            return [read_reply(connection) for _ in commands]
    finally:
        pool.release(connection)


def read_reply(connection: Any) -> Any:
    """Return the next reply, or the error that the server replied. Raises RedisError if none comes."""
    try:
        return connection.read_response()
    except ResponseError as refusal:
        return refusal


@contextmanager
def closed_without_reply(connection: Any) -> Iterator[None]:
    """Close a connection whose reply did not come: the next caller would read it as its own.

    redis-py does so, too, except where it found the server through Sentinel.
    """
    try:
        yield
    except ResponseError:
        raise
    except BaseException:
        connection.disconnect()
        raise
