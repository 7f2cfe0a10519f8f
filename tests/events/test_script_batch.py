"""Calls of scripts that are sent together: each is settled, and a fault of one game is none of another."""

from __future__ import annotations

from typing import Any

import pytest
import redis

from events.script_batch import ScriptBatch, ScriptCall
from events.store import Unavailable

_ADD = "return redis.call('INCRBY', KEYS[1], ARGV[1])"


def add(client: redis.Redis, key: str, number: int, settled: list[int]) -> ScriptCall:
    def settle(reply: Any) -> int:
        settled.append(int(reply))
        return int(reply)

    return ScriptCall(client.register_script(_ADD), (key,), (number,), settle)


def test_calls_are_carried_out_and_settled_in_their_order(client: redis.Redis) -> None:
    """Also where the server does not have the script yet."""
    batch, settled = ScriptBatch(client), list[int]()
    client.script_flush()
    for number in (1, 2, 3):
        batch.add("g_1", add(client, "sum", number, settled))
    assert client.get("sum") is None
    assert batch.send() == {}
    assert settled == [1, 3, 6]
    assert batch.send() == {}
    assert client.get("sum") == b"6"


def test_a_fault_of_one_game_holds_up_no_other(client: redis.Redis) -> None:
    batch, settled = ScriptBatch(client), list[int]()
    client.set("text", "no number")
    batch.add("g_bad", add(client, "text", 1, settled))
    batch.add("g_good", add(client, "sum", 2, settled))
    faults = batch.send(is_of_one_game=lambda fault: not isinstance(fault, Unavailable))
    assert set(faults) == {"g_bad"}
    assert settled == [2]


def test_what_is_dropped_is_not_sent(client: redis.Redis) -> None:
    batch = ScriptBatch(client)
    batch.add("g_1", add(client, "sum", 1, []))
    batch.clear()
    assert batch.send() == {}
    assert client.get("sum") is None


def test_a_server_that_is_away_is_a_fault_of_all() -> None:
    client = redis.Redis(port=1)
    batch = ScriptBatch(client)
    batch.add("g_1", add(client, "sum", 1, []))
    with pytest.raises(Unavailable):
        batch.send(is_of_one_game=lambda fault: not isinstance(fault, Unavailable))
