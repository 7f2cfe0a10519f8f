"""For every operation the headers of real replies are those that the contract names, no more and no less."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from uuid import uuid4

import pytest
import redis
from msgspec import Struct
from werkzeug.test import TestResponse

from service.config import Settings
from service.container import build_backend
from service.http.app import DOORBELL, create_app
from tests.support.api_client import ApiClient, Game, PlayerClient
from tests.support.app import HEALTHY_REDIS, capture_log, open_memory
from tests.support.bots import open_worker
from tests.support.contract import (
    CheckedClient,
    Described,
    described_operations,
    promised_headers,
    telling_headers,
)
from tests.support.finished_games import say_that_all_are_listed
from tests.support.waiting import wait_until

GOOD = {"200", "201", "202", "204"}
# What else is to be said in the address.
QUERIES = {
    "showEvents": "?limit=1",
    "showMyEvents": "?limit=1",
    "showKnowledge": "?seat=0",
    "showDiff": "?to=2",
}


class Sending(Struct, frozen=True):
    """What a good call needs: variables of its address, a token, and a body if the example does not do."""

    known: Mapping[str, str]
    token: str | None = None
    body: Any = None


class World(Struct, frozen=True):
    """A service with its limits, and a game that its bots have finished."""

    api: ApiClient
    over: Game


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with capture_log(), open_memory() as memory, open_worker(memory):
        app = create_app(Settings(security_contact="mailto:a@example.org"), memory, lambda: HEALTHY_REDIS)
        app.test_client_class = CheckedClient
        api = ApiClient(app.test_client())
        yield World(api, finish_game(api, memory))
        app.extensions[DOORBELL].close()


def finish_game(api: ApiClient, memory: redis.Redis) -> Game:
    game = api.create({"bot": "random"}, {"bot": "random"})
    build_backend(memory).scheduler.schedule(game.id)
    wait_until(lambda: game.table()["status"] == "over", "the end of the game")
    say_that_all_are_listed(memory)
    return game


def in_lobby(world: World) -> Sending:
    game = world.api.create({"name": "Anna"}, {"open": True})
    return Sending({"game": game.id}, game.tokens[0])


def in_play(world: World) -> Sending:
    game = world.api.create_for(2)
    return Sending({"game": game.id}, game.tokens[0])


def after_leaving(world: World) -> Sending:
    sending = in_play(world)
    assert world.api.post(f"/v1/games/{sending.known['game']}/leave", {}, sending.token).status_code == 200
    return sending


def at_turn(world: World) -> Sending:
    game = world.api.create_for(2)
    seat, ask = game.ask()
    answer = {"ask": ask["ask"], "choice": ask["options"][0]["choice"]}
    return Sending({"game": game.id}, game.tokens[seat], answer)


def for_advice(world: World) -> Sending:
    game = world.api.create_for(2)
    seat, _ = game.ask()
    return Sending({"game": game.id}, game.tokens[seat], {"game": game.id})


def after_play(world: World) -> Sending:
    game = world.api.create_for(2)
    game.play()
    return Sending({"game": game.id}, game.tokens[0])


def as_stranger(world: World) -> Sending:
    return Sending(in_lobby(world).known, None, {"name": "Ben"})


def as_player(world: World) -> Sending:
    return Sending({"game": world.over.id}, PlayerClient(world.api, "Dora").token)


def for_ticket(world: World) -> Sending:
    return Sending({}, PlayerClient(world.api, "Dora").token, {"me": True})


def of_player(world: World) -> Sending:
    return Sending({"player": PlayerClient(world.api, "Dora").id})


def with_code(world: World) -> Sending:
    plan = {"edition": "classic", "visibility": "private", "seats": [{"name": "Anna"}, {"open": True}]}
    return Sending({}, None, {"code": world.api.post("/v1/games", plan).get_json()["code"]})


def with_file(world: World) -> Sending:
    return Sending({}, None, world.api.get(f"{world.over.address}/export").data)


def of_webhook(world: World) -> Sending:
    token = PlayerClient(world.api, "Hana").token
    made = world.api.post("/v1/webhooks", {"url": "https://example.org/hook"}, token).get_json()
    return Sending({"webhook": made["id"]}, token)


def of_remote_bot(world: World) -> Sending:
    token = PlayerClient(world.api, "Hana").token
    made = world.api.post("/v1/remote-bots", {"name": "Carlo", "build": "1"}, token).get_json()
    return Sending({"bot": made["id"]}, token)


def of_task(world: World) -> Sending:
    wanted = {"budget": 6000, **(asked := for_advice(world)).body}
    later = world.api.post("/v1/advice", wanted, asked.token)
    assert later.status_code == 202, later.data
    return Sending({"task": later.headers["Location"].rpartition("/")[2]}, asked.token)


def of_finished_game(world: World) -> Sending:
    return Sending({"game": world.over.id, "version": "2"})


PREPARE: Mapping[str, Callable[[World], Sending]] = {
    "advise": for_advice,
    "cancelGame": in_lobby,
    "cancelTask": of_task,
    "changeRemoteBot": of_remote_bot,
    "eraseRemoteBot": of_remote_bot,
    "listMyRemoteBots": as_player,
    "registerRemoteBot": as_player,
    "showRemoteBot": of_remote_bot,
    "changeWebhook": of_webhook,
    "createWebhook": as_player,
    "deleteWebhook": of_webhook,
    "listDeliveries": of_webhook,
    "listWebhooks": as_player,
    "replayWebhook": of_webhook,
    "rotateSecret": of_webhook,
    "sendTest": of_webhook,
    "showWebhook": of_webhook,
    "changeToken": as_player,
    "choose": at_turn,
    "createTicket": for_ticket,
    "eraseMe": as_player,
    "findGame": with_code,
    "importGame": with_file,
    "leaveTable": in_play,
    "listMyGames": as_player,
    "exportMyGames": as_player,
    "makeRematch": after_play,
    "renameMe": as_player,
    "returnToTable": after_leaving,
    "showMe": as_player,
    "showMyEvents": as_player,
    "showPlayer": of_player,
    "showProgress": of_task,
    "startGame": in_lobby,
    "takeSeat": as_stranger,
    "voidGame": in_play,
}


def send(world: World, described: Described, sending: Sending, **headers: str) -> TestResponse:
    known = {"game": world.over.id, **sending.known}
    body = described.body(known) if sending.body is None else sending.body
    media = described.headers(None) if body is not None else {}
    address = described.address(known) + QUERIES.get(described.id, "")
    given = {name.replace("-", "_"): value for name, value in media.items()} | headers
    return world.api.send(described.method, address, body, sending.token, **given)


def send_in_all_ways(world: World, described: Described) -> Iterator[TestResponse]:
    """In every form, and where it takes a key once more with the same one."""
    sending = PREPARE.get(described.id, of_finished_game)(world)
    takes_key = any(told["name"] == "Idempotency-Key" for told in described.text["parameters"])
    for media in forms_of(described):
        key = {"Idempotency_Key": str(uuid4())} if takes_key else {}
        for _ in range(2 if takes_key else 1):
            reply = send(world, described, sending, Accept=media, **key)
            assert str(reply.status_code) in GOOD, reply.data
            yield reply
            reply.close()


def forms_of(described: Described) -> list[str]:
    good = [
        described.text["responses"][status]
        for status in ("200", "201")
        if status in described.text["responses"]
    ]
    return [media for response in good for media in response.get("content", {})] or ["*/*"]


@pytest.mark.parametrize("described", [*described_operations()], ids=lambda described: described.id)
def test_the_headers_of_replies_are_those_of_the_contract(world: World, described: Described) -> None:
    told: dict[str, set[str]] = {}
    for reply in send_in_all_ways(world, described):
        told.setdefault(str(reply.status_code), set()).update(telling_headers(reply))
    for status, names in told.items():
        assert names == promised_headers(dict(described.text), status), status


def test_every_stream_begins_as_its_frames_are_described(world: World) -> None:
    for described in described_operations():
        content = described.text["responses"].get("200", {}).get("content", {})
        if "text/event-stream" not in content:
            continue
        first, *_ = content["text/event-stream"]["x-itemSchema"]["oneOf"]
        sending = PREPARE.get(described.id, of_finished_game)(world)
        reply = send(world, described, sending, Accept="text/event-stream")
        begun = next(reply.iter_encoded())
        reply.close()
        assert begun == b"retry: %d\n\n" % first["properties"]["retry"]["const"]
