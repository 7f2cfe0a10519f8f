"""Games that are not for everybody: unlisted, or private and found by a code."""

from __future__ import annotations

import json
from time import perf_counter
from typing import Any

import pytest
import redis

from events.commands import Create
from events.values import PRIVATE, SeatPlan
from service.container import build_backend
from service.fairness.dice import commitment
from service.games.codes import ALPHABET, draw_code, former_game_behind
from service.games.idempotency import identify_request
from service.games.seating import draft_game
from service.games.snapshots import begin_log
from service.games.writer import Writer
from service.http.errors import UNKNOWN_GAME_SECONDS
from tests.support.api_client import ApiClient, Game
from tests.support.app import ANNA, Open, client_at
from tests.support.games import ticking_clock

KEY = "a7c0e7a4-2d38-4c7f-9b52-7d1c8e3f5a10"


def create(api: ApiClient, visibility: str, *, seats: int = 3, **headers: str) -> tuple[Game, str]:
    plan = {
        "edition": "cards",
        "seats": [{"name": "Anna"}, *[{"open": True}] * (seats - 1)],
        "visibility": visibility,
    }
    reply = api.post("/v1/games", plan, **headers)
    assert reply.status_code == 201, reply.data
    made = json.loads(reply.data)
    return Game(api, made), made.get("code", "")


def test_a_code_can_be_read_out_aloud() -> None:
    code = draw_code()
    assert [len(group) for group in code.split("-")] == [4, 4, 4]
    assert set(code) <= {*ALPHABET, "-"}
    assert not {*"01OILU"} & {*ALPHABET}
    assert draw_code() != code


def test_a_friend_finds_the_game_by_its_code_and_sits_down(api: ApiClient) -> None:
    game, code = create(api, "private")
    spoken = code.lower().replace("-", " ")
    found = api.call("POST", "/v1/codes", {"code": spoken})
    assert (found["id"], found["table"]["visibility"]) == (game.id, "private")
    sat = api.call("POST", f"{game.address}/seats", {"name": "Ben", "code": code.replace("-", "")})
    assert sat["seat"] == 1
    assert api.get(game.address, sat["token"]).status_code == 200


@pytest.mark.parametrize("address", ["", "?at=1", "/events", "/audit"])
def test_a_private_game_is_unknown_to_strangers(api: ApiClient, address: str) -> None:
    """As unknown as one that is not there."""
    game, _ = create(api, "private")
    there, nowhere = api.get(game.address + address), api.get("/v1/games/g_0000000000000000000000" + address)
    assert there.status_code == nowhere.status_code == 404
    assert _without_id(there.get_json()) == _without_id(nowhere.get_json())
    assert api.get(game.address + address, game.tokens[0]).status_code == 200


def test_a_wrong_token_tells_nobody_that_a_private_game_is_there(api: ApiClient) -> None:
    """Whatever is asked of it, however the token looks, and though it was good once."""
    game, code = create(api, "private")
    ended = api.call("POST", f"{game.address}/seats", {"name": "Ben", "code": code})["token"]
    assert api.post(f"{game.address}/leave", {}, ended).status_code == 200
    tokens = "junk", "player_" + "x" * 43, api.create_for(2).tokens[0], ended
    nowhere = "g_0000000000000000000000"
    for token in tokens:
        for method, path in (
            *(("GET", path) for path in ("", "/events", "/audit")),
            *(("POST", path) for path in ("/leave", "/choices", "/seats", "/rematch")),
        ):
            body = None if method == "GET" else {"name": "Eve"} if path == "/seats" else {}
            replies = [
                api.send(method, f"/v1/games/{name}{path}", body, token) for name in (game.id, nowhere)
            ]
            assert [reply.status_code for reply in replies] == [404, 404], (token, method, path)
            assert replies[0].get_json() == replies[1].get_json()
        tickets = [api.post("/v1/tickets", {"game": name}, token) for name in (game.id, nowhere)]
        assert [reply.status_code for reply in tickets] == [404, 404]


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ("{token}", "`Bearer` is missing."),
        ("Token {token}", "`Bearer` is missing."),
        ("Basic {token}", "Basic authentication is not supported."),
        ("Bearer ", "The token is missing."),
        ("", "`Bearer` is missing."),
    ],
)
def test_a_token_in_another_form_is_told_so_whether_or_not_there_is_such_a_game(
    api: ApiClient, form: str, told: str
) -> None:
    game, _ = create(api, "private")
    shown = form.format(token=game.tokens[0])
    for method, path in (("GET", ""), ("GET", "/events"), ("POST", "/choices"), ("POST", "/leave")):
        there, nowhere = (
            api.send(method, f"/v1/games/{name}{path}", None if method == "GET" else {}, Authorization=shown)
            for name in (game.id, "g_0000000000000000000000")
        )
        assert there.status_code == nowhere.status_code == 401
        assert told in there.get_json()["detail"]
        assert "Authorization: Bearer <token>" in there.get_json()["detail"]
        assert _without_id(there.get_json()) == _without_id(nowhere.get_json())


