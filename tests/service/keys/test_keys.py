"""API keys: what they may do, for whom, and how they are counted."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from flask import Flask
from msgspec.structs import replace

from service.config import LimitSettings, Settings
from service.games.tokens import hash_token
from service.http.app import create_app
from service.http.register import OPERATIONS
from service.keys.keys import RECORDS, SCOPES, ApiKeys, Scope
from service.players.places import find_keys
from tests.support.api_client import ApiClient, Game, long_key, project
from tests.support.app import HEALTHY_REDIS, client_at

ALL: tuple[Scope, ...] = SCOPES
PLAN = {"edition": "classic", "seats": [{"name": "Anna"}, {"name": "Ben"}]}


def make_key(memory: redis.Redis, name: str = "arcade", *scopes: Scope, **limits: str) -> str:
    return ApiKeys(memory).create(name, scopes or ALL, limits=limits).key


def make_player(api: ApiClient, key: str, name: str) -> str:
    reply = api.post("/v1/players", {"name": name}, key)
    assert reply.status_code == 201, reply.data
    return str(reply.get_json()["id"])


def code(reply: Any) -> tuple[int, str]:
    return reply.status_code, reply.get_json().get("code", "")


@pytest.fixture
def closed(memory: redis.Redis) -> ApiClient:
    """A service that creates only for keys."""
    app: Flask = create_app(replace(Settings(), access="keys"), memory, lambda: HEALTHY_REDIS)
    return ApiClient(app.test_client())


def test_a_key_is_stored_as_a_hash_alone(memory: redis.Redis, api: ApiClient) -> None:
    key = make_key(memory)
    api.post("/v1/games", PLAN, key)
    dumps = b"".join(memory.dump(name) or b"" for name in memory.scan_iter())
    assert key.encode() not in dumps
    assert key[-43:].encode() not in dumps
    stored: Any = memory.hgetall(RECORDS)
    assert hash_token(key).encode() in next(iter(stored.values()))


def test_a_key_acts_for_the_players_that_it_made(memory: redis.Redis, api: ApiClient) -> None:
    """It seats several at once, and answers for each."""
    key = make_key(memory)
    anna, ben = (make_player(api, key, name) for name in ("Anna", "Ben"))
    seats = [{"player": anna}, {"player": ben}]
    made = api.post("/v1/games", {"edition": "classic", "seats": seats}, key).get_json()
    address = f"/v1/games/{made['id']}"
    for player in (anna, ben):
        me = api.get("/v1/me", key, Croupier_Player=player).get_json()
        assert me["id"] == player
    table = api.get(address, key, Croupier_Player=anna).get_json()
    assert table["you"] == 0
    ask = table["asks"][0]
    player = (anna, ben)[ask["seats"][0]]
    mine = api.get(address, key, Croupier_Player=player).get_json()["asks"][0]
    answer = {"ask": mine["ask"], "choice": mine["options"][0]["choice"]}
    assert api.post(f"{address}/choices", answer, key, Croupier_Player=player).status_code == 200
    ticket = api.post("/v1/tickets", {"game": made["id"]}, key, Croupier_Player=anna)
    assert ticket.status_code == 201
    project(memory)
    games = api.get("/v1/me/games", key, Croupier_Player=ben).get_json()["games"]
    assert [game["id"] for game in games] == [made["id"]]


def test_a_key_erases_its_players(memory: redis.Redis, api: ApiClient) -> None:
    key = make_key(memory)
    anna = make_player(api, key, "Anna")
    assert api.send("DELETE", "/v1/me", None, key, Croupier_Player=anna).status_code == 204
    assert code(api.get("/v1/me", key, Croupier_Player=anna)) == (404, "unknown_player")


def test_players_of_others_are_unknown_to_a_key(memory: redis.Redis, api: ApiClient) -> None:
    key = make_key(memory)
    other = make_key(memory, "other")
    stranger = api.post("/v1/players", {"name": "Carla"}).get_json()["id"]
    theirs = make_player(api, other, "Dora")
    for player in (stranger, theirs, "p_" + "0" * 22, "junk"):
        assert code(api.get("/v1/me", key, Croupier_Player=player)) == (404, "unknown_player")
        assert memory.exists(find_keys(memory).record(stranger))
    seats = [{"player": theirs}, {"name": "Ben"}]
    assert code(api.post("/v1/games", {"edition": "classic", "seats": seats}, key)) == (404, "unknown_player")
    assert code(api.post("/v1/games", {"edition": "classic", "seats": seats})) == (404, "unknown_player")


def test_a_key_that_acts_for_nobody_is_a_spectator(memory: redis.Redis, api: ApiClient) -> None:
    key = make_key(memory)
    game = Game(api, api.post("/v1/games", PLAN, key).get_json())
    assert api.get(game.address, key).get_json()["you"] is None
    ask = game.ask()[1]
    answer = {"ask": ask["ask"], "choice": ask["options"][0]["choice"]}
    assert code(api.post(f"{game.address}/choices", answer, key)) == (401, "unauthorized")
    assert code(api.get("/v1/me", key)) == (401, "unauthorized")
    private = api.post("/v1/games", {**PLAN, "visibility": "private"}, key).get_json()
    assert code(api.get(f"/v1/games/{private['id']}", key)) == (404, "unknown_game")


def test_a_header_for_players_needs_a_key(api: ApiClient) -> None:
    made = api.post("/v1/players", {"name": "Anna"}).get_json()
    for token in (None, made["token"]):
        reply = api.get("/v1/me", token, Croupier_Player=made["id"])
        assert code(reply) == (400, "bad_header")


def test_a_key_in_a_browser_is_refused(memory: redis.Redis, api: ApiClient) -> None:
    key = make_key(memory)
    for address in ("/v1/games", "/v1/editions", "/v1/me"):
        reply = api.get(address, key, Origin="https://arcade.example")
        assert code(reply) == (403, "key_in_browser")
    assert code(api.post("/v1/games", PLAN, key, Origin="null")) == (403, "key_in_browser")


@pytest.mark.parametrize("token", ["key_", "key_junk", "key_" + "A" * 12 + "_" + "x" * 43])
def test_an_unknown_key_is_refused(api: ApiClient, token: str) -> None:
    assert code(api.post("/v1/games", PLAN, token)) == (401, "unauthorized")
    assert code(api.get("/v1/games", token)) == (401, "unauthorized")


def test_a_key_ends_when_it_expires(memory: redis.Redis) -> None:
    now = [datetime(2026, 11, 18, tzinfo=UTC)]
    keys = ApiKeys(memory, lambda: now[0])
    key = keys.create("short", ["play"], timedelta(days=2)).key
    assert keys.find(key)
    now[0] += timedelta(days=2)
    assert keys.find(key) is None


def test_a_rotated_key_is_another_and_keeps_its_players(memory: redis.Redis, api: ApiClient) -> None:
    keys = ApiKeys(memory)
    old = make_key(memory)
    anna = make_player(api, old, "Anna")
    new = keys.rotate("arcade", timedelta(0)).key
    assert keys.find(old) is None
    assert api.get("/v1/me", new, Croupier_Player=anna).status_code == 200


def test_a_former_key_works_as_long_as_it_is_given_time(memory: redis.Redis) -> None:
    now = [datetime(2026, 11, 18, tzinfo=UTC)]
    keys = ApiKeys(memory, lambda: now[0])
    old = keys.create("arcade", ["play"]).key
    new = keys.rotate("arcade", timedelta(hours=1)).key
    assert keys.find(old) is not None
    assert keys.find(old) == keys.find(new)
    now[0] += timedelta(hours=1)
    assert keys.find(old) is None
    assert keys.find(new)


def test_a_revoked_key_has_ended_for_every_process_within_a_second(memory: redis.Redis) -> None:
    seconds = [0.0]
    reader = ApiKeys(memory, timer=lambda: seconds[0])
    operator = ApiKeys(memory)
    key = operator.create("arcade", ["play"]).key
    assert reader.find(key)
    operator.revoke("arcade")
    seconds[0] += 1
    assert reader.find(key) is None


def test_the_last_use_is_recorded(memory: redis.Redis, api: ApiClient) -> None:
    keys = ApiKeys(memory)
    made = keys.create("arcade", ["play"])
    assert keys.last_uses() == {}
    api.get("/v1/games", made.key)
    assert list(keys.last_uses()) == [made.record.id]


# Scopes


@pytest.mark.parametrize("scope", SCOPES)
def test_a_key_does_what_its_scopes_say_and_nothing_else(
    memory: redis.Redis, api: ApiClient, scope: Scope
) -> None:
    """Over all operations: the refusal comes before anything else is looked at."""
    key = make_key(memory, scope, scope)
    known = {"game": "g_0000000000000000000000", "player": "p_" + "0" * 22}
    for operation in OPERATIONS:
        if not operation.path.startswith("/v1/"):
            continue
        path = operation.path
        for name in operation.path.split("{")[1:]:
            variable = name.partition("}")[0]
            path = path.replace(f"{{{variable}}}", known.get(variable, "1"))
        reply = api.send(operation.method, path, None, key)
        is_refused = reply.status_code == 403 and reply.get_json()["code"] == "missing_scope"
        assert is_refused == (operation.scope not in (None, scope)), operation.id
        reply.close()


def test_acting_for_a_player_needs_the_scope_for_players(memory: redis.Redis, api: ApiClient) -> None:
    anna = make_player(api, make_key(memory), "Anna")
    key = make_key(memory, "plain", "play")
    assert code(api.get("/v1/games", key, Croupier_Player=anna)) == (403, "missing_scope")
    seats = [{"player": anna}, {"name": "Ben"}]
    assert code(api.post("/v1/games", {"edition": "classic", "seats": seats}, key)) == (404, "unknown_player")


# Counting


def limited(memory: redis.Redis, **limits: Any) -> Flask:
    settings = Settings(limits=LimitSettings(**limits))
    return create_app(settings, memory, lambda: HEALTHY_REDIS)


def test_a_key_is_counted_in_place_of_its_address(memory: redis.Redis) -> None:
    app = limited(memory, creating="2 per minute")
    api = client_at(app, "192.0.2.1")
    key = make_key(memory)
    assert [api.post("/v1/games", PLAN).status_code for _ in range(3)] == [201, 201, 429]
    assert [api.post("/v1/games", PLAN, key).status_code for _ in range(3)] == [201, 201, 201]


def test_a_wrong_key_is_counted_for_the_address(memory: redis.Redis) -> None:
    app = limited(memory, creating="2 per minute")
    api = client_at(app, "192.0.2.1")
    wrong = "key_" + "A" * 12 + "_" + "x" * 43
    assert [api.post("/v1/games", PLAN, wrong).status_code for _ in range(3)] == [401, 401, 429]


def test_a_key_may_have_numbers_of_its_own(memory: redis.Redis) -> None:
    app = limited(memory)
    key = make_key(memory, "small", creating="3 per minute", open_games="1")
    first, second = (client_at(app, f"192.0.2.{number}") for number in (1, 2))
    assert first.post("/v1/games", PLAN, key).status_code == 201
    assert code(second.post("/v1/games", PLAN, key)) == (429, "too_many_games")
    refused = [api.post("/v1/games", PLAN, key) for api in (first, second)]
    assert [reply.get_json()["code"] for reply in refused] == ["too_many_games", "too_many_requests"]
    assert "One API key" in refused[0].get_json()["detail"]
    assert second.post("/v1/games", PLAN).status_code == 201


def test_idempotency_keys_count_within_an_api_key(memory: redis.Redis, api: ApiClient) -> None:
    first, second = make_key(memory), make_key(memory, "other")
    again = {"Idempotency_Key": "1"}
    ids = [api.post("/v1/games", PLAN, key, **again).get_json()["id"] for key in (first, first, second)]
    assert ids[0] == ids[1] != ids[2]
    players = [
        api.post("/v1/players", {"name": "Anna"}, key, Idempotency_Key=long_key("Anna")).get_json()["id"]
        for key in (first, first, second)
    ]
    assert players[0] == players[1] != players[2]


# ACCESS=keys


def test_where_access_is_by_keys_creating_needs_one(memory: redis.Redis, closed: ApiClient) -> None:
    key = make_key(memory)
    for address, body in (("/v1/games", PLAN), ("/v1/players", {"name": "Anna"}), ("/v1/advice", {})):
        assert code(closed.post(address, body)) == (401, "key_required")
    assert code(closed.post("/v1/imports", b"", Content_Type="application/x-ndjson")) == (401, "key_required")
    made = closed.post("/v1/games", PLAN, key)
    assert made.status_code == 201
    assert closed.post("/v1/players", {"name": "Anna"}, key).status_code == 201


def test_where_access_is_by_keys_people_play_on_by_their_links(
    memory: redis.Redis, closed: ApiClient, api: ApiClient
) -> None:
    """What they have works: seats, games, rematches and forks of games they sat in."""
    plan = {"edition": "classic", "seats": [{"name": "Anna"}, {"open": True}]}
    made = api.post("/v1/games", plan).get_json()
    game = Game(closed, made)
    sat = closed.post(f"{game.address}/seats", {"name": "Ben"})
    assert sat.status_code == 201
    game.tokens[1] = sat.get_json()["token"]
    game.play()
    fork = {"at": 3, "seats": [{"name": "Anna"}, {"bot": "random"}]}
    assert code(closed.post(f"{game.address}/forks", fork)) == (401, "key_required")
    assert closed.post(f"{game.address}/forks", fork, game.tokens[0]).status_code == 201
    assert closed.post(f"{game.address}/rematch", {}, game.tokens[0]).status_code == 201


def test_the_guide_says_which_scope_each_operation_needs() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "keys.md").read_text("utf-8")
    rows = re.findall(r"^\| (?:`(\w+)`|none) \| (`.*`) \|$", guide, re.MULTILINE)
    told = {call: scope or None for scope, calls in rows for call in re.findall("`([A-Z]+ [^`]+)`", calls)}
    needed = {
        f"{operation.method} {operation.path}": operation.scope
        for operation in OPERATIONS
        if operation.path.startswith("/v1")
    }
    assert told == needed
