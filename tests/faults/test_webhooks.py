"""Webhooks while the server fails and the delivery process is killed: all arrives, in order, signed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from threading import Lock
from typing import Any

import pytest
import redis
from flask import Flask

from service.config import UNLIMITED, Settings
from service.http.app import DOORBELL, create_app
from service.keys.keys import SCOPES, ApiKeys
from service.ops.redis_server import RedisServer
from tests.support.api_client import ApiClient, Game, PlayerClient, project
from tests.support.games import make_served_games
from tests.support.waiting import PATIENCE, wait_until
from tests.support.webhook_server import Decide, Received, WebhookServer, open_webhook_server

LOOPBACK = "127.0.0.0/8"
SETTINGS = Settings(limits=UNLIMITED, webhook_networks=LOOPBACK)


class DeliveryProcess:
    """`python -m workers.webhooks`, which can be killed and started again."""

    def __init__(self, url: str) -> None:
        self._environ = {**os.environ, "REDIS_URL": url, "WEBHOOK_NETWORKS": LOOPBACK, "LOG_LEVEL": "error"}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen([sys.executable, "-m", "workers.webhooks"], env=self._environ)

    def end(self, number: signal.Signals = signal.SIGKILL) -> int:
        assert self._process is not None
        self._process.send_signal(number)
        return self._process.wait(PATIENCE)


@contextmanager
def open_delivery(url: str) -> Iterator[DeliveryProcess]:
    process = DeliveryProcess(url)
    process.start()
    try:
        yield process
    finally:
        process.end()


@pytest.fixture
def app(real_redis: redis.Redis) -> Iterator[Flask]:
    app = create_app(SETTINGS, real_redis, games=make_served_games(real_redis))
    yield app
    app.extensions[DOORBELL].close()


@pytest.fixture
def anna(app: Flask) -> PlayerClient:
    return PlayerClient(ApiClient(app.test_client()), "Anna @everyone")


def add_webhook(player: PlayerClient, server: WebhookServer, **more: Any) -> dict[str, Any]:
    reply = player.api.post("/v1/webhooks", {"url": server.url, **more}, player.token)
    assert reply.status_code == 201, reply.data
    made: dict[str, Any] = reply.get_json()
    return made


def fail_at_random(seed: int, share: float = 0.3) -> Decide:
    """Return a server's decision: refusals, redirects and closed connections.

    An event fails four times at most. The pauses grow: of thousands of events some would fail seven times,
    and the test would wait minutes for them.
    """
    random = Random(seed)
    lock = Lock()
    failures: Counter[tuple[Any, ...]] = Counter()

    def decide(event: dict[str, Any]) -> int:
        key = event["game"], event["version"], event["type"], event["seat"]
        with lock:
            if failures[key] >= 4 or random.random() >= share:
                return 204
            failures[key] += 1
            return random.choice((500, 503, 302, 404, 0))

    return decide


def list_events(player: PlayerClient, after: str = "0") -> list[tuple[str, int, str, int]]:
    """Everything in the feed after a place."""
    found: list[tuple[str, int, str, int]] = []
    while events := (page := player.get(f"/v1/me/events?after={after}"))["events"]:
        found += [(one["game"], one["version"], one["type"], one["seat"]) for one in events]
        after = page["next"]
    return found


def list_feed(api: ApiClient, token: str) -> list[tuple[str, int, str, int]]:
    """Everything in the feed of an API key."""
    found: list[tuple[str, int, str, int]] = []
    after = "0"
    while events := (page := api.get(f"/v1/feed?after={after}", token).get_json())["events"]:
        found += [(one["game"], one["version"], one["type"], one["seat"]) for one in events]
        after = page["next"]
    return found


def play_some(game: Game, answers: int) -> None:
    """Each answer is the first option."""
    for _ in range(answers):
        table = game.table()
        if table["status"] == "over":
            return
        seat, ask = game.asked(table)
        assert game.choose(seat, ask["ask"], ask["options"][0]["choice"]).status_code == 200


def list_tries(server: WebhookServer, game: Game) -> list[Received]:
    return [one for one in server.all() if one.event["game"] == game.id]


def check_deliveries(server: WebhookServer, expected: list[tuple[str, int, str, int]], secret: str) -> None:
    accepted = {one.key for one in server.accepted()}
    assert accepted == set(expected)
    server.check_order()
    server.check_signatures(secret)


@pytest.mark.long
def test_all_events_arrive_in_order_though_the_process_is_killed(
    anna: PlayerClient, real_redis: redis.Redis, redis_server: RedisServer
) -> None:
    with open_webhook_server(fail_at_random(1, 0.15)) as server, open_delivery(redis_server.url) as process:
        made = add_webhook(anna, server)
        games = [anna.set_up({"name": "Ben"}) for _ in range(4)]
        for _ in range(2):
            for game in games:
                play_some(game, 6)
            project(real_redis)
            wait_until(lambda: len(server.accepted()) > 2, "some deliveries")
            process.end()
            process.start()
        expected = list_events(anna)
        wait_until(lambda: len({one.key for one in server.accepted()}) == len(expected), "all deliveries")
        check_deliveries(server, expected, made["secret"])
        deliveries = anna.get(f"/v1/webhooks/{made['id']}/deliveries")["deliveries"]
        assert deliveries[0]["latency_ms"] >= 0
        assert process.end(signal.SIGTERM) == 0
        process.start()


@pytest.mark.long
def test_a_thousand_deliveries_of_fifty_games_survive_ten_kills(
    app: Flask, real_redis: redis.Redis, redis_server: RedisServer
) -> None:
    """To a player, and to the API key that the player belongs to, each at a server that fails at random."""
    api = ApiClient(app.test_client())
    key = ApiKeys(real_redis).create("arcade", SCOPES).key
    anna = PlayerClient(api, "Anna", key)
    with (
        open_webhook_server(fail_at_random(2)) as of_player,
        open_webhook_server(fail_at_random(3)) as of_key,
        open_delivery(redis_server.url) as process,
    ):
        made = add_webhook(anna, of_player)
        made_by_key = api.post("/v1/webhooks", {"url": of_key.url}, key).get_json()
        games = [anna.set_up({"name": "Ben"}, edition=("classic", "modern")[n % 2]) for n in range(50)]
        for _ in range(10):
            least = len(of_player.all()) + 20
            for game in games:
                play_some(game, 4)
            project(real_redis)
            wait_until(lambda least=least: len(of_player.all()) > least, "deliveries")  # type: ignore[misc]
            process.end()
            process.start()
        expected = list_events(anna)
        expected_by_key = list_feed(api, key)
        assert len(expected) >= 1_000
        assert {one[0] for one in expected_by_key} == {game.id for game in games}
        for server, events, secret in (
            (of_player, expected, made["secret"]),
            (of_key, expected_by_key, made_by_key["secret"]),
        ):
            wait_until(
                lambda server=server, events=events: (
                    len({one.key for one in server.accepted()})  # type: ignore[misc]
                    == len(events)
                ),
                "all deliveries",
            )
            check_deliveries(server, events, secret)


@pytest.mark.long
def test_a_failing_game_holds_up_no_other(
    anna: PlayerClient, real_redis: redis.Redis, redis_server: RedisServer
) -> None:
    failing: set[str] = set()
    with (
        open_webhook_server(lambda event: 500 if event["game"] in failing else 200) as server,
        open_delivery(redis_server.url),
    ):
        made = add_webhook(anna, server, types=["asked", "started"])
        bad, good = (anna.set_up({"name": "Ben"}) for _ in range(2))
        failing.add(bad.id)
        for game in (bad, good):
            play_some(game, 6)
        project(real_redis)
        wanted = {one for one in list_events(anna) if one[2] in ("asked", "started")}
        of_good = {one for one in wanted if one[0] == good.id}
        wait_until(lambda: {one.key for one in server.accepted()} == of_good, "the other game")
        wait_until(lambda: len(list_tries(server, bad)) == 2, "the first repeat")
        first, second = list_tries(server, bad)
        assert first.headers["webhook-id"] == second.headers["webhook-id"]
        assert 1.0 <= second.at - first.at <= 5.0
        failing.clear()
        wait_until(lambda: {one.key for one in server.accepted()} == wanted, "the rest")
        server.check_order()
        shown = anna.get(f"/v1/webhooks/{made['id']}/deliveries")["deliveries"]
        assert [one["attempt"] for one in shown if one["game"] == bad.id and one["error"]] == [2, 1]


def test_gone_tests_rotation_replay_and_chat(
    anna: PlayerClient, real_redis: redis.Redis, redis_server: RedisServer
) -> None:
    statuses = {"all": 410}
    with (
        open_webhook_server(lambda event: statuses["all"]) as server,
        open_webhook_server() as chat,
        open_delivery(redis_server.url),
    ):
        made = add_webhook(anna, server)
        add_webhook(anna, chat, format="discord", types=["asked"])
        address = f"/v1/webhooks/{made['id']}"
        game = anna.set_up({"name": "Ben"}, start_seat=0)
        project(real_redis)
        wait_until(lambda: anna.get(address)["reason"] == "gone", "that it is switched off")
        wait_until(lambda: chat.accepted(), "the chat message")
        message = chat.accepted()[0].event
        assert set(message) == {"content"}
        assert "@everyone" not in message["content"]
        assert message["content"].endswith(f"http://localhost/games/{game.id}")
        # A test reaches a webhook that is off, and two secrets sign after a rotation.
        statuses["all"] = 200
        new = anna.api.send("POST", f"{address}/secret", None, anna.token).get_json()["secret"]
        test = anna.api.send("POST", f"{address}/test", None, anna.token).get_json()["delivery"]
        wait_until(lambda: server.accepted(), "the test")
        (one,) = server.accepted()
        assert one.headers["webhook-id"] == test
        assert one.event["type"] == "test"
        assert len(one.headers["webhook-signature"].split()) == 2
        anna.api.send("PATCH", address, {"enabled": True}, anna.token)
        anna.api.send("POST", f"{address}/replay", {"after": "0"}, anna.token)
        expected = set(list_events(anna))
        wait_until(lambda: {one.key for one in server.accepted()} >= expected, "the replay")
        for received in (server.accepted()[-1],):
            assert received.headers["host"] == f"127.0.0.1:{server.port}"
        server.received[:] = server.accepted()
        server.check_signatures(new, made["secret"])
