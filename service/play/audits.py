"""What proves that the dice of a game were fair."""

from __future__ import annotations

from msgspec import Struct

from events.codec import decode_raw
from events.store import Store
from service.fairness.verify import Verdict, verify
from service.play.recently_used import RecentlyUsed
from service.play.snapshots import Snapshot

MOST_VERDICTS = 100


class Audit(Struct, frozen=True):
    """Seed and verification come with the end of the game."""

    version: int
    head: str
    commitment: str
    seed: str | None = None
    verified: Verdict | None = None


class Auditor:
    """A game that is over is verified once and remembered by its last hash."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._verdicts: RecentlyUsed[Verdict] = RecentlyUsed(MOST_VERDICTS)

    def audit(self, game: str, snapshot: Snapshot) -> Audit:
        state = snapshot.state
        if state.status != "over":
            return Audit(snapshot.version, snapshot.head, state.commitment)
        verified = self._verify(game, snapshot.head)
        return Audit(snapshot.version, snapshot.head, state.commitment, state.seed, verified)

    def _verify(self, game: str, head: str) -> Verdict:
        verdict = self._verdicts.find(head)
        if verdict is None:
            verdict = verify([decode_raw(entry) for entry in self._store.read_stored(game)])
            self._verdicts.keep(head, verdict)
        return verdict
