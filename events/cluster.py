"""A client for a cluster: it finds the server of each command by the slot of its keys.

Requests do not ask for the map of the slots: a thread does, with short time limits. MOVED and ASK are
followed and TRYAGAIN is waited out, because then nothing was carried out. Nothing else is repeated.
"""

from __future__ import annotations

import socket
from binascii import crc_hqx
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from threading import Event, Lock, Thread
from time import monotonic, sleep
from typing import Any, NamedTuple
from weakref import WeakSet, WeakValueDictionary

from redis import Redis
from redis.backoff import NoBackoff
from redis.client import NEVER_DECODE, Pipeline, PubSub
from redis.connection import Connection, parse_url
from redis.exceptions import (
    AskError,
    AuthenticationError,
    ClusterCrossSlotError,
    ClusterDownError,
    ConnectionError,
    MovedError,
    NoScriptError,
    RedisError,
    ResponseError,
    TimeoutError,
    TryAgainError,
)
from redis.retry import Retry

from events.pool import FastPool, RoutedClient, closed_without_reply, exchange, read_reply
from events.server_url import Address, parse_cluster_url

SLOTS = 16_384
# A server that takes longer to tell the map is passed over.
ASK_SECONDS = 0.3
# How often servers are asked for the map while nothing seems to have changed, and at most.
WATCH_SECONDS = 1.0
SHORTEST_PAUSE = 0.1
# So many servers are asked each time: one alone may not have heard of a change.
VIEWS = 3
MOST_REDIRECTIONS = 5
# While the keys of a command lie on two servers, it is tried again for so long.
MOVING_SECONDS = 1.0
MOVING_PAUSE = 0.02
# Sent to every master.
_EVERYWHERE = frozenset(
    ("BGREWRITEAOF", "CONFIG SET", "FLUSHALL", "FLUSHDB", "SCRIPT FLUSH", "SCRIPT LOAD", "ACL SETUSER")
)
# Sent to any master.
_ANYWHERE = frozenset(
    ("CONFIG GET", "DBSIZE", "ECHO", "INFO", "LASTSAVE", "PING", "PUBLISH", "ROLE", "SCRIPT EXISTS", "TIME")
)
# Sent to each server that has one of the keys; the replies are added up.
_SUMMED = frozenset(("DEL", "EXISTS", "TOUCH", "UNLINK"))
_REDIRECTIONS = (MovedError, AskError, TryAgainError)

Command = Sequence[Any]


def slot_of(key: str | bytes) -> int:
    """Return the slot of a key: that of the part in braces, if there is one."""
    name = key.encode() if isinstance(key, str) else key
    start = name.find(b"{") + 1
    end = name.find(b"}", start) if start else 0
    return crc_hqx(name[start:end] if end > start else name, 0) % SLOTS


def slot_of_command(command: Command) -> int | None:
    """Return the slot of a command's first key; None if it has no key."""
    name = command[0]
    if name in ("EVALSHA", "EVAL"):
        return slot_of(command[3]) if int(command[2]) else None
    if name in _ANYWHERE or name in _EVERYWHERE or len(command) == 1:
        return None
    if name == "XREAD":
        return slot_of(command[list(command).index(b"STREAMS") + 1])
    return slot_of(command[2] if name == "OBJECT" else command[1])


class Claim(NamedTuple):
    """A master and its slots, as some server knows them; the claim with the higher epoch is the newer."""

    epoch: int
    master: Address
    slots: list[tuple[int, int]]


class View(NamedTuple):
    """What one server knows of the cluster."""

    claims: list[Claim]
    servers: list[Address]


def parse_nodes(text: str, asked: Address) -> View:
    """Return what a reply to CLUSTER NODES says; a server may not know its own host."""
    claims: list[Claim] = []
    servers: list[Address] = []
    for line in text.splitlines():
        fields = line.split()
        host, _, port = fields[1].partition("@")[0].rpartition(":")
        flags = fields[2].split(",")
        if "noaddr" in flags or "handshake" in flags:
            continue
        address = Address(host.strip("[]") or asked.host, int(port))
        servers.append(address)
        if "master" in flags:
            # What stands in brackets is being moved.
            ranges = [text.partition("-") for text in fields[8:] if not text.startswith("[")]
            slots = [(int(first), int(last or first)) for first, _, last in ranges]
            claims.append(Claim(int(fields[6]), address, slots))
    return View(claims, servers)


