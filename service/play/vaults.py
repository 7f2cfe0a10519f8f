"""What is kept apart from the log, read once a process, game and branch."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from events.store import Store
from service.play.branches import Holder
from service.play.recently_used import RecentlyUsed
from service.play.snapshot_cache import MOST_GAMES, Snapshots
from service.play.snapshots import UnknownGame
from service.play.tokens import is_token, seat_behind, without_tokens

SEED = "seed"


class Vault(Struct, frozen=True):
    """What it held, and the branch whose log put it there."""

    secrets: Mapping[str, str]
    branch: int


class Vaults:
    """On one branch the seed never changes, and tokens are only ever added."""

    def __init__(self, store: Store, snapshots: Snapshots, most: int = MOST_GAMES) -> None:
        self._store, self._snapshots = store, snapshots
        self._recent: RecentlyUsed[Vault] = RecentlyUsed(most)

    def load(self, game: str, branch: int) -> Mapping[str, str]:
        """Seed and spice, for what the append will find to be of this branch or not. Raises UnknownGame."""
        known = self._recent.find(game)
        if known is None or known.branch != branch:
            known = Vault(without_tokens(self.read(game)), branch)
            self._recent.keep(game, known)
        return known.secrets

    def find_holder(self, game: str, credential: str) -> Holder | None:
        """Of the token with this hash, from memory if it is there: who acts for the holder finds out if
        the log stands."""
        known, snapshot = self._recent.find(game), self._snapshots.find(game)
        if known is not None and snapshot is not None and known.branch == snapshot.branch:
            seat = seat_behind(known.secrets, credential)
            if seat is not None:
                return Holder(seat, known.branch)
        # Somebody may have sat down through another process.
        known = self._read_between_looks(game)
        seat = seat_behind(known.secrets, credential)
        return None if seat is None else Holder(seat, known.branch)

    def find_seat_of(self, game: str, player: str, credential: str) -> Holder | None:
        """Where a player sits in the log as it stands; None where they do not. Raises UnknownGame."""
        snapshot = self._snapshots.load(game)
        if snapshot.imported:
            return None
        for number, seat in enumerate(snapshot.state.seats):
            if seat.player == player and seat.bot is None:
                return Holder(number, snapshot.branch, player, credential)
        return None

    def add(self, game: str, secrets: Mapping[str, str], branch: int) -> None:
        """Remembers what was just stored; half a vault is worse than none."""
        known = self._recent.find(game)
        whole = known.secrets if secrets and known is not None and known.branch == branch else {}
        if SEED in whole or SEED in secrets:
            self._recent.keep(game, Vault({**whole, **secrets}, branch))

    def forget_leftovers(self, game: str) -> None:
        """Of a game that is over: tokens open it for good and the seed is public, the rest is of no use."""
        leftovers = [field for field in self._store.vault(game) if field != SEED and not is_token(field)]
        self._store.forget_private(game, leftovers)

    def _read_between_looks(self, game: str) -> Vault:
        """What the vault holds was put there by the branch that a look before and one after it see."""
        branch = self._snapshots.load(game).branch
        vault = Vault(self.read(game), branch)
        self._snapshots.load(game, branch)
        self._recent.keep(game, vault)
        return vault

    def read(self, game: str) -> Mapping[str, str]:
        """From the store. Raises UnknownGame."""
        secrets = self._store.vault(game)
        if not secrets:
            raise UnknownGame(game)
        return secrets
