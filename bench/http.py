"""Choices over HTTP: beside the least that any service does for one, and late in a game beside early."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count, dropwhile, islice, takewhile
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from bench.ratio import Ratio
from bench.servers import FLOOR, serve
from service.ops.redis_server import RedisServer
from tests.support.http_client import HttpClient

PLAN = {"edition": "classic", "seats": [{"name": name} for name in ("Anna", "Ben", "Carla", "Denny")]}
FIRST_ROUND = 1
LAST_ROUND = 4
# Enough clients at once to keep the server busy all the time.
CLIENTS = 4
# Fewer than any game has.
CHOICES = 25
TURNS = 60
GAMES = 25


class Game:
    """One game, played for all its seats."""

    def __init__(self, client: HttpClient) -> None:
        made = client.post("/v1/games", PLAN)
        self._client = client
        self._address = f"/v1/games/{made['id']}"
        self._tokens = [seat["token"] for seat in made["seats"]]
        self._table = client.get(self._address)

    def choices(self) -> Iterator[tuple[int, float]]:
        """The round and the milliseconds of each choice.

        What was rolled may be placed, so that nobody has to ask for the options first.
        """
        while self._table["asks"]:
            (ask,) = self._table["asks"]
            roll = self._table["roll"]
            number = self._table["round"]
            body = {"ask": ask["ask"], "choice": f"place-{roll['own'][0]}"}
            start = perf_counter()
            reply = self._client.post(f"{self._address}/choices", body, self._tokens[roll["seat"]])
            yield number, (perf_counter() - start) * 1000
            self._table = reply["table"]


def floor_choices(client: HttpClient, game: str) -> Iterator[object]:
    for ask in count(1):
        yield client.post(f"/v1/games/{game}/choices", {"ask": ask, "choice": "place-3"}, "none")


def rate(pool: ThreadPoolExecutor, players: Sequence[Iterator[object]]) -> float:
    """Choices in a second, as the clock on the wall has it, with all players at once."""
    start = perf_counter()
    done = sum(pool.map(lambda player: sum(1 for _ in islice(player, CHOICES)), players))
    return done / (perf_counter() - start)


def throughput(base: str, floor_base: str) -> Ratio:
    """Both take turns, and the turn in the middle counts; the games are made before the clock runs."""
    clients = [HttpClient(base) for _ in range(CLIENTS)]
    floor = [floor_choices(HttpClient(floor_base), f"floor-{number}") for number in range(CLIENTS)]
    with ThreadPoolExecutor(CLIENTS) as pool:
        rates = [
            (rate(pool, [Game(client).choices() for client in clients]), rate(pool, floor))
            for _ in range(TURNS)
        ]
    ours, least = sorted(rates, key=lambda turn: turn[0] / turn[1])[TURNS // 2]
    return Ratio("choices over HTTP, against a floor", ours, least, "choices/s", 0.72)


def growth(base: str) -> Ratio:
    """A choice in the first round of one game, then one in the last of another, and so on."""
    client = HttpClient(base)
    pairs = list[tuple[float, float]]()
    for _ in range(GAMES):
        early = takewhile(lambda choice: choice[0] == FIRST_ROUND, Game(client).choices())
        late = dropwhile(lambda choice: choice[0] < LAST_ROUND, Game(client).choices())
        pairs += [(last[1], first[1]) for first, last in zip(early, late, strict=False)]
    last, first = (median(side) for side in zip(*pairs, strict=True))
    return Ratio("late choice, against an early one", last, first, "ms", 1.3, at_most=True)


def measure() -> Iterator[Ratio]:
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="croupier-bench-"))
        server = stack.enter_context(RedisServer(folder))
        base = stack.enter_context(serve(server.url)).base
        yield throughput(base, stack.enter_context(serve(server.url, FLOOR)).base)
        yield growth(base)
