"""Keeps what is to be delivered, when, and by which process.

For each webhook there is a cursor in its owner's feed, a backlog of events that were read and not delivered,
by their games, and a time in the due index. A process leases a webhook before it delivers; whatever it writes
later counts only while it has the lease.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any, Literal

import msgspec
from msgspec import Struct
from redis import Redis

from events.durability import Script
from events.redis import translate_redis_errors
from service.webhooks.sources import WebhookEvent
from service.webhooks.webhooks import (
    CURSORS,
    DUE,
    FAILING,
    LEASES,
    RECORDS,
    RUNG,
    Webhook,
    backlog_key,
    deliveries_key,
    owner_key,
)

# A process that was killed holds its webhooks no longer than this.
LEASE_SECONDS = 3.0
# How many deliveries of a webhook are kept.
MOST_DELIVERIES = 100
# The place of test deliveries in the backlog, beside the games.
TEST = "test"
MOST_TESTS = 10
_NOTHING = ""


class Waiting(Struct, frozen=True, omit_defaults=True):
    """The events of one game that wait, in their order. `attempts` of the first have failed since `since`.

    The next attempt is at `at`. Times are in seconds since 1970.
    """

    events: tuple[WebhookEvent, ...]
    attempts: int = 0
    at: float = 0.0
    since: float = 0.0


class Backlog(Struct, frozen=True):
    """What is known of a webhook's deliveries when a process begins."""

    cursor: str
    games: Mapping[str, Waiting]
    failing_since: float | None


class StoredBacklog(Struct, frozen=True):
    """How far the feed was read for a webhook, and the events by game that were read and not delivered."""

    cursor: str
    games: Mapping[str, Sequence[WebhookEvent]] = {}


class Delivery(Struct, frozen=True):
    """One attempt. `id` is its `webhook-id`, `status` that of the reply, null if there was none.

    `next` is when it is tried again: null if it arrived, or was given up.
    """

    id: str
    at: str
    game: str
    version: int
    type: str
    attempt: int
    status: int | None
    latency_ms: int
    error: str | None
    next: str | None


# What the last attempt says of a server: it was quick, or slow, or there was none yet.
Standing = Literal["quick", "slow", "new"]
# A server that takes longer is slow.
SLOW_SECONDS = 2.0


class Taken(Struct, frozen=True):
    """Webhooks that this process has leased, each with the standing of its server.

    The next one is due in `rest` seconds.
    """

    webhooks: Mapping[str, Standing]
    rest: float


class LeaseLost(Exception):
    """Says that another process delivers this webhook, or that it was changed or deleted."""


def _read_script(name: str) -> Script:
    return Script(files("service.webhooks").joinpath(name).read_bytes())


_TAKE = _read_script("take.lua")
_WAKE = _read_script("wake.lua")
_RENEW = _read_script("renew.lua")
_SAVE = _read_script("save.lua")
_RELEASE = _read_script("release.lua")
_REPLAY = _read_script("replay.lua")
_ADD_TEST = _read_script("test.lua")
_RESTORE = _read_script("restore.lua")
_encode = msgspec.json.Encoder().encode


