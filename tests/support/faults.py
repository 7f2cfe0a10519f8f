"""Faults: killed servers, lost replies, slow loading, cut connections."""

from __future__ import annotations

import json
import selectors
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from threading import Event, Thread
from time import monotonic
from types import TracebackType
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import redis

from events.pool import TRUST_SECONDS
from service.ops.redis_server import RedisServer, find_binary
from tests.support.http_client import HttpPlayer, HttpService, SeatedGame
from tests.support.waiting import wait_until


def kill_and_start(server: RedisServer) -> None:
    """Comes back when no client takes a connection to the killed server for a good one any more."""
    assert server.process is not None
    server.process.kill()
    server.process.wait()
    distrusted = monotonic() + TRUST_SECONDS
    server.start()
    wait_until(lambda: monotonic() > distrusted, "the end of trust in old connections")


class ReplyLosingProxy:
    """Passes everything on; while `cuts` are left, an append is executed and its reply is lost."""

    def __init__(self, server: RedisServer, path: Path) -> None:
        self.cuts = 0
        self.appends = 0
        self.url = f"unix://:{server.password}@{quote(str(path))}"
        self._target = str(server.socket)
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(path))
        self._door.listen()
        self._threads = [Thread(target=self._accept)]

    def __enter__(self) -> ReplyLosingProxy:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._door.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._door.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._door.accept()
            except OSError:
                return
            thread = Thread(target=self._serve, args=(client,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server, selectors.DefaultSelector() as ready:
            server.connect(self._target)
            ready.register(client, selectors.EVENT_READ)
            ready.register(server, selectors.EVENT_READ)
            while self._pass_on(client, server, ready):
                pass

    def _pass_on(self, client: socket.socket, server: socket.socket, ready: selectors.BaseSelector) -> bool:
        for key, _ in ready.select():
            source = client if key.fileobj is client else server
            data = source.recv(65536)
            if not data:
                return False
            (server if source is client else client).sendall(data)
            if source is client and b"EVAL" in data and self._lose_reply(server):
                return False
        return True

    def _lose_reply(self, server: socket.socket) -> bool:
        self.appends += 1
        if not self.cuts:
            return False
        self.cuts -= 1
        server.recv(65536)
        return True


KEYS = 300
# Every key is loaded so many microseconds late; after each, as none can be compressed, the server answers.
SCRIPT = """#!/bin/sh
test "$1" = - && set -- - --key-load-delay {delay} --loading-process-events-interval-bytes 1024
exec '{binary}' "$@"
"""


def make_slow_server(folder: Path, binary: str | None, seconds: float, keys: int = KEYS) -> RedisServer:
    """Not started yet; a server of so many keys that was there before has left them in the folder.

    What is written later is loaded as slowly: a command takes as long as a key.
    """
    with RedisServer(folder, binary) as server, redis.Redis.from_url(server.url) as client:
        client.mset({f"key-{number}": Random(number).randbytes(1500) for number in range(keys)})
        client.bgrewriteaof()
        wait_until(lambda: _is_rewritten(client), "the log as a file of keys")
    script = folder / "slow-server"
    script.write_text(SCRIPT.format(delay=int(seconds * 1e6 / keys), binary=find_binary(binary)))
    script.chmod(0o700)
    return RedisServer(folder, str(script))


def _is_rewritten(client: redis.Redis) -> bool:
    info = client.info("persistence")
    return not info["aof_rewrite_in_progress"] and not info["aof_rewrite_scheduled"]


PIECE = 65_536


class Relay:
    """Passes on what comes to a port of its own; whoever calls there sees a service whose line breaks."""

    def __init__(self, base: str) -> None:
        place = urlsplit(base)
        self._target = (place.hostname, place.port)
        self._server = socket.create_server(("127.0.0.1", 0))
        self._wires: list[socket.socket] = []
        self._threads = [Thread(target=self._accept)]
        self._threads[0].start()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._server.getsockname()[1]}"

    def cut(self) -> None:
        """Every connection that is open now, in the middle of whatever is being said."""
        while self._wires:
            wire = self._wires.pop()
            with suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.cut()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                far = socket.create_connection(self._target)
                self._wires += [near, far]
                self._begin(near, far)

    def _begin(self, near: socket.socket, far: socket.socket) -> None:
        back = Thread(target=_pass_on, args=(far, near))
        forth = Thread(target=self._pass_both, args=(near, far, back))
        self._threads.append(forth)
        forth.start()

    def _pass_both(self, near: socket.socket, far: socket.socket, back: Thread) -> None:
        with near, far:
            back.start()
            _pass_on(near, far)
            back.join()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    """Until one side ends; the other is told so."""
    with suppress(OSError):
        while piece := source.recv(PIECE):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextmanager
def open_relay(base: str) -> Iterator[Relay]:
    relay = Relay(base)
    yield relay
    relay.close()


PERIOD = 0.1
LONGEST_REPLY = 10.0


class Look(NamedTuple):
    """`status` is 0 where there was no reply."""

    at: float
    address: str
    status: int
    seconds: float
    body: Any

    @property
    def word(self) -> str:
        """What /readyz says, in a word or two."""
        if self.status == 200:
            behind = sorted(lag["process"] for lag in self.body.get("behind", ()))
            return f"behind: {', '.join(behind)}" if behind else "ready"
        return str(self.body.get("cause", self.status)) if self.status else "no reply"


def look(base: str, address: str) -> Look:
    started = time.monotonic()
    try:
        with urllib.request.urlopen(base + address, timeout=LONGEST_REPLY) as reply:
            status, body = reply.status, reply.read()
    except urllib.error.HTTPError as refusal:
        with refusal:
            status, body = refusal.code, refusal.read()
    except (OSError, HTTPException):
        status, body = 0, b"{}"
    return Look(started, address, status, time.monotonic() - started, json.loads(body))


class Watcher:
    """Asks each address in turn, from a thread for each."""

    def __init__(self, base: str, *addresses: str) -> None:
        self.looks: list[Look] = []
        self._stopped = Event()
        self._threads = [Thread(target=self._watch, args=(base, address)) for address in addresses]

    def __enter__(self) -> Watcher:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _watch(self, base: str, address: str) -> None:
        while not self._stopped.is_set():
            self.looks.append(look(base, address))
            self._stopped.wait(PERIOD)

    def select(self, address: str, since: float = 0.0) -> list[Look]:
        return [one for one in self.looks if one.address == address and one.at >= since]

    def await_look(
        self, address: str, since: float, fits: Callable[[Look], bool], limit: float
    ) -> Look | None:
        """The first that fits, begun after a time; None where none does within so many seconds of it."""
        found: list[Look] = []

        def is_settled() -> bool:
            found.extend(one for one in self.select(address, since) if fits(one))
            return bool(found) or time.monotonic() > since + limit

        wait_until(is_settled, "a look")
        return found[0] if found else None


# Longer than any commit, or nobody would get on.
LONGEST_PIECE = 12_000
SILENCE = 0.2


class Item(NamedTuple):
    """The id to go on after, and what was told."""

    id: str
    told: Any


def parse_page(arrived: bytes, cursor: str) -> list[Item]:
    """Half a page is none."""
    with suppress(ValueError):
        page = json.loads(arrived)
        return [Item(str(told[cursor]), told) for told in page.get("commits", page.get("events"))]
    return []


def parse_lines(arrived: bytes, cursor: str) -> list[Item]:
    told = [json.loads(line) for line in arrived.split(b"\n")[:-1]]
    return [Item(str(one[cursor]), one) for one in told]


def parse_frames(arrived: bytes, cursor: str) -> list[Item]:
    frames = [frame.partition(b"\ndata: ") for frame in arrived.split(b"\n\n")[:-1]]
    return [
        Item(head.removeprefix(b"id: ").decode(), json.loads(data))
        for head, _, data in frames
        if head.startswith(b"id: ")
    ]


PARSERS: dict[str, Callable[[bytes, str], list[Item]]] = {
    "application/json": parse_page,
    "application/x-ndjson": parse_lines,
    "text/event-stream": parse_frames,
}
# A page arrives whole or not at all: it must never be longer than a piece.
WAYS = {"application/json": "wait=1&limit=2", "application/x-ndjson": "wait=1", "text/event-stream": "wait=1"}


class CutReader:
    """`cursor` is the member by which an item is told from others; `is_last` knows the end."""

    def __init__(self, address: str, media: str, cursor: str, is_last: Callable[[Any], bool]) -> None:
        self.address, self.media, self.cursor = address, media, cursor
        self.items: list[Item] = []
        self.cuts = 0
        self._is_last = is_last

    def read_all(self, base: str, token: str, random: Random) -> CutReader:
        while not self.items or not self._is_last(self.items[-1].told):
            after = self.items[-1].id if self.items else "0"
            arrived = self._read_piece(base, token, after, random.randint(1, LONGEST_PIECE))
            self.items += PARSERS[self.media](arrived, self.cursor)
        return self

    def _read_piece(self, base: str, token: str, after: str, most: int) -> bytes:
        """What comes until the line is cut: at a byte, or where nothing comes for a while."""
        line, arrived = HTTPConnection(urlsplit(base).netloc, timeout=60), b""
        headers = {"Authorization": f"Bearer {token}", "Accept": self.media}
        line.request("GET", f"{self.address}?after={after}&{WAYS[self.media]}", headers=headers)
        reply = line.getresponse()
        assert reply.status == 200, reply.read()
        line.sock.settimeout(SILENCE)
        with suppress(TimeoutError):
            while len(arrived) < most and (piece := reply.read1(most - len(arrived))):
                arrived += piece
        self.cuts += len(arrived) >= most
        line.close()
        return arrived


def is_last_commit(commit: Any) -> bool:
    return any(event["type"] == "game_ended" for event in commit["events"])


def is_last_news(news: Any) -> bool:
    return bool(news["what"] == "over")


def read_with_cuts(base: str, seed: int) -> tuple[int, bool]:
    """How often lines were cut while a game was played, and whether every reader has the whole log once."""
    service, random = HttpService(base), Random(seed)
    made = service.insist("POST", "/v1/players", {"name": "Anna"})
    plan = {"edition": "cards", "seats": [{"player": True}, {"bot": "random"}]}
    game = SeatedGame(service.insist("POST", "/v1/games", plan, made["token"]))
    game.tokens[0] = made["token"]
    events = f"{game.address}/events"
    readers = [
        CutReader(address, media, cursor, is_last)
        for media in PARSERS
        for address, cursor, is_last in (
            (events, "version", is_last_commit),
            ("/v1/me/events", "id", is_last_news),
        )
    ]
    with ThreadPoolExecutor(len(readers)) as threads:
        reading = [
            threads.submit(reader.read_all, base, made["token"], Random(random.random()))
            for reader in readers
        ]
        HttpPlayer(service.insist, random).play(game)
        whole = [one.result() for one in reading]
    commits = service.insist("GET", f"{events}?limit=1000", None, made["token"])["commits"]
    news = service.insist("GET", "/v1/me/events?limit=1000", None, made["token"])["events"]
    expected = {events: [commit["hash"] for commit in commits], "/v1/me/events": news}
    return sum(reader.cuts for reader in whole), all(
        _told(reader) == expected[reader.address] for reader in whole
    )


def _told(reader: CutReader) -> list[Any]:
    """Secrets are opened by the end, so that commits are told by their hashes."""
    return [item.told.get("hash", item.told) for item in reader.items]
