"""What is wrong with a body is said in our words, wherever it is found."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.api_client import ApiClient
from tests.support.sent_tables import wooden_table

A_TILE = {"code": "A2", "shows": {"jackpot": "much"}}
ODD_BODIES: list[tuple[str, dict[str, Any], dict[str, str]]] = [
    ("/v1/games", {}, {"/edition": "it is missing", "/seats": "it is missing"}),
    (
        "/v1/games",
        {"edition": "", "seats": [{"name": "x" * 99}, {"bot": 5}], "visibility": "secret"},
        {
            "/edition": "1 to 40 characters are expected",
            "/visibility": "there are public, unlisted, private",
            "/seats/0/name": "1 to 40 characters are expected",
            "/seats/1/bot": "a text is expected",
        },
    ),
    (
        "/v1/advice",
        {
            "table": {
                "edition": None,
                "seats": [{}],
                "casinos": [None, 3, {"notes": [None]}],
                "asks": 5,
                "options": [],
            },
            "seat": 0,
        },
        {
            "/table/edition": "null is not expected here",
            "/table/seats": "2 to 6 are expected",
            "/table/casinos/0": "null is not expected here",
            "/table/casinos/1": "an object is expected",
            "/table/casinos/2/number": "it is missing",
            "/table/casinos/2/notes/0": "null is not expected here",
            "/table/asks": "an array is expected",
            "/table/options": "an object is expected",
        },
    ),
]


@pytest.mark.parametrize(("address", "body", "told"), ODD_BODIES, ids=["nothing", "game", "table"])
def test_faults_of_form_are_told_in_plain_words(
    api: ApiClient, address: str, body: dict[str, Any], told: dict[str, str]
) -> None:
    errors = api.post(address, body).get_json()["errors"]
    found = {error["pointer"]: error["detail"] for error in errors}
    assert {pointer: found.get(pointer) for pointer in told} == told


def test_what_a_tile_cannot_show_is_told_in_plain_words(api: ApiClient) -> None:
    table = wooden_table() | {"edition": "royale"}
    for casino in table["casinos"]:
        casino.update(notes=[60_000, 30_000])
    table["seats"] = [{"dice": 8, "big": True}, *[{"dice": 5, "big": True}, {"dice": 5, "big": True}]]
    table["casinos"] = [{**casino, "dice": []} for casino in table["casinos"]]
    table["casinos"][0]["tile"] = A_TILE
    table["roll"] = {"own": [1, 2, 2, 3, 4, 5, 6], "big": 3}
    errors = api.post("/v1/advice", {"table": table, "seat": 0}).get_json()["errors"]
    found = {error["pointer"]: error["detail"] for error in errors}
    assert found["/table/casinos/0/tile/shows/jackpot"] == "a whole number is expected, not a text"
