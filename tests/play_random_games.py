"""A client that knows no rule plays six-tile games: python -m tests.play_random_games [URL] [GAMES]."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from random import Random
from time import perf_counter
from typing import Any

from tests.support.http_client import HttpClient, HttpPlayer, Refused, Reply, SeatedGame

HERE = "http://127.0.0.1:8000"
GAMES = 200
NAMES = ("Anna", "Ben", "Carla", "Denny", "Emily")
FEWEST = 2


class Session:
    """Many games over one way of calling, and what was replied."""

    def __init__(self, call: Callable[[str, str, Any, str | None], Reply]) -> None:
        self.replies: Counter[int] = Counter()
        self.choices = 0
        self._call = call

    def play(self, number: int) -> Any:
        """The table at the end of game `number`, which decides who plays and what is picked."""
        players = FEWEST + number % (len(NAMES) - FEWEST + 1)
        seats = [{"name": name} for name in NAMES[:players]]
        plan = {"edition": "royale", "options": {"tiles": 6}, "seats": seats}
        player = HttpPlayer(self.call, Random(number))
        try:
            return player.play(SeatedGame(self.call("POST", "/v1/games", plan)))
        finally:
            self.choices += len(player.promises)

    def call(self, method: str, address: str, body: Any = None, token: str | None = None, /) -> Any:
        reply = self._call(method, address, body, token)
        self.replies[reply.status] += 1
        if reply.status >= 400:
            raise Refused(f"{method} {address} {body}: {reply.status} {reply.json}")
        return reply.json


def play_games(session: Session, games: int) -> int:
    """Plays so many games and tells of them; returns how many were broken off."""
    start, refusals = perf_counter(), list[Refused]()
    for number in range(games):
        try:
            session.play(number)
        except Refused as refused:
            refusals.append(refused)
    print(f"{games - len(refusals)} of {games} games finished in {perf_counter() - start:.0f} s")
    print(f"{session.choices} choices, {session.replies.total()} calls; replies by status:")
    for status, count in sorted(session.replies.items()):
        print(f"  {status}: {count}")
    print(*map("{}\n".format, refusals), sep="", end="")
    return len(refusals)


def main(url: str = HERE, games: str = str(GAMES)) -> int:
    with closing(HttpClient(url)) as client:
        return 1 if play_games(Session(client.call), int(games)) else 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
