"""Somebody fills the workers with dear games, and somebody else only wants to play."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from random import Random
from statistics import quantiles
from time import monotonic, perf_counter
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

DEAR_PLAN = {
    "edition": "royale",
    "options": {"tile_codes": ["A1", "B2", "C2", "E2", "F1", "H1"], "turn_seconds": 1},
    "seats": [{"name": "Eve"}, *({"bot": "greedy"} for _ in range(4))],
}
PLAN = {"edition": "classic", "seats": [{"name": "Anna"}, {"bot": "greedy"}]}
CALLERS = 4
LONGEST = 60


class Caller:
    """Over one connection that is kept, from an address of its own."""

    def __init__(self, base: str, address: str) -> None:
        self._connection = HTTPConnection(urlsplit(base).netloc, timeout=LONGEST, source_address=(address, 0))

    def close(self) -> None:
        self._connection.close()

    def call(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        headers |= {"Authorization": f"Bearer {token}"} if token is not None else {}
        self._connection.request(method, path, None if body is None else json.dumps(body), headers)
        reply = self._connection.getresponse()
        text = reply.read()
        assert reply.status in (200, 201), text
        return json.loads(text)


class Waits(Struct, frozen=True):
    """Seconds that somebody waited at the table: for the reply to each choice, and for each bot's answer."""

    choices: list[float]
    bots: list[float]

    def __str__(self) -> str:
        return f"choices {_in_words(self.choices)}; bots {_in_words(self.bots)}"


def percentile_95(seconds: list[float]) -> float:
    return quantiles(seconds, n=20)[-1]


def _in_words(seconds: list[float]) -> str:
    worst = max(seconds) * 1000
    return f"{len(seconds)}, 95 % within {percentile_95(seconds) * 1000:.0f} ms, the longest {worst:.0f} ms"


@contextmanager
def flood(base: str, address: str, games: int) -> Iterator[None]:
    """So many dear games as fast as they are taken; they are played while the block runs, and after it."""
    with ThreadPoolExecutor(CALLERS) as pool:
        creating = [pool.submit(_create_games, base, address, games // CALLERS) for _ in range(CALLERS)]
        yield
        for created in creating:
            created.result()


def _create_games(base: str, address: str, games: int) -> None:
    with closing(Caller(base, address)) as caller:
        for _ in range(games):
            caller.call("POST", "/v1/games", DEAR_PLAN)


def play_and_time(base: str, address: str, seconds: float) -> Waits:
    """An ordinary player, one game after the other."""
    rng, end, waits = Random(1), monotonic() + seconds, Waits([], [])
    with closing(Caller(base, address)) as caller:
        while monotonic() < end:
            made = caller.call("POST", "/v1/games", PLAN)
            _play(caller, made, rng, end, waits)
    return waits


def _play(caller: Caller, made: Mapping[str, Any], rng: Random, end: float, waits: Waits) -> None:
    path, token = f"/v1/games/{made['id']}", made["seats"][0]["token"]
    table = caller.call("GET", path, token=token)
    while table["status"] != "over" and monotonic() < end:
        (ask,) = table["asks"]
        if ask["yours"]:
            table = _choose(caller, path, token, ask, rng, waits)
        else:
            table = _await_bot(caller, path, token, table, waits)


def _choose(caller: Caller, path: str, token: str, ask: Any, rng: Random, waits: Waits) -> Any:
    body = {"ask": ask["ask"], "choice": rng.choice(ask["options"])["choice"]}
    start = perf_counter()
    reply = caller.call("POST", f"{path}/choices", body, token)
    waits.choices.append(perf_counter() - start)
    return reply["table"]


def _await_bot(caller: Caller, path: str, token: str, table: Any, waits: Waits) -> Any:
    start, version = perf_counter(), table["version"]
    while not caller.call("GET", f"{path}/events?after={version}&limit=1&wait=20")["commits"]:
        pass
    waits.bots.append(perf_counter() - start)
    return caller.call("GET", path, token=token)
