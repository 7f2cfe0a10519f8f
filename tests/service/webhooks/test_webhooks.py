"""Webhooks over HTTP: who may make them, where they may go, and what is shown of them."""

from __future__ import annotations

from typing import Any

import pytest
import redis
from flask import Flask

from service.keys.keys import ApiKeys
from service.webhooks.outbox import Outbox
from service.webhooks.webhooks import MOST_OF_PLAYER, RECORDS
from tests.support.api_client import ApiClient, PlayerClient, long_key, project
from tests.support.app import ANNA, Open, client_at

URL = "https://example.org:8443/hook"


@pytest.fixture
def anna(api: ApiClient) -> PlayerClient:
    return PlayerClient(api, "Anna")


def make(player: PlayerClient, **body: Any) -> dict[str, Any]:
    reply = player.api.post("/v1/webhooks", {"url": URL, **body}, player.token)
    assert reply.status_code == 201, reply.data
    made: dict[str, Any] = reply.get_json()
    return made


def code(reply: Any) -> tuple[int, str]:
    return reply.status_code, reply.get_json()["code"]


def test_a_webhook_shows_its_secret_once(anna: PlayerClient) -> None:
    made = make(anna, types=["asked", "over"])
    assert made["secret"].startswith("whsec_")
    assert made["types"] == ["asked", "over"]
    shown = anna.get(f"/v1/webhooks/{made['id']}")
    assert (shown["enabled"], shown["reason"], shown["format"], shown["url"]) == (True, None, "standard", URL)
    assert "secret" not in shown
    (listed,) = anna.get("/v1/webhooks")["webhooks"]
    assert listed == shown


def test_a_repeated_creation_gives_the_same_webhook(anna: PlayerClient) -> None:
    key = long_key("creation")
    first, second = (
        anna.api.post("/v1/webhooks", {"url": URL}, anna.token, Idempotency_Key=key) for _ in range(2)
    )
    assert first.get_json() == second.get_json()
    assert second.headers["Idempotent-Replayed"] == "true"
    other = {"url": "https://example.org/other"}
    reply = anna.api.post("/v1/webhooks", other, anna.token, Idempotency_Key=key)
    assert code(reply) == (422, "key_reused")
    assert len(anna.get("/v1/webhooks")["webhooks"]) == 1


def test_a_webhook_begins_where_the_feed_ends(anna: PlayerClient, memory: redis.Redis) -> None:
    anna.set_up({"name": "Ben"})
    project(memory)
    made = make(anna)
    last = anna.get("/v1/me/events")["next"]
    assert anna.get(f"/v1/webhooks/{made['id']}")["after"] == last
    replayed = anna.api.post(f"/v1/webhooks/{made['id']}/replay", {"after": "0"}, anna.token)
    assert replayed.get_json()["after"] == "0"


def test_a_webhook_is_changed_and_switched(anna: PlayerClient) -> None:
    address = f"/v1/webhooks/{make(anna)['id']}"

    def patch(**body: Any) -> Any:
        return anna.api.send("PATCH", address, body, anna.token)

    assert patch(url="https://example.org/", format="discord").get_json()["format"] == "discord"
    off = patch(enabled=False).get_json()
    assert (off["enabled"], off["reason"]) == (False, "switched_off")
    on = patch(enabled=True).get_json()
    assert (on["enabled"], on["reason"], on["since"]) == (True, None, None)
    assert patch(types=["over", "over"]).get_json()["types"] == ["over"]
    bodies: tuple[dict[str, Any], ...] = (
        {},
        {"types": []},
        {"types": ["moved"]},
        {"format": "slack"},
        {"enabled": 1},
        {"secret": "x"},
    )
    for body in bodies:
        assert code(patch(**body)) == (422, "invalid_body")


def test_two_secrets_sign_after_a_rotation(anna: PlayerClient, app: Flask) -> None:
    made = make(anna)
    address = f"/v1/webhooks/{made['id']}/secret"
    key = long_key("rotation")
    first, second = (
        anna.api.send("POST", address, None, anna.token, Idempotency_Key=key).get_json() for _ in range(2)
    )
    assert first == second
    assert first["secret"] != made["secret"]
    stored = app.extensions["services"].webhooks.read(made["id"])
    assert stored.signing_secrets(0) == (first["secret"], made["secret"])
    assert stored.signing_secrets(stored.former_until) == (first["secret"],)


