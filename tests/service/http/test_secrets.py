"""What nobody may learn before the end: seed, tokens of others, hashes of tokens."""

import json
from hashlib import sha256
from io import BytesIO

import redis

from service.logs import logger
from tests.support.api_client import ApiClient, Game
from tests.support.secrecy import collect_replies
from tests.support.stores import LAYOUT


def kept_apart(memory: redis.Redis, game: Game) -> dict[str, str]:
    vault: dict[bytes, bytes] = memory.hgetall(LAYOUT.game_key("vault", game.id))  # type: ignore[assignment]
    return {name.decode(): value.decode() for name, value in vault.items()}


def test_seed_and_tokens_are_in_no_reply_and_no_log_line_before_the_end(
    api: ApiClient, memory: redis.Redis, log: BytesIO
) -> None:
    game = api.create_for(3)
    for _ in range(8):
        seat, ask = game.ask()
        game.choose(seat, ask["ask"], ask["options"][0]["choice"], Idempotency_Key=f"a-key-{ask['ask']}")
    vault = kept_apart(memory, game)
    said = "\n".join(collect_replies(game, token) for token in (None, *game.tokens.values()))
    told = said.encode() + log.getvalue()
    for token in game.tokens.values():
        assert token.encode() not in told
        assert sha256(token.encode()).hexdigest().encode() not in told
    for name, secret in vault.items():
        assert name.partition(":")[2].encode() not in told or ":" not in name
        assert len(secret) < 8 or secret.encode() not in told
    assert b"a-key-" not in told
    assert b"a-wrong-token" not in told


def test_the_seed_is_told_when_the_game_is_over(api: ApiClient, memory: redis.Redis) -> None:
    game = api.create_for(2)
    before = api.get(f"{game.address}/audit").get_json()
    assert (before["seed"], before["verified"]) == (None, None)
    game.play()
    after = api.get(f"{game.address}/audit").get_json()
    assert after["seed"] == kept_apart(memory, game)["seed"]
    assert after["commitment"] == before["commitment"]


def test_one_line_a_request_says_what_happened(api: ApiClient, log: BytesIO) -> None:
    game = api.create_for(2)
    api.get(f"{game.address}?at=7", game.tokens[0], X_Request_ID="my-request-1")
    api.get("/no/such/place")
    made, seen, lost = map(json.loads, log.getvalue().splitlines())
    assert (made["method"], made["route"], made["status"]) == ("POST", "/v1/games", 201)
    assert (seen["request_id"], seen["seat"], seen["code"]) == ("my-request-1", 0, "unknown_version")
    assert (lost["route"], lost["code"]) == (None, "not_found")
    assert made["level"] == "debug"


def test_a_request_keeps_the_id_it_came_with_if_it_is_a_decent_one(api: ApiClient) -> None:
    for sane in (
        "0123-abcd",
        "7",
        "req:1/a=b;c",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "x" * 128,
    ):
        assert api.get("/livez", X_Request_ID=sane).headers["X-Request-ID"] == sane
    for odd in ("x" * 129, "with space", "tab\tinside", "é" * 10):
        given = api.get("/livez", X_Request_ID=odd).headers["X-Request-ID"]
        assert given != odd
        assert given.isalnum()


def test_what_is_named_like_a_secret_is_not_logged(log: BytesIO) -> None:
    logger().warning("careless", authorization="Bearer x", seat_token="x", seed="x", game="g_1")
    (line,) = map(json.loads, log.getvalue().splitlines())
    assert {line[name] for name in ("authorization", "seat_token", "seed")} == {"[redacted]"}
    assert line["game"] == "g_1"
