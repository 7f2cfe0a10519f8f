"""Tickets: each opens one stream once, for browsers, whose `EventSource` sends no header.

A ticket has no right of its own. It stands for the hash of the token that it was issued for, and whoever
shows it is looked up by that hash, as if they had shown the token: what has ended meanwhile opens nothing.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct
from redis import Redis

from events.redis_client import translate_redis_errors
from service.play.tokens import hash_token
from service.timestamps import stamp

TICKET = re.compile(r"ticket_[A-Za-z0-9_-]{43}")
SECONDS = 60
# What a ticket for a player's own events opens; any other opens a game.
MINE = "me"
_BYTES = 32


class Ticket(Struct, frozen=True):
    ticket: str
    expires: str


class Tickets:
    """Each raises Unavailable."""

    def __init__(self, client: Redis, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._redis: Any = client
        self._clock = clock

    def issue(self, opens: str, credential: str) -> Ticket:
        """For whoever holds the token with this hash."""
        ticket = "ticket_" + secrets.token_urlsafe(_BYTES)
        expires = self._clock() + timedelta(seconds=SECONDS)
        with translate_redis_errors():
            self._redis.set(_key(opens, ticket), credential, ex=SECONDS)
        return Ticket(ticket, stamp(expires))

    def redeem(self, opens: str, ticket: str) -> str | None:
        """The hash of the token, to whoever comes first; one that opens something else is left as it was."""
        if not TICKET.fullmatch(ticket):
            return None
        with translate_redis_errors():
            credential = self._redis.getdel(_key(opens, ticket))
        return credential.decode() if credential else None


def _key(opens: str, ticket: str) -> str:
    return f"croupier:ticket:{hash_token(f'{opens}|{ticket}')}"
