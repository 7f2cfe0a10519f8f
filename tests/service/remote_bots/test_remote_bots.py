"""Remote bots with an identity: who registers them, who may seat them, and what becomes of them."""

from __future__ import annotations

from typing import Any

import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from service.container import build_backend
from service.keys.keys import ApiKeys
from service.players.transfer import PlayerTransfer
from service.remote_bots.remote_bots import MOST_OF_OWNER, RECORDS, RemoteBots
from tests.support.api_client import ApiClient, PlayerClient, project
from tests.support.app import ANNA, Open, client_at

ADDRESS = "/v1/remote-bots"
CARLO = {"name": "Carlo", "build": "1.0", "seconds": 5, "fallback": "steady"}
KEY = "0b1d7a52-6d1c-4a7e-9a53-0c8f4f1de001"


@pytest.fixture
def owner(api: ApiClient) -> PlayerClient:
    return PlayerClient(api, "Olga")


@pytest.fixture
def stranger(api: ApiClient) -> PlayerClient:
    return PlayerClient(api, "Sam")


def register(owner: PlayerClient, **terms: Any) -> dict[str, Any]:
    reply = owner.api.post(ADDRESS, {**CARLO, **terms}, owner.token)
    assert reply.status_code == 201, reply.data
    made: dict[str, Any] = reply.get_json()
    return made


def seat(api: ApiClient, bot: str, token: str | None = None, **headers: str) -> TestResponse:
    plan = {
        "edition": "classic",
        "options": {"start_seat": 1},
        "seats": [{"name": "Guest"}, {"remote": {"player": bot}}],
    }
    return api.post("/v1/games", plan, token, **headers)


def code(reply: TestResponse) -> tuple[int, str]:
    return reply.status_code, reply.get_json()["code"]


def listed(api: ApiClient) -> list[str]:
    return [bot["id"] for bot in api.get(ADDRESS).get_json()["bots"]]


def test_a_bot_is_registered_listed_and_shown_with_its_owner(api: ApiClient, owner: PlayerClient) -> None:
    made = register(owner)
    assert made["token"].startswith("player_")
    (shown,) = api.get(ADDRESS).get_json()["bots"]
    assert shown == api.get(f"{ADDRESS}/{made['id']}").get_json()
    assert shown == owner.get("/v1/me/remote-bots")["bots"][0]
    assert {name: shown[name] for name in CARLO} == CARLO
    assert shown["owner"] == {"id": owner.id, "name": "Olga"}
    assert (shown["open_to"], shown["most_games"], shown["rating"]) == ("everyone", 20, [])
    assert api.get(f"/v1/players/{made['id']}").get_json()["remote_bot"] is True
    assert "remote_bot" not in api.get(f"/v1/players/{owner.id}").get_json()
    assert made["token"] not in api.get(ADDRESS).get_data(as_text=True)
    assert api.send("PATCH", "/v1/me", {"name": "Olga B."}, owner.token).status_code == 200
    assert api.get(ADDRESS).get_json()["bots"][0]["owner"]["name"] == "Olga B."


def test_a_repeated_registration_gets_the_same_bot(api: ApiClient, owner: PlayerClient) -> None:
    first, second = (api.post(ADDRESS, CARLO, owner.token, Idempotency_Key=KEY) for _ in range(2))
    assert first.get_json() == second.get_json()
    assert second.headers["Idempotent-Replayed"] == "true"
    other = api.post(ADDRESS, {**CARLO, "build": "2"}, owner.token, Idempotency_Key=KEY)
    assert code(other) == (422, "key_reused")
    assert len(listed(api)) == 1


def test_anyone_seats_an_open_bot_which_plays_with_its_own_token(
    api: ApiClient, owner: PlayerClient, memory: redis.Redis
) -> None:
    bot = register(owner)
    reply = seat(api, bot["id"])
    assert reply.status_code == 201
    game = reply.get_json()
    assert game["seats"][1] == {"seat": 1, "name": "Carlo", "player": bot["id"]}
    address = f"/v1/games/{game['id']}"
    table = api.get(address, bot["token"]).get_json()
    assert table["seats"][1]["remote"] == {"seconds": 5, "fallback": "steady"}
    assert (table["you"], table["asks"][0]["yours"]) == (1, True)
    assert table["asks"][0]["deadline"]
    project(memory)
    told = api.get("/v1/me/events?after=0", bot["token"]).get_json()["events"]
    assert [event["type"] for event in told] == ["joined", "started", "asked"]
    answer = {"ask": table["asks"][0]["ask"], "choice": table["asks"][0]["options"][0]["choice"]}
    assert api.post(f"{address}/choices", answer, bot["token"]).status_code == 200
    twice = {"edition": "classic", "seats": [{"remote": {"player": bot["id"]}}] * 2}
    assert code(api.post("/v1/games", twice))[0] in (409, 422)


