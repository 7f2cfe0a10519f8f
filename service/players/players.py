"""Stores player records: name, name commitment and token hash; and changes them.

Unlike lists and queues this is not derived from the log: a lost record is a lost player.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from math import ceil
from typing import Any

from msgspec import Struct
from redis import Redis

from events.durability import Script, send_durably
from events.recently_used import RecentlyUsed
from events.redis import translate_redis_errors
from events.redis_store import BELL
from events.secrecy import SALT_BYTES, commitment
from events.store import KeyReused
from service.games.idempotency import KeyedRequest, identify_request
from service.lobby.archived_games import ArchivedGames
from service.players.places import (
    PLAYER_ID,
    PlayerKeys,
    credential_of,
    draw_place,
    draw_player_id,
    find_keys,
    find_place,
    find_place_in,
    looks_like_players,
    make_token,
    name_request,
)
from service.timestamps import stamp

# A player without a seat is forgotten after so many hours.
IDLE_HOURS = 720.0
MOST_KEPT = 10_000
# How long a request can be repeated with its key, in seconds.
REPEAT_SECONDS = 24 * 3600


class Player(Struct, frozen=True):
    """Holds a player's record; `key` is the API key that made it.

    `credential` is what is stored of the token: its hash, behind the place of the player.
    """

    id: str
    name: str
    salt: str
    created: str
    credential: str = ""
    key: str = ""

    @property
    def name_commitment(self) -> str:
        """Return the commitment to the name that the log gets; without the salt it reveals nothing."""
        return commitment(self.salt, self.name)


class Welcome(Struct, frozen=True):
    """Holds a player and the new token, which is shown this once."""

    player: Player
    token: str
    replayed: bool = False


def read_script(name: str) -> bytes:
    """Return the text of a Lua script of this package."""
    return files("service.players").joinpath(name).read_bytes()


_CREATE = Script(read_script("create.lua"))
_CHANGE = Script(read_script("change.lua"))
_ERASE = Script(read_script("erase.lua"))


class Players:
    """Creates and finds players."""

    def __init__(
        self,
        client: Redis,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        idle_hours: float = IDLE_HOURS,
    ) -> None:
        """Use the records in that client's Redis. Who has no seat after `idle_hours` is forgotten."""
        self._redis: Any = client
        self._clock = clock
        self._idle_seconds = ceil(idle_hours * 3600)
        self._kept: RecentlyUsed[bool] = RecentlyUsed(MOST_KEPT)

    def create(self, name: str, request: KeyedRequest, key: str = "") -> Welcome:
        """Create a player and return it with its token; a repeat of the request gets the same token.

        The API key with the id `key`, if there is one, may act for the player.

        Raises KeyReused and Unavailable.
        """
        former = self._find_former(request)
        if former is not None:
            return self._repeat(name, request, *former)
        spice = secrets.token_hex(32)
        salt = secrets.token_hex(SALT_BYTES)
        place = draw_place(request)
        player = draw_player_id(place)
        token = make_token(spice, request.key, place)
        credential = credential_of(token)
        keyed = "" if request.key is None else request.fingerprint
        named = self._keys.request(name_request(request.stored_key, place))
        keys = self._keys.record(player), self._keys.token(credential), named
        created = stamp(self._clock())
        about = player, name, salt, credential, created, keyed, spice
        limits = REPEAT_SECONDS, self._idle_seconds
        earlier: Any = _CREATE.run(self._redis, keys, (*about, *limits, key))
        if earlier is not None:
            return self._repeat(name, request, *(text.decode() for text in earlier))
        return Welcome(Player(player, name, salt, created, credential, key), token)

    @property
    def _keys(self) -> PlayerKeys:
        return find_keys(self._redis)

    def _find_former(self, request: KeyedRequest) -> Sequence[str] | None:
        """Return what is stored of a request with this key that made a player without a place.

        Such requests can be repeated for a day after the service was brought up to date.
        """
        if request.key is None:
            return None
        place = self._keys.request(request.stored_key)
        with translate_redis_errors():
            stored = send_durably(self._redis, place, "HMGET", place, "fingerprint", "player", "spice")
        return None if stored[0] is None else [text.decode() for text in stored]

    def keep(self, player: str) -> None:
        """Keep a player who has a seat for good. Raises Unavailable."""
        if self._kept.find(player):
            return
        record = self._keys.record(player)
        with translate_redis_errors():
            credential = self._redis.hget(record, "token")
            if credential is not None:
                self._redis.persist(record)
                self._redis.persist(self._keys.token(credential.decode()))
        self._kept.keep(player, True)

    def has_created(self, request: KeyedRequest) -> bool:
        """Return whether a request with this key has created a player. Raises Unavailable."""
        if request.key is None:
            return False
        names = request.stored_key, name_request(request.stored_key, draw_place(request))
        with translate_redis_errors():
            return bool(self._redis.exists(*map(self._keys.request, names)))

    def _repeat(self, name: str, request: KeyedRequest, fingerprint: str, player: str, spice: str) -> Welcome:
        """Return the reply of the first request, with the name sent then. Raises KeyReused."""
        if fingerprint != request.fingerprint:
            raise KeyReused(request.key)
        token = make_token(spice, request.key, find_place(player))
        return Welcome(Player(player, name, "", "", credential_of(token)), token, replayed=True)

    def find(self, token: str) -> Player | None:
        """Return the player whose token this is, or None. Raises Unavailable.

        Reads Redis each time, because the token may have been replaced a moment ago.
        """
        return self.find_by_credential(credential_of(token)) if looks_like_players(token) else None

    def find_by_credential(self, credential: str) -> Player | None:
        """Return the player whose token has this credential, or None. Raises Unavailable."""
        with translate_redis_errors():
            found = self._redis.get(self._keys.token(credential))
        return self._read(found.decode(), credential) if found else None

    def is_current(self, player: str, credential: str) -> bool:
        """Return whether this is still the credential of the player's token. Raises Unavailable."""
        with translate_redis_errors():
            return bool(self._redis.hget(self._keys.record(player), "token") == credential.encode())

    def read(self, player: str) -> Player | None:
        """Return the player of that id; None if it is unknown, erased or no valid id. Raises Unavailable."""
        return self._read(player, None) if PLAYER_ID.fullmatch(player) else None

    def _read(self, player: str, credential: str | None) -> Player | None:
        """Return a player's record; None if there is none, or the token is another."""
        with translate_redis_errors():
            found = self._redis.hmget(self._keys.record(player), "name", "salt", "created", "token", "key")
        if found[0] is None or credential not in (None, found[3].decode()):
            return None
        return Player(player, *(text.decode() for text in found if text is not None))

    def find_erased(self, players: Iterable[str]) -> set[str]:
        """Return those of these players who have been erased. Raises Unavailable."""
        wanted = list(players)
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as batch:
            for player in wanted:
                batch.exists(self._keys.record(player))
            return {player for player, there in zip(wanted, batch.execute(), strict=True) if not there}


