"""A bot's reasons: shown when they tell nothing any more, and the same again whenever it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import redis

from service.analysis.results import FORM, ThoughtAgain, WeighedOption
from service.analysis.tasks import shared_id
from service.container import build_backend
from tests.support.api_client import ApiClient, Game, check_tag
from tests.support.bots import open_worker
from tests.support.profiles import sample
from tests.support.waiting import wait_until


@pytest.fixture
def worker(memory: redis.Redis) -> Iterator[None]:
    with open_worker(memory):
        yield


def play_bots(api: ApiClient, memory: redis.Redis, edition: str, *bots: str) -> Game:
    game = api.create(*({"bot": bot} for bot in bots), edition=edition)
    build_backend(memory).scheduler.schedule(game.id)
    wait_until(lambda: game.table()["status"] == "over", "the end of the game")
    return game


def rerun(api: ApiClient, decision: str) -> Any:
    """On a busy machine a bot may take too long, which is a 503; whoever asks again gets the decision."""
    address = f"{decision}/rerun"
    wait_until(lambda: api.post(address, None).status_code == 200, "a bot that answers in time")
    return api.call("POST", address, None)


def commits(game: Game) -> list[dict[str, object]]:
    found: list[dict[str, object]] = game.api.get(f"{game.address}/events?limit=500").get_json()["commits"]
    return found


@pytest.mark.parametrize("edition", ["classic", "cards"])
def test_every_decision_can_be_made_again_when_the_game_is_over(
    api: ApiClient, memory: redis.Redis, worker: None, edition: str
) -> None:
    game = play_bots(api, memory, edition, "greedy", "random")
    last = commits(game)[-1]["version"]
    assert isinstance(last, int)
    for version in (2, 3, last // 2, last):
        again = rerun(api, f"{game.address}/decisions/{version}")
        assert (again["same_choice"], again["same_build"], again["same_view"]) == (True, True, True)
        shown = api.call("GET", f"{game.address}/decisions/{version}")
        check_tag(api, f"{game.address}/decisions/{version}")
        assert shown["options"][0]["choice"] == shown["choice"] == again["choice"]
        assert shown["bot"] == commits(game)[version - 1]["bot"]
        assert all(option["label"] and option["why"] for option in shown["options"])
        assert shown["note"] == ""


# Enough of each to see that the same is drawn, and few enough to be quick.
STRONG = (("steady", "classic"), ("expert", "modern"), ("steady", "royale"), ("expert", "cards"))


@pytest.mark.parametrize(("bot", "edition"), sample(STRONG, 2))
def test_a_bot_that_plays_out_its_options_makes_the_same_moves_again(
    api: ApiClient, memory: redis.Redis, worker: None, bot: str, edition: str
) -> None:
    """And tells of every option what it brings, also where it was the only one."""
    game = play_bots(api, memory, edition, bot, "random")
    own = [commit for commit in commits(game) if is_of(commit, bot)]
    for commit in own[1 :: max(1, len(own) // 4)]:
        again = rerun(api, f"{game.address}/decisions/{commit['version']}")
        assert (again["same_choice"], again["same_build"], again["same_view"]) == (True, True, True)
        assert all(isinstance(option["win"], float) for option in again["options"])


def is_of(commit: dict[str, object], bot: str) -> bool:
    note = commit.get("bot")
    return isinstance(note, dict) and note["name"] == bot


@pytest.mark.parametrize("bot", ["random", "steady"])
def test_moves_that_a_fork_inherited_are_made_again_as_in_the_game_that_it_comes_from(
    api: ApiClient, memory: redis.Redis, worker: None, bot: str
) -> None:
    origin = play_bots(api, memory, "classic", bot, bot)
    first, at = fork(api, memory, origin.address, 12), f"{origin.address}/decisions"
    second = fork(api, memory, f"/v1/games/{first}", 16)
    for game, version in ((first, 5), (first, 11), (first, 20), (second, 5), (second, 15), (second, 20)):
        again = rerun(api, f"/v1/games/{game}/decisions/{version}")
        assert (again["same_choice"], again["same_view"]) == (True, True), (game, version)
    for version in (5, 11):
        inherited = api.call("GET", f"/v1/games/{first}/decisions/{version}")
        assert inherited["options"] == api.call("GET", f"{at}/{version}")["options"]


def fork(api: ApiClient, memory: redis.Redis, game: str, at: int) -> str:
    made = api.call("POST", f"{game}/forks", {"at": at, "seats": [{"bot": "random"}] * 2})
    build_backend(memory).scheduler.schedule(made["id"])
    wait_until(lambda: api.call("GET", f"/v1/games/{made['id']}")["status"] == "over", "the end of the fork")
    return str(made["id"])


def test_reasons_are_hidden_while_the_game_goes_on(api: ApiClient, memory: redis.Redis, worker: None) -> None:
    """In the card game even the choice is, until all have chosen."""
    game = api.create({"name": "Anna"}, {"bot": "greedy"}, edition="cards")
    build_backend(memory).scheduler.schedule(game.id)
    wait_until(lambda: game.version() > 1, "the bot's answer")
    for token in (None, game.tokens[0]):
        shown = api.call("GET", f"{game.address}/decisions/2", None, token)
        assert (shown["options"], shown["choice"], shown["seat"]) == (None, None, 1)
        assert "when the game is over" in shown["note"]
    reply = api.post(f"{game.address}/decisions/2/rerun", None, game.tokens[0])
    assert (reply.status_code, reply.get_json()["code"]) == (409, "not_over")


def test_what_is_no_bots_answer_has_no_reasons(api: ApiClient) -> None:
    game = api.create_for(2)
    reply = api.get(f"{game.address}/decisions/1")
    assert (reply.status_code, reply.get_json()["code"]) == (404, "no_decision")


@pytest.mark.parametrize("version", ["0", "99", "-1", "two", "1" * 30, "١"])
def test_versions_that_there_are_not_are_unknown(api: ApiClient, version: str) -> None:
    game = api.create_for(2)
    reply = api.get(f"{game.address}/decisions/{version}")
    assert (reply.status_code, reply.get_json()["code"]) == (404, "unknown_version")


def test_another_build_is_told_of(api: ApiClient, memory: redis.Redis, worker: None) -> None:
    """As after an update of the service: it answers, but may choose otherwise."""
    game = play_bots(api, memory, "classic", "random", "random")
    commit = commits(game)[1]
    note, command = commit["bot"], commit["command"]
    assert isinstance(note, dict)
    assert isinstance(command, dict)
    weighed = WeighedOption(command["choice"], "…", None, None, "…")
    said = ThoughtAgain("2", note["view"], command["choice"], (weighed,))
    tasks, task = build_backend(memory).tasks, shared_id("decision", FORM, game.id, str(commit["hash"]))
    api.get(f"{game.address}/decisions/2")
    assert tasks.finish(task, 1, msgspec.json.encode(said))
    shown = api.call("GET", f"{game.address}/decisions/2")
    assert shown["options"] is None
    assert shown["note"] == "Build 1 of random answered; this service has build 2."
    again = api.call("POST", f"{game.address}/decisions/2/rerun", None)
    assert (again["same_choice"], again["same_build"], again["build"]) == (True, False, "2")
