"""Choices over HTTP: beside the least that any service does for one, and late in a game beside early."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count, islice
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from bench.callers import Caller
from bench.ratio import Ratio
from bench.served import FLOOR, served
from service.redis_server import RedisServer

PLAN = {"edition": "classic", "seats": [{"name": name} for name in ("Anna", "Ben", "Carla", "Denny")]}
FIRST_ROUND, LAST_ROUND = 1, 4
# Enough callers at once to keep the server busy all the time.
CALLERS = 4
CHOICES = 40
TURNS = 40
WHOLE_GAMES = 12


def choices(caller: Caller) -> Iterator[tuple[int, float]]:
    """Plays one game for all its seats: the round and the seconds of each choice.

    What was rolled may be placed, so that nobody has to ask for the options first.
    """
    game = caller.post("/v1/games", PLAN)
    tokens, address = [seat["token"] for seat in game["seats"]], f"/v1/games/{game['id']}"
    table = caller.get(address)
    while table["asks"]:
        (ask,), roll = table["asks"], table["roll"]
        body = {"ask": ask["ask"], "choice": f"place-{roll['own'][0]}"}
        start = perf_counter()
        reply = caller.post(f"{address}/choices", body, tokens[roll["seat"]])
        yield table["round"], perf_counter() - start
        table = reply["table"]


def floor_choices(caller: Caller, game: str) -> Iterator[object]:
    for ask in count(1):
        yield caller.post(f"/v1/games/{game}/choices", {"ask": ask, "choice": "place-3"}, "none")


def endless(caller: Caller) -> Iterator[object]:
    while True:
        yield from choices(caller)


def together(pool: ThreadPoolExecutor, playing: Iterable[Iterator[object]]) -> Callable[[], int]:
    """All callers at once, a handful of choices each."""
    players = list(playing)

    def work() -> int:
        return sum(pool.map(lambda player: sum(1 for _ in islice(player, CHOICES)), players))

    return work


def throughput(port: int, floor_port: int) -> Ratio:
    with ThreadPoolExecutor(CALLERS) as pool:
        ours = together(pool, [endless(Caller(port)) for _ in range(CALLERS)])
        floor = together(pool, [floor_choices(Caller(floor_port), f"floor-{n}") for n in range(CALLERS)])
        ours_rate, floor_rate = in_turns(ours, floor)
    return Ratio("choices over HTTP, against a floor", ours_rate, floor_rate, "choices/s", 0.6)


def in_turns(*works: Callable[[], int]) -> list[float]:
    """Done in a second, as the clock on the wall has it: servers work while we wait for them."""
    rates = [[_rate(work) for work in works] for _ in range(TURNS)]
    return [median(taken) for taken in zip(*rates[1:], strict=True)]


def _rate(work: Callable[[], int]) -> float:
    start = perf_counter()
    return work() / (perf_counter() - start)


def growth(port: int) -> Ratio:
    seconds: dict[int, list[float]] = defaultdict(list)
    caller = Caller(port)
    for _ in range(WHOLE_GAMES):
        for number, spent in choices(caller):
            seconds[number].append(spent * 1000)
    last, first = median(seconds[LAST_ROUND]), median(seconds[FIRST_ROUND])
    return Ratio("late choice, against an early one", last, first, "ms", 1.3, at_most=True)


def measure() -> Iterator[Ratio]:
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="croupier-bench-"))
        server = stack.enter_context(RedisServer(folder))
        port = stack.enter_context(served(server.url))
        floor_port = stack.enter_context(served(server.url, FLOOR))
        yield throughput(port, floor_port)
        yield growth(port)
