"""Whatever is sent: never a 5xx, always a reply the contract knows, and nothing stored by a refusal."""

import json
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from urllib.parse import quote

import pytest
import redis
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from service.http.app import create_app
from service.http.register import OPERATIONS
from tests.support.api_client import ApiClient, Game
from tests.support.app import HEALTHY_REDIS, UNLIMITED_SERVICE, capture_log, open_memory
from tests.support.contract import CheckedClient
from tests.support.finished_games import say_that_all_are_listed
from tests.support.profiles import examples
from tests.support.request_bodies import REQUEST_BODIES

EXAMPLES = examples(40)
GAMES = ("{open}", "{played}")


def addresses(method: str) -> list[str]:
    """Of every operation in the register, with each kind of game."""
    paths = [operation.path for operation in OPERATIONS if operation.method == method]
    return sorted({path.replace("{game}", game) for path in paths for game in GAMES if "/v1/" in path})


WEIRD = (
    *("-1", "0", "1", "9" * 22, "abc", "", "null", "1.5", "%00", "%FF", "%ED%A0%80", "٣", "garbage", "fHw"),
    *("MDAwMDAwMDAwMDAwMDAwfGc", "true", "[]", "%0A", "..%2F", "' OR 1=1", "{{7*7}}", "x" * 3_000),
)
HEADERS = {
    "Accept": (
        "*/*",
        "",
        "application/json",
        "application/x-ndjson",
        "text/html",
        ";q=x",
        "*/*;q=-1",
        "a/b,",
    ),
    "Authorization": ("Bearer x", "Bearer", "Basic e30=", "", "Bearer é", "bearer  a b"),
    "Content-Type": ("", "text/plain", "application/json; charset=x", ";;", "application/json;charset=utf-8"),
    "Content-Encoding": ("gzip", "identity", ""),
    "Idempotency-Key": ("", "k", "x" * 200, "a b", "é"),
    "If-Match": ("*", '"1"', '""', "W/", '"', '"x", "y"', '"99999999999999999999"'),
    "If-None-Match": ("*", '"1"', "W/", '"', ",,,", 'W/"1", "2"'),
    "Last-Event-ID": ("1", "x", "-1", "", "9" * 30),
    "X-Request-ID": ("x", "é", "12345678", "\x7f"),
    "Range": ("bytes=0-1", "bytes=x"),
    "X-Forwarded-For": ("1.2.3.4", "x"),
}
odd_header = st.sampled_from([(name, value) for name, odd in HEADERS.items() for value in odd])
headers = st.lists(odd_header, max_size=2).map(dict)
documents = st.one_of(*REQUEST_BODIES.values())
plain = documents.map(lambda document: json.dumps(document).encode())
snippets = (
    b"",
    b"NaN",
    b'"\\ud800"',
    b"[[[[",
    b"\xff",
    b'{"a":1,"a":2}',
    b"1e999",
    b"\x00",
    b",",
    b"9" * 5000,
)


@st.composite
def spoiled(draw: st.DrawFn) -> bytes:
    """A body with a piece cut out and something else put in its place."""
    body = draw(plain)
    start = draw(st.integers(0, len(body)))
    end = draw(st.integers(start, len(body)))
    return body[:start] + draw(st.sampled_from(snippets)) + body[end:]


queries = st.lists(
    st.tuples(
        st.sampled_from(["at", "after", "limit", "status", "edition", "cursor", "x", "%00"]),
        st.sampled_from(WEIRD) | st.text(max_size=5).map(quote),
    ),
    max_size=3,
).map(lambda pairs: "&".join(f"{name}={value}" for name, value in pairs))


class FuzzedApp:
    """One app for all examples; games are added and never spoiled."""

    def __init__(self) -> None:
        self.memory: redis.Redis = open_memory()
        self.app: Flask = create_app(UNLIMITED_SERVICE, self.memory, lambda: HEALTHY_REDIS)
        self.app.test_client_class = CheckedClient
        api = ApiClient(self.app.test_client())
        self.open: Game = api.create({"name": "Anna"}, {"open": True}, {"open": True})
        self.played: Game = api.create_for(2, options={"start_seat": 0})
        # The first request with a key makes the secret that ids are derived from, even if it is refused.
        plan = {"edition": "classic", "seats": [{"name": "Anna"}, {"open": True}]}
        api.post("/v1/games", plan, Idempotency_Key="0b9f6f0c-6f5e-4c3e-9d1e-5b7f1f6a2c11")
        say_that_all_are_listed(self.memory)
        self._last_stored = self.stored()

    def stored(self) -> dict[bytes, Any]:
        kinds: Any = {key: self.memory.dump(key) for key in self.memory.keys()}  # noqa: SIM118
        return dict(kinds)

    def send(self, method: str, path: str, tokened: bool, given: dict[str, str], body: bytes | None) -> None:
        """Whatever is refused has to leave everything as it was; the client looks at the reply."""
        game = self.open if "{open}" in path else self.played
        address = path.replace("{open}", game.id).replace("{played}", game.id)
        token = {"Authorization": f"Bearer {game.tokens[0]}"} if tokened else {}
        usual = {"Content-Type": "application/json"} if body is not None else {}
        client = self.app.test_client()
        reply = client.open(address, method=method, data=body, headers={**usual, **given, **token})
        reply.close()
        assert reply.status_code < 500
        before, self._last_stored = self._last_stored, self.stored()
        if reply.status_code >= 400 or method == "GET":
            assert self._last_stored == before


@pytest.fixture(scope="module")
def fuzzed() -> Iterator[FuzzedApp]:
    with capture_log():
        yield FuzzedApp()


@given(st.sampled_from(addresses("POST")), plain | spoiled() | st.binary(max_size=60), headers, st.booleans())
@EXAMPLES
def test_any_body_and_headers(
    fuzzed: FuzzedApp, path: str, body: bytes, given: dict[str, str], tokened: bool
) -> None:
    fuzzed.send("POST", path, tokened, given, body)


@given(st.sampled_from(addresses("GET")), queries, headers, st.booleans())
@EXAMPLES
def test_any_query_and_headers(
    fuzzed: FuzzedApp, path: str, query: str, given: dict[str, str], tokened: bool
) -> None:
    fuzzed.send("GET", f"{path}?{query}", tokened, given, None)


@given(
    st.sampled_from(["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"]),
    st.sampled_from(["/docs/", "/v1/games/{open}/", "/v1/"]),
    st.lists(st.sampled_from([*WEIRD, "v1", "games", "seats", "docs"]), max_size=5).map("/".join),
)
@EXAMPLES
def test_any_method_and_address(fuzzed: FuzzedApp, method: str, start: str, path: str) -> None:
    fuzzed.send(method, start + path, False, {}, None if method == "GET" else b"{}")


@pytest.mark.parametrize("size", [0, 1, 20_000])
def test_a_chunked_body_of_any_size_is_refused(fuzzed: FuzzedApp, size: int) -> None:
    before = fuzzed.stored()
    reply = fuzzed.app.test_client().post(
        f"{fuzzed.played.address}/choices",
        input_stream=BytesIO(b" " * size),
        content_type="application/json",
        headers={"Transfer-Encoding": "chunked", "Authorization": f"Bearer {fuzzed.played.tokens[0]}"},
        environ_overrides={"wsgi.input_terminated": True},
    )
    assert reply.status_code == 411
    assert fuzzed.stored() == before
