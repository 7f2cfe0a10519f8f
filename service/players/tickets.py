"""Issues tickets: each opens one stream once, for browsers, whose `EventSource` sends no header.

A ticket has no right of its own. It stands for the hash of the token that it was issued for, and its bearer
is looked up by that hash: if the token has ended meanwhile, the ticket opens nothing.
"""

from __future__ import annotations

import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hmac import digest
from typing import Any

from msgspec import Struct
from redis import Redis

from events.redis import translate_redis_errors
from service.games.idempotency import StoredResults, identify_request
from service.games.tokens import hash_token
from service.timestamps import stamp

TICKET = re.compile(r"ticket_[A-Za-z0-9_-]{43}")
SECONDS = 60
# What a ticket for a player's own events opens; any other opens a game.
MINE = "me"
_BYTES = 32


class Ticket(Struct, frozen=True):
    """Holds a ticket and the moment when it expires."""

    ticket: str
    expires: str
    replayed: bool = False


class Tickets:
    """Issues and checks tickets. Each method raises Unavailable."""

    def __init__(self, client: Redis, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """Use the tickets in that client's Redis."""
        self._redis: Any = client
        self._clock = clock
        self._results = StoredResults(client)

    def issue(self, opens: str, credential: str, key: str | None = None) -> Ticket:
        """Issue a ticket for the token with this hash; a repeat with its key gets an equal one.

        Raises KeyReused.
        """
        request = identify_request(f"ticket by {credential}", key, opens)
        known = self._results.find(request)
        if known is not None:
            return _repeat(known, key)
        spice = secrets.token_hex(_BYTES)
        expires = stamp(self._clock() + timedelta(seconds=SECONDS))
        ticket = Ticket(_make_ticket(spice, key), expires)
        with translate_redis_errors():
            self._redis.set(_key(opens, ticket.ticket), credential, ex=SECONDS)
        kept = self._results.store(request, f"{spice}|{expires}", SECONDS)
        # Of two requests at once the first counts; the ticket of the other was shown to no caller.
        return ticket if kept.startswith(spice) else _repeat(kept, key)

    def look_up(self, opens: str, ticket: str) -> str | None:
        """Return the hash of the token behind an unused ticket; None if it is not valid."""
        if not TICKET.fullmatch(ticket):
            return None
        with translate_redis_errors():
            credential = self._redis.get(_key(opens, ticket))
        return credential.decode() if credential else None

    def use_up(self, opens: str, ticket: str) -> bool:
        """Use the ticket; return False if it was used before. A ticket for another stream stays valid."""
        with translate_redis_errors():
            return bool(self._redis.delete(_key(opens, ticket)))


def _make_ticket(spice: str, key: str | None) -> str:
    """Make a ticket: random, or derived from the idempotency key, so that none is stored in clear."""
    drawn = secrets.token_bytes(_BYTES) if key is None else digest(spice.encode(), key.encode(), "sha256")
    return "ticket_" + urlsafe_b64encode(drawn).rstrip(b"=").decode()


def _repeat(kept: str, key: str | None) -> Ticket:
    """Return the ticket that an earlier request with this key got."""
    spice, _, expires = kept.partition("|")
    return Ticket(_make_ticket(spice, key), expires, replayed=True)


def _key(opens: str, ticket: str) -> str:
    """Return the Redis key of a ticket."""
    return f"croupier:ticket:{hash_token(f'{opens}|{ticket}')}"
