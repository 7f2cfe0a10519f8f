"""Everything that can be done with games, whoever asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from events.commands import Choose, Close, Sit
from events.commit import BotNote, Commit
from events.store import Repeated, Store, Unavailable
from events.values import PUBLIC, SeatPlan, Visibility
from rules import Rejected
from service.fairness.dice import luck_of_bot, new_seed
from service.games.cache import Base, Reading, Snapshots, read_readable
from service.games.codes import Codes
from service.games.commands import Arrivals, Departures, Rematches
from service.games.creators import CREATOR_FIELD
from service.games.idempotency import ANONYMOUS, draw_game_id, find_earlier, identify_request, scope_of_answer
from service.games.seating import Seating
from service.games.snapshots import Outdated, SeatIdentity, Snapshot, UnknownGame
from service.games.tokens import SEED, SecretsCache
from service.games.writer import Outcome, PendingCommit, Writer
from service.history.audits import Audit, Auditor
from service.history.export import Archive


class Games:
    def __init__(
        self,
        store: Store,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        seeds: Callable[[], bytes] = new_seed,
        ids: Callable[[], str] = draw_game_id,
    ) -> None:
        """`ids` names games that are made without a key; their dice depend on seed and id."""
        self._store = store
        self._snapshots = Snapshots(store)
        self._vaults = SecretsCache(store, self._snapshots)
        self._writer = Writer(store, self._snapshots, self._vaults, clock)
        self.arrivals = Arrivals(store, self._snapshots, self._vaults, self._writer, seeds, ids)
        self.departures = Departures(store, self._snapshots, self._vaults, self._writer)
        self.rematches = Rematches(store, self._snapshots, self._vaults, self._writer, seeds, ids)
        self.codes = Codes(store, self._snapshots)
        self.archive = Archive(store, self._snapshots, self._vaults, clock, seeds, ids)
        self._auditor = Auditor(store, self._snapshots)

    # Writing

    def create(
        self,
        edition: str,
        options: Mapping[str, Any],
        seats: Sequence[SeatPlan],
        key: str | None = None,
        creator: str = "",
        sender: str = ANONYMOUS,
        visibility: Visibility = PUBLIC,
    ) -> Seating:
        """`creator` is what `Creators.identify` says, `sender` whose key it is.

        Raises Rejected, WeakKey, KeyReused and Unavailable.
        """
        return self.arrivals.create(edition, options, seats, key, creator, sender, visibility)

    def sit(
        self,
        game: str,
        name: str,
        entropy: str = "",
        key: str | None = None,
        seat: int | None = None,
        log_epoch: int | None = None,
        sender: str = ANONYMOUS,
        player: str = "",
        name_commitment: str = "",
    ) -> Seating:
        """The first open seat, unless one is named. Raises as `choose` does, and WeakKey."""
        wish = Sit(-1 if seat is None else seat, name, entropy, player, name_commitment)
        return self.arrivals.sit(game, wish, key, log_epoch, sender)

    def choose(
        self,
        game: str,
        seat: int,
        ask: int,
        choice: str,
        key: str | None = None,
        by: str | None = None,
        if_version: int | None = None,
        log_epoch: int | None = None,
        bot: str = "",
        why: str = "",
        note: BotNote | None = None,
    ) -> Outcome:
        """`bot` and `why` are those of Choose, `note` says which bot it was that answers.

        Raises Rejected, Outdated, UnknownGame, KeyReused, Unavailable; LogReplaced in another epoch.
        """
        answer = Choose(ask, seat, choice, bot, why)
        request = identify_request(scope_of_answer(seat, by), key, (ask, choice))
        draft = PendingCommit(answer, by or f"seat-{seat}", if_version, bot=note)
        try:
            for base in self._snapshots.bases(game, log_epoch):
                written = self._writer.attempt(game, base, draft, request)
                if written is not None:
                    return Outcome(written.commit, written.snapshot)
        except Repeated as repeat:
            return self._replay(game, repeat.version, log_epoch)
        except (Rejected, Outdated) as refusal:
            return self._replay(game, find_earlier(self._store, game, request, answer, refusal), log_epoch)
        raise Unavailable(f"{game} changes faster than anybody can answer")

    def close(self, game: str, reason: str, by: str, if_version: int) -> bool:
        """Ends it without winners at this version; False where it has gone on. Raises UnknownGame."""
        draft = PendingCommit(Close(reason), by, if_version)
        base = Base(self.snapshot(game), is_fresh=True)
        try:
            return self._writer.attempt(game, base, draft, identify_request(by, None, reason)) is not None
        except (Rejected, Outdated):
            return False

    def forget_leftovers(self, game: str) -> None:
        """What only repeated requests need, once the game is over."""
        self._vaults.forget_leftovers(game)

    def _replay(self, game: str, version: int, log_epoch: int | None) -> Outcome:
        commit = self._store.read(game, version - 1, 1)[0]
        return Outcome(commit, self.snapshot(game, version, log_epoch), replayed=True)

    # Reading

    def creator_of(self, game: str) -> str:
        """Also of a game whose log nobody can read; empty for older games. Raises UnknownGame."""
        snapshot = self._snapshots.find(game)
        vault = self._vaults.load(game, snapshot.log_epoch) if snapshot else self._vaults.read(game)
        return vault.get(CREATOR_FIELD, "")

    def snapshot(self, game: str, version: int | None = None, log_epoch: int | None = None) -> Snapshot:
        """Raises UnknownGame, UnknownVersion, and LogReplaced if the log is not of the wanted epoch."""
        if version is None:
            return self._snapshots.load(game, log_epoch)
        return self._snapshots.load_version(game, version, log_epoch)

    def luck_of_bot(self, snapshot: Snapshot, seat: int, build: str) -> bytes:
        """What a bot's choice at this table is drawn from. Raises UnknownGame."""
        game = snapshot.state.game
        seed = bytes.fromhex(self._vaults.load(game, snapshot.log_epoch)[SEED])
        return luck_of_bot(seed, game, snapshot.version, seat, build)

    def commits(self, game: str, after: int = 0, limit: int | None = None) -> Sequence[Commit]:
        """As stored, up to one that cannot be read: to be redacted before anybody sees them.

        They are not checked, so that an auditor sees what is wrong with them. Raises UnknownGame.
        """
        found = read_readable(self._store, game, after, limit)
        if not found:
            self.head(game)
        return found

    def head(self, game: str) -> tuple[int, str]:
        """Version and hash of the newest commit, also where nobody can read it. Raises UnknownGame."""
        version, head = self._store.head(game)
        if not version:
            raise UnknownGame(game)
        return version, head

    def has_moved(self, game: str) -> bool:
        """Whether its log was another when this process met it: versions alone do not tell them apart."""
        return self._snapshots.has_moved(game)

    def read_after(self, game: str, after: int, limit: int, log_epoch: int | None = None) -> Reading:
        """The newest snapshot and the commits after a version, as stored.

        Raises UnknownGame, BrokenLog, and LogReplaced if the log is not of the wanted epoch.
        """
        return self._snapshots.load_with(game, after, limit, log_epoch)

    def find_present(self, games: Sequence[str]) -> set[str]:
        """Those of the games that have a log."""
        return self._store.find_present(games)

    def find_holder(self, game: str, credential: str) -> SeatIdentity | None:
        """Who holds the token with this hash; None where it opens nothing. Raises UnknownGame.

        Pass its `log_epoch` on with what is shown or done for the seat: the log may be replaced meanwhile.
        """
        return self._vaults.find_holder(game, credential)

    def find_seat_of(self, game: str, player: str, credential: str) -> SeatIdentity | None:
        """The same of a player, whose token this is the hash of; None where they do not sit there."""
        return self._vaults.find_seat_of(game, player, credential)

    def audit(self, game: str, log_epoch: int | None = None) -> Audit:
        """Check the whole chain. Raises UnknownGame, and LogReplaced if the epoch is not the wanted one."""
        return self._auditor.audit(game, log_epoch)
