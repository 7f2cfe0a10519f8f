"""Replies in gzip: for callers who accept it, with tags of their own, and never where a token is in them."""

import gzip
import json
from typing import Any

import pytest
from flask import Request
from werkzeug.test import EnvironBuilder

from service.http.compression import CHUNK, accepts_gzip, compress, compress_pieces
from tests.support.api_client import ApiClient, PlayerClient

NDJSON = "application/x-ndjson"


def send_accepting(api: ApiClient, address: str, token: str | None = None, **headers: str) -> Any:
    return api.get(address, token, Accept_Encoding="gzip", **headers)


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        ("gzip", True),
        ("gzip, deflate, br", True),
        ("br;q=1.0, gzip;q=0.2", True),
        ("*", False),
        ("gzip;q=0", False),
        ("identity", False),
        ("", False),
        ("gzip," + "x" * 1_000, False),
    ],
)
def test_gzip_is_sent_only_where_it_is_named(accepted: str, expected: bool) -> None:
    request = Request(EnvironBuilder(headers=[("Accept-Encoding", accepted)]).get_environ())
    assert accepts_gzip(request) is expected


def test_compressed_pieces_can_be_read_one_by_one_and_as_a_whole() -> None:
    content = bytes(range(256)) * (3 * CHUNK // 256)
    assert gzip.decompress(compress(content)) == content
    assert compress(content) == compress(content)
    assert gzip.decompress(b"".join(compress_pieces([content, b"", b"end"]))) == content + b"end"


ADDRESSES = [
    "/v1",
    "/v1/editions",
    "/v1/event-types",
    "/v1/bots",
    "/v1/problems",
    "/v1/games",
    "/v1/stats",
    "/openapi.yaml",
    "/openapi.json",
    "/docs",
    "/",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_documents_and_lists_are_compressed_and_each_form_has_its_tag(api: ApiClient, address: str) -> None:
    plain = api.get(address)
    packed = send_accepting(api, address)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) == int(packed.headers["Content-Length"])
    assert packed.headers["ETag"] == plain.headers["ETag"][:-1] + '-gzip"'
    for reply in (plain, packed):
        assert "Accept-Encoding" in reply.headers["Vary"]
    assert send_accepting(api, address, If_None_Match=packed.headers["ETag"]).status_code == 304
    assert send_accepting(api, address, If_None_Match=plain.headers["ETag"]).status_code == 200
    assert api.get(address, If_None_Match=packed.headers["ETag"]).status_code == 200
    unchanged = send_accepting(api, address, If_None_Match=packed.headers["ETag"])
    assert unchanged.headers["ETag"] == packed.headers["ETag"]
    assert "Accept-Encoding" in unchanged.headers["Vary"]


def test_tables_events_and_exports_are_compressed(api: ApiClient) -> None:
    game = api.create_for(2)
    for path, accepted in (("", "*/*"), ("/events", "*/*"), ("/events", NDJSON), ("/export", NDJSON)):
        plain = api.get(f"{game.address}{path}", game.tokens[0], Accept=accepted)
        packed = send_accepting(api, f"{game.address}{path}", game.tokens[0], Accept=accepted)
        assert packed.headers["Content-Encoding"] == "gzip", path
        assert gzip.decompress(packed.data) == plain.data
        assert len(packed.data) < len(plain.data)


def test_a_stream_is_not_compressed(api: ApiClient) -> None:
    game = api.create_for(2)
    reply = send_accepting(api, f"{game.address}/events?limit=1", Accept="text/event-stream")
    assert "Content-Encoding" not in reply.headers
    assert reply.data.startswith(b"retry: ")


def test_nothing_with_a_token_is_compressed(api: ApiClient) -> None:
    """The length of what is compressed would tell how like the token is to what else is in the reply."""
    player = PlayerClient(api, "Anna")
    plan = {"edition": "classic", "visibility": "private", "seats": [{"player": True}, {"open": True}]}
    for path, body in (
        ("/v1/players", {"name": "Ben"}),
        ("/v1/games", plan),
        ("/v1/me/token", {}),
    ):
        reply = api.post(path, body or None, player.token, Accept_Encoding="gzip")
        assert reply.status_code in (200, 201), reply.data
        assert "Content-Encoding" not in reply.headers
        assert json.loads(reply.data)


def test_a_choice_is_not_compressed_and_may_name_the_tag_of_any_form(api: ApiClient) -> None:
    game = api.create_for(2)
    seat, ask = game.ask()
    table = send_accepting(api, game.address, game.tokens[seat])
    version = json.loads(gzip.decompress(table.data))["version"]
    assert table.headers["ETag"] == f'"{version}-gzip"'
    answer = {"ask": ask["ask"], "choice": ask["options"][0]["choice"]}
    stale = api.post(f"{game.address}/choices", answer, game.tokens[seat], If_Match=f'"{version + 1}-gzip"')
    assert stale.get_json()["code"] == "stale_version"
    reply = api.post(
        f"{game.address}/choices",
        answer,
        game.tokens[seat],
        If_Match=table.headers["ETag"],
        Accept_Encoding="gzip",
    )
    assert reply.status_code == 200, reply.data
    assert "Content-Encoding" not in reply.headers
