"""The dearest body that each operation refuses, and the dearest that it takes: processor time and reply."""

from __future__ import annotations

import gc
import io
import json
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from random import Random
from tempfile import TemporaryDirectory
from time import thread_time
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from msgspec import Struct
from werkzeug.test import EnvironBuilder, run_wsgi_app

from bench.ratio import Ratio
from events.redis import connect
from service import logs
from service.http.operation import Operation
from service.http.problems import LARGEST_PROBLEM
from service.ops.redis_server import RedisServer
from service.text import LONGEST_ENTROPY, LONGEST_NAME
from tests.support.app import open_app_on
from tests.support.dear_bodies import Caller, dear_bodies, operations_with_bodies
from tests.support.sent_tables import sent_tables

ALLOWED_MILLISECONDS = 3.0
# Each of the dearest is sent again so often, and its best time counts: the rest is the machine's.
REPEATS = 7
CANDIDATES = 12
CHOICES = 150


class Sent(Struct, frozen=True):
    """What a request took, and what came back."""

    milliseconds: float
    status: int
    size: int
    name: str
    body: bytes


def call(app: Flask, address: str, method: str, token: str | None, body: bytes, name: str) -> Sent:
    """Call the application as a server does; what makes the request is not measured."""
    headers = [("Authorization", f"Bearer {token}")] if token else []
    builder = EnvironBuilder(
        address, method=method, data=body, content_type="application/json", headers=headers
    )
    environ = builder.get_environ()
    started_at = thread_time()
    content, status, _ = run_wsgi_app(app, environ, buffered=True)
    size = sum(map(len, content))
    taken = (thread_time() - started_at) * 1000
    return Sent(taken, int(status.partition(" ")[0]), size, name, body)


def send(app: Flask, caller: Caller, operation: Operation, name: str, body: bytes) -> Sent:
    address, token = caller.address(operation)
    sent = call(app, address, operation.method, token=token, body=body, name=name)
    if sent.status < 400 and operation.in_game:
        caller.begin()
    return sent


def find_dearest_refused(app: Flask, caller: Caller, operation: Operation) -> tuple[Sent, int]:
    """The refused body that takes longest of all that are searched, and the size of the largest refusal."""
    assert operation.body
    tried = [send(app, caller, operation, name, make()) for name, make in dear_bodies(operation.body)]
    refused = [sent for sent in tried if sent.status >= 400]
    dearest = sorted(refused, key=lambda sent: -sent.milliseconds)[:CANDIDATES]
    again = [
        min(
            (send(app, caller, operation, sent.name, sent.body) for _ in range(REPEATS)),
            key=lambda repeated: repeated.milliseconds,
        )
        for sent in dearest
    ]
    return max(again, key=lambda sent: sent.milliseconds), max(sent.size for sent in refused)


def allowed_bodies(operation: Operation) -> Iterator[tuple[str, Any]]:
    """What an operation takes at most."""
    # These take most to be normalised.
    people = [
        {"name": chr(ord("a") + seat) + "\u00e9" * (LONGEST_NAME - 1), "entropy": "x" * LONGEST_ENTROPY}
        for seat in range(5)
    ]
    tiles = ["A1", "B1", "C1", "D1", "E1", "F1"]
    options = {"tile_codes": tiles, "hide_money": True, "turn_seconds": 60, "on_timeout": "takeover:expert"}
    if operation.id == "createGame":
        yield "five seats, six tiles", {"edition": "royale", "options": options, "seats": people}
        yield "five seats, cards", {"edition": "cards", "seats": people}
    elif operation.id == "forkGame":
        yield "two seats, late", {"at": 40, "seats": people[:2]}
    elif operation.id == "advise":
        for edition, chosen, players in (("royale", {"tiles": 6}, 5), ("cards", {}, 5), ("classic", {}, 5)):
            for sent in islice(sent_tables(edition, chosen, players, 1), 0, 120, 10):
                body = {"table": sent.table, "seat": sent.seat, "budget": 6_000}
                yield f"a whole table of {edition}", body
    elif operation.id == "takeSeat":
        yield "a long name", people[0]
    elif operation.id in ("createPlayer", "renameMe"):
        yield "a long name", {"name": people[0]["name"]}
    elif operation.id == "createTicket":
        yield "of one's own events", {"me": True}
    elif operation.id not in OWN_WAYS:
        yield "nothing but the call", {}