_ROTATION = "rotation"
_ERASED = "erased"
_ENDED = 0
_DONE = 1


class Renamed(Struct, frozen=True):
    """Says that a player was renamed, now or by the same request before."""

    replayed: bool


class _Kept(Struct, frozen=True):
    """Says where a request with a key is stored, and what is stored of it."""

    place: str
    field: str
    told: str = ""


class PlayerChanges:
    """Renames and erases players and replaces their tokens. Each method raises Unavailable."""

    def __init__(self, client: Redis, players: Players) -> None:
        """Use the records in that client's Redis."""
        self._redis: Any = client
        self._players = players

    @property
    def _keys(self) -> PlayerKeys:
        return find_keys(self._redis)

    def rename(self, player: Player, name: str, key: str | None = None) -> Renamed | None:
        """Rename a player; return None if the token has been replaced meanwhile. Raises KeyReused.

        Draws a new salt, too. Earlier logs keep their commitments to the old name; no salt of a later name
        helps to guess what they stand for.
        """
        request = identify_request("rename", key, name)
        kept = _Kept(self._keys.renames(player.id), request.stored_key, request.fingerprint)
        salt = secrets.token_hex(SALT_BYTES)
        done = self._run_change(player, player.credential, key, kept, "name", name, "salt", salt)
        if isinstance(done, bytes) and done.decode() != request.fingerprint:
            raise KeyReused(key)
        return None if done == _ENDED else Renamed(replayed=done != _DONE)

    def change_token(self, player: Player, key: str | None = None) -> Welcome | None:
        """Replace the token and return the new one; the old one ends at once.

        Returns None if the token has ended already, perhaps by the same request.
        """
        spice = secrets.token_hex(32)
        place = self._keys.request(_name_rotation(player.credential, key))
        token = make_token(spice, key, find_place(player.id))
        kept = _Kept(place, _ROTATION, f"{player.id}|{spice}")
        done = self._run_change(player, credential_of(token), key, kept)
        return Welcome(player, token) if done == _DONE else None

    def find_rotation(self, ended: str, key: str | None) -> Welcome | None:
        """Return the result of the request with this key that ended the token with this credential."""
        if key is None:
            return None
        place = self._keys.request(_name_rotation(ended, key))
        with translate_redis_errors():
            told = send_durably(self._redis, place, "HGET", place, _ROTATION)
        name, _, spice = told.decode().partition("|") if told else ("", "", "")
        player = self._players.read(name)
        if player is None:
            return None
        return Welcome(player, make_token(spice, key, find_place(player.id)), replayed=True)

    def _run_change(
        self, player: Player, credential: str, key: str | None, kept: _Kept, *fields: str
    ) -> int | bytes:
        """Run `change.lua`; return _DONE, _ENDED, or what an earlier request with this key stored."""
        names = self._keys
        tokens = names.token(player.credential), names.token(credential)
        changes = names.name_changes(names.slot_of(player.id))
        keys = names.record(player.id), *tokens, kept.place, changes
        about = player.id, player.credential, credential, BELL
        request = "" if key is None else kept.field, kept.told, REPEAT_SECONDS
        done: int | bytes = _CHANGE.run(self._redis, keys, (*about, *request, *fields))
        return done

    def erase(self, player: Player, key: str | None = None) -> Sequence[str] | None:
        """Erase a player; return the games in which they still sit, or None if the token has ended meanwhile.

        The seats are recorded as to be left; `Erasure` leaves them.
        """
        names = self._keys
        slot = names.slot_of(player.id)
        keys = (
            names.record(player.id),
            names.token(player.credential),
            names.departures(slot),
            names.request(_name_erasure(player.credential, key)),
            names.name_changes(slot),
            *names.derived(player.id),
            names.renames(player.id),
        )
        about = player.id, player.credential, BELL, int(key is not None), REPEAT_SECONDS
        games = _ERASE.run(self._redis, keys, about)
        with translate_redis_errors():
            # After the erasure, so that no rewriting comes before it.
            self._redis.incr(names.erasures(slot))
        if games is not None:
            ArchivedGames(self._redis).forget_player(player.id)
        return None if games is None else [game.decode() for game in games]

    def was_erased(self, ended: str, key: str | None) -> bool:
        """Return whether a request with this key erased the player whose token had this credential."""
        if key is None:
            return False
        place = self._keys.request(_name_erasure(ended, key))
        with translate_redis_errors():
            return bool(send_durably(self._redis, place, "HEXISTS", place, _ERASED))


def _name_rotation(credential: str, key: str | None) -> str:
    """Return where a rotation is stored: by the old token and the key, so that both are needed to find it."""
    stored_key = identify_request(f"token of {credential}", key, "").stored_key
    return name_request(stored_key, find_place_in(credential))


def _name_erasure(credential: str, key: str | None) -> str:
    """Return where an erasure is stored: by the old token and the key."""
    stored_key = identify_request(f"erasure of {credential}", key, "").stored_key
    return name_request(stored_key, find_place_in(credential))
