"""What bots say about options names people as they are called: the log and the tasks know players by ids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import redis

from service.container import build_backend
from tests.support.api_client import ApiClient, Game
from tests.support.bots import open_worker
from tests.support.waiting import wait_until

HIDE = "A1.hide"


@pytest.fixture
def worker(memory: redis.Redis) -> Iterator[None]:
    with open_worker(memory):
        yield


def seat_players(api: ApiClient, *bots: str) -> Game:
    """Anna and Ben, who are players, then bots; whoever hides tokens has the next one guess."""
    anna, ben = (api.call("POST", "/v1/players", {"name": name})["token"] for name in ("Anna", "Ben"))
    seats = [{"player": True}, {"open": True}, *({"bot": bot} for bot in bots)]
    plan = {"edition": "royale", "options": {"tile_codes": ["A1"]}, "seats": seats}
    game = Game(api, api.call("POST", "/v1/games", plan, anna))
    api.call("POST", f"{game.address}/seats", {}, ben)
    game.tokens.update({0: anna, 1: ben})
    return game


def play_on(game: Game, memory: redis.Redis) -> Iterator[tuple[int, dict[str, Any]]]:
    """Everything that people are asked; they go to the tile where they can."""
    while (table := game.table())["status"] == "playing":
        if table["asks"][0]["seats"][0] in game.tokens:
            seat, ask = game.asked(table)
            yield seat, ask
            choices = [option["choice"] for option in ask["options"]]
            game.choose(seat, ask["ask"], "place-1" if "place-1" in choices else choices[0])
        else:
            build_backend(memory).scheduler.schedule(game.id)
            await_answer(game, table["version"])


def await_answer(game: Game, version: int) -> None:
    wait_until(lambda: game.version() > version, "the bot's answer")


def test_advice_names_the_players_at_the_table(api: ApiClient, memory: redis.Redis, worker: None) -> None:
    game = seat_players(api)
    seat = next(seat for seat, ask in play_on(game, memory) if ask["prompt"] == HIDE)
    advice = api.call("POST", "/v1/advice", {"game": game.id}, game.tokens[seat])
    other = ("Anna", "Ben")[1 - seat]
    assert all(f"if {other} guesses wrong" in option["label"] for option in advice["options"])


def test_decisions_name_the_players_at_the_table(api: ApiClient, memory: redis.Redis, worker: None) -> None:
    """Of the bot that sits to the right of Anna."""
    hidden = next(found for _ in range(9) if (found := find_hiding(api, memory)))
    shown = api.call("GET", hidden)
    assert all("if Anna guesses wrong" in option["label"] for option in shown["options"])


def find_hiding(api: ApiClient, memory: redis.Redis) -> str:
    """The address of a decision of the bot to hide something; empty where it never went there."""
    game = seat_players(api, "random")
    for _ in play_on(game, memory):
        pass
    commits = api.get(f"{game.address}/events?limit=500").get_json()["commits"]
    hiding = (commit for commit in commits if "bot" in commit and is_hiding(commit["command"]))
    return next((f"{game.address}/decisions/{commit['version']}" for commit in hiding), "")


def is_hiding(command: dict[str, Any]) -> bool:
    choice = command.get("choice")
    return str(choice["value"] if isinstance(choice, dict) else choice).startswith("hide-")