def find_dearest_allowed(app: Flask, caller: Caller, operation: Operation) -> Sent | None:
    found = [*OWN_WAYS[operation.id](app, caller)] if operation.id in OWN_WAYS else []
    for name, document in allowed_bodies(operation):
        body = json.dumps(document).encode()
        sent = min(
            (send(app, caller, operation, name, body) for _ in range(REPEATS)),
            key=lambda repeated: repeated.milliseconds,
        )
        assert sent.status < 400, (operation.id, sent)
        found.append(sent)
    return max(found, key=lambda sent: sent.milliseconds, default=None)


def play(app: Flask, caller: Caller) -> Iterator[Sent]:
    """Choices of two people, drawn from their options."""
    random = Random(1)
    game = caller.playing
    for _ in range(CHOICES):
        table = game.table()
        if table["status"] == "over":
            return
        seat, ask = game.asked(table)
        option = random.choice(ask["options"])["choice"]
        body = json.dumps({"ask": ask["ask"], "choice": option}).encode()
        token = game.tokens[seat]
        yield call(app, f"{game.address}/choices", "POST", token=token, body=body, name="a legal choice")


def find_by_code(app: Flask, caller: Caller) -> Iterator[Sent]:
    """The code of a private game with five seats."""
    seats = [{"open": True}] * 5
    made = caller.api.call(
        "POST", "/v1/games", {"edition": "royale", "visibility": "private", "seats": seats}
    )
    body = json.dumps({"code": made["code"]}).encode()
    repeats = [call(app, "/v1/codes", "POST", token=None, body=body, name="a code") for _ in range(REPEATS)]
    yield min(repeats, key=lambda sent: sent.milliseconds)


def play_again(app: Flask, caller: Caller) -> Iterator[Sent]:
    """The first rematch of a game, which creates one."""
    game = caller.api.create_for(5, edition="royale")
    game.play()
    address = f"{game.address}/rematch"
    yield call(app, address, "POST", token=game.tokens[0], body=b"{}", name="the first to call")


# Operations whose dearest body depends on a game.
OWN_WAYS: Mapping[str, Callable[[Flask, Caller], Iterator[Sent]]] = {
    "choose": play,
    "findGame": find_by_code,
    "makeRematch": play_again,
}


def measure() -> Ratio:
    """Print a row for each operation; the ratio is that of the dearest refusal to what it may take."""
    logs.configure("error", io.BytesIO())
    worst = 0.0
    largest = 0
    print("| operation | dearest refused body | ms | largest refusal | dearest allowed body | ms | reply |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with (
        TemporaryDirectory(prefix="croupier-bench-") as folder,
        RedisServer(folder) as server,
        open_app_on(server.url) as app,
        connect(server.url) as client,
    ):
        app.test_client_class = FlaskClient
        caller = Caller(app.test_client(), client)
        for operation in operations_with_bodies():
            gc.collect()
            gc.disable()
            refused, size = find_dearest_refused(app, caller, operation)
            allowed = find_dearest_allowed(app, caller, operation)
            gc.enable()
            print(format_row(operation, refused, size, allowed), flush=True)
            worst = max(worst, refused.milliseconds)
            largest = max(largest, size)
    remark = f"of the processor; the largest refusal has {largest:,} of {LARGEST_PROBLEM:,} bytes"
    return Ratio("dearest refusal", worst, ALLOWED_MILLISECONDS, "ms", 1.0, at_most=True, remark=remark)


def format_row(operation: Operation, refused: Sent, size: int, allowed: Sent | None) -> str:
    cells = [
        f"`{operation.method} {operation.path}`",
        refused.name,
        f"{refused.milliseconds:.1f}",
        f"{size:,} B",
        allowed.name if allowed else "",
        f"{allowed.milliseconds:.1f}" if allowed else "",
        f"{allowed.size:,} B" if allowed else "",
    ]
    return f"| {' | '.join(cells)} |"
