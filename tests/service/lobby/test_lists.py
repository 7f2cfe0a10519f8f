"""The list of games over HTTP: what is asked for, and reading what one has just written."""

from __future__ import annotations

from threading import Thread

import pytest

from tests.support.api_client import ApiClient

UNKNOWN = "g_0000000000000000000000"


def test_a_new_game_is_in_the_list_at_once(api: ApiClient) -> None:
    for _ in range(20):
        game = api.create({"name": "Anna"}, {"open": True})
        (row, *_) = api.call("GET", "/v1/games")["games"]
        assert (row["id"], row["version"], row["status"]) == (game.id, 1, "lobby")
        api.call("POST", f"{game.address}/seats", {"name": "Ben"})
        assert api.call("GET", "/v1/games?status=playing")["games"][0]["version"] == 2


def test_a_list_knows_a_game_as_far_as_the_caller_does(api: ApiClient) -> None:
    """Nobody projects here: what was chosen is not in the list by itself."""
    game = api.create_for(2)
    seat, ask = game.ask()
    game.choose(seat, ask["ask"], ask["options"][0]["choice"])
    assert api.call("GET", "/v1/games")["games"][0]["version"] == 1
    assert api.call("GET", f"/v1/games?game={game.id}&min_version=2")["games"][0]["version"] == 2
    assert api.get(f"/v1/games?game={game.id}&min_version=3").status_code == 404
    assert api.get(f"/v1/games?game={UNKNOWN}&min_version=1").status_code == 404
    for query in ("min_version=2", f"game={game.id}", "wait=3", "game=me&min_version=1"):
        assert api.get(f"/v1/games?{query}").status_code == 422


def test_a_table_can_be_waited_for(api: ApiClient) -> None:
    game = api.create_for(2)
    seat, ask = game.ask()
    assert game.table(query="?min_version=1")["version"] == 1
    assert api.get(f"{game.address}?min_version=2").status_code == 404
    answering = Thread(target=lambda: game.choose(seat, ask["ask"], ask["options"][0]["choice"]))
    answering.start()
    assert game.table(query="?min_version=2&wait=60")["version"] == 2
    answering.join()
    assert api.get(f"{game.address}?wait=1").status_code == 422


@pytest.mark.parametrize(
    ("query", "known"),
    [
        ("status=waiting", "lobby"),
        ("edition=roulette", "royale"),
        ("order=luck", "changed"),
        ("open_seats=0", "1"),
        ("player=Anna", "p_ and 22"),
        ("player=", "p_ and 22"),
        ("player=p_aaaaaaaaaaaaaaaaaaaaaa%0A", "p_ and 22"),
        ("updated_after=yesterday", "2026"),
        ("updated_after=2026-11-15T12:00:00", "2026"),
        ("finished_after=2026-02-30T12:00:00Z", "2026"),
    ],
)
def test_an_unknown_value_is_refused_with_those_there_are(api: ApiClient, query: str, known: str) -> None:
    reply = api.get(f"/v1/games?{query}")
    assert reply.status_code == 422
    (fault,) = reply.get_json()["errors"]
    assert known in fault["detail"]
    assert fault["parameter"] == query.partition("=")[0]


def test_filters_go_together_and_pages_keep_them(api: ApiClient) -> None:
    made = [api.create({"name": "Anna"}, {"open": True}, edition="modern").id for _ in range(3)]
    api.create({"name": "Ben"}, {"open": True}, edition="modern")
    query = "name=anna&open_seats=1&edition=modern&limit=2&order=changed"
    query += "&updated_after=2026-01-01T00:00:00%2B01:00"
    page = api.call("GET", f"/v1/games?{query}")
    found = [row["id"] for row in page["games"]]
    assert page["next"]
    found += [row["id"] for row in api.call("GET", page["next"])["games"]]
    assert sorted(found) == sorted(made)
    assert api.call("GET", "/v1/games?finished_after=2026-01-01T00:00:00Z")["games"] == []


@pytest.mark.parametrize("media", ["application/json", "application/x-ndjson", "text/event-stream"])
def test_nobody_waits_behind_the_end_of_a_log(api: ApiClient, media: str) -> None:
    game = api.create_for(2)
    reply = api.get(f"{game.address}/events?after=2&wait=30", Accept=media)
    assert (reply.status_code, reply.get_json()["code"], reply.get_json()["version"]) == (
        404,
        "unknown_version",
        1,
    )
