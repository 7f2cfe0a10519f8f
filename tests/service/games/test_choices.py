"""Answering over HTTP: what is accepted once, refused well, and repeated safely."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import Any

import pytest
import redis
from flask import Flask

from events.commands import Choose
from events.redis_store import RedisStore
from service.games.games import Games
from tests.support.api_client import ApiClient, Game, long_key
from tests.support.games import after
from tests.support.waiting import PATIENCE
from workers.turns import TurnPlayer


@pytest.fixture
def game(api: ApiClient) -> Game:
    return api.create_for(3)


def test_the_reply_holds_version_events_table_and_own_asks(game: Game) -> None:
    seat, ask = game.ask()
    reply = game.choose(seat, ask["ask"], ask["options"][0]["choice"])
    body = reply.get_json()
    assert (reply.status_code, body["version"], reply.headers["ETag"]) == (200, 2, '"2"')
    assert body["events"][0]["type"] == "dice_placed"
    assert body["table"] == game.table(seat)
    assert body["asks"] == [ask for ask in body["table"]["asks"] if ask["yours"]]


def test_an_answer_needs_a_token(game: Game) -> None:
    reply = game.api.post(f"{game.address}/choices", {"ask": 1, "choice": "place-1"})
    assert (reply.status_code, reply.get_json()["code"]) == (401, "unauthorized")
    assert reply.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("path", ["", "/events", "/audit"])
@pytest.mark.parametrize(
    "given", ["Bearer ", "Bearer x", "Bearer é", "Basic abc", "Bearer", "", " ", "Bearer a b", "x" * 7_000]
)
def test_a_wrong_token_is_refused_for_reading_too(game: Game, path: str, given: str) -> None:
    reply = game.api.get(game.address + path, Authorization=given)
    assert (reply.status_code, reply.get_json()["code"]) == (401, "unauthorized")


def test_a_token_opens_its_own_game_only(game: Game) -> None:
    other = game.api.create_for(2)
    token = other.tokens[0]
    assert game.api.get(game.address, token).status_code == 401
    assert game.api.post(f"{game.address}/choices", {"ask": 1, "choice": "x"}, token).status_code == 401
    assert game.api.post(f"{game.address}/seats", {"name": "Ben"}, token).status_code == 401


def test_a_seat_that_is_not_asked_is_told_so(game: Game) -> None:
    seat, ask = game.ask()
    reply = game.choose((seat + 1) % 3, ask["ask"], ask["options"][0]["choice"])
    assert (reply.status_code, reply.get_json()["code"]) == (403, "not_asked")


def test_an_illegal_choice_is_refused_with_the_legal_ones(game: Game) -> None:
    seat, ask = game.ask()
    problem = game.choose(seat, ask["ask"], "place-9").get_json()
    assert (problem["status"], problem["code"], problem["version"]) == (409, "illegal_choice", 1)
    assert problem["options"] == ask["options"]
    assert problem["rule"] == "001 GAMEPLAY, D5"


def test_an_ask_that_is_not_there_yet_is_refused(game: Game) -> None:
    seat, ask = game.ask()
    problem = game.choose(seat, 99, "place-1").get_json()
    assert (problem["status"], problem["code"]) == (409, "unknown_ask")
    assert problem["detail"].endswith(f" The game now waits for seat {seat} (ask {ask['ask']}).")
    assert (problem["version"], problem["options"]) == (1, ask["options"])


def test_a_settled_ask_is_stale_for_a_seat_it_was_not_for(game: Game) -> None:
    seat, ask = game.ask()
    game.choose(seat, ask["ask"], ask["options"][0]["choice"])
    problem = game.choose((seat + 2) % 3, ask["ask"], "place-1").get_json()
    assert (problem["status"], problem["code"]) == (409, "stale_ask")


def test_the_same_request_twice_gives_the_same_reply(game: Game) -> None:
    seat, ask = game.ask()
    first = game.choose(seat, ask["ask"], ask["options"][0]["choice"])
    again = game.choose(seat, ask["ask"], ask["options"][0]["choice"])
    assert (again.status_code, again.data) == (200, first.data)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    assert game.version() == 2


def test_another_answer_to_an_answered_ask_is_refused(api: ApiClient) -> None:
    game, ask = asked_of_several_options(api)
    seat = game.table()["asks"][0]["seats"][0]
    game.choose(seat, ask["ask"], ask["options"][0]["choice"])
    problem = game.choose(seat, ask["ask"], ask["options"][1]["choice"]).get_json()
    assert (problem["status"], problem["code"]) == (409, "already_answered")
    now, waits = game.ask()
    assert problem["detail"].endswith(f" The game now waits for seat {now} (ask {waits['ask']}).")
    assert game.version() == 2


def test_who_has_answered_is_told_for_whom_the_game_waits(api: ApiClient) -> None:
    game = api.create_for(3, edition="cards")
    ask = game.table(0)["asks"][0]
    first, second = (option["choice"] for option in ask["options"][:2])
    game.choose(0, ask["ask"], first)
    problem = game.choose(0, ask["ask"], second).get_json()
    assert problem["code"] == "already_answered"
    assert problem["detail"].endswith(f" The game now waits for seats 1, 2 (ask {ask['ask']}).")


def test_of_two_who_answer_at_once_one_wins(app: Flask, api: ApiClient) -> None:
    game, ask = asked_of_several_options(api)
    seat = game.table()["asks"][0]["seats"][0]
    start = Barrier(2)

    def answer(choice: str) -> tuple[int, str | None]:
        twin = Game(ApiClient(app.test_client()), {"id": game.id, "seats": []})
        twin.tokens = game.tokens
        start.wait(PATIENCE)
        reply = twin.choose(seat, ask["ask"], choice)
        return reply.status_code, reply.get_json().get("code")

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(answer, [option["choice"] for option in ask["options"][:2]]))
    assert sorted(outcomes, key=str) == [(200, None), (409, "already_answered")]
    assert game.version() == 2


def test_a_key_gives_the_same_reply_and_refuses_another_body(game: Game) -> None:
    seat, ask = game.ask()
    first = game.choose(seat, ask["ask"], ask["options"][0]["choice"], Idempotency_Key="k-1")
    again = game.choose(seat, ask["ask"], ask["options"][0]["choice"], Idempotency_Key="k-1")
    assert (first.data, again.headers["Idempotent-Replayed"]) == (again.data, "true")
    other = game.choose(seat, ask["ask"], "place-9", Idempotency_Key="k-1")
    assert (other.status_code, other.get_json()["code"]) == (422, "key_reused")


def test_a_repeated_creation_gives_the_same_game_and_tokens(api: ApiClient) -> None:
    plan = {"edition": "classic", "seats": [{"name": "Anna"}, {"open": True}]}
    first = api.post("/v1/games", plan, Idempotency_Key=long_key("create"))
    again = api.post("/v1/games", plan, Idempotency_Key=long_key("create"))
    assert (first.data, first.status_code) == (again.data, again.status_code)
    assert again.headers["Idempotent-Replayed"] == "true"
    other = api.post("/v1/games", {**plan, "edition": "modern"}, Idempotency_Key=long_key("create"))
    assert (other.status_code, other.get_json()["code"]) == (422, "key_reused")


def test_a_repeated_sitting_down_gives_the_same_seat_and_token(api: ApiClient) -> None:
    game = api.create({"name": "Anna"}, {"open": True}, {"open": True})
    first = api.post(f"{game.address}/seats", {"name": "Ben"}, Idempotency_Key=long_key("sit"))
    again = api.post(f"{game.address}/seats", {"name": "Ben"}, Idempotency_Key=long_key("sit"))
    assert (first.status_code, first.data) == (201, again.data)
    assert game.version() == 2


@pytest.mark.parametrize("key", ["", "x" * 129, "a b", "é", "\x7f"])
def test_an_odd_key_is_refused(game: Game, key: str) -> None:
    seat, ask = game.ask()
    reply = game.choose(seat, ask["ask"], ask["options"][0]["choice"], Idempotency_Key=key)
    assert (reply.status_code, reply.get_json()["code"]) == (400, "bad_header")
    assert game.version() == 1


def test_if_match_refuses_an_answer_to_a_stale_table(game: Game) -> None:
    seat, ask = game.ask()
    choice = ask["options"][0]["choice"]
    for stale in ('"7"', 'W/"1"', '"x"', '""', 'W/"7", ""', '"7", "8"', '"99999999999999999999"'):
        problem = game.choose(seat, ask["ask"], choice, If_Match=stale).get_json()
        assert (problem["status"], problem["code"], problem["version"]) == (412, "stale_version", 1)
    assert game.choose(seat, ask["ask"], choice, If_Match='"7", "1"').status_code == 200


@pytest.mark.parametrize("tag", ["1", "", '"1', "1, *", '"1" "2"', '*, "1"', "W/1", '"é'])
def test_an_if_match_that_is_no_etag_lets_no_answer_through(game: Game, tag: str) -> None:
    seat, ask = game.ask()
    reply = game.choose(seat, ask["ask"], ask["options"][0]["choice"], If_Match=tag)
    assert (reply.status_code, reply.get_json()["code"]) == (400, "bad_header")
    assert reply.get_json()["errors"][0]["parameter"] == "If-Match"
    assert game.version() == 1


@pytest.mark.parametrize("tag", ['"1"', "*"])
def test_if_match_takes_an_answer_to_the_newest_table(game: Game, tag: str) -> None:
    seat, ask = game.ask()
    first = game.choose(seat, ask["ask"], ask["options"][0]["choice"], If_Match=tag)
    again = game.choose(seat, ask["ask"], ask["options"][0]["choice"], If_Match=tag)
    assert (first.status_code, again.status_code, again.data) == (200, 200, first.data)


def test_a_seat_is_taken_once(api: ApiClient) -> None:
    game = api.create({"name": "Anna"}, {"open": True}, {"open": True})
    sit = f"{game.address}/seats"
    assert api.post(sit, {"name": "Ben", "seat": 2}).get_json()["seat"] == 2
    taken = api.post(sit, {"name": "Carla", "seat": 2}).get_json()
    assert (taken["status"], taken["code"]) == (409, "seat_taken")
    assert "errors" not in taken
    nowhere = api.post(sit, {"name": "Carla", "seat": 7}).get_json()
    assert (nowhere["status"], nowhere["code"]) == (422, "unknown_seat")
    assert nowhere["errors"][0]["pointer"] == "/seat"
    assert api.post(sit, {"name": "Carla"}).get_json()["seat"] == 1
    late = api.post(sit, {"name": "Denny"}).get_json()
    assert (late["status"], late["code"]) == (409, "already_started")


def test_a_game_that_waits_for_players_or_is_over_takes_no_answer(api: ApiClient) -> None:
    waiting = api.create({"name": "Anna"}, {"open": True})
    assert waiting.choose(0, 1, "place-1").get_json()["code"] == "not_started"
    over = api.create_for(2)
    over.play()
    assert over.choose(0, 9_999, "place-1").get_json()["code"] == "game_over"


def asked_of_several_options(api: ApiClient) -> tuple[Game, dict[str, Any]]:
    """A fresh game whose first roll leaves a choice; six equal dice of eight hardly ever fall."""
    while True:
        game = api.create_for(3)
        _, ask = game.ask()
        if len(ask["options"]) > 1:
            return game, ask


def test_answer_that_the_clock_gave_before_is_told_as_its_own(api: ApiClient, memory: redis.Redis) -> None:
    options = {"turn_seconds": 60, "start_seat": 0, "on_timeout": "greedy"}
    game = api.create({"name": "Anna"}, {"name": "Ben"}, options=options)
    later = datetime.now(UTC) + timedelta(days=365)
    games = Games(RedisStore(memory), lambda: later)
    seat, ask = game.ask()
    TurnPlayer(games, lambda: later).play_turns(game.id, after(1))
    given = games.commits(game.id)[-1].command
    assert isinstance(given, Choose)
    assert isinstance(given.choice, str)
    for _ in range(2):
        reply = game.choose(seat, ask["ask"], given.choice, **{"Idempotency-Key": "again"})
        assert (reply.status_code, reply.get_json()["by"]) == (200, "clock")
    seat, ask = game.ask()
    own = [game.choose(seat, ask["ask"], ask["options"][0]["choice"]) for _ in range(2)]
    assert [(reply.status_code, "by" in reply.get_json()) for reply in own] == [(200, False)] * 2