def merge_views(views: Iterable[View]) -> list[Address | None]:
    """Return the master of each slot by the newest claim that any server knows, as the servers do."""
    owners: list[Address | None] = [None] * SLOTS
    for claim in sorted((claim for view in views for claim in view.claims), key=lambda one: one.epoch):
        for first, last in claim.slots:
            owners[first : last + 1] = [claim.master] * (last + 1 - first)
    return owners


class SlotMap:
    """Knows which master has which slot, and closes connections to servers that are masters no more."""

    def __init__(self, seeds: Sequence[Address], connect: type[Connection], options: dict[str, Any]) -> None:
        """Ask these servers first, over connections with these options."""
        self._seeds = list(seeds)
        self._servers = list(seeds)
        self._connect = connect
        self._options = options
        self._connections: dict[Address, Any] = {}
        self._owners: list[Address | None] = [None] * SLOTS
        self._asking = Lock()
        self._asked_at = -SHORTEST_PAUSE
        self._doubted = Event()
        self._watch: Thread | None = None
        self._pools: WeakSet[NodePools] = WeakSet()
        # Why a server does not tell the map, such as a wrong password.
        self._refusal: RedisError | None = None
        self.masters: list[Address] = []

    def add_pools(self, pools: NodePools) -> None:
        """Close the connections of these pools when they lead to a former master."""
        self._pools.add(pools)

    def find(self, slot: int) -> Address:
        """Return the master of a slot. Raises ConnectionError if no server tells it."""
        owner = self._owners[slot] or self._look_up(slot)
        if owner is None:
            raise self._refusal or ConnectionError("no server of the cluster is known to have this slot")
        return owner

    def list_masters(self) -> list[Address]:
        """Return all masters. Raises ConnectionError if no server tells them."""
        self.find(0)
        return self.masters

    def _look_up(self, slot: int) -> Address | None:
        """Ask for the map, at the start, and unless that was done a moment ago."""
        with self._asking:
            if self._watch is None or not self._watch.is_alive():
                self._watch = Thread(target=self._follow, name="cluster", daemon=True)
                self._watch.start()
            if self._owners[slot] is None and monotonic() - self._asked_at > SHORTEST_PAUSE:
                self._ask()
        return self._owners[slot]

    def record_move(self, slot: int, owner: Address) -> None:
        """Believe a server that says where a slot is now, and ask for the rest of the map."""
        self._owners[slot] = owner
        self.doubt()

    def doubt(self) -> None:
        """Ask for the map soon: a server did not answer, or told that the map is not right."""
        self._doubted.set()

    def _follow(self) -> None:
        """Ask again and again, as long as there are pools. Runs in a thread."""
        while self._pools:
            self._doubted.wait(WATCH_SECONDS)
            self._doubted.clear()
            with self._asking:
                self._ask()
            sleep(SHORTEST_PAUSE)

    def _ask(self) -> None:
        """Ask some servers, and leave former masters if they tell of new ones."""
        views: list[View] = []
        for address in (*self._servers, *self._seeds):
            if len(views) < VIEWS and (view := self._ask_one(address)):
                views.append(view)
        self._asked_at = monotonic()
        if not views:
            return
        servers = list(dict.fromkeys(server for view in views for server in view.servers))
        # Others are asked first the next time.
        self._servers = servers[VIEWS:] + servers[:VIEWS]
        owners = merge_views(views)
        masters = sorted({owner for owner in owners if owner})
        self._owners = owners
        if masters != self.masters:
            self.masters = masters
            for address in set(self._connections) - {*servers, *self._seeds}:
                self._connections.pop(address).disconnect()
            for pools in list(self._pools):
                pools.leave_former_masters(masters)

    def _ask_one(self, address: Address) -> View | None:
        """Return what a server knows; None if it does not answer."""
        connection = self._connections.get(address)
        if connection is None:
            connection = self._connect(host=address.host, port=address.port, **self._options)
            self._connections[address] = connection
        try:
            connection.send_command("CLUSTER", "NODES")
            told: Any = connection.read_response()
            return parse_nodes(told.decode(), address)
        except (RedisError, OSError, ValueError, IndexError) as fault:
            if isinstance(fault, (AuthenticationError, ResponseError)):
                self._refusal = fault
            connection.disconnect()
            return None


