"""Somebody who knows the calls and no rule plays six-tile games: python -m tests.stranger [URL] [GAMES]."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection
from random import Random
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

HERE = "http://127.0.0.1:8000"
GAMES = 200
NAMES = ("Anna", "Ben", "Carla", "Denny", "Emily")
FEWEST = 2
Call = Callable[[str, str, Any, str | None], tuple[int, Any]]


class Refused(Exception):
    """A reply of 4xx or 5xx."""


class Stranger:
    """Sits on every seat, and answers with any of the options that the asked seat is shown."""

    def __init__(self, call: Call) -> None:
        self.replies: Counter[int] = Counter()
        self.choices = 0
        self._call = call

    def play(self, number: int) -> dict[str, Any]:
        """The table at the end of game `number`, which decides who plays and what is picked."""
        random, players = Random(number), FEWEST + number % (len(NAMES) - FEWEST + 1)
        seats = [{"name": name} for name in NAMES[:players]]
        made = self.say("POST", "/v1/games", {"edition": "royale", "options": {"tiles": 6}, "seats": seats})
        address, tokens = f"/v1/games/{made['id']}", [seat["token"] for seat in made["seats"]]
        table: dict[str, Any] = self.say("GET", address)
        while table["status"] != "over":
            self.answer(address, tokens[table["asks"][0]["seats"][0]], random)
            table = self.say("GET", address)
        return table

    def answer(self, address: str, token: str, random: Random) -> None:
        (ask,) = (ask for ask in self.say("GET", address, token=token)["asks"] if ask["yours"])
        body = {"ask": ask["ask"], "choice": random.choice(ask["options"])["choice"]}
        self.say("POST", f"{address}/choices", body, token)
        self.choices += 1

    def say(self, method: str, address: str, body: Any = None, token: str | None = None) -> Any:
        status, reply = self._call(method, address, body, token)
        self.replies[status] += 1
        if status >= 400:
            raise Refused(f"{method} {address} {body}: {status} {reply}")
        return reply


def over(connection: HTTPConnection) -> Call:
    def call(method: str, address: str, body: Any, token: str | None) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(method, address, None if body is None else json.dumps(body), headers)
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())

    return call


def evening(stranger: Stranger, games: int) -> int:
    """Plays so many games and tells of them; returns how many were broken off."""
    start, refusals = perf_counter(), list[Refused]()
    for number in range(games):
        try:
            stranger.play(number)
        except Refused as refused:
            refusals.append(refused)
    print(f"{games - len(refusals)} of {games} games finished in {perf_counter() - start:.0f} s")
    print(f"{stranger.choices} choices, {stranger.replies.total()} calls; replies by status:")
    for status, count in sorted(stranger.replies.items()):
        print(f"  {status}: {count}")
    print(*map("{}\n".format, refusals), sep="", end="")
    return len(refusals)


def main(url: str = HERE, games: str = str(GAMES)) -> int:
    with closing(HTTPConnection(urlsplit(url).netloc, timeout=60)) as connection:
        return 1 if evening(Stranger(over(connection)), int(games)) else 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