def test_a_test_waits_to_be_delivered(anna: PlayerClient, memory: redis.Redis) -> None:
    made = make(anna)
    address = f"/v1/webhooks/{made['id']}/test"
    delivery = anna.api.send("POST", address, None, anna.token).get_json()["delivery"]
    assert delivery.startswith("msg_")
    assert list(Outbox(memory).take(2e9, 10).webhooks) == [made["id"]]
    for _ in range(9):
        anna.api.send("POST", address, None, anna.token)
    assert code(anna.api.send("POST", address, None, anna.token)) == (429, "too_many_webhooks")
    assert anna.get(f"/v1/webhooks/{made['id']}/deliveries") == {"deliveries": []}


def test_webhooks_of_others_are_unknown(anna: PlayerClient, api: ApiClient) -> None:
    address = f"/v1/webhooks/{make(anna)['id']}"
    ben = PlayerClient(api, "Ben")
    assert ben.get("/v1/webhooks") == {"webhooks": []}
    for method, path, body in (
        ("GET", "", None),
        ("PATCH", "", {"enabled": False}),
        ("DELETE", "", None),
        ("GET", "/deliveries", None),
        ("POST", "/test", None),
        ("POST", "/secret", None),
        ("POST", "/replay", {"after": "0"}),
    ):
        assert code(api.send(method, address + path, body, ben.token)) == (404, "unknown_webhook")
    assert code(anna.api.get("/v1/webhooks/junk", anna.token)) == (404, "unknown_webhook")
    assert code(api.get("/v1/webhooks")) == (401, "unauthorized")


def test_a_deleted_webhook_leaves_nothing(anna: PlayerClient, memory: redis.Redis) -> None:
    before = set(memory.keys())
    made = make(anna)
    address = f"/v1/webhooks/{made['id']}"
    anna.api.send("POST", f"{address}/test", None, anna.token)
    headers = {"Idempotency_Key": long_key("deletion")}
    for _ in range(2):
        assert anna.api.send("DELETE", address, None, anna.token, **headers).status_code == 204
    left = {key for key in set(memory.keys()) - before if b"request" not in key and b"secret" not in key}
    assert not left


def test_erasing_a_player_deletes_their_webhooks(anna: PlayerClient, memory: redis.Redis) -> None:
    make(anna)
    assert anna.api.send("DELETE", "/v1/me", None, anna.token).status_code == 204
    assert not memory.exists(RECORDS)


def test_a_key_has_webhooks_of_its_own_and_for_its_players(api: ApiClient, memory: redis.Redis) -> None:
    key = ApiKeys(memory).create("arcade", ["players", "webhooks"]).key
    player = api.post("/v1/players", {"name": "Anna"}, key).get_json()["id"]
    own = api.post("/v1/webhooks", {"url": URL}, key).get_json()
    theirs = api.post("/v1/webhooks", {"url": URL}, key, Croupier_Player=player).get_json()
    assert [one["id"] for one in api.get("/v1/webhooks", key).get_json()["webhooks"]] == [own["id"]]
    acting = api.get("/v1/webhooks", key, Croupier_Player=player).get_json()["webhooks"]
    assert [one["id"] for one in acting] == [theirs["id"]]
    bare = ApiKeys(memory).create("bare", ["play"]).key
    assert code(api.get("/v1/webhooks", bare)) == (403, "missing_scope")


def test_a_player_has_a_limited_number_of_webhooks(open_limited: Open) -> None:
    anna = PlayerClient(client_at(open_limited(), ANNA), "Anna")
    for _ in range(MOST_OF_PLAYER):
        make(anna)
    assert code(anna.api.post("/v1/webhooks", {"url": URL}, anna.token)) == (429, "too_many_webhooks")


@pytest.mark.parametrize("url", ["http://example.org/", "https://127.0.0.1/", "ftp://example.org/", "", 7])
def test_a_url_that_is_not_allowed_is_refused(anna: PlayerClient, url: Any) -> None:
    reply = anna.api.post("/v1/webhooks", {"url": url}, anna.token)
    assert code(reply) == (422, "invalid_body")
    (fault,) = reply.get_json()["errors"]
    assert fault["pointer"] == "/url"
    made = make(anna)
    change = anna.api.send("PATCH", f"/v1/webhooks/{made['id']}", {"url": url}, anna.token)
    assert code(change) == (422, "invalid_body")
