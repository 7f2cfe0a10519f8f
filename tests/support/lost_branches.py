"""Whatever processes remember of a branch that was lost, they tell and do the same as one just started."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any

from werkzeug.test import TestResponse

from events.redis import connect
from service.http.app import DOORBELL
from tests.support.api_client import ApiClient
from tests.support.app import open_app
from tests.support.restored_worlds import MOST_MOVES, World, open_client
from tests.support.waiting import wait_until

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
