"""Choices over HTTP: beside the least that any service does for one, and late in a game beside early."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count, dropwhile, islice, takewhile
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from bench.callers import Caller
from bench.ratio import Ratio
from bench.servers import FLOOR, serve
from service.ops.embedded_server import RedisServer

PLAN = {"edition": "classic", "seats": [{"name": name} for name in ("Anna", "Ben", "Carla", "Denny")]}
FIRST_ROUND, LAST_ROUND = 1, 4
# Enough callers at once to keep the server busy all the time.
CALLERS = 4
# Fewer than any game has.
CHOICES = 25
TURNS = 60
GAMES = 25


class Game:
    """One game, played for all its seats."""

    def __init__(self, caller: Caller) -> None:
        made = caller.post("/v1/games", PLAN)
        self._caller, self._address = caller, f"/v1/games/{made['id']}"
        self._tokens = [seat["token"] for seat in made["seats"]]
        self._table = caller.get(self._address)

    def choices(self) -> Iterator[tuple[int, float]]:
        """The round and the milliseconds of each choice.

        What was rolled may be placed, so that nobody has to ask for the options first.
        """
        while self._table["asks"]:
            (ask,), roll, number = self._table["asks"], self._table["roll"], self._table["round"]
            body = {"ask": ask["ask"], "choice": f"place-{roll['own'][0]}"}
            start = perf_counter()
            reply = self._caller.post(f"{self._address}/choices", body, self._tokens[roll["seat"]])
            yield number, (perf_counter() - start) * 1000
            self._table = reply["table"]


def floor_choices(caller: Caller, game: str) -> Iterator[object]:
    for ask in count(1):
        yield caller.post(f"/v1/games/{game}/choices", {"ask": ask, "choice": "place-3"}, "none")


def rate(pool: ThreadPoolExecutor, players: Sequence[Iterator[object]]) -> float:
    """Choices in a second, as the clock on the wall has it, with all players at once."""
    start = perf_counter()
    done = sum(pool.map(lambda player: sum(1 for _ in islice(player, CHOICES)), players))
    return done / (perf_counter() - start)


def throughput(port: int, floor_port: int) -> Ratio:
    """Both take turns, and the turn in the middle counts; the games are made before the clock runs."""
    callers = [Caller(port) for _ in range(CALLERS)]
    floor = [floor_choices(Caller(floor_port), f"floor-{number}") for number in range(CALLERS)]
    with ThreadPoolExecutor(CALLERS) as pool:
        rates = [
            (rate(pool, [Game(caller).choices() for caller in callers]), rate(pool, floor))
            for _ in range(TURNS)
        ]
    ours, least = sorted(rates, key=lambda turn: turn[0] / turn[1])[TURNS // 2]
    return Ratio("choices over HTTP, against a floor", ours, least, "choices/s", 0.6)


def growth(port: int) -> Ratio:
    """A choice in the first round of one game, then one in the last of another, and so on."""
    caller, pairs = Caller(port), list[tuple[float, float]]()
    for _ in range(GAMES):
        early = takewhile(lambda choice: choice[0] == FIRST_ROUND, Game(caller).choices())
        late = dropwhile(lambda choice: choice[0] < LAST_ROUND, Game(caller).choices())
        pairs += [(last[1], first[1]) for first, last in zip(early, late, strict=False)]
    last, first = (median(side) for side in zip(*pairs, strict=True))
    return Ratio("late choice, against an early one", last, first, "ms", 1.3, at_most=True)


def measure() -> Iterator[Ratio]:
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="croupier-bench-"))
        server = stack.enter_context(RedisServer(folder))
        port = stack.enter_context(serve(server.url))
        floor_port = stack.enter_context(serve(server.url, FLOOR))
        yield throughput(port, floor_port)
        yield growth(port)
