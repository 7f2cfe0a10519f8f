"""Creating, listing and looking at games over HTTP."""

import json
import re
from typing import Any

import pytest
import redis
from flask import Flask

from events.redis_store import RedisStore
from service.games.games import Games
from service.lobby.lobby import Lobby
from tests.support.api_client import ApiClient, Game, PlayerClient
from tests.support.games import TABLES
from tests.support.profiles import sample

UNKNOWN = "/v1/games/g_0000000000000000000000"


def test_a_token_is_given_for_each_named_seat_and_for_no_other(api: ApiClient) -> None:
    seats = [{"name": "Anna"}, {"bot": "greedy"}, {"open": True}]
    reply = api.post("/v1/games", {"edition": "classic", "seats": seats})
    made = reply.get_json()
    assert (reply.status_code, reply.headers["Location"]) == (201, f"/v1/games/{made['id']}")
    assert made["status"] == "lobby"
    assert made["seats"][0].keys() == {"seat", "name", "token"}
    assert made["seats"][1:] == [{"seat": 1, "bot": "greedy"}, {"seat": 2, "open": True}]
    assert re.fullmatch("seat_[A-Za-z0-9_-]{43}", made["seats"][0]["token"])


def test_a_game_starts_by_itself_when_no_seat_is_open(api: ApiClient) -> None:
    game = api.create({"name": "Anna"}, {"open": True})
    assert game.table()["status"] == "lobby"
    reply = api.post(f"{game.address}/seats", {"name": "Ben", "entropy": "my own luck"})
    sat = reply.get_json()
    assert (reply.status_code, sat["seat"], sat["name"], sat["status"]) == (201, 1, "Ben", "playing")
    assert api.get(game.address, sat["token"]).get_json()["status"] == "playing"


@pytest.mark.parametrize("seat", [2, 9])
def test_a_seat_that_is_not_at_the_table_is_refused(api: ApiClient, seat: int) -> None:
    game = api.create({"name": "Anna"}, {"open": True})
    reply = api.post(f"{game.address}/seats", {"name": "Ben", "seat": seat})
    assert (reply.status_code, reply.get_json()["code"]) == (422, "unknown_seat")
    assert game.table()["status"] == "lobby"


def test_a_name_is_kept_as_nfc_and_without_the_spaces_around_it(api: ApiClient) -> None:
    game = api.create({"name": " Zoe\u0308 "}, {"name": "李小龍"})
    assert [seat["name"] for seat in game.table()["seats"]] == ["Zoë", "李小龍"]


@pytest.mark.parametrize(("edition", "options", "players"), sample(TABLES, 2))
def test_a_stranger_plays_any_edition_to_the_end_by_picking_from_the_options(
    api: ApiClient, edition: str, options: dict[str, Any], players: int
) -> None:
    """The client holds every single reply against the contract."""
    game = api.create_for(players, edition=edition, options=options)
    game.play()
    table = game.table(0)
    assert (table["status"], table["asks"]) == ("over", [])
    assert table["winners"]
    assert api.get(f"{game.address}/audit").get_json()["verified"]["ok"] is True


def test_the_options_are_for_the_seat_that_is_asked_and_for_nobody_else(api: ApiClient) -> None:
    game = api.create_for(3)
    seat, ask = game.ask()
    assert ask["yours"]
    assert ask["options"]
    for viewer in {0, 1, 2, None} - {seat}:
        (seen,) = game.table(viewer)["asks"]
        assert (seen["seats"], seen["yours"], seen["options"]) == ([seat], False, [])


def test_the_table_says_which_seat_the_token_opens(api: ApiClient) -> None:
    """Now and as it was; nobody's for a spectator."""
    game = api.create_for(3)
    for _ in range(3):
        seat, ask = game.ask()
        game.choose(seat, ask["ask"], ask["options"][0]["choice"])
    for caller in (None, 0, 1, 2):
        assert [game.table(caller, query)["you"] for query in ("", "?at=2")] == [caller, caller]
        assert game.table(caller)["casinos"] == game.table(None)["casinos"]


def test_a_board_needs_no_rules_to_show_an_option_and_who_is_ahead(api: ApiClient) -> None:
    game = api.create_for(2)
    asked, ask = game.ask()
    option, rolled = ask["options"][-1], game.table()["roll"]["own"]
    number = option["target"]["casino"]
    assert option["choice"] == f"place-{number}"
    assert option["dice"] == {"small": rolled.count(number), "big": 0, "neutral": 0}
    game.choose(asked, ask["ask"], option["choice"])
    casino = game.table()["casinos"][number - 1]
    best = {"owner": f"seat-{asked}", "seat": asked, "weight": rolled.count(number), "tied": False}
    assert casino["standing"] == [{**best, "notes": casino["notes"][:1]}]


