"""Somebody who creates dear games as fast as he can, whatever he is told, in a process of his own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException
from threading import Event
from urllib.parse import urlsplit

from tests.support.bot_flood import DEAR_PLAN

CALLERS = 4


@contextmanager
def flood_creations(base: str, address: str) -> Iterator[Counter[str]]:
    """What he was answered, how often, is known when the block is over."""
    told: Counter[str] = Counter()
    command = [sys.executable, "-m", "tests.support.creation_flood", base, address]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield told
    finally:
        told.update(json.loads(process.communicate("enough\n")[0]))


def _create(base: str, address: str, is_enough: Event) -> Counter[str]:
    told: Counter[str] = Counter()
    body, headers = json.dumps(DEAR_PLAN), {"Content-Type": "application/json"}
    while not is_enough.is_set():
        with closing(
            HTTPConnection(urlsplit(base).netloc, timeout=10, source_address=(address, 0))
        ) as connection:
            try:
                while not is_enough.is_set():
                    connection.request("POST", "/v1/games", body, headers)
                    reply = connection.getresponse()
                    reply.read()
                    told[str(reply.status)] += 1
            except (OSError, HTTPException):
                told["no reply"] += 1
    return told


def main(base: str, address: str) -> None:
    is_enough = Event()
    with ThreadPoolExecutor(CALLERS) as pool:
        callers = [pool.submit(_create, base, address, is_enough) for _ in range(CALLERS)]
        sys.stdin.readline()
        is_enough.set()
    print(json.dumps(sum((caller.result() for caller in callers), Counter())))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
