"""What is kept apart from the log, read once a process and game."""

from __future__ import annotations

from collections.abc import Mapping

from events.store import Store
from service.play.recently_used import RecentlyUsed
from service.play.snapshots import MOST_GAMES, UnknownGame
from service.play.tokens import is_token, seat_behind

SEED = "seed"


class Vaults:
    """The seed never changes; tokens are only ever added."""

    def __init__(self, store: Store, most: int = MOST_GAMES) -> None:
        self._store = store
        self._recent: RecentlyUsed[Mapping[str, str]] = RecentlyUsed(most)

    def load(self, game: str) -> Mapping[str, str]:
        return self._recent.find(game) or self._read(game)

    def find_seat(self, game: str, token: str) -> int | None:
        known = self._recent.find(game)
        seat = None if known is None else seat_behind(known, token)
        # Somebody may have sat down through another process.
        return seat_behind(self._read(game), token) if seat is None else seat

    def add(self, game: str, secrets: Mapping[str, str]) -> None:
        """Remembers what was just stored; half a vault is worse than none."""
        known = self._recent.find(game) or {} if secrets else {}
        if SEED in known or SEED in secrets:
            self._recent.keep(game, {**known, **secrets})

    def forget_leftovers(self, game: str) -> None:
        """Of a game that is over: tokens open it for good and the seed is public, the rest is of no use."""
        leftovers = [field for field in self._store.vault(game) if field != SEED and not is_token(field)]
        self._store.forget_private(game, leftovers)

    def _read(self, game: str) -> Mapping[str, str]:
        vault = self._store.vault(game)
        if not vault:
            raise UnknownGame(game)
        self._recent.keep(game, vault)
        return vault