class NodePools:
    """The connections of one client, in a pool for each server."""

    def __init__(self, slots: SlotMap, replicas: int, confirm_seconds: float, **options: Any) -> None:
        """`options` are those of each pool."""
        self.replicas = replicas
        self.confirm_seconds = confirm_seconds
        self.connection_kwargs = options
        self._pools: dict[Address, FastPool] = {}
        slots.add_pools(self)

    def at(self, address: Address) -> FastPool:
        """Return the pool of a server."""
        pool = self._pools.get(address)
        if pool is None:
            options = self.connection_kwargs
            pool = self._pools.setdefault(address, FastPool(host=address.host, port=address.port, **options))
        return pool

    def get_encoder(self) -> Any:
        return FastPool(timeout=0.0).get_encoder()

    def make_connection(self) -> Any:
        """Return a connection that leads nowhere, to try the options."""
        return FastPool(**self.connection_kwargs).make_connection()

    def get_connection(self, *given: Any, **options: Any) -> Any:
        """Raise an error: a connection leads to one server, and only a key says to which."""
        raise TypeError("a cluster has no connection for just any command")

    def release(self, connection: Any) -> None:
        """Do nothing: connections are given back to the pool of their server."""

    def disconnect(self, inuse_connections: bool = True) -> None:
        for pool in list(self._pools.values()):
            pool.disconnect(inuse_connections)

    close = disconnect

    def leave_former_masters(self, masters: Sequence[Address]) -> None:
        """Wake all who wait for a server that is no master any more, and forget its connections."""
        for address in set(self._pools) - set(masters):
            pool: Any = self._pools.pop(address)
            for connection in list(pool._in_use_connections):
                opened = connection._sock
                if opened is not None:
                    with suppress(OSError):
                        opened.shutdown(socket.SHUT_RDWR)