def _without_id(problem: dict[str, Any]) -> dict[str, Any]:
    return {name: member for name, member in problem.items() if name != "request_id"}


@pytest.mark.parametrize("body", [{}, {"code": ""}, {"code": "K7MQ-29XH-4TRB"}, {"code": "K7MQ"}])
def test_nobody_sits_down_without_the_code(api: ApiClient, body: dict[str, str]) -> None:
    game, _ = create(api, "private")
    assert api.post(f"{game.address}/seats", {"name": "Eve", **body}).status_code == 404
    assert api.post("/v1/codes", {"code": "K7MQ-29XH-4TRB"}).status_code == 404
    assert api.post(f"{game.address}/leave", {}).status_code == 404


def test_an_unlisted_game_is_open_to_who_knows_its_id(api: ApiClient) -> None:
    game, code = create(api, "unlisted")
    assert not code
    assert game.table()["visibility"] == "unlisted"
    assert api.call("POST", f"{game.address}/seats", {"name": "Ben"})["seat"] == 1


def test_a_repeated_creation_gets_the_same_code(api: ApiClient) -> None:
    game, code = create(api, "private", Idempotency_Key=KEY)
    again, same = create(api, "private", Idempotency_Key=KEY)
    assert (again.id, again.tokens, same) == (game.id, game.tokens, code)
    for other in ("public", "unlisted"):
        plan = {"edition": "cards", "seats": [{"name": "Anna"}, {"open": True}, {"open": True}]}
        reply = api.post("/v1/games", {**plan, "visibility": other}, Idempotency_Key=KEY)
        assert (reply.status_code, reply.get_json()["code"]) == (422, "key_reused")


def test_a_key_of_a_public_game_makes_no_private_one(api: ApiClient) -> None:
    create(api, "public", Idempotency_Key=KEY)
    plan = {"edition": "cards", "seats": [{"name": "Anna"}, {"open": True}, {"open": True}]}
    reply = api.post("/v1/games", {**plan, "visibility": "private"}, Idempotency_Key=KEY)
    assert reply.status_code == 422


def test_the_rematch_of_a_private_game_is_private(api: ApiClient) -> None:
    """W8."""
    game, code = create(api, "private", seats=2)
    sat = api.call("POST", f"{game.address}/seats", {"name": "Ben", "code": code})
    for token in (game.tokens[0], sat["token"]):
        api.call("POST", f"{game.address}/void", {}, token)
    new = api.call("POST", f"{game.address}/rematch", {}, sat["token"])
    assert api.get(f"/v1/games/{new['id']}").status_code == 404
    assert api.get(f"/v1/games/{new['id']}", new["seats"][1]["token"]).status_code == 200


def test_another_visibility_is_refused_with_those_there_are(api: ApiClient) -> None:
    plan = {"edition": "cards", "seats": [{"name": "Anna"}, {"open": True}], "visibility": "secret"}
    reply = api.post("/v1/games", plan)
    assert reply.status_code == 422
    assert "public" in json.dumps(reply.get_json()["errors"])


@pytest.mark.parametrize("visibility", ["public", "unlisted"])
def test_a_game_verifies_whether_or_not_its_creator_said_who_may_see_it(
    api: ApiClient, visibility: str
) -> None:
    """What is the default is not in the log, however it was said."""
    plan = {"edition": "classic", "seats": [{"name": "Anna"}, {"name": "Ben"}], "visibility": visibility}
    game = Game(api, api.post("/v1/games", plan).get_json())
    game.play()
    assert api.get(f"{game.address}/audit").get_json()["verified"]["ok"] is True


@pytest.mark.parametrize("token", [None, "no-token-of-this-game"])
def test_a_hidden_game_and_a_missing_one_are_answered_after_the_same_time(
    open_limited: Open, token: str | None
) -> None:
    """What is found out before takes less, whatever it is."""
    app = open_limited()
    app.config[UNKNOWN_GAME_SECONDS] = 0.1
    api = client_at(app, ANNA)
    game, _ = create(api, "private")
    for address in (game.address, "/v1/games/g_0000000000000000000000", "/v1/games/none"):
        started_at = perf_counter()
        assert api.get(address, token).status_code == 404
        assert perf_counter() - started_at >= 0.1


