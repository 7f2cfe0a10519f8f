"""An operator removes a game: nothing of it is left, and the log says what was removed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from service.container import build_backend, open_backend
from service.fairness.export_file import write_file
from service.lobby.removal import remove_game
from service.ops.redis_server import RedisServer
from tests.support.api_client import ApiClient, PlayerClient, project
from tests.support.app import capture_log
from tests.support.finished_games import finished_file, put_finished
from tests.support.games import play_answers, play_under, start_game


def find_mentions(memory: Any, text: str) -> Iterator[str]:
    """The keys that are named so or hold it; feeds of commits may, which are trimmed by themselves."""
    for key in memory.scan_iter():
        held = repr((key, read_key(memory, key)))
        if text in held and not key.endswith(b":feed"):
            yield key.decode()


def read_key(memory: Any, key: bytes) -> object:
    """All that a key holds."""
    match memory.type(key):
        case b"hash":
            return memory.hgetall(key)
        case b"set":
            return memory.smembers(key)
        case b"zset":
            return memory.zrange(key, 0, -1)
        case b"stream":
            return memory.xrange(key)
        case b"list":
            return memory.lrange(key, 0, -1)
        case _:
            return memory.get(key)


def test_nothing_is_left_of_a_game_that_is_removed(memory: Redis, api: ApiClient) -> None:
    other = put_finished(memory)
    anna = PlayerClient(api, "Anna")
    game = anna.set_up({"name": "Ben"}).id
    backend = build_backend(memory)
    for _ in play_answers(backend.games, game):
        pass
    project(memory)
    for finished in (game, other):
        backend.stats.count(finished)
    counted = backend.stats.read_counts()
    assert anna.get("/v1/me/games")["games"] != []
    head = backend.store.head(game)[1]
    with capture_log() as lines:
        remove_game(backend, game, "by request")
    (line,) = map(json.loads, lines.getvalue().splitlines())
    assert (line["event"], line["game"], line["head"]) == ("game_removed", game, head)
    assert line["reason"] == "by request"
    assert [*find_mentions(memory, game)] == []
    assert anna.get("/v1/me/games")["games"] == []
    assert anna.get("/v1/me/events")["events"] == []
    assert api.get(f"/v1/players/{anna.id}").get_json()["games"]["over"] == 0
    assert api.get(f"/v1/games/{game}").get_json()["code"] == "unknown_game"
    assert [row["id"] for row in api.get("/v1/games").get_json()["games"]] == [other]
    assert game.encode() not in api.get("/v1/exports").get_data()
    assert backend.stats.read_counts() != counted
    assert backend.stats.read_counts()["classic/2/finished"] == 1


def test_the_namesakes_of_a_removed_import_no_longer_name_it(memory: Redis, api: ApiClient) -> None:
    first = put_finished(memory)
    second = api.post(
        "/v1/imports", write_file(play_under(first)), Content_Type="application/x-ndjson"
    ).get_json()["id"]
    assert api.get(f"/v1/games/{first}/audit").get_json()["namesakes"] == [second]
    remove_game(build_backend(memory), second)
    assert api.get(f"/v1/games/{first}/audit").get_json()["namesakes"] == []
    assert [*find_mentions(memory, second)] == []


def test_what_was_removed_can_be_brought_again(memory: Redis, api: ApiClient) -> None:
    """A copy was removed; the genuine file that had to take another id is found under that."""
    game = put_finished(memory)
    genuine = write_file(play_under(game))
    own = api.post("/v1/imports", genuine, Content_Type="application/x-ndjson").get_json()["id"]
    remove_game(build_backend(memory), game)
    again = api.post("/v1/imports", genuine, Content_Type="application/x-ndjson").get_json()
    assert (again["id"], again["new"]) == (own, False)
    back = api.post("/v1/imports", finished_file(), Content_Type="application/x-ndjson").get_json()
    assert (back["id"], back["new"]) == (game, True)


def run_removal(url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    croupier = Path(sys.executable).with_name("croupier")
    environment = {**os.environ, "REDIS_URL": url}
    return subprocess.run(
        [croupier, "games", "remove", *arguments], capture_output=True, text=True, env=environment
    )


@pytest.mark.long
def test_the_command_removes_a_game_that_goes_on_only_by_force(
    redis_server: RedisServer, real_redis: Redis
) -> None:
    with open_backend(redis_server.url) as backend:
        game = start_game(backend.games)
        kept = run_removal(redis_server.url, game)
        assert (kept.returncode, "it is not over" in kept.stdout) == (1, True)
        removed = run_removal(redis_server.url, game, "--force", "--reason", "spam")
        assert (removed.returncode, removed.stdout) == (0, f"{game}: removed\n")
        assert json.loads(removed.stderr)["event"] == "game_removed"
        assert backend.store.list_games() == []
    again = run_removal(redis_server.url, game)
    assert (again.returncode, "there is no such game" in again.stdout) == (1, True)
