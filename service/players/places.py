"""Says where the keys of players are, by the place that their ids and tokens carry.

A place is a number below 4,096 that a player gets for good. The layout of the store says which slot it leads
to, so that players keep id and token wherever they are restored. Players of 0.2 have no place: they are in
the slot `{players}`, wherever they are.
"""

from __future__ import annotations

import re
import secrets
from base64 import urlsafe_b64encode
from functools import cache, lru_cache
from hashlib import sha256
from hmac import digest
from string import ascii_lowercase, ascii_uppercase, digits

from msgspec import Struct
from redis import Redis

from events.layout import PLAYERS_SLOT, Layout, find_layout
from service.games.idempotency import KeyedRequest
from service.games.tokens import hash_token

PLAYER_ID = re.compile(r"p_[A-Za-z0-9_-]{22}")
# No token of a seat has this length, so that the two cannot be confused.
_TOKEN = re.compile(r"player_[A-Za-z0-9_-]{43}")
_DIGITS = ascii_uppercase + ascii_lowercase + digits + "-_"
# A place has two of these digits.
PLACES = len(_DIGITS) ** 2
_PLACE = re.compile(r"([A-Za-z0-9_-]{2})\.")
# An id with a place ends with a checksum of what stands before it, which tells it from ids without one: of
# those, one in 2^48 has a valid checksum by chance.
_RANDOM_CHARACTERS = 12
_CHECK_CHARACTERS = 8
# A token without a place is the Base64 of 32 bytes, which never ends with this character.
_HAS_PLACE = "x"
_TOKEN_BYTES = 32
_SHORT_TOKEN_BYTES = 30


def draw_place(request: KeyedRequest) -> int:
    """Return a place for a new player: random, or by the idempotency key, so that a repeat finds it."""
    return secrets.randbelow(PLACES) if request.key is None else int(request.stored_key[:3], 16)


def draw_player_id(place: int) -> str:
    """Return a random player id with this place."""
    start = "p_" + _encode_place(place) + secrets.token_urlsafe(_TOKEN_BYTES)[:_RANDOM_CHARACTERS]
    return start + _make_checksum(start)


def _make_checksum(start: str) -> str:
    return urlsafe_b64encode(sha256(start.encode()).digest()).decode()[:_CHECK_CHARACTERS]


@lru_cache(maxsize=20_000)
def find_place(player: str) -> int | None:
    """Return the place that an id carries; None of an id of 0.2, and of anything else."""
    if not PLAYER_ID.fullmatch(player):
        return None
    start = player[:-_CHECK_CHARACTERS]
    return _decode_place(start[2:4]) if player == start + _make_checksum(start) else None


def make_token(spice: str, key: str | None, place: int | None) -> str:
    """Make a token: random, or derived from the idempotency key, so that a repeat gets the same one.

    It carries the place of the player, if there is one.
    """
    drawn = secrets.token_bytes(_TOKEN_BYTES)
    if key is not None:
        drawn = digest(spice.encode(), key.encode(), "sha256")
    if place is None:
        return "player_" + urlsafe_b64encode(drawn).rstrip(b"=").decode()
    secret = urlsafe_b64encode(drawn[:_SHORT_TOKEN_BYTES]).decode()
    return f"player_{_encode_place(place)}{secret}{_HAS_PLACE}"


def looks_like_players(token: str) -> bool:
    """Return whether a token has the form of a player's token."""
    return _TOKEN.fullmatch(token) is not None


def credential_of(token: str) -> str:
    """Return the credential of any token: its hash, behind the place if it is a player's and has one."""
    credential = hash_token(token)
    if token.endswith(_HAS_PLACE) and looks_like_players(token):
        start = len("player_")
        return f"{token[start : start + 2]}.{credential}"
    return credential


def name_request(stored_key: str, place: int | None) -> str:
    """Return the name under which a request is stored with the player of this place."""
    return stored_key if place is None else f"{_encode_place(place)}.{stored_key}"


def find_place_in(name: str) -> int | None:
    """Return the place that the name of a request, or a credential, begins with; None if it has none."""
    found = _PLACE.match(name)
    return _decode_place(found[1]) if found else None


def _encode_place(place: int) -> str:
    high, low = divmod(place, len(_DIGITS))
    return _DIGITS[high] + _DIGITS[low]


def _decode_place(text: str) -> int:
    return _DIGITS.index(text[0]) * len(_DIGITS) + _DIGITS.index(text[1])


class PlayerKeys(Struct, frozen=True):
    """Names the keys of players, and of API keys as readers, in a store with this layout."""

    layout: Layout

    @property
    def slots(self) -> tuple[str, ...]:
        """Return all slots that players are in."""
        return self.layout.player_slots

    def slot_of(self, player: str) -> str:
        """Return the slot of a player; API keys are beside the players without a place."""
        return self.layout.player_slot(find_place(player))

    def record(self, player: str) -> str:
        """Return the key of a player's record."""
        return _name(self.slot_of(player), f"player:{player}")

    def token(self, credential: str) -> str:
        """Return the key under which a credential leads to its player."""
        return _name(self.layout.player_slot(find_place_in(credential)), f"token:{credential}")

    def request(self, name: str) -> str:
        """Return the key of a stored request."""
        return _name(self.layout.player_slot(find_place_in(name)), f"request:{name}")

    def renames(self, player: str) -> str:
        """Return the key of a player's stored renames, which erasure deletes.

        They hold hashes of names, and a name can be guessed from its hash.
        """
        return _name(self.slot_of(player), f"renames:{player}")

    def derived(self, player: str) -> tuple[str, ...]:
        """Return the keys that the projector writes for a player.

        These are the rows, the list of games, the list of awaiting games, the events, how far they go, and
        counts.
        """
        slot = self.slot_of(player)
        kinds = ("rows", "games", "awaiting", "events", "marks", "counts")
        return tuple(_name(slot, f"{kind}:{player}") for kind in kinds)

    def lists(self, player: str) -> tuple[str, ...]:
        """Return the derived keys that a rebuild may delete; events would get other ids."""
        return tuple(key for key in self.derived(player) if ":events:" not in key and ":marks:" not in key)

    def departures(self, slot: str) -> str:
        """Return the key of the seats that erased players of a slot still have.

        A seat is game and player, and stays there until it is given up.
        """
        return _name(slot, "departures")

    def erasures(self, slot: str) -> str:
        """Return the key that counts erasures since the append-only file of Redis was last rewritten."""
        return _name(slot, "erasures")

    def name_changes(self, slot: str) -> str:
        """Return the key that counts renames and erasures: until it changes, cached names are valid."""
        return _name(slot, "name-changes")


# Patterns that match keys of players in all slots.
ALL_ROWS = "croupier:{p*}:rows:*"
ALL_PLAYERS = "croupier:{p*}:player:*"
ALL_REQUESTS = "croupier:{p*}:request:*"
# Set until the append-only file has been rewritten, and for as long as it must not be rewritten again.
REWRITTEN = f"croupier:{{{PLAYERS_SLOT}}}:rewritten"


def _name(slot: str, rest: str) -> str:
    return f"croupier:{{{slot}}}:{rest}"


@cache
def _name_keys(layout: Layout) -> PlayerKeys:
    return PlayerKeys(layout)


def find_keys(client: Redis) -> PlayerKeys:
    """Return the names of the keys in that client's Redis, whose layout is read once. Raises Unavailable."""
    return _name_keys(find_layout(client))