def test_a_closed_bot_is_seated_by_its_owner_alone(
    api: ApiClient, owner: PlayerClient, stranger: PlayerClient
) -> None:
    bot = register(owner)["id"]
    open_for_all = seat(api, bot, stranger.token, Idempotency_Key=KEY)
    assert open_for_all.status_code == 201
    closed = api.send("PATCH", f"{ADDRESS}/{bot}", {"open_to": "owner"}, owner.token)
    assert closed.get_json()["open_to"] == "owner"
    assert listed(api) == []
    assert [one["id"] for one in owner.get("/v1/me/remote-bots")["bots"]] == [bot]
    assert code(seat(api, bot, stranger.token)) == (403, "bot_closed")
    assert code(seat(api, bot)) == (403, "bot_closed")
    assert seat(api, bot, owner.token).status_code == 201
    repeated = seat(api, bot, stranger.token, Idempotency_Key=KEY)
    assert repeated.get_json() == open_for_all.get_json()
    fork = {"at": 1, "seats": [{"name": "Guest"}, {"remote": {"player": bot}}]}
    assert code(api.post(f"/v1/games/{open_for_all.get_json()['id']}/forks", fork)) == (403, "bot_closed")


def test_a_bot_plays_in_as_many_games_as_its_owner_allows(
    api: ApiClient, owner: PlayerClient, memory: redis.Redis
) -> None:
    bot = register(owner, most_games=1)["id"]
    first = seat(api, bot, owner.token, Idempotency_Key=KEY)
    project(memory)
    assert code(seat(api, bot, owner.token)) == (409, "bot_busy")
    assert seat(api, bot, owner.token, Idempotency_Key=KEY).get_json() == first.get_json()


def test_a_rematch_seats_the_bot_again_unless_it_was_closed(
    api: ApiClient, owner: PlayerClient, memory: redis.Redis
) -> None:
    bot = register(owner)
    for open_to, is_seated in (("everyone", True), ("owner", False)):
        game = seat(api, bot["id"]).get_json()
        address = f"/v1/games/{game['id']}"
        guest = game["seats"][0]["token"]
        for token in (guest, bot["token"]):
            assert api.post(f"{address}/void", {"agrees": True}, token).status_code == 200
        assert (
            api.send("PATCH", f"{ADDRESS}/{bot['id']}", {"open_to": open_to}, owner.token).status_code == 200
        )
        again = api.post(f"{address}/rematch", {}, guest).get_json()
        shown = api.get(f"/v1/games/{again['id']}").get_json()["seats"][1]
        assert ("bot" in shown, "remote" in shown) == (not is_seated, is_seated)
        if is_seated:
            assert shown["remote"] == {"seconds": 5, "fallback": "steady"}
            assert shown["player"] == bot["id"]


def test_owner_and_bot_change_terms_and_others_do_not(
    api: ApiClient, owner: PlayerClient, stranger: PlayerClient
) -> None:
    bot = register(owner)
    address = f"{ADDRESS}/{bot['id']}"
    assert api.send("PATCH", address, {"build": "1.1"}, bot["token"]).get_json()["build"] == "1.1"
    repeats = [api.send("PATCH", address, {"seconds": 9}, owner.token, Idempotency_Key=KEY) for _ in range(2)]
    assert [reply.get_json()["seconds"] for reply in repeats] == [9, 9]
    assert repeats[1].headers["Idempotent-Replayed"] == "true"
    assert code(api.send("PATCH", address, {"build": "x"}, stranger.token)) == (404, "unknown_bot")
    assert code(api.send("DELETE", address, None, stranger.token)) == (404, "unknown_bot")
    assert code(api.send("PATCH", address, {"build": "x"})) == (401, "unauthorized")
    hostile: list[dict[str, Any]] = [
        {},
        {"build": ""},
        {"build": "x" * 41},
        {"seconds": 0},
        {"fallback": "genius"},
        {"id": "x"},
        {"open_to": "friends"},
        {"most_games": 0},
        {"most_games": True},
        {"name": "New"},
    ]
    for wrong in hostile:
        assert code(api.send("PATCH", address, wrong, owner.token)) == (422, "invalid_body")


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "Carlo"},
        {"build": "1"},
        {**CARLO, "name": "greedy"},
        {**CARLO, "build": "\u202e"},
        {**CARLO, "seconds": 3_601},
        {**CARLO, "owner": "p_0123456789abcdefghijkl"},
    ],
)
def test_terms_that_make_no_sense_are_refused(api: ApiClient, owner: PlayerClient, wrong: Any) -> None:
    assert code(api.post(ADDRESS, wrong, owner.token)) == (422, "invalid_body")
    assert listed(api) == []


def test_seats_of_unknown_bots_are_refused(api: ApiClient, owner: PlayerClient) -> None:
    assert code(seat(api, "p_0123456789abcdefghijkl")) == (404, "unknown_bot")
    assert code(seat(api, owner.id, owner.token)) == (404, "unknown_bot")
    assert code(seat(api, "p_x")) == (422, "invalid_body")
    both = [{"remote": {"player": owner.id, "name": "x"}}, {"name": "Anna"}]
    assert code(api.post("/v1/games", {"edition": "classic", "seats": both})) == (422, "invalid_body")
    assert code(api.get(f"{ADDRESS}/p_0123456789abcdefghijkl")) == (404, "unknown_bot")


