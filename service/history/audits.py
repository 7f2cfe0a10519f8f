"""Audits a game: returns what proves that its dice were fair. `Auditor.audit` is the entry point."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from msgspec import Struct

from events.commit import decode_raw
from events.recently_used import RecentlyUsed
from events.types import GameCreated
from service.fairness.verify import Luck, Verdict, verify
from service.games.cache import BrokenLog, read_readable
from service.games.games import Games
from service.games.heavy_work import HEAVY_WORK_LOCK, CooperativeIterator
from service.games.snapshots import Snapshot

# How many verdicts are cached; each takes a few hundred bytes.
MOST_VERDICTS = 10_000


# What a verification judges, and what it takes as the log says; docs/fairness.md explains both.
JUDGED = (
    "the hash chain and every opened secret",
    "the seed against its commitment, and every roll and draw made from it",
    "every command and every event, decided again by the rules",
    "payouts, totals, winners and the end of the game",
    "who made each commit, and that the clock answered only when time was over",
    "that times never run backwards",
)
UNJUDGED = (
    "when each commit was made, beyond the order and the clocks of the game",
    "a bot's note beyond its level: build, budget and view, and why a lower level answered instead",
    "who sat there: names, ids of players, and which bot a seat had from the beginning",
    "options and time limits of the game that nothing in its log depends on",
    "whether more answers came before an end without winners",
    "an answer of a tile from which the same follows as from another",
)
# An import says what another service, or anybody at home, has written.
UNJUDGED_OF_IMPORTS = (
    *UNJUDGED,
    "where the game was played, and whether it was played at all: one person can play every seat at home",
    "which of several games with one id is the one that was played",
)


# What nobody can judge where the dice were not drawn for the game: see `Verdict.luck`.
UNJUDGED_LUCK = {
    "chosen": ("luck: the creator of a sandbox game chose its dice",),
    "known": ("luck: the dice were those of a finished game, which everybody could know",),
}


class Audit(Struct, frozen=True):
    """Seed and verification come with the end of the game.

    `named` is the id that the log names.
    """

    version: int
    head: str
    commitment: str
    seed: str | None = None
    verified: Verdict | None = None
    named: str = ""
    imported: str = ""
    luck: Luck = "drawn"

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Return what no verification of this game judges."""
        usual = UNJUDGED_OF_IMPORTS if self.imported else UNJUDGED
        return usual + UNJUDGED_LUCK.get(self.luck, ())


class Auditor:
    """Audits games. A game that is over is verified once; the verdict is cached by the hash of its log."""

    def __init__(self, games: Games) -> None:
        """Audit these games."""
        self._store = games.store
        self._snapshots = games.snapshots
        self._verdicts: RecentlyUsed[Verdict] = RecentlyUsed(MOST_VERDICTS)

    def audit(self, game: str, log_epoch: int | None = None) -> Audit:
        """Return the audit of a game; verifies a game that is over, which takes a while.

        A broken log gives an audit that says so. Raises UnknownGame, and LogReplaced if the log is not of the
        wanted epoch.
        """
        try:
            self._snapshots.check_whole(game)
            return self._audit_sound(game, self._snapshots.load(game, log_epoch))
        except BrokenLog as fault:
            return self._audit_broken(game, fault)

    def _audit_sound(self, game: str, snapshot: Snapshot) -> Audit:
        """Return the audit of a game whose log is intact."""
        state = snapshot.state
        is_over = state.status == "over"
        return Audit(
            version=snapshot.version,
            head=snapshot.head,
            commitment=state.commitment,
            seed=state.seed if is_over else None,
            verified=self._verify(self._store.read_stored(game)) if is_over else None,
            named=state.game,
            imported=snapshot.imported_at,
            luck="chosen" if state.sandbox else "known" if state.dice_game else "drawn",
        )

    def _audit_broken(self, game: str, fault: BrokenLog) -> Audit:
        """Return what a broken log still shows, with a verdict that names the fault."""
        version, head = self._store.head(game)
        first = read_readable(self._store, game, 0, 1)
        promised = [e.commitment for commit in first for e in commit.events if isinstance(e, GameCreated)]
        verdict = Verdict(False, version, version=fault.version, fault=fault.why)
        return Audit(version, head, "".join(promised), verified=verdict, named=game)

    def _verify(self, stored: Sequence[bytes]) -> Verdict:
        """Return the verdict on a stored log, cached by its hash. One game is verified at a time."""
        name = sha256(b"\n".join(stored)).hexdigest()
        verdict = self._verdicts.find(name)
        if verdict is None:
            with HEAVY_WORK_LOCK:
                verdict = verify(
                    CooperativeIterator([decode_raw(entry) for entry in CooperativeIterator(stored)])
                )
            self._verdicts.keep(name, verdict)
        return verdict
