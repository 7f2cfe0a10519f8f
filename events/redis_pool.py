"""Connections to Redis, shared by whoever runs a command."""

from __future__ import annotations

from threading import Semaphore
from time import monotonic
from typing import Any

from redis import ConnectionPool, Redis
from redis.exceptions import ConnectionError, TimeoutError

# How long the use of a connection vouches for it.
TRUSTED_SECONDS = 0.1


class Connections(ConnectionPool):
    """redis-py's pool with fewer steps from one command to the next, of which every choice takes one.

    It waits where all connections are in use. A connection is asked whether the server has closed it, but not
    when it was in use a moment ago: should its server have gone since, the command fails as any does whose
    server goes away in the middle of it, and an append is repeated with its key. It must not be forked.
    """

    def __init__(self, *args: Any, timeout: float, **options: Any) -> None:
        super().__init__(*args, **options)
        self._timeout = timeout
        self._vacancies = Semaphore(self.max_connections)

    def get_connection(self, command_name: Any = None, *keys: Any, **options: Any) -> Any:
        """The one that was used last. Raises ConnectionError where none becomes free in time."""
        if not self._vacancies.acquire(timeout=self._timeout):
            raise ConnectionError("all connections are in use")
        try:
            idle: Any = self._available_connections
            connection: Any = idle.pop() if idle else self.make_connection()
        except BaseException:
            self._vacancies.release()
            raise
        self._in_use_connections.add(connection)
        if monotonic() - getattr(connection, "used_at", 0.0) > TRUSTED_SECONDS:
            self._prepare(connection)
        return connection

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
        self._vacancies.release()


def _is_ready(connection: Any) -> bool:
    """Whether it is connected, open, and has nothing to say that nobody asked for."""
    connection.connect()
    try:
        return not connection.can_read()
    except (ConnectionError, TimeoutError, OSError):
        return False


def send(client: Redis, *command: Any) -> Any:
    """One command and its reply as it comes, without what the client wraps around it: counters and retries.

    Raises RedisError. A connection that fails is closed by redis-py and opened again when it is next used.
    """
    pool: Any = client.connection_pool
    connection = pool.get_connection()
    try:
        connection.send_command(*command)
        return connection.read_response()
    finally:
        pool.release(connection)
