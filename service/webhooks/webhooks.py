"""Stores webhooks: where to send which events of whose feed, and the secrets that sign them.

A webhook belongs to a player or to an API key. Like players and keys it is not derived from the log. Its
secret is needed to sign, so that it is stored as it is; replies show it when it is made, and logs never.
"""

from __future__ import annotations

import re
import secrets
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from datetime import datetime
from hmac import digest
from importlib.resources import files
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from redis import Redis

from events.durability import Script
from events.redis import translate_redis_errors
from events.store import KeyReused
from service.players.feed import What
from service.timestamps import stamp

WEBHOOK_ID = re.compile(r"w_[A-Za-z0-9_-]{22}")
Format = Literal["standard", "discord"]
FORMATS: tuple[Format, ...] = get_args(Format)
TYPES: tuple[What, ...] = get_args(What)
# Why a webhook is off: its server replied 410, it failed for a day, or its owner switched it off.
Reason = Literal["gone", "failing", "switched_off"]
MOST_OF_PLAYER = 10
MOST_OF_KEY = 100
# How long both secrets sign after a rotation.
ROTATION_SECONDS = 24 * 3600
_PREFIX = "croupier:{webhooks}:"
RECORDS = _PREFIX + "records"
DUE = _PREFIX + "due"
LEASES = _PREFIX + "leases"
RUNG = _PREFIX + "rung"
CURSORS = _PREFIX + "cursors"
FAILING = _PREFIX + "failing"
_TOO_MANY = -1


def owner_key(owner: str) -> str:
    """Return the key of the set of an owner's webhooks."""
    return f"{_PREFIX}owner:{owner}"


def backlog_key(webhook: str) -> str:
    """Return the key of the events that wait to be delivered, by their games."""
    return f"{_PREFIX}backlog:{webhook}"


def deliveries_key(webhook: str) -> str:
    """Return the key of the list of the last deliveries."""
    return f"{_PREFIX}deliveries:{webhook}"


class Webhook(Struct, frozen=True, omit_defaults=True):
    """A webhook as it is stored. `owner` is the id of a player or of an API key.

    `base` is where the owner reaches this service, for links. Until `former_until`, in seconds since 1970,
    the former secret signs, too. `reason` says why it is off; it is empty while it is on. Attempts that
    failed before `fresh_from`, when it was switched on or got another URL, delay nothing.
    """

    id: str
    owner: str
    url: str
    types: tuple[What, ...]
    format: Format
    secret: str
    created: str
    base: str = ""
    reason: Reason | Literal[""] = ""
    since: str = ""
    former_secret: str = ""
    former_until: float = 0.0
    fresh_from: float = 0.0

    @property
    def enabled(self) -> bool:
        return not self.reason

    def signing_secrets(self, now: float) -> tuple[str, ...]:
        """Return the secrets that sign at that time, the newest first."""
        return (self.secret, self.former_secret) if now < self.former_until else (self.secret,)


class NewWebhook(Struct, frozen=True):
    """A webhook that was just made, or was made by the same request before."""

    webhook: Webhook
    secret: str
    replayed: bool = False


class TooManyWebhooks(Exception):
    """Says that an owner has as many webhooks as allowed; the argument is that number."""


class UnknownWebhook(Exception):
    """Says that the caller has no webhook with this id."""


def _read_script(name: str) -> Script:
    return Script(files("service.webhooks").joinpath(name).read_bytes())


_CREATE = _read_script("create.lua")
_CHANGE = _read_script("change.lua")
_DELETE = _read_script("delete.lua")