def watched_game(api: ApiClient, **headers: str) -> tuple[Game, str, str]:
    """A private game in which all sit, its code and its watch code."""
    game, code = create(api, "private", seats=2, **headers)
    made = api.call("POST", f"{game.address}/seats", {"name": "Ben", "code": code})
    game.tokens[1] = made["token"]
    again = create(api, "private", seats=2)[0]
    assert again.id != game.id
    return game, code, game.watch_code


READ = ("", "?at=1", "/events", "/audit", "/export", "/timeline", "/diff?from=1&to=2", "/explain/2")


def test_a_watch_code_shows_what_any_spectator_sees(api: ApiClient) -> None:
    game, code, watch_code = watched_game(api)
    assert watch_code.startswith("watch_")
    assert code.replace("-", "") not in watch_code.replace("-", "")
    for path in READ:
        assert api.get(game.address + path, watch_code).status_code == 200, path
        assert api.get(game.address + path).status_code == 404, path
    table = api.get(game.address, watch_code.lower().replace("-", "")).get_json()
    assert (table["you"], [ask["options"] for ask in table["asks"]]) == (None, [[]])
    # Hands are covered, also in the log.
    text = api.get(f"{game.address}/events", watch_code).text
    assert '"value"' not in text
    assert all("hidden" in seat["hand"] for seat in table["seats"])


def test_a_watch_code_finds_the_game_and_seats_nobody(api: ApiClient) -> None:
    game, code = create(api, "private")
    watch_code = game.watch_code
    found = api.call("POST", "/v1/codes", {"code": watch_code})
    assert (found["id"], found["watch_only"]) == (game.id, True)
    assert api.call("POST", "/v1/codes", {"code": code})["watch_only"] is False
    for body, token in (({"name": "Eve", "code": watch_code}, None), ({"name": "Eve"}, watch_code)):
        assert api.post(f"{game.address}/seats", body, token).status_code == 404
    for path in ("/leave", "/start", "/void"):
        assert api.post(game.address + path, {}, watch_code).status_code == 401
    choice = {"ask": 1, "choice": "pass"}
    assert api.post(f"{game.address}/choices", choice, watch_code).status_code == 401
    assert api.get("/v1/me", watch_code).status_code == 401
    # The part behind its prefix is no code, and the code is no watch code.
    assert api.post("/v1/codes", {"code": watch_code.removeprefix("watch_")}).status_code == 404
    assert api.get(game.address, f"watch_{code}").status_code == 404


def test_a_watch_code_of_another_game_opens_nothing(api: ApiClient) -> None:
    game, other = create(api, "private")[0], create(api, "private")[0]
    nowhere = "/v1/games/g_0000000000000000000000"
    replies = [api.get(address, other.watch_code) for address in (game.address, nowhere)]
    assert [reply.status_code for reply in replies] == [404, 404]
    public = api.create_for(2)
    assert api.get(public.address, other.watch_code).status_code == 401
    assert api.post("/v1/tickets", {"game": game.id}, other.watch_code).status_code == 404


def test_a_watch_code_gets_a_ticket_for_the_stream(api: ApiClient) -> None:
    game, _, watch_code = watched_game(api)
    ticket = api.post("/v1/tickets", {"game": game.id}, watch_code).get_json()["ticket"]
    reply = api.client.get(
        f"{game.address}/events?ticket={ticket}&limit=1",
        headers={"Accept": "text/event-stream"},
        buffered=False,
    )
    assert reply.status_code == 200
    assert b'"value"' not in next(reply.iter_encoded())
    reply.close()
    assert api.post("/v1/tickets", {"me": True}, watch_code).status_code == 401


def test_only_private_games_have_a_watch_code_and_a_repeat_gets_the_same(api: ApiClient) -> None:
    first = create(api, "private", Idempotency_Key=KEY)[0]
    assert create(api, "private", Idempotency_Key=KEY)[0].watch_code == first.watch_code
    for visibility in ("public", "unlisted"):
        assert create(api, visibility)[0].watch_code == ""


def test_games_from_before_watch_codes_keep_their_codes(memory: redis.Redis, api: ApiClient) -> None:
    """Their ids were derived from the code alone."""
    games = build_backend(memory).games
    code = draw_code()
    game = former_game_behind(games.store.secret(), code)
    seats = (SeatPlan(name="Anna"), SeatPlan())
    command = Create(game, "classic", seats, commitment(bytes(32)), visibility=PRIVATE)
    writer = Writer(games.store, games.snapshots, games.secrets, ticking_clock())
    pending = draft_game(command, bytes(32), None, {})
    writer.write(game, begin_log(game), pending, identify_request("create", None, ()))
    assert api.call("POST", "/v1/codes", {"code": code})["id"] == game
    assert api.post(f"/v1/games/{game}/seats", {"name": "Ben", "code": code}).status_code == 201