class Outbox:
    """Reads and writes what is to be delivered. Each method raises Unavailable."""

    def __init__(self, client: Redis) -> None:
        """Use that client's Redis; leases are in the name of this object."""
        self._redis: Any = client
        self._token = secrets.token_hex(8)

    def take(self, now: float, most: int) -> Taken:
        """Lease up to `most` webhooks that are due."""
        until = _milliseconds(now + LEASE_SECONDS)
        arguments = (_milliseconds(now), until, self._token, most)
        taken, following = _TAKE.run(self._redis, (DUE, LEASES, RUNG), arguments)
        rest = float(following) / 1000 - now if following else LEASE_SECONDS
        names = [webhook.decode() for webhook in taken]
        return Taken(dict(zip(names, self._find_standings(names), strict=True)), max(0.0, rest))

    def _find_standings(self, webhooks: Sequence[str]) -> list[Standing]:
        if not webhooks:
            return []
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as asking:
            for webhook in webhooks:
                asking.lindex(deliveries_key(webhook), 0)
            return [_judge(newest) for newest in asking.execute()]

    def wake(self, owners: Iterable[str], now: float) -> None:
        """Let the webhooks of these owners be looked at: there is something new in their feeds."""
        keys = [owner_key(owner) for owner in owners]
        if keys:
            _WAKE.run(self._redis, (DUE, LEASES, RUNG, RECORDS, *keys), (_milliseconds(now),))

    def wake_all(self, now: float) -> None:
        """Let all webhooks be looked at: news may have been missed."""
        _WAKE.run(self._redis, (DUE, LEASES, RUNG, RECORDS), (_milliseconds(now),))

    def renew(self, webhooks: Sequence[str], now: float) -> None:
        """Hold the leases of these webhooks for longer; those that were lost stay lost."""
        if webhooks:
            until = _milliseconds(now + LEASE_SECONDS)
            _RENEW.run(self._redis, (DUE, LEASES), (until, self._token, *webhooks))

    def load(self, webhook: str) -> Backlog:
        """Return what waits for a webhook."""
        with translate_redis_errors(), self._redis.pipeline(transaction=True) as at_once:
            at_once.hget(CURSORS, webhook)
            at_once.hgetall(backlog_key(webhook))
            at_once.hget(FAILING, webhook)
            cursor, games, failing = at_once.execute()
        waiting = {game.decode(): msgspec.json.decode(entry, type=Waiting) for game, entry in games.items()}
        return Backlog((cursor or b"0").decode(), waiting, float(failing) if failing else None)

    def save(
        self,
        webhook: str,
        games: Mapping[str, Waiting | None],
        cursor: str = _NOTHING,
        delivery: Delivery | None = None,
        failing_since: float | None = None,
    ) -> None:
        """Write what waits now in these games, None for nothing, and what else has changed.

        With a delivery, `failing_since` is since when all have failed; None if this one arrived. Raises
        LeaseLost.
        """
        told = _encode(delivery) if delivery else b""
        failing = _NOTHING if failing_since is None else str(failing_since)
        arguments: list[str | bytes | int] = [webhook, self._token, cursor, told, failing, MOST_DELIVERIES]
        for game, waiting in games.items():
            arguments += [game, _encode(waiting) if waiting else b""]
        keys = (LEASES, CURSORS, FAILING, backlog_key(webhook), deliveries_key(webhook))
        if not _SAVE.run(self._redis, keys, arguments):
            raise LeaseLost(webhook)

    def release(self, webhook: str, following: float | None, now: float) -> None:
        """Give up the lease of a webhook, which is due again then; None if nothing waits."""
        following_ms = "" if following is None else str(_milliseconds(following))
        arguments = (webhook, self._token, following_ms, _milliseconds(now))
        _RELEASE.run(self._redis, (DUE, LEASES, RUNG), arguments)

    def replay(self, webhook: Webhook, cursor: str, now: float) -> None:
        """Deliver anew what comes after a place in the feed."""
        keys = (CURSORS, DUE, LEASES, backlog_key(webhook.id))
        _REPLAY.run(self._redis, keys, (webhook.id, cursor, _milliseconds(now)))

    def add_test(self, webhook: Webhook, event: WebhookEvent, now: float) -> bool:
        """Let a test event be delivered; return False if too many wait already."""
        keys = (backlog_key(webhook.id), RECORDS)
        arguments = (webhook.id, f"{TEST}:{event.id}", _encode(Waiting((event,))), MOST_TESTS)
        if not _ADD_TEST.run(self._redis, keys, arguments):
            return False
        self.wake((webhook.owner,), now)
        return True

    def read_waiting(self, webhook: str) -> StoredBacklog:
        """Return what a backup keeps: the cursor, and the events behind which it is."""
        backlog = self.load(webhook)
        games = {game: waiting.events for game, waiting in backlog.games.items() if not is_test(game)}
        return StoredBacklog(backlog.cursor, games)

    def restore(self, webhook: Webhook, backlog: StoredBacklog, now: float) -> None:
        """Write a webhook and what waits for it as a backup has them, unless the webhook is there already.

        What waits is due at once, as if it had never been tried.
        """
        keys = (RECORDS, owner_key(webhook.owner), CURSORS, DUE, backlog_key(webhook.id))
        arguments: list[str | bytes | int] = [
            webhook.id,
            _encode(webhook),
            backlog.cursor,
            _milliseconds(now),
        ]
        for game, events in backlog.games.items():
            arguments += [game, _encode(Waiting(tuple(events)))]
        _RESTORE.run(self._redis, keys, arguments)

    def read_cursor(self, webhook: str) -> str:
        """Return how far the feed has been read for a webhook."""
        with translate_redis_errors():
            cursor = self._redis.hget(CURSORS, webhook)
        return (cursor or b"0").decode()

    def deliveries(self, webhook: str) -> list[Delivery]:
        """Return the last deliveries, newest first."""
        with translate_redis_errors():
            found = self._redis.lrange(deliveries_key(webhook), 0, -1)
        return [msgspec.json.decode(entry, type=Delivery) for entry in found]

    def measure_overdue(self, now: float) -> float:
        """Return for how many seconds the oldest webhook has been due."""
        with translate_redis_errors():
            first = self._redis.zrange(DUE, 0, 0, withscores=True)
        return max(0.0, now - first[0][1] / 1000) if first else 0.0


def _judge(newest: bytes | None) -> Standing:
    """Return the standing of a server by the newest delivery to it."""
    if newest is None:
        return "new"
    seconds = msgspec.json.decode(newest, type=Delivery).latency_ms / 1000
    return "slow" if seconds > SLOW_SECONDS else "quick"


def is_test(game: str) -> bool:
    """Return whether a place in the backlog is that of a test delivery."""
    return game.startswith(f"{TEST}:")


def _milliseconds(seconds: float) -> int:
    return int(seconds * 1000)
