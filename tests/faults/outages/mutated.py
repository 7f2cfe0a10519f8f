"""Requests of the contract with something spoilt: none brings it down, none that is refused is kept."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import redis
from msgspec import Struct

from tests.support.api_client import ApiClient
from tests.support.app import capture_log, open_app, open_memory
from tests.support.contract import Described, described_operations

GOAL = int(os.environ.get("REQUESTS", "100000"))
# What was accepted fills the memory that is compared after every refusal.
FOR_ONE_SERVICE = 250
ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    2**63,
    1e308,
    "",
    "x",
    "é\u202e",
    "\ud800",
    [],
    {},
    [[]],
    "g_" + "x" * 22,
)
PIECES = (b"", b"\xff", b"\x00", b"NaN", b"[[[[", b'"\\ud800"', b'{"a":1,"a":2}', b"1e999", b",", b"9" * 400)
TEXTS = (
    "",
    "-1",
    "0",
    "9" * 22,
    "null",
    "1.5",
    "%00",
    "%FF",
    "٣",
    "..%2F",
    "true",
    "[]",
    "x" * 300,
    "2026-01-01",
)
NAMES = ("at", "after", "limit", "wait", "cursor", "status", "edition", "min_version", "ticket", "seat", "x")
HEADERS = (
    "Accept",
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "Last-Event-ID",
    "Origin",
)
VALUES = ("", "*/*", "x", "Bearer x", "Basic e30=", "text/plain", '"1"', "W/", "-1", "é", ";q=x", "9" * 30)


class Target(Struct, frozen=True):
    """A service with a game and somebody who plays it."""

    memory: redis.Redis
    api: ApiClient
    known: dict[str, str]
    tokens: tuple[str | None, ...]

    def stored(self) -> dict[bytes, bytes | None]:
        keys: Any = self.memory.keys()
        return {key: self.memory.dump(key) for key in keys}


@contextmanager
def open_target() -> Iterator[Target]:
    with capture_log(), open_memory() as memory, open_app(memory) as app:
        api = ApiClient(app.test_client())
        player = api.post("/v1/players", {"name": "Anna"}).get_json()
        seats = [{"player": True}, {"name": "Ben"}]
        game = api.post("/v1/games", {"edition": "classic", "seats": seats}, player["token"]).get_json()
        # The key that codes are hashed with is made when the first of them is looked up.
        api.post("/v1/codes", {"code": "b386 79jm p782"})
        known = {"game": game["id"], "player": player["id"]}
        yield Target(memory, api, known, (None, player["token"], game["seats"][1]["token"]))


def spoil_value(value: Any, random: Random) -> Any:
    """One member of it, or all of it."""
    if isinstance(value, dict) and value and random.random() < 0.8:
        name = random.choice([*value])
        spoilt = spoil_value(value[name], random)
        return {**value, random.choice((name, name, name.upper(), "x")): spoilt}
    if isinstance(value, list) and value and random.random() < 0.6:
        return [*value[:-1], spoil_value(value[-1], random)]
    return random.choice(ODD)


def spoil_body(body: bytes, random: Random) -> bytes:
    if random.random() < 0.6 and body.startswith(b"{") and b"\n" not in body:
        return json.dumps(spoil_value(json.loads(body), random)).encode()
    start, end = sorted(random.randrange(len(body) + 1) for _ in range(2))
    return body[:start] + random.choice(PIECES) + body[min(end, start + 20) :]


def spoil_address(address: str, random: Random) -> str:
    if random.random() < 0.5:
        return f"{address}?{random.choice(NAMES)}={random.choice(TEXTS)}"
    start = random.randrange(1, len(address) + 1)
    return address[:start] + random.choice(TEXTS) + address[start + random.randrange(3) :]


def send(target: Target, described: Described, random: Random) -> int:
    address, body = described.address(target.known), described.body(target.known)
    headers = described.headers(random.choice(target.tokens))
    match random.choice(("body", "body", "address", "header")):
        case "body" if body is not None:
            body = spoil_body(body, random)
        case "header":
            headers[random.choice(HEADERS)] = random.choice(VALUES)
        case _:
            address = spoil_address(address, random)
    reply = target.api.client.open(address, method=described.method, data=body, headers=headers)
    reply.close()
    return reply.status_code


def attack(target: Target, requests: int, random: Random) -> Counter[int]:
    operations, statuses = [*described_operations()], Counter[int]()
    before = target.stored()
    for _ in range(requests):
        described = random.choice(operations)
        status, after = send(target, described, random), target.stored()
        assert status < 400 or after == before, f"what was refused was kept: {status} of {described.id}"
        statuses[status], before = statuses[status] + 1, after
    return statuses


def run(folder: Path) -> bool:
    random, statuses = Random(9), Counter[int]()
    while statuses.total() < GOAL:
        with open_target() as target:
            statuses += attack(target, min(FOR_ONE_SERVICE, GOAL - statuses.total()), random)
    print(f"  {statuses.total()} requests: {dict(sorted(statuses.items()))}")
    return max(statuses) < 500
