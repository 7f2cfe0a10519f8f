"""Versions are the same on every branch of a log, hashes are not: callers who send both are told."""

from __future__ import annotations

import json

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from service.http.headers import LogPosition, format_position, parse_position
from tests.support.api_client import ApiClient, Game
from tests.support.restores import dump_game, restore_game

SSE = "text/event-stream"
NOWHERE = "0" * 16
OTHER = "f" * 16


@pytest.fixture
def game(api: ApiClient) -> Game:
    game = api.create_for(2)
    _answer(game)
    return game


def _answer(game: Game, option: int = 0) -> None:
    seat, ask = game.ask()
    assert game.choose(seat, ask["ask"], ask["options"][option]["choice"]).status_code == 200


def head_of(game: Game) -> str:
    head: str = game.api.get(f"{game.address}/audit").get_json()["head"]
    return head


@given(st.integers(0, 999_999_999), st.text("0123456789abcdef", min_size=64, max_size=64))
def test_a_mark_is_read_as_it_was_written(version: int, head: str) -> None:
    mark = parse_position(format_position(version, head))
    assert mark is not None
    assert mark.names(version, head)
    assert not mark.names(version + 1, head)
    assert parse_position(str(version)) == LogPosition(version)


@pytest.mark.parametrize(
    "text", ["", "-", "33-", "33-abc", "33-ABCDEF01", "33.abcdef01", "x", "3 3", "9" * 10, "٣"]
)
def test_what_is_no_mark_is_none(text: str) -> None:
    assert parse_position(text) is None


def test_pages_that_are_held_to_a_hash_follow_each_other(game: Game) -> None:
    address, commits = f"{game.address}/events?after=0&limit=1&head={NOWHERE}", []
    for _ in range(2):
        page = game.api.get(address).get_json()
        commits += page["commits"]
        address = page["next"]
    assert [commit["version"] for commit in commits] == [1, 2]
    assert address.endswith(f"?after=2&limit=1&head={commits[-1]['hash'][:16]}")


def test_a_page_of_another_log_leads_to_the_beginning(game: Game) -> None:
    page = game.api.get(f"{game.address}/events?after=1&head={OTHER}").get_json()
    assert (page["commits"], page["next"]) == ([], f"{game.address}/events?after=0&head={NOWHERE}")
    lines = game.api.get(f"{game.address}/events?after=1&head={OTHER}", Accept="application/x-ndjson")
    assert lines.data == b""


def test_a_stream_that_is_held_to_a_hash_has_it_in_its_ids(game: Game) -> None:
    head, address = head_of(game), f"{game.address}/events?after=1&limit=1"
    page = game.api.get(f"{game.address}/events").get_json()["commits"]
    marked = game.api.get(f"{address}&head={page[0]['hash']}", Accept=SSE).data
    assert f"id: 2-{head[:16]}\n" in marked.decode()
    assert b"id: 2\n" in game.api.get(address, Accept=SSE).data
    for left_at in (f"1-{OTHER}", f"2-{OTHER}"):
        again = game.api.get(address, Accept=SSE, Last_Event_ID=left_at).data
        assert b'event: reset\ndata: {"version":0}' in again


def test_a_finished_game_has_nothing_left_for_who_has_all_of_it_alone(game: Game) -> None:
    game.play()
    version, head = game.version(), head_of(game)
    address = f"{game.address}/events?head={NOWHERE}"
    assert game.api.get(address, Accept=SSE, Last_Event_ID=f"{version}-{head[:16]}").status_code == 204
    other = game.api.get(address, Accept=SSE, Last_Event_ID=f"{version}-{OTHER}")
    assert (other.status_code, b"event: reset" in other.data) == (200, True)


@pytest.mark.parametrize("head", ["", "abc", "x" * 16, "A" * 16, "0" * 65])
def test_a_head_that_is_none_is_refused(game: Game, head: str) -> None:
    reply = game.api.get(f"{game.address}/events?head={head}")
    assert (reply.status_code, reply.get_json()["errors"][0]["parameter"]) == (422, "head")


def test_if_match_takes_a_hash_too(game: Game) -> None:
    head, (seat, ask) = head_of(game), game.ask()
    choice = ask["options"][0]["choice"]
    for tag in (f'"2-{OTHER}"', f'"1-{head[:16]}"', f'"1", "2-{OTHER}"'):
        assert game.choose(seat, ask["ask"], choice, If_Match=tag).status_code == 412
    assert game.choose(seat, ask["ask"], choice, If_Match=f'"7", "2-{head[:16]}"').status_code == 200


def test_after_a_restore_the_version_alone_vouches_for_nothing(memory: redis.Redis, game: Game) -> None:
    kept = dump_game(memory, game.id)
    _answer(game)
    paths = ("", "?at=2", "/events", "/audit")
    tags = {path: game.api.get(game.address + path).headers["ETag"] for path in paths}
    assert set(tags.values()) == {'"3"', '"2"'}
    restore_game(memory, game.id, kept)
    game.table()
    _answer(game, -1)
    for path, tag in tags.items():
        reply = game.api.get(game.address + path, If_None_Match=tag)
        assert (reply.status_code, json.loads(reply.data) != {}) == (200, True)
        again = game.api.get(game.address + path, If_None_Match=reply.headers["ETag"])
        assert again.status_code == 304
    seat, ask = game.ask()
    choice, tag = ask["options"][0]["choice"], game.api.get(game.address).headers["ETag"]
    assert game.choose(seat, ask["ask"], choice, If_Match=tag).status_code == 200
