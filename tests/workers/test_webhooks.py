"""Deliveries by a clock that the test moves: repeats over a day, order, slow servers, owners that go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest
import redis
from flask import Flask
from msgspec.structs import replace

from events.archive import Archive
from events.objects import FolderObjects
from service.container import build_backend
from service.keys.keys import SCOPES, ApiKeys
from service.ops.backup import Backup
from service.ops.backup_folder import BackupReader, BackupWriter
from service.ops.restore import Restore
from service.progress import Progress
from service.webhooks.courier import Courier
from service.webhooks.destinations import Destinations, read_networks
from service.webhooks.outbox import LEASE_SECONDS, Delivery
from service.webhooks.webhooks import DUE, TYPES, Webhook, Webhooks
from tests.support.api_client import ApiClient, PlayerClient, project
from tests.support.app import open_app, open_memory
from tests.support.waiting import wait_until
from tests.support.webhook_server import Decide, WebhookServer, open_webhook_server
from workers.webhooks import LANES, LIFETIME, Bell, Deliverer, make_tools

LOOPBACK = "127.0.0.0/8"
DAY = timedelta(days=1).total_seconds()


class Clock:
    """The time, which a test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def move(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


class Post:
    """A delivery process on a Redis in memory, run step by step."""

    def __init__(self, memory: redis.Redis, clock: Clock) -> None:
        self.backend = build_backend(memory)
        self.clock = clock
        self._stopped = Event()
        self._rung = Event()
        self.bell = Bell(memory, self._rung)
        courier = Courier(Destinations(read_networks(LOOPBACK)), lambda: clock().timestamp())
        self.webhooks = Webhooks(memory, self.backend.store.secret, clock, most_of_player=0)
        self.tools = replace(
            make_tools(self.backend, LOOPBACK), clock=clock, courier=courier, webhooks=self.webhooks
        )
        self.deliverer = Deliverer(self.tools, self.bell, self._stopped)

    def add(self, owner: str, url: str) -> Webhook:
        """A webhook of an owner that is sent everything from the beginning on."""
        made = self.webhooks.create(
            owner, url=url, types=TYPES, format="standard", base="", cursor="0", key=None
        )
        return made.webhook

    def read(self, webhook: Webhook) -> Webhook:
        found = self.webhooks.read(webhook.id)
        assert found is not None
        return found

    def deliver(self) -> None:
        """Deliver all that is due now, and wait until it is done."""
        self.bell.put_back(set(), True)
        self.deliverer.step()
        wait_until(lambda: not self.deliverer.list_leased(), "the end of what is under way")

    def deliveries(self, webhook: Webhook) -> list[Delivery]:
        """Oldest first."""
        return self.tools.outbox.deliveries(webhook.id)[::-1]

    def close(self) -> None:
        self._stopped.set()
        self.deliverer.close()


@pytest.fixture
def memory() -> Iterator[redis.Redis]:
    with open_memory() as client:
        yield client


@pytest.fixture
def app(memory: redis.Redis) -> Iterator[Flask]:
    with open_app(memory) as app:
        yield app


@pytest.fixture
def anna(app: Flask) -> PlayerClient:
    return PlayerClient(ApiClient(app.test_client()), "Anna")


@contextmanager
def open_post(memory: redis.Redis) -> Iterator[Post]:
    post = Post(memory, Clock())
    try:
        yield post
    finally:
        post.close()


@pytest.fixture
def post(memory: redis.Redis) -> Iterator[Post]:
    with open_post(memory) as post:
        yield post


def facts(server: WebhookServer) -> list[tuple[Any, ...]]:
    return [one.key for one in server.accepted()]


def test_a_day_of_failures_switches_a_webhook_off_and_loses_nothing(
    anna: PlayerClient, memory: redis.Redis, post: Post
) -> None:
    with open_webhook_server(lambda event: 500) as server:
        webhook = post.add(anna.id, server.url)
        anna.set_up({"name": "Ben"}, start_seat=0)
        project(memory)
        started = post.clock().timestamp()
        times = []
        while post.read(webhook).enabled:
            before = len(server.all())
            post.deliver()
            if len(server.all()) > before:
                times.append(post.clock().timestamp() - started)
            # To the next attempt, as a process would sleep.
            due = cast(list[tuple[bytes, float]], memory.zrange(DUE, 0, 0, withscores=True))
            for _, milliseconds in due:
                post.clock.move(max(milliseconds / 1000 - post.clock().timestamp(), 0) + 0.001)
        assert post.read(webhook).reason == "failing"
        assert 1.0 <= times[1] - times[0] <= 5.0
        assert times[-1] >= LIFETIME
        assert times[-2] < LIFETIME
        pauses = [later - earlier for earlier, later in pairwise(times)]
        assert max(pauses) <= 3 * 3600
        assert 15 <= len(times) <= 60
        # One event was tried, under one id; the ones behind it in the game waited.
        assert len({one.headers["webhook-id"] for one in server.all()}) == 1

        # A week later it is switched on: what waits is tried at once, and a first failure gives nothing up.
        post.clock.move(7 * DAY)
        post.webhooks.change(post.read(webhook), reason="", since="", fresh_from=post.clock().timestamp())
        post.deliver()
        assert post.read(webhook).enabled
        assert post.deliveries(webhook)[-1].next is not None
        server.decide = lambda event: 200
        post.clock.move(5)
        post.deliver()
        expected = [(one["game"], one["version"], one["type"]) for one in anna.get("/v1/me/events")["events"]]
        assert [fact[:3] for fact in facts(server)] == expected


@pytest.mark.long
def test_a_changed_url_is_tried_at_once(anna: PlayerClient, memory: redis.Redis, post: Post) -> None:
    with open_webhook_server(lambda event: 500) as broken, open_webhook_server() as mended:
        webhook = post.add(anna.id, broken.url)
        anna.set_up({"name": "Ben"})
        project(memory)
        for _ in range(8):
            post.deliver()
            post.clock.move(3600)
        post.deliver()
        assert not mended.all()
        post.webhooks.change(post.read(webhook), url=mended.url, fresh_from=post.clock().timestamp())
        post.deliver()
        assert mended.accepted()


@pytest.mark.long
def test_events_of_a_game_stay_in_order_while_one_fails(
    anna: PlayerClient, memory: redis.Redis, post: Post
) -> None:
    refused: set[str] = set()
    with open_webhook_server(lambda event: 500 if event["game"] in refused else 200) as server:
        post.add(anna.id, server.url)
        bad, good = (anna.set_up({"name": "Ben"}, start_seat=0) for _ in range(2))
        refused.add(bad.id)
        project(memory)
        post.deliver()
        assert {fact[0] for fact in facts(server)} == {good.id}
        table = bad.table(0)
        assert (
            bad.choose(0, table["asks"][0]["ask"], table["asks"][0]["options"][0]["choice"]).status_code
            == 200
        )
        project(memory)
        for _ in range(4):
            post.clock.move(600)
            post.deliver()
        assert {fact[0] for fact in facts(server)} == {good.id}
        tried = {one.headers["webhook-id"] for one in server.all() if one.event["game"] == bad.id}
        assert len(tried) == 1
        refused.clear()
        post.clock.move(7200)
        post.deliver()
        events = anna.get("/v1/me/events")["events"]
        expected = [(one["version"], one["type"]) for one in events if one["game"] == bad.id]
        assert [fact[1:3] for fact in facts(server) if fact[0] == bad.id] == expected


@pytest.mark.long
def test_two_secrets_sign_for_a_day(anna: PlayerClient, memory: redis.Redis, post: Post) -> None:
    with open_webhook_server() as server:
        webhook = post.add(anna.id, server.url)
        rotated = post.webhooks.rotate(webhook, None)
        anna.set_up({"name": "Ben"})
        project(memory)
        post.deliver()
        post.clock.move(DAY + 1)
        anna.set_up({"name": "Ben"})
        project(memory)
        post.deliver()
        counts = [len(one.headers["webhook-signature"].split()) for one in server.accepted()]
        assert set(counts) == {1, 2}
        assert counts == sorted(counts, reverse=True)
        assert rotated.webhook.former_secret == webhook.secret


@pytest.mark.long
def test_410_switches_off_and_a_replay_delivers_again(
    anna: PlayerClient, memory: redis.Redis, post: Post
) -> None:
    with open_webhook_server(lambda event: 410) as server:
        webhook = post.add(anna.id, server.url)
        anna.set_up({"name": "Ben"}, start_seat=0)
        project(memory)
        post.deliver()
        assert post.read(webhook).reason == "gone"
        post.clock.move(DAY)
        post.deliver()
        assert len(server.all()) == 1
        server.decide = lambda event: 200
        post.webhooks.change(post.read(webhook), reason="", since="", fresh_from=post.clock().timestamp())
        post.deliver()
        first = [one.headers["webhook-id"] for one in server.accepted()]
        assert len(first) == len(anna.get("/v1/me/events")["events"])
        post.tools.outbox.replay(webhook, "0", post.clock().timestamp())
        post.deliver()
        assert [one.headers["webhook-id"] for one in server.accepted()] == first * 2


# Owners that go


def fail_always(event: dict[str, Any]) -> int:
    return 503


@pytest.mark.long
def test_nothing_is_sent_for_a_player_who_was_erased(
    anna: PlayerClient, memory: redis.Redis, post: Post
) -> None:
    with open_webhook_server(fail_always) as server:
        webhook = post.add(anna.id, server.url)
        anna.set_up({"name": "Ben"})
        project(memory)
        post.deliver()
        assert anna.api.send("DELETE", "/v1/me", None, anna.token).status_code == 204
        check_nothing_is_left(memory, post, webhook, server)


@pytest.mark.long
def test_nothing_is_sent_for_a_key_that_was_revoked(app: Flask, memory: redis.Redis, post: Post) -> None:
    """Also where the process that revokes it is killed before it deletes the webhooks."""
    api = ApiClient(app.test_client())
    key = ApiKeys(memory).create("arcade", SCOPES)
    with open_webhook_server(fail_always) as server:
        webhook = post.add(key.record.id, server.url)
        reply = api.post(
            "/v1/games", {"edition": "classic", "seats": [{"name": "A"}, {"name": "B"}]}, key.key
        )
        assert reply.status_code == 201
        project(memory)
        post.deliver()
        post.backend.api_keys.revoke("arcade")
        check_nothing_is_left(memory, post, webhook, server)


def check_nothing_is_left(memory: redis.Redis, post: Post, webhook: Webhook, server: WebhookServer) -> None:
    sent = len(server.all())
    assert sent
    for _ in range(3):
        post.clock.move(3600)
        post.deliver()
    assert len(server.all()) == sent
    assert post.webhooks.read(webhook.id) is None
    assert not [name for name in cast(list[bytes], memory.keys()) if webhook.id.encode() in name]


# Slow servers


def test_slow_servers_hold_up_no_quick_one(anna: PlayerClient, memory: redis.Redis, post: Post) -> None:
    """As many servers that do not answer as there are places for new ones, and some more."""
    answering = Event()
    hanging: list[str] = []

    def hang(event: dict[str, Any]) -> int:
        hanging.append(event["game"])
        answering.wait()
        return 200

    ben = PlayerClient(anna.api, "Ben")
    with open_webhook_server(hang) as slow, open_webhook_server() as quick:
        known = post.add(anna.id, quick.url)
        anna.set_up({"name": "Carla"})
        project(memory)
        post.deliver()
        before = len(quick.accepted())
        assert before
        for _ in range(LANES["new"][0] + 5):
            post.add(ben.id, slow.url)
        ben.set_up({"name": "Carla"})
        project(memory)
        post.bell.put_back(set(), True)
        wait_until(lambda: step(post) and len(hanging) == LANES["new"][0], "that all places are taken")
        anna.set_up({"name": "Carla"})
        project(memory)
        post.bell.put_back({anna.id}, False)
        wait_until(lambda: step(post) and len(quick.accepted()) == 2 * before, "the quick one")
        assert len(post.deliverer.list_leased()) >= LANES["new"][0]
        # The server has accepted the last one before it is written down.
        wait_until(lambda: len(post.deliveries(known)) == 2 * before, "a record of all deliveries")
        answering.set()
        wait_until(lambda: step(post) and not post.deliverer.list_leased(), "the end of the slow ones")


def step(post: Post) -> bool:
    post.deliverer.step()
    return True


def test_a_process_that_was_killed_holds_a_webhook_for_no_longer_than_its_lease(
    anna: PlayerClient, memory: redis.Redis, post: Post
) -> None:
    with open_webhook_server() as server:
        webhook = post.add(anna.id, server.url)
        anna.set_up({"name": "Ben"})
        project(memory)
        killed = make_tools(post.backend, LOOPBACK).outbox
        killed.wake_all(post.clock().timestamp())
        assert list(killed.take(post.clock().timestamp(), 10).webhooks) == [webhook.id]
        post.deliver()
        assert not server.all()
        post.clock.move(LEASE_SECONDS)
        post.deliver()
        assert server.accepted()


# Backups


def test_a_backup_keeps_what_waits_for_delivery(
    anna: PlayerClient, memory: redis.Redis, post: Post, tmp_path: Path
) -> None:
    """Nothing is lost, and what is sent again has the id that it had, also where more was delivered since."""
    refused: set[str] = set()
    decide: Decide = lambda event: 500 if event["game"] in refused else 200  # noqa: E731
    with open_webhook_server(decide) as server, open_memory() as other:
        webhook = post.add(anna.id, server.url)
        bad = anna.set_up({"name": "Ben"}, start_seat=0)
        refused.add(bad.id)
        project(memory)
        post.deliver()
        post.clock.move(3600)
        post.deliver()
        good = anna.set_up({"name": "Carla"}, start_seat=0)
        project(memory)
        Backup(post.backend, BackupWriter(tmp_path / "copy"), Progress()).run()
        expected = {(one["game"], one["version"], one["type"]) for one in anna.get("/v1/me/events")["events"]}
        # After the backup the rest is delivered, and all of it is lost.
        post.deliver()
        assert {fact[0] for fact in facts(server)} == {good.id}
        restored = build_backend(other, archive=Archive(FolderObjects(tmp_path / "archive")))
        Restore(restored, BackupReader(tmp_path / "copy"), Progress()).run()
        refused.clear()
        with open_post(other) as again:
            assert again.read(webhook) == webhook
            again.deliver()
        assert {fact[:3] for fact in facts(server)} == expected
        server.check_order()
