"""What people send when they try the API for the first time: each refusal says what to send instead."""

import base64
from typing import Any

import pytest

from tests.support.api_client import ApiClient, Game

SEATS = [{"name": "Anna"}, {"open": True}]


@pytest.fixture
def game(api: ApiClient) -> Game:
    return api.create_for(2)


def answer(game: Game, choice: Any) -> Any:
    seat, ask = game.ask()
    body = {"ask": ask["ask"], "choice": choice}
    return game.api.post(f"{game.address}/choices", body, game.tokens[seat]).get_json()


def refuse_plan(api: ApiClient, **plan: Any) -> Any:
    """All that is said of it, the detail first."""
    problem = api.post("/v1/games", {"edition": "royale", "seats": SEATS} | plan).get_json()
    return [problem["detail"], *(fault["detail"] for fault in problem["errors"])]


def test_a_whole_option_is_no_choice(game: Game) -> None:
    _, ask = game.ask()
    option = ask["options"][0]
    problem = answer(game, option)
    assert (problem["code"], problem["errors"][0]["pointer"]) == ("invalid_body", "/choice")
    assert f'"choice": "{option["choice"]}"' in problem["detail"]


def test_a_label_is_no_choice(game: Game) -> None:
    _, ask = game.ask()
    problem = answer(game, ask["options"][0]["label"])
    assert problem["code"] == "invalid_body"
    assert "not its label" in problem["detail"]


@pytest.mark.parametrize("index", [0, 1, None, 2.5])
def test_an_index_is_no_choice(game: Game, index: Any) -> None:
    problem = answer(game, index)
    assert (problem["code"], problem["errors"][0]["pointer"]) == ("invalid_body", "/choice")
    assert index is None or "not its index." in problem["detail"]


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (["place-2"], 'Send "choice": "place-2", not an array.'),
        ({"card": "2"}, "not an object."),
        (True, "not another value."),
        ("place-2 ", "without the space around it."),
    ],
)
def test_what_is_said_of_a_choice_fits_it(game: Game, sent: Any, told: str) -> None:
    assert told in answer(game, sent)["detail"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"turn_seconds": 1.5}, "`options.turn_seconds` must be an integer between 0 and 86400."),
        ({"tile_codes": [1]}, '`options.tile_codes` must be a list of codes such as ["A1"].'),
        ({"hide_money": {}}, "`options.hide_money` must be true or false."),
    ],
)
def test_an_option_says_what_it_takes(api: ApiClient, options: Any, told: str) -> None:
    assert told in refuse_plan(api, options=options)


def test_an_edition_with_a_space_is_told_those_there_are(api: ApiClient) -> None:
    assert "must be one of classic, modern, royale, cards" in refuse_plan(api, edition="las vegas")[0]


@pytest.mark.parametrize("form", ['"{}"', "<{}>", "'{}'"])
def test_a_token_comes_without_quotes_or_brackets(game: Game, form: str) -> None:
    problem = game.api.get(game.address, form.format(game.tokens[0])).get_json()
    assert "without quotes or brackets" in problem["detail"]


def test_an_unknown_version_is_told_those_there_are(game: Game) -> None:
    for address in (f"{game.address}?at=99", f"{game.address}?min_version=99"):
        problem = game.api.get(address).get_json()
        assert (problem["code"], problem["version"]) == ("unknown_version", 1)
        assert problem["detail"] == "The game has only versions 1 to 1."


