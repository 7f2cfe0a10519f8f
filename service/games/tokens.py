"""Makes and checks seat tokens, and reads the secrets of a game that they are derived from."""

from __future__ import annotations

import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from hmac import digest

from msgspec import Struct

from events.recently_used import RecentlyUsed
from events.store import Store
from service.games.cache import MOST_GAMES, Snapshots
from service.games.creators import API_KEY_FIELD
from service.games.snapshots import SeatIdentity, UnknownGame

TOKEN_BYTES = 32
# Tokens of release 0.2 and before have no prefix.
TOKEN_PREFIX = "seat_"
_TOKEN = re.compile(rf"(?:{TOKEN_PREFIX})?[A-Za-z0-9_-]{{43}}")
_FIELD = "token:"
_ENDED = "ended:"
_TOKEN_KEY = "spice"


def new_token_key() -> dict[str, str]:
    """Return a new key that derives tokens from idempotency keys, to be stored with the game's secrets."""
    return {_TOKEN_KEY: secrets.token_hex(TOKEN_BYTES)}


def has_token_key(vault: Mapping[str, str]) -> bool:
    """Say whether tokens can be derived: the key is dropped some time after the end of a game."""
    return _TOKEN_KEY in vault


def token_for(vault: Mapping[str, str], key: str | None, seat: int) -> str:
    """Make a token: random, or derived from the idempotency key, so that a repeat gets the same one."""
    # Without the token key the game is over, and the token is not stored.
    if key is None or not has_token_key(vault):
        return TOKEN_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    derived = digest(bytes.fromhex(vault[_TOKEN_KEY]), f"{seat}|{key}".encode(), "sha256")
    token = urlsafe_b64encode(derived).rstrip(b"=").decode()
    is_without_prefix = _FIELD + hash_token(token) in vault
    return token if is_without_prefix else TOKEN_PREFIX + token


def looks_like_seats(token: str) -> bool:
    """Return whether a token has the form of a seat's token."""
    return _TOKEN.fullmatch(token) is not None


def token_hashes(tokens: Mapping[int, str]) -> dict[str, str]:
    """Return what is stored of tokens: the seat by the hash."""
    return {_FIELD + hash_token(token): str(seat) for seat, token in tokens.items()}


def end_tokens(vault: Mapping[str, str], seat: int) -> dict[str, str]:
    """Return the changes that end the tokens of a seat. It stays known which seat they belonged to."""
    ended = [field for field, opened in vault.items() if is_token(field) and opened == str(seat)]
    former = {_ENDED + field.removeprefix(_FIELD): str(seat) for field in ended}
    return {**dict.fromkeys(ended, ""), **former}


def former_seat(vault: Mapping[str, str], credential: str) -> int | None:
    """Return the seat of an ended token with this hash."""
    seat = vault.get(_ENDED + credential)
    return int(seat) if seat else None


def hash_token(token: str) -> str:
    """Hash a token; only hashes are stored, of player tokens, too."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def seat_behind(vault: Mapping[str, str], credential: str) -> int | None:
    """Return the seat of the token with this hash."""
    seat = vault.get(_FIELD + credential)
    return int(seat) if seat else None


def is_token(field: str) -> bool:
    """Say whether a field of the secrets holds the hash of a token."""
    return field.startswith(_FIELD)


def without_tokens(vault: Mapping[str, str]) -> dict[str, str]:
    """Return the secrets without the hashes of tokens."""
    return {field: secret for field, secret in vault.items() if not is_token(field)}


def tokens_for(vault: Mapping[str, str], key: str | None, seats: Iterable[int]) -> dict[int, str]:
    """Return a new token for each of these seats."""
    return {seat: token_for(vault, key, seat) for seat in seats}


SEED = "seed"
# Set in a game in which a bot advised somebody.
ADVISED_FIELD = "advised"
# The signature of the final head of a game that is over.
SIGNATURE_FIELD = "signature"


class GameSecrets(Struct, frozen=True):
    """Holds the secrets of a game, and the log epoch in which they were read."""

    secrets: Mapping[str, str]
    log_epoch: int


class SecretsCache:
    """Caches the secrets of games. In one log epoch the seed stays the same, and tokens are only added."""

    def __init__(self, store: Store, snapshots: Snapshots, most: int = MOST_GAMES) -> None:
        """Read from this store."""
        self._store = store
        self._snapshots = snapshots
        self._recent: RecentlyUsed[GameSecrets] = RecentlyUsed(most)

    def load(self, game: str, log_epoch: int) -> Mapping[str, str]:
        """Return seed and token key. The append finds out if the epoch is outdated. Raises UnknownGame."""
        known = self._recent.find(game)
        if known is None or known.log_epoch != log_epoch:
            known = GameSecrets(without_tokens(self.read(game)), log_epoch)
            self._recent.keep(game, known)
        return known.secrets

    def find_holder(self, game: str, credential: str) -> SeatIdentity | None:
        """Return the seat of the token with this hash, from the cache if possible. Raises UnknownGame.

        The write path finds out if the cache is outdated.
        """
        known = self._recent.find(game)
        snapshot = self._snapshots.find(game)
        if known is not None and snapshot is not None and known.log_epoch == snapshot.log_epoch:
            seat = seat_behind(known.secrets, credential)
            if seat is not None:
                return SeatIdentity(seat, known.log_epoch)
        # A person may have sat down through another process.
        known = self._read_between_looks(game)
        seat = seat_behind(known.secrets, credential)
        return None if seat is None else SeatIdentity(seat, known.log_epoch)

    def find_seat_of(self, game: str, player: str, credential: str) -> SeatIdentity | None:
        """Return the seat of a player in the newest snapshot; None if they have none. Raises UnknownGame."""
        snapshot = self._snapshots.load(game)
        if snapshot.imported_at:
            return None
        for number, seat in enumerate(snapshot.state.seats):
            if seat.player == player and seat.bot is None:
                return SeatIdentity(number, snapshot.log_epoch, player, credential)
        return None

    def add(self, game: str, secrets: Mapping[str, str], log_epoch: int) -> None:
        """Cache what was just stored, unless the rest of the secrets is not known."""
        known = self._recent.find(game)
        whole = known.secrets if secrets and known is not None and known.log_epoch == log_epoch else {}
        if SEED in whole or SEED in secrets:
            self._recent.keep(game, GameSecrets({**whole, **secrets}, log_epoch))

    def forget_leftovers(self, game: str) -> None:
        """Drop what a game that is over needs no more.

        What stays is seed, signature, tokens, note of advice, and the API key that hears of the game.
        """
        leftovers = [
            field
            for field in self._store.vault(game)
            if field not in (SEED, ADVISED_FIELD, SIGNATURE_FIELD, API_KEY_FIELD) and not is_token(field)
        ]
        self._store.forget_private(game, leftovers)

    def _read_between_looks(self, game: str) -> GameSecrets:
        """Read the secrets between two looks at the log, which must both see the same log epoch."""
        log_epoch = self._snapshots.load(game).log_epoch
        vault = GameSecrets(self.read(game), log_epoch)
        self._snapshots.load(game, log_epoch)
        self._recent.keep(game, vault)
        return vault

    def read(self, game: str) -> Mapping[str, str]:
        """Read the secrets from the store. Raises UnknownGame."""
        secrets = self._store.vault(game)
        if not secrets:
            raise UnknownGame(game)
        return secrets
