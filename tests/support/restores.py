"""Logs that are restored to an earlier version, or altered, under running processes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any, cast

import redis
from flask import Flask, Response
from flask.testing import FlaskClient
from msgspec import Struct
from werkzeug.test import TestResponse

from events.follower import Projector, RedisCursor
from events.packing import unpack
from events.redis import connect, connect_blocking
from service.container import build_backend
from service.http.app import DOORBELL
from service.lobby.rebuild import PROJECTOR
from tests.support.api_client import ApiClient, long_key
from tests.support.app import open_app, open_apps_on
from tests.support.stores import LAYOUT
from tests.support.waiting import wait_until
from workers.projector import make_projector

Keys = dict[bytes, bytes]


def dump_game(memory: redis.Redis, game: str) -> Keys:
    """Its log, its vault and its requests."""
    keys = cast(list[bytes], memory.keys(f"croupier:*:{game}"))
    return {key: cast(bytes, memory.dump(key)) for key in keys}


def dump_everything(client: redis.Redis) -> Keys:
    """What a backup has."""
    keys = cast(list[bytes], client.keys())
    return {key: cast(bytes, client.dump(key)) for key in keys}


def restore_everything(client: redis.Redis, kept: Keys) -> None:
    """At once, so that nobody sees half of it."""
    with client.pipeline(transaction=True) as together:
        together.flushall()
        for key, value in kept.items():
            together.restore(key.decode(), 0, value)
        together.execute()


def restore_game(memory: redis.Redis, game: str, kept: Keys) -> None:
    for key in cast(list[bytes], memory.keys(f"croupier:*:{game}")):
        memory.delete(key)
    for key, value in kept.items():
        memory.restore(key, 0, value)


PLAN = {"edition": "cards", "options": {}, "seats": [{"player": True}, {"open": True}, {"open": True}]}
# The first is created, two sit down, and from then on everybody plays.
SEATED = 3
MOST_MOVES = 3


class Point(Struct, frozen=True):
    """What a backup has of a version, and who held which seat then."""

    kept: Keys
    tokens: dict[int, str]
    request: tuple[str, dict[str, Any], str | None, str]


class World:
    """Two warm processes of the API, a warm projector, and one game that is kept at every version."""

    def __init__(self, client: redis.Redis, apis: list[ApiClient], projector: Projector) -> None:
        self.client, self.warm, self._projector = client, apis, projector
        self.tokens: dict[int, str] = {}
        key, anna = long_key("the game"), apis[0].post("/v1/players", {"name": "Anna"}).get_json()
        self.tokens[0] = anna["token"]
        made = apis[0].post("/v1/games", PLAN, self.tokens[0], Idempotency_Key=key).get_json()
        self.game = made["id"]
        self.address = f"/v1/games/{self.game}"
        self.points: dict[int, Point] = {}
        self._keep("/v1/games", PLAN, self.tokens[0], key)

    def _keep(self, *request: Any) -> None:
        self._projector.step()
        self.points[len(self.points) + 1] = Point(dump_everything(self.client), dict(self.tokens), request)

    def sit(self, name: str) -> tuple[Any, ...]:
        body, key = {"name": name}, long_key(name)
        seated = self.warm[0].post(f"{self.address}/seats", body, Idempotency_Key=key).get_json()
        self.tokens[seated["seat"]] = seated["token"]
        return f"{self.address}/seats", body, None, key

    def answer(self, option: int, key: str) -> tuple[Any, ...] | None:
        """Somebody who is asked; None where the game is over."""
        asks = self.warm[0].get(self.address).get_json()["asks"]
        if not asks:
            return None
        token = self.tokens[asks[0]["seats"][-1]]
        (ask,) = self.warm[0].get(self.address, token).get_json()["asks"]
        body = {"ask": ask["ask"], "choice": ask["options"][option % len(ask["options"])]["choice"]}
        reply = self.warm[0].post(f"{self.address}/choices", body, token, Idempotency_Key=key)
        assert reply.status_code == 200, reply.data
        return f"{self.address}/choices", body, token, key

    def play_to_the_end(self) -> None:
        for name in ("Ben", "Carla"):
            self._keep(*self.sit(name))
        while request := self.answer(0, f"key-{len(self.points)}"):
            self._keep(*request)

    def go_to(self, version: int) -> None:
        restore_everything(self.client, self.points[version].kept)
        self.tokens = dict(self.points[version].tokens)

    def play_otherwise(self, moves: int) -> None:
        """From where the log stands now."""
        for number in range(moves):
            if len(self.tokens) < SEATED:
                self.sit(("Denny", "Emily")[len(self.tokens) - 1])
            elif self.answer(-1, f"other-{number}") is None:
                break
        self._projector.step()


def open_client(app: Flask) -> ApiClient:
    """Whether replies are as the contract says is for others to see, and takes long."""
    return ApiClient(FlaskClient(app, Response))


@contextmanager
def open_world(url: str) -> Iterator[World]:
    """On an empty server."""
    with (
        open_apps_on(url, 2) as apps,
        connect(url) as client,
        connect_blocking(url, 1) as waiting,
    ):
        projector = make_projector(build_backend(client), RedisCursor(waiting, PROJECTOR))
        projector.step()
        made = World(client, [open_client(app) for app in apps], projector)
        made.play_to_the_end()
        yield made


SSE, NDJSON = "text/event-stream", "application/x-ndjson"
CHOICE = {"ask": 1, "choice": "play-1"}
NOTHING = b'{"commits":[],"next":"%b/events?after=0"}'
TAGGED = ("", "/events", "/audit", "/export", "/timeline", "/diff")
HISTORY = ("explain/", "diff?from=1&to=", "knowledge?at=")
MINE = ("/v1/me", "/v1/me/games", "/v1/me/events?after=0")


def check_restore(world: World, url: str, at: int, back: int, thoroughly: bool = False) -> None:
    """From one version back to another; thoroughly means that everybody reads everything."""
    tags, tokens = warm_up(world, at), dict(world.tokens)
    tickets = [buy_ticket(world, token) for token in tokens.values()]
    with follow_to(world, at, back), ThreadPoolExecutor(2) as pool:
        waiting = wait_for_news(pool, world, at)
        world.go_to(back)
        world.play_otherwise(min(at - back, MOST_MOVES))
        for told in waiting:
            assert told.result() in (b"", NOTHING % world.address.encode())
    with connect(url) as client, open_app(client) as app:
        compare(world, open_client(app), paths(at, back), tags, thoroughly)
    check_tokens(world, [token for seat, token in tokens.items() if seat + 1 > back])
    check_tickets(world, tickets)
    check_mine(world)
    check_repeat(world, *world.points[at].request)


def paths(at: int, back: int) -> list[tuple[str, str]]:
    """What can be read of a game, and in what form."""
    return [
        *(("", "*/*"), (f"?at={back}", "*/*"), (f"?at={back + 1}", "*/*"), ("/audit", "*/*")),
        *(("/export", "*/*"), ("/timeline", "*/*"), ("/knowledge", "*/*")),
        *((f"/{what}{version}", "*/*") for what in HISTORY for version in (back, back + 1, at)),
        *((f"/events?after={after}", "*/*") for after in (0, back + 1, at)),
        *((f"/events?after={after}", NDJSON) for after in (0, back, at)),
    ]


def read(api: ApiClient, address: str, token: str | None, form: str, **headers: str) -> tuple[int, bytes]:
    reply = api.get(address, token, Accept=form, **headers)
    return reply.status_code, reply.data


def code(reply: TestResponse) -> tuple[int, Any]:
    return reply.status_code, reply.get_json().get("code")


def warm_up(world: World, at: int) -> dict[str, str]:
    """Both processes have the branch that is going to be lost, and all of its tokens."""
    world.go_to(at)
    for api in world.warm:
        for token in (None, *world.tokens.values()):
            assert api.get(world.address, token).get_json()["version"] == at
    return {path: api.get(world.address + path).headers["ETag"] for path in TAGGED for api in world.warm}


@contextmanager
def follow_to(world: World, at: int, back: int) -> Iterator[None]:
    """Streams that have come to the end of a branch: when that is lost they say so, and no more."""
    app, address = world.warm[1].client.application, f"{world.address}/events?after={at}"
    tokens = (None, world.tokens[0], world.tokens[max(world.tokens)])
    streams = [open_client(app).get(address, token, Accept=SSE) for token in tokens]
    frames = [stream.iter_encoded() for stream in streams if stream.status_code == 200]
    assert [next(told) for told in frames] == [b"retry: 2000\n\n"] * len(frames)
    yield
    for stream, told in zip(streams, frames, strict=False):
        with closing(stream):
            assert list(told) == [b'id: 0\nevent: reset\ndata: {"version":0}\n\n'], (at, back)


def wait_for_news(pool: ThreadPoolExecutor, world: World, at: int) -> list[Future[bytes]]:
    """A page and lines, both of which are waiting now; nobody waits at the end of a game that is over."""
    app, address = world.warm[1].client.application, f"{world.address}/events?after={at}&wait=60"
    if at == len(world.points):
        return []

    def count_listeners() -> int:
        return len(app.extensions[DOORBELL].all_listeners())

    def wait(form: str) -> bytes:
        return bytes(open_client(app).get(address, Accept=form).data)

    before = count_listeners()
    waiting = [pool.submit(wait, form) for form in ("application/json", NDJSON)]
    wait_until(lambda: count_listeners() == before + 2, "both of them wait")
    return waiting


def compare(
    world: World, fresh: ApiClient, asked: list[tuple[str, str]], tags: dict[str, str], thoroughly: bool
) -> None:
    """Warm processes tell what one tells that has just been started.

    Only they know that a reader who is beyond the end was there before: such a one is sent to the beginning.
    """
    begin_anew = ((200, NOTHING % world.address.encode()), (200, b""))
    viewers = (None, *world.tokens.values())
    for number, (path, form) in enumerate(asked):
        for token in viewers if thoroughly else viewers[number % len(viewers) :][:1]:
            told = read(fresh, world.address + path, token, form)
            for api in world.warm:
                beyond = begin_anew if told[0] == 404 and "after=" in path else ()
                assert read(api, world.address + path, token, form) in (told, *beyond), path
    for address in MINE:
        told = read(fresh, address, world.tokens[0], "application/json")
        assert told[0] == 200
        assert [read(api, address, world.tokens[0], "application/json") for api in world.warm] == [told] * 2
    for path, tag in tags.items():
        told = read(fresh, world.address + path, None, "*/*")
        for api in world.warm:
            assert read(api, world.address + path, None, "*/*", If_None_Match=tag) == told
    lines = read(fresh, f"{world.address}/events?limit=2", None, NDJSON)[1].splitlines()
    stream = read(world.warm[0], f"{world.address}/events?limit=2", None, SSE)[1]
    assert re.findall(rb"^data: (.*\bhash\b.*)$", stream, re.MULTILINE) == lines
    check_list(world, fresh.get(world.address).get_json())


def check_list(world: World, table: dict[str, Any]) -> None:
    for api in world.warm:
        (line,) = api.get("/v1/games").get_json()["games"]
        assert (line["status"], line["round"]) == (table["status"], table["round"])
        assert [seat["name"] for seat in line["seats"]] == [seat["name"] for seat in table["seats"]]


def check_tokens(world: World, lost: list[str]) -> None:
    """Others sit where these did."""
    for api in reversed(world.warm):
        for token in lost:
            assert code(api.post(f"{world.address}/choices", CHOICE, token)) == (401, "unauthorized")
            for path in ("", "?at=1", "/events", "/audit", "/export", "/timeline", "/diff", "/knowledge"):
                assert code(api.get(world.address + path, token)) == (401, "unauthorized")


def check_repeat(world: World, address: str, body: dict[str, Any], token: str | None, key: str) -> None:
    """What led to the lost version is asked again with its key: nobody remembers that it was done."""
    version = world.warm[0].get(world.address).get_json()["version"]
    reply = world.warm[1].post(address, body, token, Idempotency_Key=key)
    assert "Idempotent-Replayed" not in reply.headers
    assert reply.status_code >= 400 or reply.get_json()["version"] == version + 1


def buy_ticket(world: World, token: str) -> str:
    reply = world.warm[0].post("/v1/tickets", {"game": world.game}, token)
    assert reply.status_code == 201, reply.data
    return str(reply.get_json()["ticket"])


def check_tickets(world: World, tickets: list[str]) -> None:
    """The log that they were issued for is no more."""
    for number, ticket in enumerate(tickets):
        api = world.warm[number % 2]
        reply = api.get(f"{world.address}/events?ticket={ticket}", Accept=SSE)
        assert code(reply) == (401, "unauthorized")


def check_mine(world: World) -> None:
    """What a player is told is of the log that stands."""
    table = world.warm[0].get(world.address, world.tokens[0]).get_json()
    for api in world.warm:
        (row,) = api.get("/v1/me/games", world.tokens[0]).get_json()["games"]
        assert (row["id"], row["version"], row["status"]) == (world.game, table["version"], table["status"])
        events = api.get("/v1/me/events?after=0", world.tokens[0]).get_json()["events"]
        assert max(event["version"] for event in events) <= table["version"]


# What the store has of a commit: the entry, and the hash beside it.
Entries = dict[int, dict[bytes, bytes]]
Alteration = Callable[[Entries], None]


def alter_log(client: redis.Redis, game: str, alter: Alteration) -> None:
    """The entries by version, rewritten as the alteration leaves them."""
    name = LAYOUT.game_key("game", game)
    found = cast(list[tuple[bytes, dict[bytes, bytes]]], client.xrange(name))
    entries = {int(position.partition(b"-")[0]): fields for position, fields in found}
    alter(entries)
    client.delete(name)
    for version in sorted(entries):
        client.xadd(name, cast(Any, entries[version]), f"{version}-0")


def alter_commit(version: int, change: Callable[[dict[str, Any]], None]) -> Alteration:
    """The altered commit is stored as JSON, which can hold anything."""

    def alter(entries: Entries) -> None:
        fields = entries[version]
        commit = json.loads(unpack(fields[b"e"], entries[version - 1][b"h"].hex(), fields[b"h"].hex()))
        change(commit)
        entries[version][b"e"] = json.dumps(commit, separators=(",", ":")).encode()

    return alter


def replace_entry(version: int, entry: bytes) -> Alteration:
    def alter(entries: Entries) -> None:
        entries[version][b"e"] = entry

    return alter


def swap(one: int, other: int) -> Alteration:
    def alter(entries: Entries) -> None:
        entries[one], entries[other] = entries[other], entries[one]

    return alter


def drop(version: int) -> Alteration:
    def alter(entries: Entries) -> None:
        del entries[version]

    return alter
