"""A frontend that wants German sees no English word in whole games, nor in refusals."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from rules import EDITIONS
from tests.support.api_client import ApiClient
from tests.support.languages import find_english
from tests.support.profiles import sample

# Members that hold words, wherever they are.
WORDED = {"label", "text", "detail", "title", "meaning", "remedy", "sentences", "why", "description", "note"}
TILES = tuple(EDITIONS.newest["royale"].tiles)


def find_words(value: Any, named: str = "") -> Iterator[str]:
    """Every text in a reply that is for people."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from find_words(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from find_words(inner, named)
    elif isinstance(value, str) and named in WORDED:
        yield value


def check_german(reply: Any) -> int:
    """Fail for an English word; return the number of texts."""
    texts = list(find_words(reply))
    for text in texts:
        assert find_english(text) == [], text
    return len(texts)


GAMES = [
    ("royale", {"tile_codes": ["A1", "B1", "C1", "D1", "E1", "F1"]}, 3),
    ("classic", {"neutral_dice": True, "chip_cards": True}, 3),
    ("classic", {}, 5),
    ("modern", {"bandit": True}, 5),
    ("modern", {"neutral_dice": True}, 3),
    ("cards", {}, 3),
    ("cards", {"sequential": True, "chip_cards": True}, 2),
    ("royale", {"tile_codes": ["A2", "B2", "C2", "D2", "E2", "F2"]}, 3),
    ("royale", {"tile_codes": ["G1", "H1"]}, 2),
    ("royale", {"tile_codes": ["G2", "H2", "A2", "B2"]}, 3),
]


@pytest.mark.parametrize(("edition", "options", "players"), sample(GAMES, len(GAMES)))
def test_a_whole_game_has_no_english_word(
    api: ApiClient, edition: str, options: dict[str, Any], players: int
) -> None:
    game = api.create_for(players, edition=edition, options=options)
    chance = random.Random(f"{edition}{options}")
    seen = 0
    table = api.get(game.address).get_json()
    while table["status"] != "over":
        seat = table["asks"][0]["seats"][0]
        own = api.get(f"{game.address}?language=de", game.tokens[seat]).get_json()
        seen += check_german(own)
        (ask,) = own["asks"]
        choice = chance.choice(ask["options"])["choice"]
        body = {"ask": ask["ask"], "choice": choice}
        reply = api.post(f"{game.address}/choices?language=de", body, game.tokens[seat])
        assert reply.status_code == 200
        table = reply.get_json()["table"]
        seen += check_german(table)
    address = f"{game.address}/events?sentences=true&language=de"
    while (page := api.call("GET", address))["commits"]:
        seen += check_german(page)
        address = page["next"]
    assert seen > 300


def test_the_catalogues_have_no_english_word(api: ApiClient) -> None:
    for address in ("/v1/editions", "/v1/bots", "/v1/problems"):
        assert check_german(api.call("GET", f"{address}?language=de")) > 0