class Webhooks:
    """Creates, finds, changes and deletes webhooks. Each method raises Unavailable."""

    def __init__(
        self,
        client: Redis,
        secret: Callable[[], bytes],
        clock: Callable[[], datetime],
        most_of_player: int = MOST_OF_PLAYER,
        most_of_key: int = MOST_OF_KEY,
    ) -> None:
        """Use the records in that client's Redis; `secret` returns the secret of the store.

        A player or a key has so many webhooks at most; 0 allows any number.
        """
        self._redis: Any = client
        self._secret = secret
        self._clock = clock
        self._most = {"p_": most_of_player, "k_": most_of_key}

    def create(
        self,
        owner: str,
        *,
        url: str,
        types: Sequence[What],
        format: Format,
        base: str,
        cursor: str,
        key: str | None,
    ) -> NewWebhook:
        """Make a webhook that begins after `cursor` in the owner's feed.

        A repeat with the same Idempotency-Key gets the same webhook. Raises KeyReused and TooManyWebhooks.
        """
        drawn = self._draw("webhook", owner, key)
        webhook = Webhook(
            id="w_" + urlsafe_b64encode(drawn).decode()[:22],
            owner=owner,
            url=url,
            types=tuple(types),
            format=format,
            secret=make_secret(self._draw("secret", owner, key)),
            created=stamp(self._clock()),
            base=base,
        )
        most = self._most[owner[:2]]
        keys = (RECORDS, owner_key(owner), CURSORS)
        earlier: Any = _CREATE.run(
            self._redis, keys, (webhook.id, msgspec.json.encode(webhook), most, cursor)
        )
        if earlier == _TOO_MANY:
            raise TooManyWebhooks(most)
        if earlier is None:
            return NewWebhook(webhook, webhook.secret)
        stored = msgspec.json.decode(earlier, type=Webhook)
        if (stored.url, stored.types, stored.format) != (webhook.url, webhook.types, webhook.format):
            raise KeyReused(key)
        return NewWebhook(stored, webhook.secret, replayed=True)

    def _draw(self, what: str, scope: str, key: str | None) -> bytes:
        """Return random bytes; with an Idempotency-Key the same for every repeat."""
        if key is None:
            return secrets.token_bytes(32)
        return digest(self._secret(), f"{what} of {scope}|{key}".encode(), "sha256")

    def read(self, webhook: str) -> Webhook | None:
        """Return the webhook with this id; None if there is none."""
        with translate_redis_errors():
            found = self._redis.hget(RECORDS, webhook)
        return msgspec.json.decode(found, type=Webhook) if found else None

    def find(self, owner: str, webhook: str) -> Webhook:
        """Return an owner's webhook. Raises UnknownWebhook."""
        found = self.read(webhook) if WEBHOOK_ID.fullmatch(webhook) else None
        if found is None or found.owner != owner:
            raise UnknownWebhook(webhook)
        return found

    def list_of(self, owner: str) -> list[Webhook]:
        """Return the webhooks of an owner, oldest first."""
        with translate_redis_errors():
            names = self._redis.smembers(owner_key(owner))
            found = self._redis.hmget(RECORDS, list(names)) if names else []
        return _decode_all(found)

    def list_all(self) -> list[Webhook]:
        """Return all webhooks, oldest first."""
        with translate_redis_errors():
            found = self._redis.hvals(RECORDS)
        return _decode_all(found)

    def change(self, webhook: Webhook, **members: Any) -> Webhook:
        """Change members of a webhook and return it. A delivery that is under way does not count.

        Raises UnknownWebhook if it was deleted meanwhile.
        """
        while not self._replace(webhook, replace(webhook, **members)):
            webhook = self.find(webhook.owner, webhook.id)
        return replace(webhook, **members)

    def _replace(self, webhook: Webhook, changed: Webhook) -> bool:
        """Write a webhook in place of another form of it; return False if that is not what is stored."""
        former = msgspec.json.encode(webhook)
        arguments = (webhook.id, former, msgspec.json.encode(changed), self._now())
        return bool(_CHANGE.run(self._redis, (RECORDS, DUE, LEASES, FAILING), arguments))

    def switch_off(self, webhook: Webhook, reason: Reason) -> Webhook:
        """Switch a webhook off. Raises UnknownWebhook."""
        return self.change(webhook, reason=reason, since=stamp(self._clock()))

    def rotate(self, webhook: Webhook, key: str | None) -> NewWebhook:
        """Give a webhook another secret; the former one signs beside it for a day.

        A repeat with the same Idempotency-Key gets the same secret. Raises UnknownWebhook.
        """
        secret = make_secret(self._draw("rotation", webhook.id, key))
        until = self._clock().timestamp() + ROTATION_SECONDS
        while secret not in (webhook.secret, webhook.former_secret):
            rotated = replace(webhook, secret=secret, former_secret=webhook.secret, former_until=until)
            if self._replace(webhook, rotated):
                return NewWebhook(rotated, secret)
            # Another rotation may have come first: its secret is the former one then.
            webhook = self.find(webhook.owner, webhook.id)
        return NewWebhook(webhook, secret, replayed=True)

    def delete(self, webhook: Webhook) -> None:
        """Delete a webhook, with all that waits for it."""
        keys = (
            RECORDS,
            owner_key(webhook.owner),
            DUE,
            LEASES,
            RUNG,
            CURSORS,
            FAILING,
            backlog_key(webhook.id),
            deliveries_key(webhook.id),
        )
        _DELETE.run(self._redis, keys, (webhook.id,))

    def delete_all_of(self, owner: str) -> None:
        """Delete the webhooks of an owner."""
        for webhook in self.list_of(owner):
            self.delete(webhook)

    def _now(self) -> int:
        return int(self._clock().timestamp() * 1000)


def make_secret(drawn: bytes) -> str:
    """Return a secret in the form of Standard Webhooks."""
    return "whsec_" + b64encode(drawn).decode()


def _decode_all(found: Sequence[bytes | None]) -> list[Webhook]:
    webhooks = [msgspec.json.decode(record, type=Webhook) for record in found if record is not None]
    return sorted(webhooks, key=lambda webhook: (webhook.created, webhook.id))