def test_a_choice_that_is_none_of_the_options_is_told_one_that_is(game: Game) -> None:
    _, ask = game.ask()
    problem = answer(game, "0")
    assert problem["code"] == "illegal_choice"
    assert problem["detail"].endswith(f'such as "{ask["options"][0]["choice"]}".')
    assert problem["options"] == ask["options"]


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("{token}", "`Bearer` is missing."),
        ("Token {token}", "`Bearer` is missing."),
        ("Basic {basic}", "Basic authentication is not supported."),
        ("basic {basic}", "Basic authentication is not supported."),
        ("Bearer", "The token is missing."),
        ("Bearer  ", "The token is missing."),
    ],
)
@pytest.mark.parametrize("path", ["", "/audit"])
def test_a_token_that_is_sent_wrongly_is_told_the_header(
    game: Game, header: str, told: str, path: str
) -> None:
    token = game.tokens[0]
    basic = base64.b64encode(f"anna:{token}".encode()).decode()
    given = header.format(token=token, basic=basic)
    reply = game.api.get(game.address + path, Authorization=given)
    assert (reply.status_code, reply.get_json()["code"]) == (401, "unauthorized")
    assert told in reply.get_json()["detail"]
    assert "`Authorization: Bearer <token>`" in reply.get_json()["detail"]
    assert token not in reply.get_data(as_text=True)
    assert reply.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {"hideMoney": True},
            "`options.hideMoney` is not an option of royale; did you mean hide_money? There are tiles",
        ),
        ({"freshtiles": True}, "did you mean fresh_tiles?"),
        ({"wild": True}, "there are tiles, fresh_tiles, tile_codes"),
        ({"hide_money": "true"}, "`options.hide_money` must be true or false, without quotes."),
        ({"tiles": "3"}, "`options.tiles` must be an integer, without quotes."),
        ({"tile_codes": ["a1"]}, "has an unknown code, a1; did you mean A1? There are A1, A2"),
        ({"tile_codes": ["Jackpot"]}, "has an unknown code, Jackpot; there are A1, A2"),
        ([], '`options` must be an object such as {"hide_money": true}.'),
        ("hide_money", '`options` must be an object such as {"hide_money": true}.'),
    ],
)
def test_an_option_that_does_not_fit_is_told_what_does(api: ApiClient, options: Any, told: str) -> None:
    assert any(told in detail for detail in refuse_plan(api, options=options))


@pytest.mark.parametrize(
    ("seats", "told"),
    [
        ([{"open": False}, {"name": "Anna"}], "must be true; give any other seat a `name` or a `bot`"),
        ([{"open": "true"}, {"name": "Anna"}], "`seats[0].open` must be true or false, without quotes."),
        ([{"bot": "gready"}, {"name": "Anna"}], "`seats[0].bot` must be one of random, novice, casual"),
        ([{"name": 5}, {"name": "Anna"}], "`seats[0].name` must be a string."),
        ([{"Name": "Anna"}, {"name": "Ben"}], "must have exactly one of `name`, `bot`"),
        (
            [{"name": "Anna", "colour": "red"}, {"name": "Ben"}],
            "`seats[0].colour` is not known here; there are name",
        ),
        (["Anna", "Ben"], '`seats[0]` must be an object such as {"name": "Anna"}'),
        ([{"remote": "x"}, {"name": "Ben"}], '`seats[0].remote` must be an object such as {"name": "Carlo"'),
        ({"name": "Anna"}, "`seats` must be an array"),
        ("Anna", "`seats` must be an array"),
        (2, "`seats` must be an array"),
    ],
)
def test_seats_that_do_not_fit_are_told_what_does(api: ApiClient, seats: Any, told: str) -> None:
    first, *others = refuse_plan(api, seats=seats)
    assert told in first
    assert any(told in detail for detail in others)


def test_an_edition_that_is_misspelt_is_told_the_nearest(api: ApiClient) -> None:
    assert "did you mean royale? There are classic" in refuse_plan(api, edition="Royal")[0]


@pytest.mark.parametrize(
    ("body", "kind"),
    [(b"[]", "an array"), (b'"x"', "a string"), (b"1", "a number"), (b"null", "null"), (b"true", "true")],
)
@pytest.mark.parametrize("path", ["/v1/games", "/v1/players"])
def test_a_body_of_another_kind_is_told_its_kind(api: ApiClient, body: bytes, kind: str, path: str) -> None:
    problem = api.post(path, body).get_json()
    assert problem["code"] == "invalid_body"
    assert problem["detail"] == f"The body must be an object, not {kind}."


@pytest.mark.parametrize("body", [b"", b" ", b"\n"])
def test_an_empty_body_is_told_to_be_empty(api: ApiClient, body: bytes) -> None:
    reply = api.post("/v1/games", body)
    assert (reply.status_code, reply.get_json()["code"]) == (400, "bad_json")
    assert reply.get_json()["detail"].startswith("The body is empty. Send a JSON object")


def test_no_body_at_all_is_told_to_be_empty(api: ApiClient) -> None:
    problem = api.client.post("/v1/games").get_json()
    assert problem["detail"] == (
        "The body is empty. Send a JSON object with `Content-Type: application/json`."
    )


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("after=-1", "`after` must be an integer, at least 0."),
        ("after=x", "`after` must be an integer, at least 0."),
        ("limit=0", "`limit` must be between 1 and 1000."),
        ("wait=61", "`wait` must be between 0 and 60."),
        ("afterr=1", "`afterr` is not known here; did you mean after? There are after, limit"),
    ],
)
def test_a_parameter_that_does_not_fit_is_told_what_does(game: Game, query: str, told: str) -> None:
    problem = game.api.get(f"{game.address}/events?{query}").get_json()
    assert problem["code"] == "invalid_query"
    assert told in problem["detail"]


