"""Players as they are kept: the name, what it is committed with, and the hash of the token.

Unlike lists and queues this is derived from nothing: a lost record is a lost player.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

from msgspec import Struct
from redis import Redis

from events.redis_client import translate_redis_errors
from events.redis_store import BELL
from events.secrecy import SALT_BYTES, commitment
from events.store import KeyReused
from service.play.idempotency import Request, identify_request
from service.play.tokens import hash_token
from service.players.credentials import PLAYER_ID, draw_player_id, looks_like_players, make_token
from service.players.keys import (
    DEPARTURES,
    derived_keys,
    player_key,
    renames_key,
    request_key,
    token_key,
)
from service.timestamps import stamp

# So long a request can be repeated with its key.
REPEAT_SECONDS = 24 * 3600
_ROTATION, _ERASED, _ENDED, _DONE = "rotation", "erased", 0, 1


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


class Renamed(Struct, frozen=True):
    replayed: bool


class _Kept(Struct, frozen=True):
    """What is kept of a request that has a key, and where."""

    place: str
    field: str
    told: str = ""


def _script(name: str) -> str:
    return files("service.players").joinpath(name).read_text("utf-8")


class Players:
    def __init__(self, client: Redis, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._redis: Any = client
        self._clock = clock
        self._create, self._change, self._erase = (
            client.register_script(_script(name)) for name in ("create.lua", "change.lua", "erase.lua")
        )

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

    def rename(self, player: Player, name: str, key: str | None = None) -> Renamed | None:
        """None where the token has ended meanwhile. What was committed before keeps its commitment.

        Raises KeyReused.
        """
        request = identify_request("rename", key, name)
        kept = _Kept(renames_key(player.id), request.stored_key, request.fingerprint)
        salt = secrets.token_hex(SALT_BYTES)
        done = self._run_change(player, player.credential, key, kept, "name", name, "salt", salt)
        if isinstance(done, bytes) and done.decode() != request.fingerprint:
            raise KeyReused(key)
        return None if done == _ENDED else Renamed(replayed=done != _DONE)

    def change_token(self, player: Player, key: str | None = None) -> Welcome | None:
        """A new one; the old one ends at once. None where it has ended before."""
        spice = secrets.token_hex(32)
        place, token = _rotation_key(player.credential, key), make_token(spice, key)
        kept = _Kept(place, _ROTATION, f"{player.id}|{spice}")
        done = self._run_change(player, hash_token(token), key, kept)
        if done == _DONE:
            return Welcome(player, token)
        return self.find_rotation(player.credential, key)

    def find_rotation(self, ended: str, key: str | None) -> Welcome | None:
        """What came of the request that ended the token with this hash, for whoever has its key, too."""
        with translate_redis_errors():
            told = self._redis.hget(_rotation_key(ended, key), _ROTATION) if key else None
        name, _, spice = told.decode().partition("|") if told else ("", "", "")
        player = self.read(name)
        return Welcome(player, make_token(spice, key), replayed=True) if player else None

    def _run_change(
        self, player: Player, credential: str, key: str | None, kept: _Kept, *fields: str
    ) -> int | bytes:
        keys = player_key(player.id), token_key(player.credential), token_key(credential), kept.place
        about = player.id, player.credential, credential, BELL
        request = "" if key is None else kept.field, kept.told, REPEAT_SECONDS
        with translate_redis_errors():
            done: int | bytes = self._change(keys, (*about, *request, *fields))
        return done

    def erase(self, player: Player, key: str | None = None) -> Sequence[str] | None:
        """The games in which they still sit, to be left; None where the token has ended meanwhile."""
        request = _erasure_key(player.credential, key)
        kept = player_key(player.id), token_key(player.credential), DEPARTURES, request
        about = player.id, player.credential, BELL, int(key is not None), REPEAT_SECONDS
        with translate_redis_errors():
            games = self._erase((*kept, *derived_keys(player.id), renames_key(player.id)), about)
        return None if games is None else [game.decode() for game in games]

    def was_erased(self, ended: str, key: str | None) -> bool:
        """Whether the token with this hash ended so, by a request with this key."""
        with translate_redis_errors():
            return key is not None and bool(self._redis.hexists(_erasure_key(ended, key), _ERASED))


def _rotation_key(credential: str, key: str | None) -> str:
    """A key counts for the token that it came with: whoever has that one and no key learns nothing."""
    return request_key(identify_request(f"token of {credential}", key, "").stored_key)


def _erasure_key(credential: str, key: str | None) -> str:
    return request_key(identify_request(f"erasure of {credential}", key, "").stored_key)
