"""Derives the join codes of private games, and the ids of games from their codes.

The id is derived from the code and a secret, so that nothing has to be stored to find one by the other.
"""

from __future__ import annotations

import secrets
from hmac import digest

from events.commands import Create, Fork
from events.store import Store
from events.values import PRIVATE
from service.games.cache import Snapshots, read_readable
from service.games.idempotency import name_game, scope_of
from service.games.snapshots import Snapshot, UnknownGame

# No 0 and O, 1, I and L, nor U, which sounds like V: 30 to the power of 12 are more than 58 bits.
ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH = 12
GROUP = 4


class Codes:
    """Says which games are private, and checks their codes. Each method raises UnknownGame."""

    def __init__(self, store: Store, snapshots: Snapshots) -> None:
        """Read from this store."""
        self._store = store
        self._snapshots = snapshots

    def is_private(self, game: str) -> bool:
        """Return whether a game is private: shown only to its seats and to senders of its code.

        That never changes. An imported game is never private.
        """
        known = self._snapshots.find(game)
        if known is not None:
            # An imported game is public, also if it was private where it was played.
            return known.state.visibility == PRIVATE and not known.imported_at
        # The first commit is enough, also if later ones cannot be read.
        first = read_readable(self._store, game, 0, 1)
        if not first and not self._store.head(game)[0]:
            raise UnknownGame(game)
        if not first or first[0].imported:
            return False
        made = first[0].command
        if isinstance(made, Create) and made.game == game:
            return made.visibility == PRIVATE
        return self._is_private_fork(game)

    def _is_private_fork(self, game: str) -> bool:
        """Return whether a fork is private; the first commits of its log are those of another game."""
        commands = (commit.command for commit in read_readable(self._store, game))
        forks = (command for command in commands if isinstance(command, Fork) and command.game == game)
        return any(command.visibility == PRIVATE for command in forks)

    def find(self, code: str) -> Snapshot:
        """Return the newest snapshot of the game with this code."""
        return self._snapshots.load(game_behind(self._store.secret(), code))

    def check(self, game: str, code: str) -> None:
        """Raise UnknownGame for a private game unless the code is right: others learn nothing about it."""
        if self.is_private(game) and game != game_behind(self._store.secret(), code):
            raise UnknownGame(game)


def draw_code() -> str:
    """Return a random code."""
    return _write(secrets.randbits(256))


def derive_code(secret: bytes, sender: str, key: str) -> str:
    """Return the code for a key, always the same one, so that a repeated creation gets the same reply."""
    return _write(int.from_bytes(digest(secret, f"{scope_of('code', sender)}|{key}".encode(), "sha256")))


def game_behind(secret: bytes, code: str) -> str:
    """Return the id of the game with this code, in any case and with any spaces or hyphens."""
    plain = "".join(letter for letter in code.upper() if letter.isalnum())
    return name_game(digest(secret, f"behind|{plain}".encode(), "sha256"))


def _write(number: int) -> str:
    """Return a number as a code, in groups of letters."""
    letters = ""
    for _ in range(LENGTH):
        number, place = divmod(number, len(ALPHABET))
        letters += ALPHABET[place]
    return "-".join(letters[start : start + GROUP] for start in range(0, LENGTH, GROUP))
