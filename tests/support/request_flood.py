"""Somebody who asks as fast as he can, whatever he is told, in a process of his own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from http.client import HTTPConnection, HTTPException
from itertools import cycle
from threading import Event
from urllib.parse import urlsplit

from events.redis import connect
from tests.support.bot_flood import DEAR_PLAN
from tests.support.finished_games import put_finished

# What one caller asks for again and again: method, address and body of each request.
Calls = Sequence[Sequence[str]]
Told = Counter[str]
READERS, CREATORS = 8, 4
# What is read of each game, and what is asked in between.
DEAR = ("/audit", "/diff?from=1", "?at=20", "/explain/20", "/knowledge?seat=0&at=21", "/export", "/timeline")
TABLE = {"edition": "classic", "seats": [{}, {}], "casinos": [{"number": 1, "dice": [{}] * 4_000}]}
MANY = {f"x{number}": 0 for number in range(1_400)}
BAD_BODIES = [
    ("POST", "/v1/advice", json.dumps({"table": TABLE, "seat": 0})),
    ("POST", "/v1/players", json.dumps(MANY)),
    ("POST", "/v1/games", json.dumps({"edition": "classic", "options": MANY, "seats": []})),
    ("POST", "/v1/codes", json.dumps({"code": [1.5] * 3_000})),
]
CREATE = ("POST", "/v1/games", json.dumps(DEAR_PLAN))


def put_games(url: str, number: int) -> list[str]:
    """Long games that are over, into the service's own Redis."""
    with connect(url) as client:
        return [put_finished(client, "royale", 5, (("tiles", 6),), seed) for seed in range(number)]


def flood_reads(
    base: str, address: str, games: Sequence[str], readers: int = READERS
) -> AbstractContextManager[Told]:
    """Whole games; each reader begins with another one."""
    begins = range(0, len(games), -(-len(games) // readers))
    return _flood(base, address, [_list_reads([*games[begin:], *games[:begin]]) for begin in begins])


def _list_reads(games: Sequence[str]) -> Calls:
    read = [("GET", f"/v1/games/{game}{what}", "") for what in DEAR for game in games]
    return [*read, ("GET", "/metrics", "")]


def flood_creations(base: str, address: str) -> AbstractContextManager[Told]:
    """Games that cost much."""
    return _flood(base, address, [[CREATE]] * CREATORS)


def flood_bad_bodies(base: str, address: str, callers: int = READERS) -> AbstractContextManager[Told]:
    """Bodies of 16 KB that would take much work if anybody did it."""
    return _flood(base, address, [BAD_BODIES] * callers)


@contextmanager
def _flood(base: str, address: str, callers: Sequence[Calls]) -> Iterator[Told]:
    """What he was answered, how often, is known when the block is over."""
    told: Told = Counter()
    command = [sys.executable, "-m", "tests.support.request_flood", base, address]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps(callers) + "\n")
        process.stdin.flush()
        yield told
    finally:
        told.update(json.loads(process.communicate("enough\n")[0]))


def _ask(base: str, address: str, calls: Calls, is_enough: Event) -> Told:
    told, waiting = Told(), cycle(calls)
    while not is_enough.is_set():
        with closing(
            HTTPConnection(urlsplit(base).netloc, timeout=10, source_address=(address, 0))
        ) as connection:
            try:
                while not is_enough.is_set():
                    told[_send(connection, *next(waiting))] += 1
            except (OSError, HTTPException):
                told["no reply"] += 1
    return told


def _send(connection: HTTPConnection, method: str, address: str, body: str) -> str:
    headers = {"Content-Type": "application/json"} if body else {}
    connection.request(method, address, body or None, headers)
    reply = connection.getresponse()
    reply.read()
    return str(reply.status)


def main(base: str, address: str) -> None:
    is_enough, callers = Event(), json.loads(sys.stdin.readline())
    with ThreadPoolExecutor(len(callers)) as pool:
        asking = [pool.submit(_ask, base, address, calls, is_enough) for calls in callers]
        sys.stdin.readline()
        is_enough.set()
    print(json.dumps(sum((caller.result() for caller in asking), Counter())))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
