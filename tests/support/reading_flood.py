"""Somebody who reads whole games again and again as fast as he can, in a process of his own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException
from itertools import cycle
from threading import Event
from urllib.parse import urlsplit

from events.redis_client import connect
from tests.support.finished_games import put_finished

LOOPS = 8
# What is read of each game, and what is asked in between.
DEAR = ("/audit", "/diff?from=1", "?at=20", "/explain/20", "/knowledge?seat=0&at=21", "/export", "/timeline")


def put_games(url: str, number: int) -> list[str]:
    """Long games that are over, into the service's own Redis."""
    with connect(url) as client:
        return [put_finished(client, "royale", 5, (("tiles", 6),), seed) for seed in range(number)]


@contextmanager
def flood_reads(base: str, address: str, games: Sequence[str], loops: int = LOOPS) -> Iterator[Counter[str]]:
    """What he was answered, how often, is known when the block is over."""
    told: Counter[str] = Counter()
    command = [sys.executable, "-m", "tests.support.reading_flood", base, address, str(loops)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    try:
        process.stdin.write(" ".join(games) + "\n")
        process.stdin.flush()
        yield told
    finally:
        told.update(json.loads(process.communicate("enough\n")[0]))


def _read(base: str, address: str, games: Sequence[str], is_enough: Event) -> Counter[str]:
    told: Counter[str] = Counter()
    addresses = cycle([f"/v1/games/{game}{what}" for what in DEAR for game in games] + ["/metrics"])
    while not is_enough.is_set():
        with closing(
            HTTPConnection(urlsplit(base).netloc, timeout=10, source_address=(address, 0))
        ) as connection:
            try:
                while not is_enough.is_set():
                    connection.request("GET", next(addresses))
                    reply = connection.getresponse()
                    reply.read()
                    told[str(reply.status)] += 1
            except (OSError, HTTPException):
                told["no reply"] += 1
    return told


def main(base: str, address: str, loops: int) -> None:
    is_enough, games = Event(), sys.stdin.readline().split()
    with ThreadPoolExecutor(loops) as pool:
        parts = [games[number:] + games[:number] for number in range(0, len(games), -(-len(games) // loops))]
        reading = [pool.submit(_read, base, address, part, is_enough) for part in parts]
        sys.stdin.readline()
        is_enough.set()
    print(json.dumps(sum((loop.result() for loop in reading), Counter())))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
