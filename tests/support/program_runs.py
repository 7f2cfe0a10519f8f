"""The program in `examples`, killed again and again in the middle of many games."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from tests.support.http_client import HttpClient
from tests.support.waiting import wait_until

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
