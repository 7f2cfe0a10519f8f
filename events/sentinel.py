"""Connections to the master that Sentinel names, which follow it to another server."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, NamedTuple
from weakref import WeakSet, WeakValueDictionary

from redis.backoff import NoBackoff
from redis.connection import Connection, SSLConnection, parse_url
from redis.exceptions import AuthenticationError, ConnectionError, RedisError, ResponseError
from redis.retry import Retry

from events.pool import FastPool, read_reply
from events.server_url import Address, parse_sentinel_url

# A sentinel that takes longer to answer is passed over.
ASK_SECONDS = 0.3
# An answer of the sentinels is good for so long.
FRESH_SECONDS = 0.2
# How often they are asked whether the master is still the same.
WATCH_SECONDS = 0.5


class _Answer(NamedTuple):
    """What one sentinel says; of two answers the one with the higher epoch is the newer."""

    epoch: int
    is_promoted: bool
    master: Address


class Sentinels:
    """Asks sentinels for the master, and closes the connections to a former one.

    All of them are asked: one that is cut off together with a former master still names that.
    """

    def __init__(self, connections: Sequence[Connection], name: str) -> None:
        """Ask over these connections, which are opened when they are used, for the master of that name."""
        self._connections = connections
        self._name = name
        self._asked_at = -FRESH_SECONDS
        self._asking = Lock()
        self._pools: WeakSet[SentinelPool] = WeakSet()
        self._watch: Thread | None = None
        self._ended = Event()
        # Why a sentinel does not answer, such as a wrong password.
        self._refusal: RedisError | None = None
        self.master: Address | None = None

    def add_pool(self, pool: SentinelPool) -> None:
        """Close the connections of this pool when they lead to a former master."""
        self._pools.add(pool)

    def find_master(self) -> Address:
        """Return the address of the master.

        If no sentinel answers, that is the one which was named last. Raises ConnectionError if there is none.
        """
        with self._asking:
            if monotonic() - self._asked_at > FRESH_SECONDS:
                self._ask()
            if self._watch is None or not self._watch.is_alive():
                self._watch = Thread(target=self._follow, name="sentinel", daemon=True)
                self._watch.start()
            if self.master is None:
                raise self._refusal or ConnectionError(
                    f"no sentinel knows a master that is called {self._name}"
                )
            return self.master

    def _ask(self) -> None:
        """Ask all sentinels, and leave the former master if they name another."""
        answers = [answer for answer in map(self._ask_one, self._connections) if answer]
        self._asked_at = monotonic()
        if not answers:
            return
        named = Counter(answers)
        newest = max(named, key=lambda answer: (answer.epoch, answer.is_promoted, named[answer])).master
        if newest != self.master:
            self.master = newest
            for pool in list(self._pools):
                pool.leave_former_master()

    def _ask_one(self, connection: Any) -> _Answer | None:
        """Return what a sentinel says; None if it does not answer or knows no such master."""
        try:
            for command in ("GET-MASTER-ADDR-BY-NAME", "MASTER"):
                connection.send_command("SENTINEL", command, self._name)
            named = connection.read_response()
            fields = read_reply(connection)
        except (RedisError, OSError) as fault:
            if isinstance(fault, (AuthenticationError, ResponseError)):
                self._refusal = fault
            # The second reply of two may not have been read.
            connection.disconnect()
            return None
        if not named or isinstance(fields, Exception):
            return None
        told = dict(zip(fields[::2], fields[1::2], strict=False))
        master = Address(named[0].decode(), int(named[1]))
        # While it promotes a replica, a sentinel already names that, in the epoch that ends.
        is_promoted = (told.get(b"ip"), told.get(b"port")) != (named[0], named[1])
        return _Answer(int(told.get(b"config-epoch", 0)), is_promoted, master)

    def _follow(self) -> None:
        """Ask again and again, as long as there is a pool. Runs in a thread."""
        while self._pools:
            self._ended.wait(WATCH_SECONDS)
            with self._asking:
                self._ask()


class _ToMaster:
    """Leads a connection to the master: at each opening to the one that the sentinels name then."""

    def __init__(self, *, sentinels: Sentinels, **options: Any) -> None:
        super().__init__(**options)
        self._sentinels = sentinels

    def _connect(self) -> Any:
        self.host, self.port = self._sentinels.find_master()
        return super()._connect()  # type: ignore[misc]

    def on_connect_check_health(self: Any, check_health: bool = True) -> None:
        """Introduce ourselves, and ask the server for its role: it may not have been promoted yet."""
        super().on_connect_check_health(check_health)  # type: ignore[misc]
        self.send_command("ROLE", check_health=False)
        try:
            role = self.read_response()[0]
        except ResponseError:
            # It is not allowed to ask; a replica will refuse what is written.
            return
        if role != b"master":
            raise ConnectionError("the server that the sentinels name is not a master yet")


class MasterConnection(_ToMaster, Connection):
    """A connection to the master that the sentinels name."""


class SecureMasterConnection(_ToMaster, SSLConnection):
    """A connection to that master with TLS."""


class SentinelPool(FastPool):
    """Connections to the master that the sentinels name."""

    def __init__(self, sentinels: Sentinels, **options: Any) -> None:
        super().__init__(sentinels=sentinels, **options)
        self._sentinels = sentinels
        sentinels.add_pool(self)

    def is_current(self, connection: Any) -> bool:
        return (connection.host, connection.port) == self._sentinels.master

    def leave_former_master(self) -> None:
        """Wake all who wait for the former master; idle connections are closed when they are taken."""
        for connection in list(self._in_use_connections):
            opened = connection._sock
            if opened is not None and not self.is_current(connection):
                with suppress(OSError):
                    opened.shutdown(socket.SHUT_RDWR)


# All pools of a process that have the same URL ask the sentinels once for all.
_sentinels_by_url: WeakValueDictionary[str, Sentinels] = WeakValueDictionary()


def make_sentinel_pool(url: str, **options: Any) -> SentinelPool:
    """Return a pool for a redis+sentinel:// or rediss+sentinel:// URL; nothing is sent yet.

    User and password in the URL are those of the master; `sentinel_username` and `sentinel_password` among
    its options are those of the sentinels. Raises ValueError.
    """
    parts = parse_sentinel_url(url)
    given: dict[str, Any] = parse_url(parts.master)  # type: ignore[no-untyped-call]
    is_secure = given.pop("connection_class", None) is not None
    del given["host"]
    asking = {
        name.removeprefix("sentinel_"): given.pop(name)
        for name in ("sentinel_username", "sentinel_password")
        if name in given
    }
    encryption = {name: value for name, value in given.items() if name.startswith("ssl_")}
    sentinels = _sentinels_by_url.get(url)
    if sentinels is None:
        kind = SSLConnection if is_secure else Connection
        connections = [
            kind(
                host=address.host,
                port=address.port,
                socket_connect_timeout=ASK_SECONDS,
                socket_timeout=ASK_SECONDS,
                retry=Retry(NoBackoff(), 0),
                protocol=2,
                **asking,
                **encryption,
            )
            for address in parts.sentinels
        ]
        sentinels = Sentinels(connections, parts.name)
        _sentinels_by_url[url] = sentinels
    kind_to_master = SecureMasterConnection if is_secure else MasterConnection
    return SentinelPool(sentinels, connection_class=kind_to_master, **{**given, **options})