SEATS = [{"name": "Anna"}, {"bot": "greedy"}]
GAME = {"edition": "classic", "seats": SEATS}
# What people get wrong: method, address, body.
MISTAKES: list[tuple[str, str, Any]] = [
    *(
        ("POST", "/v1/games", body)
        for body in (
            b"",
            b"{",
            b'{"edition" "classic"}',
            b'{"edition": "classic",}',
            b"[1, 2]",
            b'"text"',
            b'{"a": 1, "a": 2}',
            b'{"edition": NaN}',
            b"\xff",
            b'{"a": "\\ud800"}',
            {},
            {"edition": "classic"},
            {"edition": 5, "seats": SEATS},
            {"edition": "clasic", "seats": SEATS},
            {"edition": "monopoly", "seats": SEATS},
            {"edition": "classic", "seats": "two"},
            {"edition": "classic", "seats": []},
            {"edition": "classic", "seats": [{}] * 2},
            {"edition": "classic", "seats": [{"name": "A"}] * 9},
            {"edition": "classic", "seats": [{"name": ""}, {"bot": "greedy"}]},
            {"edition": "classic", "seats": [{"name": " "}, {"bot": "greedy"}]},
            {"edition": "classic", "seats": [{"name": "x" * 50}, {"bot": "greedy"}]},
            {"edition": "classic", "seats": [{"name": "a\u202eb"}, {"bot": "greedy"}]},
            {"edition": "classic", "seats": [{"name": "greedy"}, {"bot": "greedy"}]},
            {"edition": "classic", "seats": [{"name": 5}, {"bot": "greedy"}]},
            {"edition": "classic", "seats": [{"bot": "godlike"}, {"name": "A"}]},
            {"edition": "classic", "seats": [{"open": False}, {"name": "A"}]},
            {"edition": "classic", "seats": [{"name": "A", "bot": "greedy"}, {"name": "B"}]},
            {"edition": "classic", "seats": ["Anna", "Ben"]},
            {**GAME, "option": {}},
            {**GAME, "token": "abc"},
            {**GAME, "idempotency_key": "abc"},
            {**GAME, "visibility": "hidden"},
            {**GAME, "options": []},
            {**GAME, "options": {"tiles": 3}},
            {**GAME, "options": {"hide_money": "yes"}},
            {**GAME, "options": {"hide_money": 1}},
            {**GAME, "options": {"turn_seconds": "60"}},
            {**GAME, "options": {"turn_seconds": -1}},
            {**GAME, "options": {"turn_seconds": 1.5}},
            {**GAME, "options": {"turn_seconds": 10**9}},
            {**GAME, "options": {"start_seat": 7}},
            {**GAME, "options": {"on_timeout": "nobody"}},
            {**GAME, "options": {"increment_seconds": 5}},
            {"edition": "modern", "seats": SEATS, "options": {"bandit": True}},
            {"edition": "royale", "seats": SEATS, "options": {"tiles": 9}},
            {"edition": "royale", "seats": SEATS, "options": {"tile_codes": ["Z9"]}},
            {"edition": "royale", "seats": SEATS, "options": {"tile_codes": ["A1", "A2"]}},
            {"edition": "royale", "seats": SEATS, "options": {"tile_codes": ["A1", "A1"]}},
            {"edition": "royale", "seats": SEATS, "options": {"tile_codes": "A1"}},
            {"edition": "cards", "seats": SEATS, "options": {"chip_cards": True}},
        )
    ),
    *(
        ("POST", "{game}/choices", body)
        for body in (
            {},
            {"ask": 1},
            {"choice": "place-1"},
            {"ask": "1", "choice": "place-1"},
            {"ask": 1, "choice": 0},
            {"ask": 1, "choice": None},
            {"ask": 1, "choice": ["place-1"]},
            {"ask": 1, "choice": {"choice": "place-1"}},
            {"ask": 1, "choice": "Place two dice on casino 1"},
            {"ask": 1, "choice": " place-1"},
            {"ask": 1, "choice": ""},
            {"ask": 1, "choice": "place-9"},
            {"ask": 0, "choice": "place-1"},
            {"ask": 99, "choice": "place-1"},
            {"ask": 1.5, "choice": "place-1"},
            {"ask": 1, "choice": "place-1", "seat": 0},
        )
    ),
    *(
        ("POST", address, {})
        for address in ("{game}/start", "{game}/cancel", "{game}/rematch", "{game}/seats")
    ),
    ("POST", "{game}/forks", {"at": 1, "seats": SEATS}),
    ("POST", "{game}/forks", {}),
    ("POST", "/v1/players", {}),
    ("POST", "/v1/players", {"name": ""}),
    ("POST", "/v1/codes", {"code": "XXXX"}),
    ("POST", "/v1/codes", {}),
    ("POST", "/v1/tickets", {}),
    ("POST", "/v1/advice", {}),
    ("POST", "/v1/advice", {"game": "g_1", "bot": "expert"}),
    ("POST", "/v1/advice", {"table": {}, "seat": 0}),
    *(
        ("GET", address, None)
        for address in (
            "/v1/game",
            "/games",
            "/v1/games/",
            "/v1/games/abc",
            "/v1/games/g_0123456789abcdefghijkl",
            "/v1/players/p_0123456789abcdefghijkl",
            "/v1/tasks/t_0123456789abcdefghijkl",
            "/v1/problems/none",
            "/v1/me",
            "/v1/games?limit=0",
            "/v1/games?limit=x",
            "/v1/games?status=finished",
            "/v1/games?cursor=abc",
            "/v1/games?token=abc",
            "{game}?at=0",
            "{game}?at=99",
            "{game}?wait=100",
            "{game}?wait=5",
            "{game}/events?after=99",
            "{game}/events?after=-1",
            "{game}/events?head=xyz",
            "{game}/explain/99",
            "{game}/explain/x",
            "{game}/diff?from=3&to=1",
            "{game}/decisions/1",
            "{game}/analysis",
            "{game}/knowledge?seat=5",
            "{game}?version=1",
        )
    ),
    ("DELETE", "{game}", None),
    ("PUT", "/v1/games", {}),
]


def test_typical_mistakes_are_refused_in_german(api: ApiClient) -> None:
    game = api.create_for(2)
    seat, _ = game.ask()
    assert len(MISTAKES) >= 100
    for method, address, body in MISTAKES:
        place = address.format(game=game.address)
        reply = api.send(method, place, body, game.tokens[seat], accept_language="de")
        assert 400 <= reply.status_code < 500, (address, body)
        assert reply.headers["Content-Language"] == "de", address
        assert check_german(reply.get_json()) > 1
    for token in ("abc", "p_abc", "seat_abc"):
        check_german(api.post(f"{game.address}/choices", {}, token, accept_language="de").get_json())
