"""Players as they are kept: the name, what it is committed with, and the hash of the token.

Unlike lists and queues this is derived from nothing: a lost record is a lost player.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

from msgspec import Struct
from redis import Redis

from events.redis_client import translate_redis_errors
from events.secrecy import SALT_BYTES, commitment
from events.store import KeyReused
from service.play.idempotency import Request
from service.play.tokens import hash_token
from service.players.credentials import PLAYER_ID, draw_player_id, looks_like_players, make_token
from service.players.keys import player_key, request_key, token_key
from service.timestamps import stamp

# So long a request can be repeated with its key.
REPEAT_SECONDS = 24 * 3600


class Player(Struct, frozen=True):
    """`credential` is the hash of the token that was shown."""

    id: str
    name: str
    salt: str
    created: str
    credential: str = ""

    @property
    def name_commitment(self) -> str:
        """What the log gets of the name; without the salt nobody can tell whose it was."""
        return commitment(self.salt, self.name)


class Welcome(Struct, frozen=True):
    """A player, and the token that is shown this once."""

    player: Player
    token: str
    replayed: bool = False


def read_script(name: str) -> str:
    return files("service.players").joinpath(name).read_text("utf-8")


class Players:
    def __init__(self, client: Redis, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._redis: Any = client
        self._clock = clock
        self._create = client.register_script(read_script("create.lua"))

    def create(self, name: str, request: Request) -> Welcome:
        """Raises KeyReused and Unavailable."""
        spice, salt = secrets.token_hex(32), secrets.token_hex(SALT_BYTES)
        player, token = draw_player_id(), make_token(spice, request.key)
        keyed = "" if request.key is None else request.fingerprint
        keys = player_key(player), token_key(hash_token(token)), request_key(request.stored_key)
        created = stamp(self._clock())
        about = player, name, salt, hash_token(token), created, keyed, spice, REPEAT_SECONDS
        with translate_redis_errors():
            earlier: Any = self._create(keys, about)
        if earlier is not None:
            return self._repeat(name, request, *(text.decode() for text in earlier))
        return Welcome(Player(player, name, salt, created, hash_token(token)), token)

    def _repeat(self, name: str, request: Request, fingerprint: str, player: str, spice: str) -> Welcome:
        """The reply of the first time, though the player may be called otherwise by now."""
        if fingerprint != request.fingerprint:
            raise KeyReused(request.key)
        token = make_token(spice, request.key)
        return Welcome(Player(player, name, "", "", hash_token(token)), token, replayed=True)

    def find(self, token: str) -> Player | None:
        """Whose token it is now; asked every time, for it may have been changed a moment ago."""
        return self.find_by_hash(hash_token(token)) if looks_like_players(token) else None

    def find_by_hash(self, credential: str) -> Player | None:
        with translate_redis_errors():
            found = self._redis.get(token_key(credential))
        return self._read(found.decode(), credential) if found else None

    def is_current(self, player: str, credential: str) -> bool:
        """Whether this is still the hash of the player's token. Raises Unavailable."""
        with translate_redis_errors():
            return bool(self._redis.hget(player_key(player), "token") == credential.encode())

    def read(self, player: str) -> Player | None:
        """None for an unknown or an erased one; what no player can be called costs no look-up."""
        return self._read(player, None) if PLAYER_ID.fullmatch(player) else None

    def _read(self, player: str, credential: str | None) -> Player | None:
        with translate_redis_errors():
            found = self._redis.hmget(player_key(player), "name", "salt", "created", "token")
        if found[0] is None or credential not in (None, found[3].decode()):
            return None
        return Player(player, *(text.decode() for text in found))

    def find_erased(self, players: Iterable[str]) -> set[str]:
        """Those of them who are no players any more. Raises Unavailable."""
        wanted = list(players)
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as batch:
            for player in wanted:
                batch.exists(player_key(player))
            return {player for player, there in zip(wanted, batch.execute(), strict=True) if not there}
