"""Several players at once, through everything that happens to the service."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from threading import Event
from types import TracebackType
from typing import Any

from tests.support.api_client import long_key
from tests.support.http_client import HttpClient, HttpPlayer, HttpService, SeatedGame
from tests.support.waiting import wait_until

EDITIONS = ("classic", "modern", "royale", "cards")
Seats = Sequence[Mapping[str, Any]]
BOTS_AND_PEOPLE: Seats = ({"name": "Anna"}, {"bot": "greedy"}, {"name": "Ben"}, {"bot": "random"})
# Nobody waits for a bot: these answer ten times as often.
PEOPLE: Seats = ({"name": "Anna"}, {"name": "Ben"}, {"name": "Carla"})
MORE_ANSWERS = 3


def create_game(
    service: HttpService, *seats: Mapping[str, Any], edition: str = "classic", key: str | None = None
) -> SeatedGame:
    headers = {"Idempotency-Key": key} if key else {}
    plan = {"edition": edition, "seats": list(seats)}
    return SeatedGame(service.insist("POST", "/v1/games", plan, headers=headers))


class EditionPlayer:
    """Plays the people's seats, one game of its edition after the other, until told to stop."""

    def __init__(self, service: HttpService, edition: str, closing: Event, seats: Seats) -> None:
        self.service, self.edition, self.closing, self.seats = service, edition, closing, seats
        self.games: list[SeatedGame] = []
        self.player = HttpPlayer(service.insist, Random(edition))

    @property
    def tokens(self) -> list[str]:
        return [token for game in self.games for token in game.tokens.values()]

    def play_on(self) -> None:
        while not self.closing.is_set():
            key = long_key(f"{self.edition} {self.seats} {len(self.games)}")
            self.games.append(create_game(self.service, *self.seats, edition=self.edition, key=key))
            self.player.play(self.games[-1])


class ParallelPlayers:
    """One player an edition and kind of table, each in a thread of its own."""

    def __init__(self, service: HttpService, seatings: Sequence[Seats] = (BOTS_AND_PEOPLE,)) -> None:
        self.service = service
        self._closing = Event()
        self.players = [
            EditionPlayer(service, edition, self._closing, seats)
            for edition in EDITIONS
            for seats in seatings
        ]
        self._pool = ThreadPoolExecutor(len(self.players))
        self._playing: list[Future[None]] = []

    def __enter__(self) -> ParallelPlayers:
        self._playing = [self._pool.submit(each.play_on) for each in self.players]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._pool.shutdown()

    def play_further(self) -> None:
        """Until everybody has got a few more answers in, with those of the bots between them."""
        goals = [count + MORE_ANSWERS for count in self._promised()]

        def reached() -> bool:
            self._raise_faults()
            return all(count >= goal for count, goal in zip(self._promised(), goals, strict=True))

        wait_until(reached, "everybody playing on")

    def await_answers(self, number: int) -> None:
        """Until so many more have been acknowledged in all."""
        goal = self.count_answers() + number

        def reached() -> bool:
            self._raise_faults()
            return self.count_answers() >= goal

        wait_until(reached, f"{number} more answers")

    def count_answers(self) -> int:
        return sum(self._promised())

    def await_answering(self) -> None:
        """Until somebody's answer is under way."""
        wait_until(lambda: any(each.player.answering for each in self.players), "an answer of anybody")

    def finish(self) -> None:
        """Everybody plays the game at hand to its end."""
        self._closing.set()
        wait_until(lambda: all(future.done() for future in self._playing), "the end of every game")
        self._raise_faults()

    def _promised(self) -> list[int]:
        return [len(each.player.promises) for each in self.players]

    def _raise_faults(self) -> None:
        for future in self._playing:
            if future.done():
                future.result()


PROGRAM = Path(__file__).parents[2] / "examples" / "play_everywhere.py"


@contextmanager
def run_program(base: str, token: str, place: Path) -> Iterator[None]:
    """Killed in the end, whatever it is doing."""
    with subprocess.Popen([sys.executable, str(PROGRAM), base, token, str(place)]) as process:
        try:
            yield
            assert process.poll() is None
        finally:
            process.kill()


def play_with_kills(base: str, games: int, kills: int, place: Path) -> bool:
    """Whether all games came to their end: without a clock, one whose turn is missed never does."""
    with closing(HttpClient(base)) as client:
        player = client.post("/v1/players", {"name": "Anna"})
        token, profile = player["token"], f"/v1/players/{player['id']}"
        plan = {"edition": "modern", "seats": [{"player": True}, {"bot": "random"}]}
        made = [client.post("/v1/games", plan, token)["id"] for _ in range(games)]
        for _ in range(kills):
            reached = _read(place)
            with run_program(base, token, place):
                wait_until(partial(_has_gone_on, client, profile, place, reached), "an answered turn")
        with run_program(base, token, place):
            _await_ends(client, token, games)
        return all(client.get(f"/v1/games/{game}")["status"] == "over" for game in made)


def come_back(base: str, place: Path) -> None:
    """A seat that was left, as after a takeover, has to be the program's own again."""
    with closing(HttpClient(base)) as client:
        token = client.post("/v1/players", {"name": "Anna"})["token"]
        plan = {"edition": "classic", "seats": [{"player": True}, {"name": "Ben"}]}
        game = f"/v1/games/{client.post('/v1/games', plan, token)['id']}"
        client.post(f"{game}/leave", {}, token)
        assert "stand_in" in client.get(game)["seats"][0]
        with run_program(base, token, place):
            wait_until(lambda: "stand_in" not in client.get(game)["seats"][0], "its return")


def _await_ends(client: HttpClient, token: str, games: int) -> None:
    after, ends = "0", 0
    while ends < games:
        page = client.get(f"/v1/me/events?after={after}&limit=1000&wait=25", token)
        after, ends = page["next"], ends + sum(news["what"] == "over" for news in page["events"])


def _read(place: Path) -> str:
    return place.read_text() if place.exists() else ""


def _has_gone_on(client: HttpClient, profile: str, place: Path, reached: str) -> bool:
    """Or nothing is left to be played."""
    return _read(place) != reached or client.get(profile)["games"]["playing"] == 0
