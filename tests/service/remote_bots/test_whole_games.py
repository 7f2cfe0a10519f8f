"""A program with an identity plays whole games through the Python client, is listed, and is rated."""

from __future__ import annotations

from threading import Thread
from typing import Any

import pytest
from croupier_client import Croupier

from tests.support.second_opinion import is_fair
from tests.support.service_process import RunningService
from tests.support.waiting import PATIENCE, wait_until

EDITIONS: dict[str, dict[str, Any]] = {
    "classic": {},
    "modern": {"neutral_dice": True},
    "royale": {"tiles": 6},
    "cards": {},
}


def register(base: str, name: str, **terms: Any) -> dict[str, Any]:
    owner = Croupier(base, Croupier(base).create_player(f"Owner of {name}")["token"])
    made: dict[str, Any] = owner.call("POST", "/remote-bots", {"name": name, "build": "1.0", **terms})
    return made


def run_program(base: str, token: str, games: int) -> None:
    """The bot: it knows its token and its feed, and plays until so many games are over."""
    program = Croupier(base, token)
    for event in program.feed("0"):
        if event["type"] == "over":
            games -= 1
        if games == 0:
            return
        if event["type"] == "asked":
            seat = program.seat(event["game"])
            for ask in seat.table()["asks"]:
                if ask["yours"]:
                    seat.choose(ask, ask["options"][-1]["choice"])


@pytest.mark.long
def test_a_remote_bot_plays_every_edition_against_strangers_and_is_rated(running: RunningService) -> None:
    base = running.http.base
    bot = register(base, "Carlo", seconds=60)
    program = Thread(target=run_program, args=(base, bot["token"], len(EDITIONS)), daemon=True)
    program.start()
    stranger = Croupier(base, Croupier(base).create_player("Stranger")["token"])
    seats: list[dict[str, Any]] = [{"me": True}, {"remote": {"player": bot["id"]}}, {"bot": "greedy"}]
    for edition, options in EDITIONS.items():
        game = stranger.create_game(edition, seats, options)["id"]
        me = stranger.seat(game)
        for ask in me.turns():
            me.choose(ask, ask["options"][0]["choice"])
        log = running.http.insist("GET", f"/v1/games/{game}/events?limit=1000")["commits"]
        assert any(commit["by"] == "seat-1" for commit in log)
        assert not [commit for commit in log if commit["by"] == "clock"]
        assert running.http.insist("GET", f"/v1/games/{game}/audit")["verified"]["ok"]
        assert is_fair(log)
    program.join(PATIENCE)
    assert not program.is_alive()
    address = f"/v1/remote-bots/{bot['id']}"

    def rated() -> set[str]:
        return {rating["edition"] for rating in running.http.insist("GET", address)["rating"]}

    wait_until(lambda: rated() == set(EDITIONS), "the ratings")
    profile = running.http.insist("GET", f"/v1/players/{bot['id']}")
    assert sum(result["games"] for result in profile["results"]) == len(EDITIONS)
    assert profile["remote_bot"]
    page = running.http.insist("GET", "/v1/remote-bots?limit=50")
    assert bot["id"] in [one["id"] for one in page["bots"]]


@pytest.mark.long
def test_the_fallback_answers_for_a_bot_that_is_away(running: RunningService) -> None:
    base = running.http.base
    bot = register(base, "Absent", seconds=1, fallback="random")
    seats: list[dict[str, Any]] = [{"name": "Guest"}, {"remote": {"player": bot["id"]}}]
    service = Croupier(base)
    game = service.create_game("classic", seats, {"start_seat": 1})

    def answered() -> list[Any]:
        log = running.http.insist("GET", f"/v1/games/{game['id']}/events?limit=1000")["commits"]
        return [commit for commit in log if commit["by"] == "clock"]

    wait_until(lambda: bool(answered()), "the clock")
    assert answered()[0]["bot"]["name"] == "random"
    assert answered()[0]["command"]["seat"] == 1
