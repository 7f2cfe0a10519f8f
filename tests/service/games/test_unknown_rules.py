"""A live game by rules that only a newer program knows: read and audited, but not played."""

from __future__ import annotations

import json

import pytest
import redis
from msgspec.structs import replace

from events.redis_store import RedisStore
from rules.editions import EDITIONS
from rules.releases import Editions
from service.games.tokens import token_hashes
from tests.support.api_client import ApiClient
from tests.support.release_games import GAME, SEED, play_game

NEWER = Editions((replace(EDITIONS.newest["classic"], release=7),))
TOKEN = "a-token-of-somebody"
ANSWERS = {"running": 9, "over": 5_000}


def store_game(memory: redis.Redis, answers: int, waiting: bool = False) -> str:
    """What the newer program has left in the log."""
    commits = play_game(NEWER, "classic", 2, answers=answers, last_sits_down=waiting)
    vault: dict[str, str] | None = {"seed": SEED.hex(), **token_hashes({0: TOKEN})}
    for commit in commits[:1] if waiting else commits:
        RedisStore(memory).append(GAME, commit, vault)
        vault = None
    return f"/v1/games/{GAME}"


@pytest.mark.parametrize("answers", ANSWERS.values(), ids=ANSWERS)
def test_its_table_is_a_problem_that_names_what_is_not_known(
    memory: redis.Redis, api: ApiClient, answers: int
) -> None:
    reply = api.get(store_game(memory, answers))
    problem = json.loads(reply.data)
    assert (reply.status_code, problem["code"]) == (501, "unknown_rules")
    assert problem["detail"] == "This server does not support release 7 of classic."


def test_it_takes_no_answer_and_nobody_sits_down(memory: redis.Redis, api: ApiClient) -> None:
    address = store_game(memory, 9)
    reply = api.post(f"{address}/choices", {"ask": 10, "choice": "place-1"}, TOKEN)
    assert (reply.status_code, json.loads(reply.data)["code"]) == (501, "unknown_rules")
    memory.flushall()
    address = store_game(memory, 0, waiting=True)
    reply = api.post(f"{address}/seats", {"name": "Ben"})
    assert (reply.status_code, json.loads(reply.data)["code"]) == (501, "unknown_rules")


@pytest.mark.parametrize("answers", ANSWERS.values(), ids=ANSWERS)
def test_its_events_are_read_as_ever(memory: redis.Redis, api: ApiClient, answers: int) -> None:
    page = json.loads(api.get(f"{store_game(memory, answers)}/events?limit=500").data)
    assert page["commits"][0]["rules"] == "7"
    assert len(page["commits"]) == RedisStore(memory).head(GAME)[0]


def test_its_audit_says_what_was_not_checked(memory: redis.Redis, api: ApiClient) -> None:
    audit = json.loads(api.get(f"{store_game(memory, 9)}/audit").data)
    assert (audit["seed"], audit["verified"]) == (None, None)
    memory.flushall()
    audit = json.loads(api.get(f"{store_game(memory, 5_000)}/audit").data)
    assert audit["seed"] == SEED.hex()
    assert audit["verified"]["ok"] is None
    assert audit["verified"]["unchecked"] == "this program does not know release 7 of classic"


def test_the_list_of_games_goes_on_without_it(memory: redis.Redis, api: ApiClient) -> None:
    store_game(memory, 9)
    known = api.create_for(2)
    assert known.table()["status"] == "playing"
    assert api.get("/v1/games").status_code == 200