def test_the_table_can_be_seen_as_it_was(api: ApiClient) -> None:
    game = api.create_for(2)
    before = game.table(0)
    seat, ask = game.ask()
    game.choose(seat, ask["ask"], ask["options"][0]["choice"])
    assert game.table(0) != before
    assert game.table(0, "?at=1") == before


def test_a_version_that_is_not_there_yet_is_unknown(api: ApiClient) -> None:
    game = api.create_for(2)
    reply = api.get(f"{game.address}?at=99")
    assert (reply.status_code, reply.get_json()["code"]) == (404, "unknown_version")


@pytest.mark.parametrize("path", ["", "/events", "/audit"])
def test_the_etag_is_the_version_and_saves_the_body(api: ApiClient, path: str) -> None:
    game = api.create_for(2)
    reply = api.get(game.address + path)
    assert reply.headers["ETag"] == '"1"'
    for tag in ('"1"', 'W/"1"', '"0", "1"', "*"):
        assert api.get(game.address + path, If_None_Match=tag).status_code == 304
    for tag in ('"2"', "1", "1x", '"', ",", "W/", '"1" "2"', '1, "1"', ""):
        assert api.get(game.address + path, If_None_Match=tag).status_code == 200


@pytest.mark.parametrize(
    "address",
    [
        "/v1/editions",
        "/v1/bots",
        "/v1/games",
        "/openapi.yaml",
        "/docs",
        "/docs/reference",
        "/docs/reference/start.js",
    ],
)
def test_what_has_no_version_has_an_etag_too(api: ApiClient, address: str) -> None:
    tag = api.get(address).headers["ETag"]
    assert api.get(address, If_None_Match=tag).status_code == 304
    assert api.get(address, If_None_Match='"other"').status_code == 200


def test_the_etag_of_the_lobby_changes_with_the_lobby(
    api: ApiClient, memory: redis.Redis, app: Flask
) -> None:
    empty = api.get("/v1/games").headers["ETag"]
    project(memory, [api.create_for(2).id])
    assert api.get("/v1/games", If_None_Match=empty).status_code == 200


def test_the_lobby_is_paged_newest_first(api: ApiClient, memory: redis.Redis) -> None:
    made = [api.create_for(2) for _ in range(5)]
    project(memory, [game.id for game in made])
    address: str | None = "/v1/games?limit=2&status=playing&edition=classic"
    found = []
    while address:
        page = api.get(address).get_json()
        assert (page["cursor"] is None) == (page["next"] is None)
        found += [game["id"] for game in page["games"]]
        address = page["next"]
    assert len(found) == 5
    assert set(found) == {game.id for game in made}
    assert api.get("/v1/games?status=over").get_json()["games"] == []


def project(memory: redis.Redis, ids: list[str]) -> None:
    """What the projector does."""
    games = Games(RedisStore(memory))
    for game in ids:
        Lobby(memory).update(games.snapshot(game))


def test_what_is_no_id_of_a_game_is_told_what_one_looks_like(api: ApiClient) -> None:
    odd = ("/v1/games/g_", "/v1/games/%00", "/v1/games/%F0%9F%8E%B2", "/v1/games/" + "x" * 5_000)
    refusals = {api.get(address).data for address in odd}
    assert len(refusals) == 1
    problem = json.loads(refusals.pop())
    assert (problem["code"], "`g_` and 22 letters" in problem["detail"]) == ("unknown_game", True)


def test_unknown_games_are_refused_alike(api: ApiClient) -> None:
    refusals = {api.get(UNKNOWN).data}
    refusals |= {api.get(UNKNOWN + path).data for path in ("/events", "/audit")}
    refusals |= {api.get(UNKNOWN, "a-token").data, api.get(f"{UNKNOWN}?at=1").data}
    refusals |= {api.post(f"{UNKNOWN}/choices", {"ask": 1, "choice": "place-1"}).data}
    refusals |= {api.post(f"{UNKNOWN}/choices", {"ask": 1, "choice": "place-1"}, "a-token").data}
    refusals |= {api.post(f"{UNKNOWN}/seats", {"name": "Ben"}).data}
    assert len(refusals) == 1
    assert b'"unknown_game"' in refusals.pop()


def test_all_faults_of_a_plan_are_told_at_once(api: ApiClient) -> None:
    options = {"start_seat": 9, "hide_money": 3, "a/b": 1}
    reply = api.post("/v1/games", {"edition": "classic", "seats": [{"name": "A"}], "options": options})
    assert (reply.status_code, reply.get_json()["code"]) == (422, "bad_seats")
    found = {fault["pointer"]: fault["code"] for fault in reply.get_json()["errors"]}
    assert found == {
        "/seats": "bad_seats",
        "/options/start_seat": "bad_option",
        "/options/hide_money": "bad_option",
        "/options/a~1b": "unknown_option",
    }


