"""Strangers fill the memory with games of bots, without limits: games in progress go on to their end."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

from tests.faults.outages.attacked import now
from tests.support.http_client import HttpClient, HttpPlayer, HttpService, SeatedGame
from tests.support.service_process import run_service
from tests.support.waiting import wait_until

MEMORY = "16mb"
STRANGERS = 4
BOTS = {"edition": "royale", "options": {"tiles": 6}, "seats": [{"bot": "random"}] * 5}
PEOPLE = {"edition": "royale", "options": {"tiles": 3}, "seats": [{"name": name} for name in "ABC"]}


def create_without_end(base: str, stopped: Event) -> Counter[str]:
    """Create games and players as fast as possible; what was replied how often."""
    replies = Counter[str]()
    with closing(HttpClient(base)) as client:
        while not stopped.is_set():
            for address, body in (("/v1/games", BOTS), ("/v1/players", {"name": "Eve"})):
                reply = client.call("POST", address, body)
                replies[reply.json.get("code", str(reply.status))] += 1
    return replies


def run(folder: Path) -> bool:
    with run_service(folder / "data", REDIS_MAXMEMORY=MEMORY) as (base, _):
        http = HttpService(base)
        games = [SeatedGame(http.call("POST", "/v1/games", PEOPLE).json) for _ in range(3)]
        stopped = Event()
        with ThreadPoolExecutor(STRANGERS) as pool:
            strangers = [pool.submit(create_without_end, base, stopped) for _ in range(STRANGERS)]
            try:
                wait_until(lambda: is_refused(http), "a refusal of new games")
                started = now()
                tables = play_all(base, games)
                seconds = now() - started
            finally:
                stopped.set()
        replies = sum((stranger.result() for stranger in strangers), Counter[str]())
        answers = sum(table["version"] - 1 for table in tables)
        print(
            f"   strangers got {dict(replies)}; {answers} answers in {seconds:.0f} s, none refused",
            flush=True,
        )
    return set(replies) == {"201", "no_room"} and all(table["status"] == "over" for table in tables)


def is_refused(http: HttpService) -> bool:
    reply = http.call("POST", "/v1/games", BOTS)
    return reply.status == 503 and reply.json["code"] == "no_room"


def play_all(base: str, games: list[SeatedGame]) -> list[Any]:
    """The tables at the end; raises Refused for a choice that is not taken."""
    with closing(HttpClient(base)) as client:

        def call(method: str, address: str, body: Any = None, token: str | None = None, /) -> Any:
            return client.get(address, token) if method == "GET" else client.post(address, body, token)

        return [HttpPlayer(call, Random(1)).play(game) for game in games]
