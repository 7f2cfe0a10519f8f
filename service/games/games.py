"""Games: the entry point for everything that is done with a game or read from one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from events.commands import Choose, Close, Sit
from events.commit import Commit
from events.store import Store
from events.values import PUBLIC, SeatPlan, Visibility
from rules import Rejected
from service.fairness.dice import luck_of_bot, new_seed
from service.games.cache import Reading, Snapshots, read_readable
from service.games.codes import Codes
from service.games.creation import Arrivals, FormerSeats, Rematches
from service.games.creators import API_KEY_FIELD, CREATOR_FIELD
from service.games.idempotency import draw_game_id
from service.games.seating import Seating
from service.games.snapshots import Outdated, SeatIdentity, Snapshot, UnknownGame
from service.games.tokens import ADVISED_FIELD, SEED, SecretsCache
from service.games.writer import NO_CALLER, Caller, CommandResult, TableCommand, Writer


class Games:
    """Creates, changes and reads games."""

    def __init__(
        self,
        store: Store,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        seeds: Callable[[], bytes] = new_seed,
        ids: Callable[[], str] = draw_game_id,
    ) -> None:
        """Build on this store; `ids` draws the ids of games that are created without a key.

        `seeds` draws the seeds of dice. The public attributes are for `service.history`, which builds on
        them.
        """
        self.clock = clock
        self.seeds = seeds
        self.ids = ids
        self.store = store
        self.snapshots = Snapshots(store)
        self.secrets = SecretsCache(store, self.snapshots)
        self._writer = Writer(store, self.snapshots, self.secrets, clock)
        self.arrivals = Arrivals(store, self.snapshots, self.secrets, self._writer, seeds, ids)
        self.former_seats = FormerSeats(store, self.snapshots, self.secrets)
        self.rematches = Rematches(store, self.snapshots, self.secrets, self._writer, seeds, ids)
        self.codes = Codes(store, self.snapshots)

    # Writing

    def on_bots_due(self, notify: Callable[[str], None]) -> None:
        """Call `notify` with the game whenever a person's command leaves the next answer to a bot."""
        self._writer.notify_bots = notify

    def sign_with(self, sign: Callable[[str], str]) -> None:
        """Sign the final head of every game with `sign`, which returns the signature as it is stored."""
        self._writer.sign = sign

    def create(
        self,
        edition: str,
        options: Mapping[str, Any],
        seats: Sequence[SeatPlan],
        caller: Caller = NO_CALLER,
        creator: str = "",
        visibility: Visibility = PUBLIC,
        sandbox_seed: str = "",
    ) -> Seating:
        """Create a game. `creator` is what `Creators.identify` says.

        A `sandbox_seed` decides the dice of a sandbox game. Raises Rejected, WeakKey, KeyReused and
        Unavailable.
        """
        return self.arrivals.create(
            edition,
            options,
            seats,
            caller,
            creator=creator,
            visibility=visibility,
            sandbox_seed=sandbox_seed,
        )

    def sit(
        self,
        game: str,
        name: str,
        entropy: str = "",
        seat: int | None = None,
        player: str = "",
        name_commitment: str = "",
        caller: Caller = NO_CALLER,
    ) -> Seating:
        """Take the first open seat, unless one is named. Raises as `execute` does, and WeakKey."""
        wish = Sit(
            seat=-1 if seat is None else seat,
            name=name,
            entropy=entropy,
            player=player,
            name_commitment=name_commitment,
        )
        return self.arrivals.sit(game, wish, caller)

    def choose(self, game: str, caller: Caller, ask: int, choice: str) -> CommandResult:
        """Answer an ask for the caller's seat. Raises as `execute` does."""
        return self._writer.execute(game, caller, Choose(ask, caller.seat, choice))

    def execute(self, game: str, caller: Caller, command: TableCommand) -> CommandResult:
        """Carry out a command, or return what came of it when it was carried out before.

        Raises Rejected, Outdated, UnknownGame, KeyReused and Unavailable; LogReplaced in another log epoch.
        """
        return self._writer.execute(game, caller, command)

    def close(self, game: str, reason: str, by: str, if_version: int) -> bool:
        """End the game without winners at this version; False if it has gone on. Raises UnknownGame."""
        try:
            self._writer.execute(game, Caller(by=by, if_version=if_version), Close(reason))
        except (Rejected, Outdated):
            return False
        return True

    def forget_leftovers(self, game: str) -> None:
        """Drop what only repeated requests need, once the game is over."""
        self.secrets.forget_leftovers(game)

    def record_advice(self, game: str) -> None:
        """Record that a bot advises somebody in this game, which then counts in no statistics."""
        self.store.add_to_vault(game, {ADVISED_FIELD: "yes"})

    # Reading

    def was_advised(self, game: str) -> bool:
        """Return whether a bot advised somebody in this game. Raises UnknownGame."""
        return ADVISED_FIELD in self.secrets.read(game)

    def creator_of(self, game: str) -> str:
        """Return the creator, also if the log cannot be read; empty for older games. Raises UnknownGame."""
        return self._read_secret(game, CREATOR_FIELD)

    def api_key_of(self, game: str) -> str:
        """Return the id of the API key that created the game; empty if none did. Raises UnknownGame."""
        return self._read_secret(game, API_KEY_FIELD)

    def _read_secret(self, game: str, field: str) -> str:
        """Return a field of a game's secrets, from the cache if possible; empty if it is not there."""
        snapshot = self.snapshots.find(game)
        vault = self.secrets.load(game, snapshot.log_epoch) if snapshot else self.secrets.read(game)
        return vault.get(field, "")

    def snapshot(self, game: str, version: int | None = None, log_epoch: int | None = None) -> Snapshot:
        """Return the newest snapshot, or that of a version.

        Raises UnknownGame, UnknownVersion, and LogReplaced if the log is not of the wanted epoch.
        """
        if version is None:
            return self.snapshots.load(game, log_epoch)
        return self.snapshots.load_version(game, version, log_epoch)

    def follow(self, game: str, commits: Sequence[Commit]) -> Snapshot:
        """Return the snapshot after commits that were just read, or a newer one.

        Raises as `snapshot` does.
        """
        return self.snapshots.follow(game, commits)

    def read_versions(self, game: str, first: int, last: int, log_epoch: int | None = None) -> list[Snapshot]:
        """Return the snapshots of all these versions, from one reading of the log.

        Raises UnknownGame, UnknownVersion, and LogReplaced in another epoch.
        """
        return self.snapshots.load_versions(game, first, last, log_epoch)

    def luck_of_bot(self, snapshot: Snapshot, seat: int, build: str) -> bytes:
        """Return the seed of a bot's choice at this table. Raises UnknownGame."""
        seed = bytes.fromhex(self.secrets.load(snapshot.game, snapshot.log_epoch)[SEED])
        return luck_of_bot(seed, snapshot.state, snapshot.version, seat, build)

    def commits(self, game: str, after: int = 0, limit: int | None = None) -> Sequence[Commit]:
        """Return commits as stored, up to one that cannot be read. Redact them before they are shown.

        They are not checked, so that an audit sees what is wrong with them. Raises UnknownGame.
        """
        found = read_readable(self.store, game, after, limit)
        if not found:
            self.head(game)
        return found

    def head(self, game: str) -> tuple[int, str]:
        """Return version and hash of the newest commit, also if it cannot be read. Raises UnknownGame."""
        version, head = self.store.head(game)
        if not version:
            raise UnknownGame(game)
        return version, head

    def has_moved(self, game: str) -> bool:
        """Return whether this process saw another log of the game: a version alone then names no state."""
        return self.snapshots.has_moved(game)

    def read_after(self, game: str, after: int, limit: int, log_epoch: int | None = None) -> Reading:
        """Return the newest snapshot and the commits after a version, as stored.

        Raises UnknownGame, BrokenLog, and LogReplaced if the log is not of the wanted epoch.
        """
        return self.snapshots.load_with(game, after, limit, log_epoch)

    def find_present(self, games: Sequence[str]) -> set[str]:
        """Return those of the games that have a log."""
        return self.store.find_present(games)

    def find_holder(self, game: str, credential: str) -> SeatIdentity | None:
        """Return the seat of the token with this hash; None if the token is not valid. Raises UnknownGame.

        Pass its `log_epoch` on with what is shown or done for the seat: the log may be replaced meanwhile.
        """
        return self.secrets.find_holder(game, credential)

    def find_seat_of(self, game: str, player: str, credential: str) -> SeatIdentity | None:
        """Return the seat of a player; None if they have none. `credential` is the hash of their token."""
        return self.secrets.find_seat_of(game, player, credential)
