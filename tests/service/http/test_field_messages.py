"""What is wrong with a body is said in our words, wherever it is found."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.api_client import ApiClient
from tests.support.sent_tables import wooden_table

A_TILE = {"code": "A2", "shows": {"jackpot": "much"}}
ODD_BODIES: list[tuple[str, dict[str, Any], dict[str, str]]] = [
    ("/v1/games", {}, {"/edition": "`edition` is required.", "/seats": "`seats` is required."}),
    (
        "/v1/games",
        {"edition": "", "seats": [{"name": "x" * 99}, {"bot": 5}], "visibility": "secret"},
        {
            "/edition": "`edition` must have 1 to 40 characters.",
            "/visibility": "`visibility` must be one of public, unlisted, private.",
            "/seats/0/name": "`seats[0].name` must have 1 to 40 characters.",
            "/seats/1/bot": "`seats[1].bot` must be a string.",
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
            "/table/edition": "`table.edition` must not be null.",
            "/table/seats": "`table.seats` must have 2 to 6 items.",
            "/table/casinos/0": "`table.casinos[0]` must not be null.",
            "/table/casinos/1": "`table.casinos[1]` must be an object.",
            "/table/casinos/2/number": "`table.casinos[2].number` is required.",
            "/table/casinos/2/notes/0": "`table.casinos[2].notes[0]` must not be null.",
            "/table/asks": "`table.asks` must be an array.",
            "/table/options": "`table.options` must be an object.",
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
    assert found["/table/casinos/0/tile/shows/jackpot"] == (
        "`table.casinos[0].tile.shows.jackpot` must be a whole number, not a text."
    )