class ClusterClient(RoutedClient):
    """A client whose commands, pipelines and scripts go to the master that has the slot of their keys.

    A pipeline with `transaction=True` is one MULTI in one slot. Other pipelines may have keys in any slot.
    """

    def __init__(self, slots: SlotMap, pools: NodePools) -> None:
        super().__init__(connection_pool=pools)  # type: ignore[arg-type]
        self._slots = slots
        self._pools = pools
        self._texts: dict[str, Any] = {}

    def execute_command(self, *args: Any, **options: Any) -> Any:
        replies = self.carry_out([args])
        return self.interpret(args[0], replies[0], options)

    def interpret(self, name: Any, reply: Any, options: dict[str, Any]) -> Any:
        """Return a reply as redis-py's commands want it. Raises it if it is an error."""
        if isinstance(reply, Exception):
            raise reply
        # What only redis-py's own connections know.
        for option in ("keys", NEVER_DECODE):
            options.pop(option, None)
        if name in self.response_callbacks:
            return self.response_callbacks[name](reply, **options)
        return reply

    def carry_out(self, commands: Sequence[Command]) -> list[Any]:
        """Carry out commands with keys in any slots, and return their replies or errors in their order.

        Raises ConnectionError and TimeoutError if a server does not answer.
        """
        if len(commands) == 1:
            return [self._carry_out_one(commands[0])]
        replies: list[Any] = [None] * len(commands)
        places: dict[Address, list[int]] = {}
        for number, command in enumerate(commands):
            slot = slot_of_command(command)
            if slot is None:
                replies[number] = self._carry_out_one(command)
            else:
                places.setdefault(self._slots.find(slot), []).append(number)
        self._exchange_with_all(places, commands, replies)
        for number, command in enumerate(commands):
            if isinstance(replies[number], (*_REDIRECTIONS, NoScriptError)):
                replies[number] = self._carry_out_one(command)
        return replies

    def _exchange_with_all(
        self, places: dict[Address, list[int]], commands: Sequence[Command], replies: list[Any]
    ) -> None:
        """Send commands to several servers at once, and put their replies in their places."""
        with ExitStack() as stack:
            connections = {}
            # In one order, so that no two callers wait for each other's connections.
            for address in sorted(places):
                pool = self._pools.at(address)
                connection = self._reach(pool)
                stack.callback(pool.release, connection)
                stack.enter_context(closed_without_reply(connection))
                connections[address] = connection
            with self._noticing():
                for address, numbers in places.items():
                    connection = connections[address]
                    packed = connection.pack_commands([commands[number] for number in numbers])
                    connection.send_packed_command(packed)
                for address, numbers in places.items():
                    for number in numbers:
                        replies[number] = read_reply(connections[address])

    def _carry_out_one(self, command: Command) -> Any:
        name = command[0]
        if name in _EVERYWHERE:
            found = [self._exchange(address, [command])[0] for address in self._slots.list_masters()]
            return next((reply for reply in found if isinstance(reply, Exception)), found[0])
        if name in _SUMMED and len(command) > 2:
            return self._sum_up(command)
        slot = slot_of_command(command)
        if slot is None:
            return self._ask_any(command)
        reply = self._exchange_in_slot(slot, [command])[0]
        if isinstance(reply, NoScriptError) and command[1] in self._texts:
            whole = ("EVAL", self._texts[command[1]], *command[2:])
            reply = self._exchange_in_slot(slot, [whole])[0]
        return reply

    def _sum_up(self, command: Command) -> Any:
        """Send a command for each slot among its keys, and return the sum of the replies."""
        by_slot: dict[int, list[Any]] = {}
        for key in command[1:]:
            by_slot.setdefault(slot_of(key), []).append(key)
        found = [self._exchange_in_slot(slot, [(command[0], *keys)])[0] for slot, keys in by_slot.items()]
        return next((reply for reply in found if isinstance(reply, Exception)), None) or sum(found)

    def _ask_any(self, command: Command) -> Any:
        """Send a command that any master can answer to the first that does."""
        *others, last = self._slots.list_masters()
        for address in others:
            with suppress(ConnectionError, TimeoutError):
                return self._exchange(address, [command])[0]
        return self._exchange(last, [command])[0]

    def send_together(self, commands: Sequence[Command]) -> list[Any]:
        """Send commands over one connection, to the master of the first one's keys."""
        slot = slot_of_command(commands[0])
        if slot is None:
            return self._exchange(self._slots.list_masters()[0], commands)
        return self._exchange_in_slot(slot, commands)

    def carry_out_at_once(self, commands: Sequence[Command]) -> list[Any]:
        """Carry out commands with keys in one slot as one transaction, and return their replies."""
        slots = {slot for slot in map(slot_of_command, commands) if slot is not None}
        if len(slots) != 1:
            raise ClusterCrossSlotError("the keys of a transaction must be in one slot")
        replies = self._exchange_in_slot(slots.pop(), [("MULTI",), *commands, ("EXEC",)], decisive=1)
        refusals = [reply for reply in replies[:-1] if isinstance(reply, Exception)]
        done = replies[-1]
        if isinstance(done, Exception):
            raise refusals[0] if refusals else done
        return list(done)

    def _exchange_in_slot(self, slot: int, commands: Sequence[Command], decisive: int = 0) -> list[Any]:
        """Send commands to the master of a slot, and to another one if the decisive reply says so.

        While a slot is moved key by key, the keys of one command may lie on two servers: it is tried again
        for a while. A transaction is, too, until its slot has been moved.
        """
        address = self._slots.find(slot)
        is_asking = False
        redirections = 0
        end = monotonic() + MOVING_SECONDS
        while True:
            if is_asking:
                asked = [part for command in commands for part in (("ASKING",), command)]
                replies = self._exchange(address, asked)[1::2]
            else:
                replies = self._exchange(address, commands)
            refusal = replies[decisive]
            if isinstance(refusal, MovedError) and redirections < MOST_REDIRECTIONS:
                redirections += 1
                address = Address(refusal.host or address.host, refusal.port)
                is_asking = False
                self._slots.record_move(slot, address)
            elif type(refusal) is AskError and not decisive and redirections < MOST_REDIRECTIONS:
                redirections += 1
                address = Address(refusal.host or address.host, refusal.port)
                is_asking = True
            elif isinstance(refusal, (AskError, TryAgainError)) and monotonic() < end:
                sleep(MOVING_PAUSE)
                address = self._slots.find(slot)
                is_asking = False
            else:
                if isinstance(refusal, ClusterDownError):
                    self._slots.doubt()
                return replies

    def _exchange(self, address: Address, commands: Sequence[Command]) -> list[Any]:
        with self._noticing():
            return exchange(self._pools.at(address), commands)

    def _reach(self, pool: FastPool) -> Any:
        with self._noticing():
            return pool.get_connection()

    def _noticing(self) -> _Noticing:
        return _Noticing(self._slots)

    def register_script(self, script: Any) -> Any:
        made = super().register_script(script)
        self._texts[made.sha] = script
        return made

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> ClusterPipeline:
        return ClusterPipeline(self, transaction)

    def pubsub(self, **options: Any) -> PubSub:
        """Return a subscription at one of the masters: what is published at one is told by all."""
        last: Exception | None = None
        for address in self._slots.list_masters():
            pool = self._pools.at(address)
            try:
                pool.release(pool.get_connection())
            except (ConnectionError, TimeoutError) as fault:
                last = fault
            else:
                return PubSub(pool, **options)
        raise last or ConnectionError("no server of the cluster answers")

    def master_of(self, key: str) -> Address:
        """Return the master that has a key. Raises ConnectionError if no server tells it."""
        return self._slots.find(slot_of(key))

    def node_clients(self) -> dict[Address, Redis]:
        """Return a client for each master. Raises ConnectionError if no server tells them."""
        masters = self._slots.list_masters()
        return {address: Redis(connection_pool=self._pools.at(address)) for address in masters}

    def scan_iter(self, *given: Any, **options: Any) -> Iterator[Any]:
        """Yield the names of keys of all masters; one that is being moved may come twice."""
        for client in self.node_clients().values():
            yield from client.scan_iter(*given, **options)

    def close(self) -> None:
        self._pools.disconnect()


