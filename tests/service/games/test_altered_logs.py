"""A commit that was altered where it is kept is noticed when it is read back, and nobody plays on it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
import redis

from events.chain import digest, public_form
from events.redis_store import RedisStore
from service.games.cache import BrokenLog
from service.games.games import Games
from tests.service.ops.test_metrics import read_metric
from tests.support.api_client import ApiClient, Game
from tests.support.app import open_app
from tests.support.restores import (
    Alteration,
    Entries,
    alter_commit,
    alter_log,
    drop,
    dump_game,
    replace_entry,
    restore_game,
    swap,
)

ANSWERS, ALTERED = 6, 4


def change_time(commit: dict[str, Any]) -> None:
    commit["at"] = "2026-11-15T12:00:00.000Z"


def change_who(commit: dict[str, Any]) -> None:
    commit["by"] = "clock"


def change_choice(commit: dict[str, Any]) -> None:
    commit["command"]["choice"]["value"] = "play-9"


def change_salt(commit: dict[str, Any]) -> None:
    commit["command"]["choice"]["salt"] = "00" * 16


def change_commitment(commit: dict[str, Any]) -> None:
    commit["command"]["choice"]["hidden"] = "00" * 32


def drop_events(commit: dict[str, Any]) -> None:
    del commit["events"][1:]


def change_hash(commit: dict[str, Any]) -> None:
    commit["hash"] = "00" * 32


ALTERATIONS: dict[str, Alteration] = {
    **{
        change.__name__: alter_commit(ALTERED, change)
        for change in (change_time, change_who, change_choice, change_salt, change_commitment, drop_events)
    },
    "change_hash": alter_commit(ALTERED, change_hash),
    "swap": swap(ALTERED, ALTERED + 1),
    "drop": drop(ALTERED),
    "no_json": replace_entry(ALTERED, b"no commit"),
    "nothing": replace_entry(ALTERED, b""),
    "no_commit": replace_entry(ALTERED, b"{}"),
    "format": alter_commit(ALTERED, lambda commit: commit.update(format=9)),
}


@pytest.fixture
def game(api: ApiClient) -> Game:
    """Of cards, in which every choice is a secret."""
    game = api.create_for(3, edition="cards")
    for _ in range(ANSWERS):
        seat, ask = game.ask()
        assert game.choose(seat, ask["ask"], ask["options"][0]["choice"]).status_code == 200
    return game


@pytest.fixture
def cold(memory: redis.Redis, game: Game) -> Iterator[ApiClient]:
    """Another process, which has not seen the game yet."""
    with open_app(memory) as app:
        yield ApiClient(app.test_client())


def told(log: BytesIO) -> list[tuple[str, int]]:
    lines = map(json.loads, log.getvalue().splitlines())
    return [(line["game"], line["version"]) for line in lines if line["event"] == "log_broken"]


def code_of(reply: Any) -> tuple[int, str | None]:
    return reply.status_code, None if reply.status_code == 200 else reply.get_json()["code"]


@pytest.mark.parametrize("alteration", ALTERATIONS.values(), ids=ALTERATIONS)
def test_nobody_plays_on_a_log_that_was_altered(
    memory: redis.Redis, cold: ApiClient, game: Game, log: BytesIO, alteration: Alteration
) -> None:
    other = game.api.create_for(2)
    failures = read_metric(cold.get("/metrics").data, "croupier_chain_failures_total")
    kept = dump_game(memory, game.id)
    alter_log(memory, game.id, alteration)
    body, token = {"ask": 3, "choice": "play-1"}, game.tokens[0]
    for _ in range(2):
        assert code_of(cold.get(game.address)) == (503, "broken_log")
        assert code_of(cold.get(game.address, token)) == (503, "broken_log")
        assert code_of(cold.get(f"{game.address}?at=7")) == (503, "broken_log")
        assert code_of(cold.post(f"{game.address}/choices", body, token)) == (503, "broken_log")
        assert code_of(cold.post(f"{game.address}/seats", {"name": "Ben"})) == (503, "broken_log")
    assert code_of(cold.get(other.address)) == (200, None)
    assert told(log) == [(game.id, ALTERED)]
    assert read_metric(cold.get("/metrics").data, "croupier_chain_failures_total") == failures + 1
    restore_game(memory, game.id, kept)
    assert cold.get(game.address).get_json() == game.table()


@pytest.mark.parametrize("alteration", ALTERATIONS.values(), ids=ALTERATIONS)
def test_an_auditor_sees_what_is_wrong(
    memory: redis.Redis, cold: ApiClient, game: Game, alteration: Alteration
) -> None:
    before = cold.get(f"{game.address}/events").get_json()["commits"]
    alter_log(memory, game.id, alteration)
    for api in (cold, game.api):
        audit = api.get(f"{game.address}/audit").get_json()
        assert (audit["verified"]["ok"], audit["verified"]["version"]) == (False, ALTERED)
        assert audit["verified"]["fault"]
        assert (audit["version"], len(audit["commitment"]), audit["seed"]) == (ANSWERS + 1, 64, None)
        shown = api.get(f"{game.address}/events").get_json()["commits"]
        lines = api.get(f"{game.address}/events", Accept="application/x-ndjson").data.splitlines()
        assert shown == [json.loads(line) for line in lines]
        assert shown[: ALTERED - 1] == before[: ALTERED - 1]
        assert code_of(api.get(game.address)) == (503, "broken_log")


def test_the_newest_commit_is_checked_even_where_it_is_known(memory: redis.Redis, game: Game) -> None:
    alter_log(memory, game.id, alter_commit(ANSWERS + 1, change_time))
    assert code_of(game.api.get(game.address)) == (503, "broken_log")


def test_whoever_follows_the_game_notices_what_was_altered_behind_it(memory: redis.Redis, game: Game) -> None:
    """Another process has decided on what it remembers, and its commit is sound."""
    follower = Games(RedisStore(memory))
    follower.snapshot(game.id)
    seat, ask = game.ask()
    alter_log(memory, game.id, alter_commit(ANSWERS + 1, change_who))
    assert game.choose(seat, ask["ask"], ask["options"][0]["choice"]).status_code == 200
    with pytest.raises(BrokenLog, match=f"version {ANSWERS + 1}: its hash does not match its content"):
        follower.snapshot(game.id)


def test_a_hash_that_is_kept_wrongly_is_no_contention(memory: redis.Redis, game: Game) -> None:
    """In a log of 0.2, which has the hash twice."""

    def alter(entries: Entries) -> None:
        alter_commit(ANSWERS + 1, lambda commit: None)(entries)
        entries[ANSWERS + 1][b"h"] = b"00" * 32

    alter_log(memory, game.id, alter)
    seat, ask = game.ask()
    reply = game.choose(seat, ask["ask"], ask["options"][0]["choice"])
    assert code_of(reply) == (503, "broken_log")


def test_what_a_newer_program_adds_is_no_alteration(memory: redis.Redis, cold: ApiClient, game: Game) -> None:
    """It is in the hash that its writer made, though nobody here knows what it means."""
    raws = [json.loads(entry) for entry in RedisStore(memory).read_stored(game.id)]
    _link_again(raws, weather="fair")

    def alter(entries: Entries) -> None:
        for raw in raws:
            entries[raw["version"]] = {b"e": json.dumps(raw).encode(), b"h": raw["hash"].encode()}

    alter_log(memory, game.id, alter)
    assert code_of(cold.get(game.address)) == (200, None)


def _link_again(raws: list[dict[str, Any]], **members: str) -> None:
    head = raws[0]["prev"]
    for raw in raws:
        raw.update(members, prev=head)
        raw["hash"] = head = digest(public_form(raw))


def test_a_finished_game_is_not_vouched_for_by_an_older_look(memory: redis.Redis, api: ApiClient) -> None:
    game = api.create_for(2)
    game.play()
    assert api.get(f"{game.address}/audit").get_json()["verified"]["ok"] is True
    alter_log(memory, game.id, alter_commit(ALTERED, change_time))
    assert api.get(f"{game.address}/audit").get_json()["verified"]["ok"] is False