@pytest.mark.parametrize(
    ("method", "address", "right"),
    [
        ("DELETE", "/v1/games", "GET, POST"),
        ("PUT", "/v1/editions", "GET"),
        ("GET", "/v1/games/{game}/choices", "POST"),
        ("POST", "/v1/games/{game}", "GET"),
    ],
)
def test_a_wrong_method_is_told_the_right_ones(game: Game, method: str, address: str, right: str) -> None:
    reply = game.api.client.open(address.format(game=game.id), method=method)
    assert (reply.status_code, reply.get_json()["code"]) == (405, "method_not_allowed")
    assert reply.get_json()["detail"] == f"This address accepts {right}."
    assert {*right.split(", ")} <= {*reply.headers["Allow"].split(", ")}


@pytest.mark.parametrize(
    ("address", "right"),
    [
        ("/v1/games/", "/v1/games"),
        ("/v1/editions//", "/v1/editions"),
        ("/livez/", "/livez"),
        ("/games", "/v1/games"),
        ("/bots/", "/v1/bots"),
    ],
)
def test_a_slash_too_many_is_told_the_right_address(api: ApiClient, address: str, right: str) -> None:
    for reply in (api.get(address), api.post(address, {})):
        assert (reply.status_code, reply.get_json()["code"]) == (404, "not_found")
        assert reply.get_json()["detail"].endswith(f"Did you mean `{right}`?")


def test_a_table_with_a_slash_is_told_its_address(game: Game) -> None:
    assert game.api.get(f"{game.address}/").get_json()["detail"].endswith(f"`{game.address}`?")
    assert "Did you mean" not in game.api.get("/nowhere/").get_json()["detail"]


@pytest.mark.parametrize("table", ["x", [], 7])
def test_a_table_that_is_none_is_told_what_one_looks_like(api: ApiClient, table: Any) -> None:
    problem = api.post("/v1/advice", {"table": table, "seat": 0}).get_json()
    assert "as `GET /v1/games/{game}` shows it, such as {" in problem["detail"]


def test_whoever_is_no_host_is_told_who_is_one(api: ApiClient) -> None:
    """W5."""
    told = api.get("/v1/problems/not_host").get_json()
    assert "longest" in told["meaning"]
    assert "`host`" in told["remedy"]


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("Bearer junk", "POST /v1/players"),
        ("Bearer player_" + "x" * 43, "POST /v1/players"),
        ("Bearer {token}", "POST /v1/players"),
        ("{token}", "`Bearer` is missing."),
        ("Basic eDp5", "Basic authentication is not supported."),
        ("Bearer", "The token is missing."),
    ],
)
def test_a_game_is_made_without_a_token_or_with_a_players(game: Game, header: str, told: str) -> None:
    given = header.format(token=game.tokens[0])
    reply = game.api.post("/v1/games", {"edition": "classic", "seats": SEATS}, Authorization=given)
    assert (reply.status_code, reply.get_json()["code"]) == (401, "unauthorized")
    assert told in reply.get_json()["detail"]


def test_who_sits_down_is_told_who_says_that(api: ApiClient) -> None:
    game = api.create({"name": "Anna"}, {"open": True})
    token = api.post("/v1/players", {"name": "Ben"}).get_json()["token"]
    for body, shown, told in (
        ({"player": True}, token, "Leave `player` out: a player token says who sits down."),
        ({}, None, "`name` is required, unless a player token is sent."),
    ):
        reply = api.post(f"{game.address}/seats", body, shown)
        assert (reply.status_code, reply.get_json()["code"]) == (422, "invalid_body")
        assert told in reply.get_json()["detail"]


def test_a_seat_of_ones_own_is_told_where_players_come_from(game: Game) -> None:
    plan = {"edition": "classic", "seats": [{"player": True}, {"name": "Ben"}]}
    game.play()
    fork = {"at": 3, "seats": plan["seats"]}
    for address, body in (("/v1/games", plan), (f"{game.address}/forks", fork)):
        reply = game.api.post(address, body)
        assert reply.status_code == 401
        assert "POST /v1/players" in reply.get_json()["detail"]