class _Noticing:
    """Has the map asked for when a server does not answer."""

    def __init__(self, slots: SlotMap) -> None:
        self._slots = slots

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *given: object) -> None:
        if kind is not None and issubclass(kind, (ConnectionError, TimeoutError)):
            self._slots.doubt()


class ClusterPipeline(Pipeline):
    """Commands that are sent together: as a transaction in one slot, or each to its server."""

    def __init__(self, client: ClusterClient, transaction: bool) -> None:
        super().__init__(client.connection_pool, client.response_callbacks, transaction, None)
        self._client = client
        self._is_transaction = transaction

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        stack: list[Any] = self.command_stack
        try:
            if not stack:
                return []
            commands = [command for command, _ in stack]
            if self._is_transaction:
                replies = self._client.carry_out_at_once(commands)
            else:
                replies = self._client.carry_out(commands)
        finally:
            self.reset()
        if raise_on_error:
            self.raise_first_error(stack, replies)  # type: ignore[no-untyped-call]
        return [
            reply if isinstance(reply, Exception) else self._client.interpret(command[0], reply, options)
            for reply, (command, options) in zip(replies, stack, strict=True)
        ]


# All clients of a process that have the same URL ask for the map once for all.
_maps_by_url: WeakValueDictionary[str, SlotMap] = WeakValueDictionary()


def connect_to_cluster(url: str, replicas: int, confirm_seconds: float, **options: Any) -> ClusterClient:
    """Return a client for a redis+cluster:// or rediss+cluster:// URL; nothing is sent yet.

    `options` are those of a pool. Raises ValueError.
    """
    parts = parse_cluster_url(url)
    given: dict[str, Any] = parse_url(parts.server)  # type: ignore[no-untyped-call]
    kind: type[Connection] = given.pop("connection_class", Connection)
    del given["host"]
    slots = _maps_by_url.get(url)
    if slots is None:
        asking = {
            **given,
            "socket_connect_timeout": ASK_SECONDS,
            "socket_timeout": ASK_SECONDS,
            "retry": Retry(NoBackoff(), 0),
            "protocol": 2,
        }
        slots = SlotMap(parts.servers, kind, asking)
        _maps_by_url[url] = slots
    pools = NodePools(slots, replicas, confirm_seconds, connection_class=kind, **{**given, **options})
    return ClusterClient(slots, pools)
