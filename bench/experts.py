"""How long people wait for the API while ten games of experts run, beside a service without bots at play."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import cycle, islice
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import perf_counter

from bench.ratio import Ratio
from bench.servers import run, serve
from rules import EDITIONS
from service.ops.redis_server import RedisServer
from tests.support.http_client import HttpClient

CREW = ("workers.projector", "workers.reconciler", "workers.worker", "workers.worker")
PEOPLE = {"edition": "classic", "seats": [{"name": "Anna"}, {"name": "Ben"}]}
EXPERTS = [{"bot": "expert"}] * 4
GAMES = 10
SAMPLES = 1_200


def choice_seconds(caller: HttpClient) -> Iterator[float]:
    """People play each other: from the choice to its reply, which has the next ask of the same game."""
    while True:
        game = caller.post("/v1/games", PEOPLE)
        address = f"/v1/games/{game['id']}"
        tokens = [seat["token"] for seat in game["seats"]]
        while (table := caller.get(address))["status"] != "over":
            token = tokens[table["asks"][0]["seats"][0]]
            (ask,) = caller.get(address, token)["asks"]
            body = {"ask": ask["ask"], "choice": ask["options"][0]["choice"]}
            start = perf_counter()
            caller.post(f"{address}/choices", body, token)
            yield perf_counter() - start


def keep_experts_busy(caller: HttpClient, games: list[str]) -> list[str]:
    """Ten games of four, every edition in turn: who has ended is replaced."""
    running = [game for game in games if caller.get(f"/v1/games/{game}")["status"] != "over"]
    editions = islice(cycle(EDITIONS.newest), len(running), GAMES)
    return running + [
        caller.post("/v1/games", {"edition": name, "seats": EXPERTS})["id"] for name in editions
    ]


def p99(base: str, with_experts: bool) -> float:
    """In milliseconds."""
    caller = HttpClient(base)
    games = list[str]()
    taken = list[float]()
    for count, seconds in enumerate(choice_seconds(caller)):
        if count >= SAMPLES:
            break
        taken.append(seconds * 1000)
        if with_experts and count % 50 == 0:
            games = keep_experts_busy(caller, games)
    return quantiles(taken, n=100)[98]


def measure() -> Ratio:
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="croupier-bench-"))
        url = stack.enter_context(RedisServer(folder)).url
        for module in CREW:
            stack.enter_context(run([sys.executable, "-m", module], url))
        base = stack.enter_context(serve(url)).base
        alone = p99(base, with_experts=False)
        beside = p99(base, with_experts=True)
    remark = f"p99 of {SAMPLES:,} choices of people beside {GAMES} games of experts of all editions, and none"
    return Ratio("API beside ten games of experts", beside, alone, "ms", 2.0, at_most=True, remark=remark)