def test_a_bot_is_erased_by_its_owner_or_by_itself(
    api: ApiClient, owner: PlayerClient, memory: redis.Redis
) -> None:
    first = register(owner)
    second = register(owner, name="Dario")
    game = seat(api, first["id"]).get_json()["id"]
    project(memory)
    address = f"{ADDRESS}/{first['id']}"
    for _ in range(2):
        assert api.send("DELETE", address, None, owner.token, Idempotency_Key=KEY).status_code == 204
    assert code(api.send("DELETE", address, None, owner.token)) == (404, "unknown_bot")
    assert code(api.get("/v1/me", first["token"])) == (401, "unauthorized")
    left = api.get(f"/v1/games/{game}").get_json()["seats"][1]
    assert left["kind"] == "bot"
    assert listed(api) == [second["id"]]
    assert api.send("DELETE", "/v1/me", None, second["token"]).status_code == 204
    assert owner.get("/v1/me/remote-bots") == {"bots": []}
    assert code(seat(api, second["id"])) == (404, "unknown_bot")


def test_an_owner_who_is_erased_leaves_no_bot_behind(
    api: ApiClient, owner: PlayerClient, memory: redis.Redis
) -> None:
    bot = register(owner)
    game = seat(api, bot["id"]).get_json()["id"]
    project(memory)
    assert api.send("DELETE", "/v1/me", None, owner.token).status_code == 204
    assert listed(api) == []
    assert code(api.get(f"/v1/players/{bot['id']}")) == (404, "unknown_player")
    assert api.get(f"/v1/games/{game}").get_json()["seats"][1]["kind"] == "bot"
    assert not memory.exists(RECORDS)


def test_a_bot_whose_record_outlives_its_player_is_neither_shown_nor_seated(
    api: ApiClient, owner: PlayerClient, app: Flask
) -> None:
    """As after a process that was killed in the midst of an erasure."""
    bot = register(owner)["id"]
    services = app.extensions["services"]
    services.player_changes.erase(services.players.read(bot))
    assert listed(api) == []
    assert code(api.get(f"{ADDRESS}/{bot}")) == (404, "unknown_bot")
    assert code(seat(api, bot)) == (404, "unknown_bot")


def test_a_player_has_a_limited_number_of_bots_and_a_bot_none(open_limited: Open) -> None:
    owner = PlayerClient(client_at(open_limited(creating="1000 per minute"), ANNA), "Olga")
    bots = [register(owner, name=f"Bot {number}") for number in range(MOST_OF_OWNER)]
    assert code(owner.api.post(ADDRESS, CARLO, owner.token)) == (409, "too_many_bots")
    assert code(owner.api.post(ADDRESS, CARLO, bots[0]["token"])) == (409, "too_many_bots")


def test_pages_lead_through_all_bots(api: ApiClient, owner: PlayerClient) -> None:
    made = {register(owner, name=f"Bot {number}")["id"] for number in range(5)}
    found: list[str] = []
    address = f"{ADDRESS}?limit=2"
    while address:
        page = api.get(address).get_json()
        found += [bot["id"] for bot in page["bots"]]
        address = page["next"]
    assert found == sorted(made)
    assert code(api.get(f"{ADDRESS}?cursor=x")) == (422, "invalid_query")


def test_a_key_registers_bots_for_its_players(api: ApiClient, memory: redis.Redis) -> None:
    key = ApiKeys(memory).create("arcade", ["players"]).key
    player = api.post("/v1/players", {"name": "Anna"}, key).get_json()["id"]
    made = api.post(ADDRESS, CARLO, key, Croupier_Player=player).get_json()
    assert api.get(f"{ADDRESS}/{made['id']}").get_json()["owner"]["id"] == player
    bare = ApiKeys(memory).create("bare", ["play"]).key
    assert code(api.post(ADDRESS, CARLO, bare)) == (403, "missing_scope")


def test_a_copy_of_all_bots_restores_them(api: ApiClient, owner: PlayerClient, memory: redis.Redis) -> None:
    made = register(owner, open_to="owner")["id"]
    other = register(owner)["id"]
    copied = RemoteBots(memory).list_all()
    memory.delete(RECORDS, "croupier:{bots}:listed", f"croupier:{{bots}}:owner:{owner.id}")
    assert owner.get("/v1/me/remote-bots") == {"bots": []}
    backend = build_backend(memory)
    for bot in copied:
        backend.remote_bots.register(bot, limited=False)
    assert {bot["id"] for bot in owner.get("/v1/me/remote-bots")["bots"]} == {made, other}
    assert listed(api) == [other]
    assert {made, other} <= set(PlayerTransfer(memory).list_players())
