"""Many connections of a stranger who does nothing useful with them: everybody else is served as before."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

import pytest
import redis

from service.config import Settings
from service.ops.processes import plan_capacity
from service.ops.redis_server import RedisServer
from service.run_folder import run_folder_of
from tests.service.http.test_server import PLAN, Served, frame, serving
from tests.support.crowds import HALF_A_BODY, HALF_A_FILE, HALF_A_HEAD, stream_request
from tests.support.waiting import PATIENCE

DESCRIPTORS, PROCESSES = 256, 2
CAPACITY = plan_capacity(DESCRIPTORS)


@pytest.fixture(scope="module")
def standing(redis_server: RedisServer) -> Iterator[Served]:
    with serving(redis_server.url, DESCRIPTORS, REQUEST_SECONDS="1", RATE_LIMITS="off") as served:
        yield served


@pytest.fixture
def served(standing: Served, real_redis: redis.Redis) -> Served:
    return standing


@contextmanager
def crowd(served: Served, number: int, sent: bytes) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(closing(connect(served, sent))) for _ in range(number)]


def connect(served: Served, sent: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", served.port), PATIENCE)
    connection.sendall(sent)
    return connection


def read_reply(connection: socket.socket) -> http.client.HTTPResponse:
    reply = http.client.HTTPResponse(connection)
    reply.begin()
    return reply


@pytest.mark.parametrize(
    "sent", [HALF_A_BODY, HALF_A_FILE, HALF_A_HEAD, b""], ids=["bodies", "files", "headers", "silence"]
)
def test_half_sent_requests_keep_nobody_out(served: Served, sent: bytes) -> None:
    with crowd(served, 3 * PROCESSES * CAPACITY.connections, sent):
        assert served.call("GET", "/livez") == (200, {"status": "alive"})
        assert served.call("POST", "/v1/games", PLAN)[0] == 201


@pytest.mark.long
@pytest.mark.parametrize("sent", [HALF_A_BODY, HALF_A_FILE, HALF_A_HEAD], ids=["body", "file", "headers"])
def test_a_request_that_never_ends_is_told_so(served: Served, sent: bytes) -> None:
    with closing(connect(served, sent)) as connection:
        reply = read_reply(connection)
        assert (reply.status, json.loads(reply.read())["code"]) == (408, "request_timeout")
        assert reply.headers["Connection"] == "close"
        assert connection.recv(1) == b""


@pytest.mark.long
def test_more_streams_than_descriptors_allow_are_refused_and_nothing_stops(served: Served) -> None:
    _, game = served.call("POST", "/v1/games", PLAN)
    asked = PROCESSES * CAPACITY.connections + 20
    with crowd(served, asked, stream_request(game["id"])) as connections:
        replies = [read_reply(connection) for connection in connections]
        opened = [reply for reply in replies if reply.status == 200]
        refused = [reply for reply in replies if reply.status == 503]
        assert len(opened) + len(refused) == asked
        assert len(opened) <= PROCESSES * CAPACITY.streams
        assert {json.loads(reply.read())["code"] for reply in refused} == {"too_many_streams"}
        assert {reply.headers["Retry-After"] for reply in refused} == {"1"}
        assert served.call("POST", f"/v1/games/{game['id']}/seats", {"name": "Ben"})[0] == 201
        assert served.call("GET", "/livez")[0] == 200
        heard = [frame(opened[0])[0] for _ in range(3)]
        assert heard == [b"retry: 2000\n", b"id: 1\n", b"id: 2\n"]


@pytest.mark.long
def test_a_server_that_ends_leaves_nothing_in_memory(redis_server: RedisServer) -> None:
    with serving(redis_server.url) as served:
        folder = run_folder_of(Settings(port=served.port))
        assert folder.is_dir()
    assert not folder.exists()
