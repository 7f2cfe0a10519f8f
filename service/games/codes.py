"""Derives the codes of private games, and the ids of games from their codes.

With the code one sits down, with the watch code one only looks on. The watch code is derived from the code,
and the id from the watch code, each with a secret: nothing has to be stored to find a game by one of its
codes, and a watch code does not lead to the code.
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
_WATCH = "watch_"


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
        """Return the newest snapshot of the game with this code or watch code."""
        secret = self._store.secret()
        if is_watch_code(code):
            return self._snapshots.load(game_watched(secret, code))
        try:
            return self._snapshots.load(game_behind(secret, code))
        except UnknownGame:
            return self._snapshots.load(former_game_behind(secret, code))

    def check(self, game: str, code: str) -> None:
        """Raise UnknownGame for a private game unless the code is right: others learn nothing about it.

        A watch code is not.
        """
        secret = self._store.secret()
        opened = (game_behind(secret, code), former_game_behind(secret, code))
        if self.is_private(game) and (is_watch_code(code) or game not in opened):
            raise UnknownGame(game)

    def is_watched_by(self, game: str, watch_code: str) -> bool:
        """Return whether this is the watch code of the game, which may be unknown."""
        return game == game_watched(self._store.secret(), watch_code)


def draw_code() -> str:
    """Return a random code."""
    return _write(secrets.randbits(256))


def derive_code(secret: bytes, sender: str, key: str) -> str:
    """Return the code for a key, always the same one, so that a repeated creation gets the same reply."""
    return _write(int.from_bytes(digest(secret, f"{scope_of('code', sender)}|{key}".encode(), "sha256")))


def is_watch_code(code: str) -> bool:
    """Return whether a code says that it is for watching."""
    return code[: len(_WATCH)].lower() == _WATCH


def watch_code_of(secret: bytes, code: str) -> str:
    """Return the watch code of the game with this code."""
    return _WATCH + _write(int.from_bytes(digest(secret, f"watch|{_plain(code)}".encode(), "sha256")))


def game_watched(secret: bytes, watch_code: str) -> str:
    """Return the id of the game with this watch code, in any case and with any spaces or hyphens."""
    return name_game(digest(secret, f"watched|{_plain(watch_code[len(_WATCH) :])}".encode(), "sha256"))


def game_behind(secret: bytes, code: str) -> str:
    """Return the id of the game with this code, in any case and with any spaces or hyphens."""
    return game_watched(secret, watch_code_of(secret, code))


def former_game_behind(secret: bytes, code: str) -> str:
    """Return the id of the game with this code, if it is from before there were watch codes."""
    return name_game(digest(secret, f"behind|{_plain(code)}".encode(), "sha256"))


def _plain(code: str) -> str:
    """Return a code without what does not matter in it."""
    return "".join(letter for letter in code.upper() if letter.isalnum())


def _write(number: int) -> str:
    """Return a number as a code, in groups of letters."""
    letters = ""
    for _ in range(LENGTH):
        number, place = divmod(number, len(ALPHABET))
        letters += ALPHABET[place]
    return "-".join(letters[start : start + GROUP] for start in range(0, LENGTH, GROUP))
