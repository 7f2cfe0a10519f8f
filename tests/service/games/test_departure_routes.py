"""Leaving, starting, cancelling, voiding and playing again, over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.support.api_client import ApiClient, Game, PlayerClient


def act(game: Game, what: str, seat: int, body: Any = None, **headers: str) -> TestResponse:
    return game.api.post(f"{game.address}/{what}", body or {}, game.tokens[seat], **headers)


def read(reply: TestResponse) -> Any:
    return json.loads(reply.data)


def test_a_seat_in_the_lobby_is_open_again_and_its_token_ends(api: ApiClient) -> None:
    """W4."""
    game = api.create({"name": "Anna"}, {"open": True}, {"open": True})
    sat = api.call("POST", f"{game.address}/seats", {"name": "Ben"})
    left = api.post(f"{game.address}/leave", {}, sat["token"])
    assert left.status_code == 200
    assert read(left)["table"]["seats"][1]["open"]
    assert api.get(game.address, sat["token"]).status_code == 401
    assert api.post(f"{game.address}/leave", {}, sat["token"]).status_code == 401


def test_no_body_is_as_good_as_an_empty_one(api: ApiClient) -> None:
    game = api.create_for(2)
    headers = {"Authorization": f"Bearer {game.tokens[0]}"}
    assert api.client.post(f"{game.address}/leave", headers=headers).status_code == 200
    assert game.table()["seats"][0]["stand_in"] == "greedy"
    assert api.client.post(f"{game.address}/return", headers=headers).status_code == 200
    assert "stand_in" not in game.table()["seats"][0]


def test_the_host_starts_and_others_are_told_who_that_is(api: ApiClient) -> None:
    """W5."""
    game = api.create({"name": "Anna"}, {"name": "Ben"}, {"open": True})
    assert game.table()["host"] == 0
    refused = act(game, "start", 1)
    assert (refused.status_code, read(refused)["code"]) == (403, "not_host")
    assert "seat 0" in read(refused)["detail"]
    started = read(act(game, "start", 0, {"bot": "random"}, Idempotency_Key="k"))
    assert started["table"]["status"] == "playing"
    assert [event["type"] for event in started["events"]][:2] == ["seat_taken", "game_started"]
    again = act(game, "start", 0, {"bot": "random"}, Idempotency_Key="k")
    assert again.headers["Idempotent-Replayed"] == "true"
    assert act(game, "start", 0).status_code == 409
    assert act(game, "start", 0, {"bot": "nobody"}).status_code == 422


def test_a_cancelled_lobby_is_over(api: ApiClient) -> None:
    """W6."""
    game = api.create({"name": "Anna"}, {"open": True})
    assert read(act(game, "cancel", 0))["table"]["closed"] == {"reason": "cancelled"}
    assert api.post(f"{game.address}/seats", {"name": "Ben"}).status_code == 409
    assert act(game, "rematch", 0).status_code == 409


def test_everybody_sees_who_wants_to_break_off(api: ApiClient) -> None:
    """W7."""
    game = api.create_for(2)
    assert read(act(game, "void", 0))["table"]["void"] == [0]
    assert read(act(game, "void", 0))["events"] == []
    assert "void" not in read(act(game, "void", 0, {"agrees": False}))["table"]
    act(game, "void", 1)
    over = read(act(game, "void", 0))
    assert over["table"]["closed"] == {"reason": "voided"}
    assert api.get(f"{game.address}/audit").get_json()["verified"]["ok"]


def test_a_rematch_is_one_game_for_all(api: ApiClient) -> None:
    """W8."""
    game = api.create_for(2)
    assert act(game, "rematch", 0).status_code == 409
    game.play()
    first, second = act(game, "rematch", 1), act(game, "rematch", 0)
    assert first.status_code == second.status_code == 201
    new = read(first)
    assert first.headers["Location"] == second.headers["Location"] == f"/v1/games/{new['id']}"
    assert not [reply for reply in (first, second) if "Idempotent-Replayed" in reply.headers]
    tokens = {1: new["seats"][1]["token"], 0: read(second)["seats"][0]["token"]}
    assert [sorted(seat) for seat in new["seats"]] == [["name", "seat"], ["name", "seat", "token"]]
    assert game.table()["rematch"] == new["id"]
    table = api.call("GET", f"/v1/games/{new['id']}", None, tokens[0])
    assert (table["rematch_of"], table["status"]) == (game.id, "playing")
    assert api.get(f"{game.address}/audit").get_json()["verified"]["ok"]
    assert api.post(f"{game.address}/rematch", {}).status_code == 401


@pytest.mark.parametrize("what", ["leave", "return", "start", "cancel", "void", "rematch"])
def test_none_of_it_goes_without_a_seat_or_with_a_strange_body(api: ApiClient, what: str) -> None:
    game = api.create_for(2)
    address = f"{game.address}/{what}"
    assert api.post(address, {}).status_code == 401
    assert api.post(address, {}, "junk").status_code == 401
    assert api.post(address, {"luck": 1}, game.tokens[0]).status_code == 422
    assert api.post(address, [], game.tokens[0]).status_code == 422
    assert game.version() == 1


def test_only_who_repeats_a_rematch_is_told_that_it_is_a_repeat(api: ApiClient) -> None:
    game = api.create_for(2)
    game.play()
    for seat in (1, 0):
        first, again = (act(game, "rematch", seat, Idempotency_Key="k") for _ in range(2))
        assert "Idempotent-Replayed" not in first.headers
        assert (again.headers["Idempotent-Replayed"], read(again)) == ("true", read(first))


def test_whoever_left_the_lobby_gets_the_reply_again(api: ApiClient) -> None:
    """W4: though the token has ended, and somebody else may sit there by now."""
    game = api.create({"name": "Anna"}, {"open": True}, {"open": True})
    game.tokens[1] = api.call("POST", f"{game.address}/seats", {"name": "Ben"})["token"]
    first = act(game, "leave", 1, Idempotency_Key="k")
    api.call("POST", f"{game.address}/seats", {"name": "Carla"})
    version = game.version()
    again = act(game, "leave", 1, Idempotency_Key="k")
    assert (again.status_code, read(again)) == (200, read(first))
    assert again.headers["Idempotent-Replayed"] == "true"
    assert act(game, "leave", 1, Idempotency_Key="other").status_code == 401
    assert act(game, "leave", 1, {"for_good": True}, Idempotency_Key="k").status_code == 422
    assert game.version() == version
    stranger = api.post(f"{game.address}/leave", {}, "junk", Idempotency_Key="k")
    assert stranger.status_code == 401


def test_whoever_left_for_good_gets_the_reply_again(api: ApiClient) -> None:
    """W4."""
    game, body = api.create_for(2), {"for_good": True}
    first, again = (act(game, "leave", 0, body, Idempotency_Key="k") for _ in range(2))
    assert (again.status_code, read(again)) == (200, read(first))


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_a_player_who_left_gets_the_reply_again(api: ApiClient, visibility: str) -> None:
    """W4."""
    anna, eve = PlayerClient(api, "Anna"), PlayerClient(api, "Eve")
    plan = {"edition": "classic", "visibility": visibility, "seats": [{"player": True}, {"open": True}]}
    address = f"/v1/games/{api.post('/v1/games', plan, anna.token).get_json()['id']}/leave"
    first, again = (api.post(address, {}, anna.token, Idempotency_Key="k") for _ in range(2))
    assert (again.status_code, read(again)) == (200, read(first))
    assert api.post(address, {}, eve.token, Idempotency_Key="k").status_code in (403, 404)
    assert api.post(address, {}, anna.token).status_code in (403, 404)
