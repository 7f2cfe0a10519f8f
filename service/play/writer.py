"""One command into the log: decide, append, and decide again when somebody else was faster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from msgspec import Struct

from events.chain import link
from events.commands import Command
from events.commit import Commit, logged_form
from events.store import Conflict, Repeated, Store, Unavailable
from rules.decide import run_command
from rules.rejection import Rejected
from rules.table import Table
from service.fairness.dice import dice_for
from service.play.idempotency import Request
from service.play.snapshots import Snapshot, Snapshots, advance_snapshot
from service.play.tokens import token_hashes
from service.play.vaults import SEED, Vaults
from service.timestamps import stamp

ATTEMPTS = 16


class Outdated(Exception):
    """The caller wanted to act on another version than the newest."""

    def __init__(self, wanted: int, version: int) -> None:
        super().__init__(f"the game is at version {version}, not {wanted}")
        self.wanted, self.version = wanted, version


class Draft(Struct, frozen=True):
    """What is to be carried out, by whom, and what the vault has to keep for it."""

    command: Command
    by: str
    tokens: dict[int, str] = {}
    vault: dict[str, str] = {}


class Written(Struct, frozen=True):
    snapshot: Snapshot
    commit: Commit
    draft: Draft


class Writer:
    def __init__(
        self, store: Store, snapshots: Snapshots, vaults: Vaults, clock: Callable[[], datetime]
    ) -> None:
        self._store, self._snapshots, self._vaults, self._clock = store, snapshots, vaults, clock

    def carry_out(self, game: str, request: Request, draft: Callable[[Snapshot], Draft]) -> Written:
        """The first try trusts what this process remembers: the append refuses what is out of date."""
        known = self._snapshots.find(game)
        for _ in range(ATTEMPTS):
            snapshot = known or self._snapshots.load(game)
            try:
                return self.write(game, snapshot, draft(snapshot), request)
            except Conflict:
                pass
            except (Rejected, Outdated):
                if known is None:
                    raise
            known = None
        raise Unavailable(f"{game} changes faster than it can be followed")

    def write(self, game: str, snapshot: Snapshot, draft: Draft, request: Request) -> Written:
        secrets = {**draft.vault, **token_hashes(draft.tokens)}
        seed = bytes.fromhex(secrets.get(SEED) or self._vaults.load(game)[SEED])
        table = run_command(snapshot.state, draft.command, dice_for(seed, snapshot.state, draft.command))
        commit = self._commit(snapshot, draft, table, request)
        self._append(game, commit, secrets)
        self._vaults.add(game, secrets)
        reached = advance_snapshot(snapshot, commit, table.state)
        self._snapshots.keep(game, reached)
        return Written(reached, commit, draft)

    def _commit(self, snapshot: Snapshot, draft: Draft, table: Table, request: Request) -> Commit:
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
                key=request.stored_key,
                request=request.fingerprint,
            )
        )

    def _append(self, game: str, commit: Commit, secrets: Mapping[str, str]) -> None:
        try:
            self._store.append(game, commit, secrets)
        except Unavailable:
            self._append_again(game, commit, secrets)

    def _append_again(self, game: str, commit: Commit, secrets: Mapping[str, str]) -> None:
        """The first try may have arrived and only its reply been lost; the key makes that harmless."""
        try:
            self._store.append(game, commit, secrets)
        except Repeated as repeat:
            found = self._store.read(game, repeat.version - 1, 1)
            if not found or found[0].hash != commit.hash:
                raise