def test_all_faults_of_a_body_are_told_at_once(api: ApiClient) -> None:
    seats = [{"name": "A", "bot": "x"}, {"open": False}, 3, {}, {"bot": "random", "entropy": "e"}]
    body = {"edition": 7, "seats": seats, "key": 1, "options": {"x": {}, "value": 1.5}}
    reply = api.post("/v1/games", body)
    assert (reply.status_code, reply.get_json()["code"]) == (422, "invalid_body")
    pointers = {fault["pointer"] for fault in reply.get_json()["errors"]}
    assert pointers == {
        *("/edition", "/key", "/options/x", "/options/value", "/seats/0", "/seats/0/bot"),
        *("/seats/1/open", "/seats/2", "/seats/3", "/seats/4/entropy"),
    }


def test_faults_of_the_body_and_of_the_plan_are_told_together(api: ApiClient) -> None:
    options = {"foo": 1, "turn_seconds": -1, "start_seat": 9, "hide_money": {}}
    reply = api.post("/v1/games", {"edition": "classic", "seats": [{"bot": "zzz"}], "options": options})
    assert (reply.status_code, reply.get_json()["code"]) == (422, "invalid_body")
    found = {fault["pointer"]: fault.get("code") for fault in reply.get_json()["errors"]}
    assert found == {
        "/seats/0/bot": None,
        "/options/hide_money": None,
        "/seats": "bad_seats",
        "/options/foo": "unknown_option",
        "/options/turn_seconds": "bad_option",
        "/options/start_seat": "bad_option",
    }


@pytest.mark.parametrize("seats", [None, 7, {}, [None, {"bot": "random"}, 3]])
def test_no_plan_is_judged_by_seats_that_cannot_be_counted(api: ApiClient, seats: Any) -> None:
    reply = api.post("/v1/games", {"edition": "chess", "seats": seats})
    pointers = {fault["pointer"] for fault in reply.get_json()["errors"]}
    expected = {"/edition", "/seats/0", "/seats/2"} if isinstance(seats, list) else {"/seats"}
    assert pointers == expected


def test_the_table_shows_how_many_tiles_were_named(api: ApiClient) -> None:
    """T2."""
    game = api.create_for(2, edition="royale", options={"tile_codes": ["A1"]})
    assert game.table()["options"]["tiles"] == 1
    plan = {"edition": "royale", "seats": [{"name": "A"}, {"name": "B"}]}
    reply = api.post("/v1/games", {**plan, "options": {"tile_codes": ["A1"], "tiles": 2}})
    (fault,) = reply.get_json()["errors"]
    assert (reply.status_code, fault["pointer"]) == (422, "/options/tile_codes")
    assert "requires `options.tiles` to be 1, not 2" in fault["detail"]


def test_an_unknown_edition_is_named(api: ApiClient) -> None:
    reply = api.post("/v1/games", {"edition": "chess", "seats": []})
    problem = reply.get_json()
    assert (reply.status_code, problem["code"]) == (422, "unknown_edition")
    assert problem["errors"][0]["pointer"] == "/edition"


def test_only_what_everybody_sees_of_the_past_is_for_caches(api: ApiClient) -> None:
    """For a day. A running game hides things, a seat has its own view, and players change their names."""
    day, never = "public, max-age=86400", "no-store"

    def caching(game: Game, query: str, token: str | None = None) -> str | None:
        reply = api.get(game.address + query, token)
        assert reply.status_code == 200
        assert "Authorization" in reply.headers["Vary"]
        return reply.headers.get("Cache-Control")

    game = api.create_for(2)
    assert caching(game, "?at=1") == never
    game.play()
    assert [caching(game, f"?at={at}") for at in (1, 9, game.version())] == [day] * 3
    assert caching(game, "") == never
    assert caching(game, "?at=1", game.tokens[0]) == never
    tag = api.get(f"{game.address}?at=1").headers["ETag"]
    again = api.get(f"{game.address}?at=1", If_None_Match=tag)
    assert (again.status_code, again.headers["Cache-Control"]) == (304, day)
    anna = PlayerClient(api, "Anna")
    for visibility, first in (("private", "name"), ("unlisted", "name"), ("public", "player")):
        seats = [{"name": "Anna"} if first == "name" else {"player": True}, {"name": "Ben"}]
        body = {"edition": "classic", "seats": seats, "visibility": visibility}
        other = Game(api, api.post("/v1/games", body, anna.token).get_json())
        other.tokens.setdefault(0, anna.token)
        # A spectator sees nothing of a private table.
        watching = other.tokens[1] if visibility == "private" else None
        while (table := other.table(1))["status"] != "over":
            seat = table["asks"][0]["seats"][0]
            (ask,) = other.table(seat)["asks"]
            other.choose(seat, ask["ask"], ask["options"][0]["choice"])
        assert caching(other, "?at=1", watching) == never
