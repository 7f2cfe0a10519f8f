"""Seats for programs from elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.api_client import ApiClient


def test_a_remote_seat_gets_a_token_and_shows_its_deadline_and_fallback(api: ApiClient) -> None:
    remote = {"name": "My program", "seconds": 5, "fallback": "steady"}
    game = api.create({"remote": remote}, {"name": "Anna"}, options={"start_seat": 0})
    table = game.table(0)
    assert table["seats"][0]["remote"] == {"seconds": 5, "fallback": "steady"}
    assert (table["seats"][0]["name"], table["seats"][0]["kind"]) == ("My program", "human")
    assert "remote" not in table["seats"][1]
    (ask,) = table["asks"]
    assert ask["deadline"]
    assert game.choose(0, ask["ask"], ask["options"][0]["choice"]).status_code == 200
    (ask,) = game.table(1)["asks"]
    assert ask["deadline"] is None


def test_seconds_and_fallback_may_be_left_out(api: ApiClient) -> None:
    game = api.create({"remote": {"name": "My program"}}, {"name": "Anna"})
    assert game.table()["seats"][0]["remote"] == {"seconds": 10, "fallback": "greedy"}


@pytest.mark.parametrize(
    ("remote", "pointer"),
    [
        ({}, "/seats/0/remote"),
        ({"name": "x", "player": "p_0123456789abcdefghijkl"}, "/seats/0/remote"),
        ({"name": ""}, "/seats/0/remote/name"),
        ({"name": "x", "seconds": 0}, "/seats/0/remote/seconds"),
        ({"name": "x", "fallback": "genius"}, "/seats/0/remote/fallback"),
        ("x", "/seats/0/remote"),
    ],
)
def test_what_makes_no_sense_is_refused(api: ApiClient, remote: Any, pointer: str) -> None:
    plan = {"edition": "classic", "seats": [{"remote": remote}, {"name": "Anna"}]}
    reply = api.post("/v1/games", plan)
    assert reply.status_code == 422
    assert pointer in [fault["pointer"] for fault in reply.get_json()["errors"]]
