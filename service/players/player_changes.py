"""Players who change: another name, another token, or none at all. Each can be repeated with its key."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from redis import Redis

from events.redis_client import translate_redis_errors
from events.redis_store import BELL
from events.secrecy import SALT_BYTES
from events.store import KeyReused
from service.play.idempotency import identify_request
from service.play.tokens import hash_token
from service.players.credentials import make_token
from service.players.keys import (
    DEPARTURES,
    NAME_CHANGES,
    derived_keys,
    player_key,
    renames_key,
    request_key,
    token_key,
)
from service.players.players import REPEAT_SECONDS, Player, Players, Welcome, read_script

_ROTATION, _ERASED, _ENDED, _DONE = "rotation", "erased", 0, 1


class Renamed(Struct, frozen=True):
    replayed: bool


class _Kept(Struct, frozen=True):
    """What is kept of a request that has a key, and where."""

    place: str
    field: str
    told: str = ""


class PlayerChanges:
    """Each raises Unavailable."""

    def __init__(self, client: Redis, players: Players) -> None:
        self._redis: Any = client
        self._players = players
        self._change, self._erase = (
            client.register_script(read_script(name)) for name in ("change.lua", "erase.lua")
        )

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
        """A new one; the old one ends at once. None where it has ended, perhaps by the same request."""
        spice = secrets.token_hex(32)
        place, token = _rotation_key(player.credential, key), make_token(spice, key)
        kept = _Kept(place, _ROTATION, f"{player.id}|{spice}")
        done = self._run_change(player, hash_token(token), key, kept)
        return Welcome(player, token) if done == _DONE else None

    def find_rotation(self, ended: str, key: str | None) -> Welcome | None:
        """What came of the request that ended the token with this hash, for whoever has its key, too."""
        with translate_redis_errors():
            told = self._redis.hget(_rotation_key(ended, key), _ROTATION) if key else None
        name, _, spice = told.decode().partition("|") if told else ("", "", "")
        player = self._players.read(name)
        return Welcome(player, make_token(spice, key), replayed=True) if player else None

    def _run_change(
        self, player: Player, credential: str, key: str | None, kept: _Kept, *fields: str
    ) -> int | bytes:
        tokens = token_key(player.credential), token_key(credential)
        keys = player_key(player.id), *tokens, kept.place, NAME_CHANGES
        about = player.id, player.credential, credential, BELL
        request = "" if key is None else kept.field, kept.told, REPEAT_SECONDS
        with translate_redis_errors():
            done: int | bytes = self._change(keys, (*about, *request, *fields))
        return done

    def erase(self, player: Player, key: str | None = None) -> Sequence[str] | None:
        """The games in which they still sit, to be left; None where the token has ended meanwhile."""
        request = _erasure_key(player.credential, key)
        kept = player_key(player.id), token_key(player.credential), DEPARTURES, request, NAME_CHANGES
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
