"""Stores player records: name, name commitment and token hash; and changes them.

Unlike lists and queues this is not derived from the log: a lost record is a lost player.
"""

from __future__ import annotations

import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from hmac import digest
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
from service.games.tokens import hash_token
from service.timestamps import stamp

PLAYER_ID = re.compile(r"p_[A-Za-z0-9_-]{22}")
# No token of a seat has this length, so that the two cannot be confused.
_TOKEN = re.compile(r"player_[A-Za-z0-9_-]{43}")
_BYTES = 32
# A player without a seat is forgotten after so many hours.
IDLE_HOURS = 720.0
MOST_KEPT = 10_000


def draw_player_id() -> str:
    """Return a random player id."""
    return "p_" + secrets.token_urlsafe(_BYTES)[:22]


def make_token(spice: str, key: str | None) -> str:
    """Make a token: random, or derived from the idempotency key, so that a repeat gets the same one."""
    drawn = secrets.token_bytes(_BYTES) if key is None else digest(spice.encode(), key.encode(), "sha256")
    return "player_" + urlsafe_b64encode(drawn).rstrip(b"=").decode()


def looks_like_players(token: str) -> bool:
    """Return whether a token has the form of a player's token."""
    return _TOKEN.fullmatch(token) is not None


_PREFIX = "croupier:{players}:"


def player_key(player: str) -> str:
    """Return the key of a player's record."""
    return f"{_PREFIX}player:{player}"


def token_key(token_hash: str) -> str:
    """Return the key under which a token's hash leads to its player."""
    return f"{_PREFIX}token:{token_hash}"


def request_key(key_hash: str) -> str:
    """Return the key of a stored request."""
    return f"{_PREFIX}request:{key_hash}"


def renames_key(player: str) -> str:
    """Return the key of a player's stored renames, which erasure deletes.

    They hold hashes of names, and a name can be guessed from its hash.
    """
    return f"{_PREFIX}renames:{player}"


def derived_keys(player: str) -> tuple[str, ...]:
    """Return the keys that the projector writes for a player.

    These are the rows, the list of games, the list of awaiting games, the events, how far they go, and
    counts.
    """
    kinds = ("rows", "games", "awaiting", "events", "marks", "counts")
    return tuple(f"{_PREFIX}{kind}:{player}" for kind in kinds)


def list_keys(player: str) -> tuple[str, ...]:
    """Return the derived keys that a rebuild may delete; events would get other ids."""
    return tuple(key for key in derived_keys(player) if ":events:" not in key and ":marks:" not in key)


ALL_ROWS = f"{_PREFIX}rows:*"
ALL_PLAYERS = player_key("*")
ALL_REQUESTS = request_key("*")
# Seats that players who were erased still have: game and player, until the seat is given up.
DEPARTURES = f"{_PREFIX}departures"
# How many players were erased since the append-only file of Redis was last rewritten.
ERASURES = _PREFIX + "erasures"
# Counts renames and erasures: while it stays the same, cached names are valid.
NAME_CHANGES = f"{_PREFIX}name-changes"


# How long a request can be repeated with its key, in seconds.
REPEAT_SECONDS = 24 * 3600


class Player(Struct, frozen=True):
    """Holds a player's record; `credential` is the hash of the token that was sent."""

    id: str
    name: str
    salt: str
    created: str
    credential: str = ""

    @property
    def name_commitment(self) -> str:
        """Return the commitment to the name that the log gets; without the salt it reveals nothing."""
        return commitment(self.salt, self.name)


class Welcome(Struct, frozen=True):
    """Holds a player and the new token, which is shown this once."""

    player: Player
    token: str
    replayed: bool = False


def _read_script(name: str) -> bytes:
    """Return the text of a Lua script of this package."""
    return files("service.players").joinpath(name).read_bytes()


