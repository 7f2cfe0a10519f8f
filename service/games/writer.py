"""Writes one command to the log: decide, then append."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from msgspec import Struct

from events.chain import link
from events.commands import Command
from events.commit import BotNote, Commit, logged_form
from events.store import Conflict, Repeated, Store, Unavailable
from rules import Rejected, State
from rules.decide import run_command
from rules.table import Table
from service import metrics
from service.fairness.dice import dice_for
from service.games.cache import Base, Snapshots
from service.games.command_limits import check_repetition, is_repeatable
from service.games.idempotency import KeyedRequest
from service.games.snapshots import Outdated, Snapshot, advance_snapshot
from service.games.tokens import SEED, SecretsCache, token_hashes
from service.timestamps import stamp


class PendingCommit(Struct, frozen=True):
    """What is to be carried out, by whom, on which version only, and what the vault has to keep for it.

    `bot` says which one answered, where one did.
    """

    command: Command
    by: str
    if_version: int | None = None
    tokens: dict[int, str] = {}
    vault: dict[str, str] = {}
    bot: BotNote | None = None


class Written(Struct, frozen=True):
    snapshot: Snapshot
    commit: Commit


class Outcome(Struct, frozen=True):
    """The commit is the stored one: only `chain.redact_commit` makes it fit to be shown."""

    commit: Commit
    snapshot: Snapshot
    replayed: bool = False

    @property
    def version(self) -> int:
        return self.snapshot.version

    @property
    def state(self) -> State:
        return self.snapshot.state


class Writer:
    def __init__(
        self, store: Store, snapshots: Snapshots, vaults: SecretsCache, clock: Callable[[], datetime]
    ) -> None:
        self._store, self._snapshots, self._vaults, self._clock = store, snapshots, vaults, clock

    def attempt(self, game: str, base: Base, draft: PendingCommit, request: KeyedRequest) -> Written | None:
        """None where another try may fare better: somebody was faster, or what we remember is out of date."""
        try:
            return self.write(game, base.snapshot, draft, request)
        except Conflict:
            return None
        except (Rejected, Outdated):
            if base.is_fresh:
                raise
            return None

    def write(self, game: str, snapshot: Snapshot, draft: PendingCommit, request: KeyedRequest) -> Written:
        """Decides and appends. Raises Rejected, Outdated, Conflict, Repeated, KeyReused and Unavailable."""
        if draft.if_version not in (None, snapshot.version):
            raise Outdated(draft.if_version, snapshot.version)
        secrets = {**draft.vault, **token_hashes(draft.tokens)}
        seed = bytes.fromhex(secrets.get(SEED) or self._vaults.load(game, snapshot.log_epoch)[SEED])
        table = run_command(snapshot.state, draft.command, dice_for(seed, snapshot.state, draft.command))
        self._check_repetition(game, snapshot, draft.command)
        commit = self._commit(snapshot, draft, table, request)
        self._append(game, commit, secrets)
        reached = advance_snapshot(snapshot, commit, table.state)
        self._snapshots.keep(game, reached)
        self._vaults.add(game, secrets, reached.log_epoch)
        return Written(reached, commit)

    def _check_repetition(self, game: str, snapshot: Snapshot, command: Command) -> None:
        """Not for the rules to say: a log from before there was a limit is still played by them."""
        if is_repeatable(command):
            earlier = self._store.read(game, 0, snapshot.version)
            check_repetition((commit.command for commit in earlier), command)

    def _commit(
        self, snapshot: Snapshot, draft: PendingCommit, table: Table, request: KeyedRequest
    ) -> Commit:
        return link(
            Commit(
                version=snapshot.version + 1,
                # Clocks differ and are set back; a log that ran backwards would not be verified.
                at=max(stamp(self._clock()), snapshot.changed),
                by=draft.by,
                rules=table.state.release,
                command=logged_form(draft.command, table.events),
                events=tuple(table.events),
                prev=snapshot.head,
                bot=draft.bot,
                key=request.stored_key,
                request=request.fingerprint,
            )
        )

    def _append(self, game: str, commit: Commit, secrets: Mapping[str, str]) -> None:
        try:
            with metrics.time_append():
                self._store.append(game, commit, secrets)
        except Unavailable:
            self._append_again(game, commit, secrets)

    def _append_again(self, game: str, commit: Commit, secrets: Mapping[str, str]) -> None:
        """The first try may have arrived and only its reply been lost; the key makes that harmless."""
        try:
            with metrics.time_append():
                self._store.append(game, commit, secrets)
        except Repeated as repeat:
            found = self._store.read(game, repeat.version - 1, 1)
            if not found or found[0].hash != commit.hash:
                raise
