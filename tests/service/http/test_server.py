"""The same service behind gunicorn and gevent, where bodies are chunked and streams stay open."""

import http.client
import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import pytest
import redis

from service.ops import run
from service.ops.redis_server import RedisServer
from tests import play_random_games
from tests.support.service_process import free_port, is_ready, limit_descriptors
from tests.support.waiting import PATIENCE, wait_until

PLAN = {"edition": "classic", "seats": [{"name": "Anna"}, {"open": True}]}
JSON = {"Content-Type": "application/json"}


class Served:
    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process, self.port = process, port

    def call(self, method: str, address: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Each on a connection of its own, so that any of the workers may answer."""
        with self.open(method, address, body, **headers) as reply:
            return reply.status, json.loads(reply.read())

    def open(self, method: str, address: str, body: Any = None, **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = None if body is None else body if hasattr(body, "__next__") else json.dumps(body)
        kind = JSON if sent else {}
        # A body may be refused while it is still being sent.
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.request(method, address, sent, {"Connection": "close", **kind, **headers})
        return connection.getresponse()


@contextmanager
def serving(url: str, descriptors: int | None = None, **more: str) -> Iterator[Served]:
    port = free_port()
    told = {
        "PORT": str(port),
        "REDIS_URL": url,
        "API_WORKERS": "2",
        "LOG_LEVEL": "error",
        "RATE_LIMITS": "off",
        **more,
    }
    # Streams end by themselves, and a slow machine is no reason to cut them off before that.
    command = [*limit_descriptors(descriptors), *run.API, "--graceful-timeout", str(int(PATIENCE))]
    process = subprocess.Popen(command, env={**os.environ, **told})
    try:
        wait_until(lambda: is_ready(process, f"http://127.0.0.1:{port}"), "gunicorn serving")
        yield Served(process, port)
    finally:
        process.terminate()
        process.wait(PATIENCE)


@pytest.fixture(scope="module")
def standing(redis_server: RedisServer) -> Iterator[Served]:
    with serving(redis_server.url) as served:
        yield served


@pytest.fixture
def served(standing: Served, real_redis: redis.Redis) -> Served:
    """Over an empty Redis; nobody may stop it."""
    return standing


def frame(reply: http.client.HTTPResponse) -> list[bytes]:
    """The next event of a stream; the heartbeats between are for the wire."""
    lines = list(iter(reply.readline, b"\n"))
    return frame(reply) if lines[0].startswith(b":") else lines


def test_a_chunked_or_large_body_is_refused_and_the_server_goes_on(
    served: Served, real_redis: redis.Redis
) -> None:
    chunks = iter([b'{"edition": "classic", ', b'"seats": []}'])
    status, problem = served.call("POST", "/v1/games", chunks, **JSON)
    assert (status, problem["code"]) == (411, "length_required")
    status, problem = served.call("POST", "/v1/games", {**PLAN, "x": "x" * 200_000})
    assert (status, problem["code"]) == (413, "too_large")
    assert not real_redis.keys()
    assert served.call("POST", "/v1/games", PLAN)[0] == 201


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (b"GET /" + b"x" * 5_000 + b" HTTP/1.1\r\n\r\n", 414, "uri_too_long"),
        (b"GET /livez HTTP/1.1\r\nX-Y: " + b"x" * 9_000 + b"\r\n\r\n", 431, "headers_too_large"),
        (b"POST /v1/games HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400, "bad_request"),
        (b"GET /livez HTTP/9.9\r\n\r\n", 400, "bad_request"),
        (b"hello\r\n\r\n", 400, "bad_request"),
        (b"GET /livez HTTP/1.1\r\n\r\n", 400, "bad_request"),
        (b"GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "bad_request"),
    ],
)
def test_what_is_no_http_is_answered_with_a_problem_too(
    served: Served, sent: bytes, status: int, code: str
) -> None:
    with socket.create_connection(("127.0.0.1", served.port), PATIENCE) as connection:
        connection.sendall(sent)
        reply = http.client.HTTPResponse(connection)
        reply.begin()
        problem = json.loads(reply.read())
    assert (reply.status, problem["status"], problem["code"]) == (status, status, code)
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("sent", [b"GET /livez HTTP/1.0\r\n\r\n", b"GET /livez HTTP/1.1\r\nhost: a\r\n\r\n"])
def test_only_http_1_1_needs_a_host(served: Served, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", served.port), PATIENCE) as connection:
        connection.sendall(sent)
        reply = http.client.HTTPResponse(connection)
        reply.begin()
    assert reply.status == 200


def test_a_stream_hears_what_any_worker_wrote_and_ends_with_the_server(
    real_redis: redis.Redis, redis_server: RedisServer
) -> None:
    with serving(redis_server.url) as served:
        _, game = served.call("POST", "/v1/games", PLAN)
        address = f"/v1/games/{game['id']}"
        streams = [served.open("GET", f"{address}/events", Accept="text/event-stream") for _ in range(6)]
        for stream in streams:
            assert [frame(stream)[0][:5] for _ in range(2)] == [b"retry", b"id: 1"]
        assert served.call("POST", f"{address}/seats", {"name": "Ben"})[0] == 201
        for stream in streams:
            assert frame(stream)[0] == b"id: 2\n"
        served.process.send_signal(signal.SIGTERM)
        for stream in streams:
            assert frame(stream)[0] == b"event: bye\n"
            assert stream.read() == b""
        assert served.process.wait(PATIENCE) == 0


@pytest.mark.long
def test_a_long_poll_and_a_choice_meet_across_workers(served: Served) -> None:
    _, game = served.call("POST", "/v1/games", PLAN)
    address = f"/v1/games/{game['id']}"
    with closing(http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE)) as connection:
        connection.request("GET", f"{address}/events?after=1&wait=60")
        assert served.call("POST", f"{address}/seats", {"name": "Ben"})[0] == 201
        page = json.loads(connection.getresponse().read())
    assert [commit["version"] for commit in page["commits"]] == [2]


@pytest.mark.long
def test_the_command_tells_how_the_games_went(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    assert play_random_games.main(f"http://127.0.0.1:{served.port}", "2") == 0
    told = capsys.readouterr().out
    assert told.startswith("2 of 2 games finished")
    assert "\n  201: 2\n" in told