_CREATE = Script(_read_script("create.lua"))
_CHANGE = Script(_read_script("change.lua"))
_ERASE = Script(_read_script("erase.lua"))


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

    def create(self, name: str, request: KeyedRequest) -> Welcome:
        """Create a player and return it with its token; a repeat of the request gets the same token.

        Raises KeyReused and Unavailable.
        """
        spice = secrets.token_hex(32)
        salt = secrets.token_hex(SALT_BYTES)
        player = draw_player_id()
        token = make_token(spice, request.key)
        keyed = "" if request.key is None else request.fingerprint
        keys = player_key(player), token_key(hash_token(token)), request_key(request.stored_key)
        created = stamp(self._clock())
        about = player, name, salt, hash_token(token), created, keyed, spice
        limits = REPEAT_SECONDS, self._idle_seconds
        earlier: Any = _CREATE.run(self._redis, keys, (*about, *limits))
        if earlier is not None:
            return self._repeat(name, request, *(text.decode() for text in earlier))
        return Welcome(Player(player, name, salt, created, hash_token(token)), token)

    def keep(self, player: str) -> None:
        """Keep a player who has a seat for good. Raises Unavailable."""
        if self._kept.find(player):
            return
        with translate_redis_errors():
            token = self._redis.hget(player_key(player), "token")
            if token is not None:
                self._redis.persist(player_key(player))
                self._redis.persist(token_key(token.decode()))
        self._kept.keep(player, True)

    def has_created(self, request: KeyedRequest) -> bool:
        """Return whether a request with this key has created a player. Raises Unavailable."""
        with translate_redis_errors():
            return request.key is not None and bool(self._redis.exists(request_key(request.stored_key)))

    def _repeat(self, name: str, request: KeyedRequest, fingerprint: str, player: str, spice: str) -> Welcome:
        """Return the reply of the first request, with the name sent then. Raises KeyReused."""
        if fingerprint != request.fingerprint:
            raise KeyReused(request.key)
        token = make_token(spice, request.key)
        return Welcome(Player(player, name, "", "", hash_token(token)), token, replayed=True)

    def find(self, token: str) -> Player | None:
        """Return the player whose token this is, or None. Raises Unavailable.

        Reads Redis each time, because the token may have been replaced a moment ago.
        """
        return self.find_by_hash(hash_token(token)) if looks_like_players(token) else None

    def find_by_hash(self, credential: str) -> Player | None:
        """Return the player whose token has this hash, or None. Raises Unavailable."""
        with translate_redis_errors():
            found = self._redis.get(token_key(credential))
        return self._read(found.decode(), credential) if found else None

    def is_current(self, player: str, credential: str) -> bool:
        """Return whether this is still the hash of the player's token. Raises Unavailable."""
        with translate_redis_errors():
            return bool(self._redis.hget(player_key(player), "token") == credential.encode())

    def read(self, player: str) -> Player | None:
        """Return the player of that id; None if it is unknown, erased or no valid id. Raises Unavailable."""
        return self._read(player, None) if PLAYER_ID.fullmatch(player) else None

    def _read(self, player: str, credential: str | None) -> Player | None:
        """Return a player's record; None if there is none, or the token has another hash."""
        with translate_redis_errors():
            found = self._redis.hmget(player_key(player), "name", "salt", "created", "token")
        if found[0] is None or credential not in (None, found[3].decode()):
            return None
        return Player(player, *(text.decode() for text in found))

    def find_erased(self, players: Iterable[str]) -> set[str]:
        """Return those of these players who have been erased. Raises Unavailable."""
        wanted = list(players)
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as batch:
            for player in wanted:
                batch.exists(player_key(player))
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

    def rename(self, player: Player, name: str, key: str | None = None) -> Renamed | None:
        """Rename a player; return None if the token has been replaced meanwhile. Raises KeyReused.

        Draws a new salt, too. Earlier logs keep their commitments to the old name; no salt of a later name
        helps to guess what they stand for.
        """
        request = identify_request("rename", key, name)
        kept = _Kept(renames_key(player.id), request.stored_key, request.fingerprint)
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
        place = _rotation_key(player.credential, key)
        token = make_token(spice, key)
        kept = _Kept(place, _ROTATION, f"{player.id}|{spice}")
        done = self._run_change(player, hash_token(token), key, kept)
        return Welcome(player, token) if done == _DONE else None

    def find_rotation(self, ended: str, key: str | None) -> Welcome | None:
        """Return the result of the request that ended the token with this hash, if the key is the same."""
        if key is None:
            return None
        place = _rotation_key(ended, key)
        with translate_redis_errors():
            told = send_durably(self._redis, place, "HGET", place, _ROTATION)
        name, _, spice = told.decode().partition("|") if told else ("", "", "")
        player = self._players.read(name)
        return Welcome(player, make_token(spice, key), replayed=True) if player else None

    def _run_change(
        self, player: Player, credential: str, key: str | None, kept: _Kept, *fields: str
    ) -> int | bytes:
        """Run `change.lua`; return _DONE, _ENDED, or what an earlier request with this key stored."""
        tokens = token_key(player.credential), token_key(credential)
        keys = player_key(player.id), *tokens, kept.place, NAME_CHANGES
        about = player.id, player.credential, credential, BELL
        request = "" if key is None else kept.field, kept.told, REPEAT_SECONDS
        done: int | bytes = _CHANGE.run(self._redis, keys, (*about, *request, *fields))
        return done

    def erase(self, player: Player, key: str | None = None) -> Sequence[str] | None:
        """Erase a player; return the games in which they still sit, or None if the token has ended meanwhile.

        The seats are recorded as to be left; `Erasure` leaves them.
        """
        request = _erasure_key(player.credential, key)
        kept = player_key(player.id), token_key(player.credential), DEPARTURES, request, NAME_CHANGES
        about = player.id, player.credential, BELL, int(key is not None), REPEAT_SECONDS
        games = _ERASE.run(self._redis, (*kept, *derived_keys(player.id), renames_key(player.id)), about)
        with translate_redis_errors():
            # After the erasure, so that no rewriting comes before it.
            self._redis.incr(ERASURES)
        return None if games is None else [game.decode() for game in games]

    def was_erased(self, ended: str, key: str | None) -> bool:
        """Return whether a request with this key erased the player whose token had this hash."""
        if key is None:
            return False
        place = _erasure_key(ended, key)
        with translate_redis_errors():
            return bool(send_durably(self._redis, place, "HEXISTS", place, _ERASED))


def _rotation_key(credential: str, key: str | None) -> str:
    """Return where a rotation is stored: by the old token and the key, so that both are needed to find it."""
    return request_key(identify_request(f"token of {credential}", key, "").stored_key)


def _erasure_key(credential: str, key: str | None) -> str:
    """Return where an erasure is stored: by the old token and the key."""
    return request_key(identify_request(f"erasure of {credential}", key, "").stored_key)
