"""Decides a command on the newest state of a game and appends the result to the log: `Writer.execute`.

This is the write path of all commands but forks, which `service.history.forks` writes.
`service.games.creation` prepares those that create games and seats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from events.chain import link
from events.commands import Cancel, Choose, Close, Command, Leave, Rematch, Return, Sit, Start, Void
from events.commit import BotNote, Commit, logged_form
from events.store import Conflict, Repeated, Store, Unavailable
from events.values import seat_of
from rules import Rejected, State
from rules.decide import run_command
from rules.errors import Reason
from rules.seats import stand_in
from rules.table import Table
from service import metrics
from service.fairness.dice import dice_for
from service.games.cache import Snapshots
from service.games.command_limits import check_repetition, is_repeatable
from service.games.deadlines import bots_due, is_by_worker
from service.games.idempotency import (
    ANONYMOUS,
    KeyedRequest,
    find_earlier_answer,
    find_request,
    identify_request,
    scope_of,
    scope_of_answer,
)
from service.games.snapshots import Outdated, Snapshot, apply_commit
from service.games.tokens import SEED, SIGNATURE_FIELD, SecretsCache, end_tokens, token_hashes, tokens_for
from service.timestamps import stamp

# What is done to a game that exists; a fork is written by `service.history.forks`.
TableCommand = Sit | Choose | Leave | Return | Start | Cancel | Void | Rematch | Close
# Refused as already answered, these have nothing left to do: the game is as they want it.
_IDEMPOTENT = (Leave, Return, Start, Cancel, Void, Rematch)


class Caller(Struct, frozen=True):
    """Says who sends a command, and on which log.

    `seat` is the caller's seat, and `log_epoch` the epoch in which the caller was found to hold it; in
    another one the command fails with LogReplaced. `if_version` is the only version that it may follow. `key`
    is the Idempotency-Key of the request, and `sender` says whose key that is. `by` is the author that the
    log names, unless it is the seat: the clock, or a bot. `bot` says which bot chose. `api_key` is the id of
    the API key of the request, if there is one.
    """

    seat: int = -1
    log_epoch: int | None = None
    if_version: int | None = None
    key: str | None = None
    sender: str = ANONYMOUS
    by: str = ""
    bot: BotNote | None = None
    api_key: str = ""


NO_CALLER = Caller()


class PendingCommit(Struct, frozen=True):
    """Holds a command that is ready to be decided and appended.

    `by` is its author, `if_version` the only version it may follow, and `vault` what to store with the
    secrets of the game. `tokens` are new seat tokens by seat, of which only hashes are stored. `bot` says
    which bot chose.
    """

    command: Command
    by: str
    if_version: int | None = None
    tokens: dict[int, str] = {}
    vault: dict[str, str] = {}
    bot: BotNote | None = None


class CommandResult(Struct, frozen=True):
    """Holds what a command led to.

    `commit` is the stored one: `chain.redact_commit` must be applied before it is shown. It is None when
    nothing had to change. `replayed` says that an earlier request with the same key, or the same answer, made
    it. `seat` is the seat of the command, `tokens` are those of the seats that it took.
    """

    seat: int
    snapshot: Snapshot
    commit: Commit | None
    replayed: bool = False
    tokens: dict[int, str] = {}

    @property
    def version(self) -> int:
        """Return the version of the snapshot."""
        return self.snapshot.version

    @property
    def state(self) -> State:
        """Return the state of the snapshot."""
        return self.snapshot.state


def identify_command(caller: Caller, command: TableCommand) -> KeyedRequest:
    """Return what tells a repeated request for this command from another one with the same key."""
    match command:
        case Choose(ask, seat, choice):
            return identify_request(scope_of_answer(seat, caller.by), caller.key, (ask, choice))
        case Sit(seat, name, entropy, player):
            wanted = None if seat < 0 else seat
            body = (name, entropy, wanted, player) if player else (name, entropy, wanted)
            return identify_request(scope_of("sit", caller.sender), caller.key, body)
        case Leave(seat):
            return identify_request(f"leave {seat}", caller.key, command.for_good)
        case Rematch(seat):
            return identify_request(f"rematch {seat}", caller.key, "")
        case Return(seat) | Start(seat) | Cancel(seat) | Void(seat):
            return identify_request(f"{command.__struct_config__.tag} {seat}", caller.key, command)
        case Close(reason):
            return identify_request(caller.by, caller.key, reason)


def first_open_seat(state: State) -> int:
    """Return the first open seat, or 0 if none is open: the rules then say what is wrong."""
    return next((seat for seat, taken in enumerate(state.seats) if taken.name is None), 0)


def _sign_nothing(head: str) -> str:
    """Sign nothing: this service has no key."""
    return ""


def _notify_nothing(game: str) -> None:
    """Notify no bot: the projector finds out."""


class Writer:
    """Decides commands and appends them to logs."""

    def __init__(
        self, store: Store, snapshots: Snapshots, secrets_cache: SecretsCache, clock: Callable[[], datetime]
    ) -> None:
        """Write to this store.

        `notify_bots` is called when a person's command leaves the next answer to a bot. `sign` returns the
        signature of the final head of a game.
        """
        self._store = store
        self._snapshots = snapshots
        self._secrets = secrets_cache
        self._clock = clock
        self.notify_bots: Callable[[str], None] = _notify_nothing
        self.sign: Callable[[str], str] = _sign_nothing

    def execute(self, game: str, caller: Caller, command: TableCommand) -> CommandResult:
        """Carry out a command, or return what came of it when it was carried out before.

        The first try decides on the cached snapshot. If the append or the rules refuse that, the tail of the
        log is read and the command decided again. A Sit with a seat below 0 takes the first open seat.

        Raises Rejected, Outdated, UnknownGame, KeyReused and Unavailable; LogReplaced in another log epoch.
        """
        request = identify_command(caller, command)
        try:
            for base in self._snapshots.bases(game, caller.log_epoch):
                pending = self._prepare(game, base.snapshot, caller, command)
                try:
                    return self.write(game, base.snapshot, pending, request)
                except Conflict:
                    continue
                except (Rejected, Outdated):
                    if base.is_fresh:
                        raise
        except Repeated as repeat:
            return self._replay(game, caller, repeat.version)
        except (Rejected, Outdated) as refusal:
            return self._resolve_refusal(game, caller, command, request, refusal)
        raise Unavailable(f"{game} changes faster than it can be followed")

    def _prepare(self, game: str, snapshot: Snapshot, caller: Caller, command: TableCommand) -> PendingCommit:
        """Complete a command with what depends on the snapshot that it is decided on."""
        by = caller.by or f"seat-{caller.seat}"
        match command:
            case Sit():
                seat = first_open_seat(snapshot.state) if command.seat < 0 else command.seat
                vault = self._secrets.load(game, snapshot.log_epoch)
                tokens = {} if command.player else tokens_for(vault, caller.key, [seat])
                # In a sandbox game nothing in an event is random, the salt of a name included.
                salted = "" if snapshot.state.sandbox else command.name_commitment
                taken = replace(command, seat=seat, name_commitment=salted)
                return PendingCommit(taken, f"seat-{seat}", tokens=tokens)
            case Leave(seat, for_good=for_good):
                is_lobby = snapshot.state.status == "lobby"
                left = Leave(seat) if is_lobby else Leave(seat, stand_in(snapshot.state), for_good)
                gives_up = is_lobby or for_good
                # The tokens of a seat end when it is given up.
                ended = end_tokens(self._secrets.read(game), seat) if gives_up else {}
                return PendingCommit(left, by, vault=ended)
            case _:
                return PendingCommit(command, by, caller.if_version, bot=caller.bot)

    def _resolve_refusal(
        self,
        game: str,
        caller: Caller,
        command: TableCommand,
        request: KeyedRequest,
        refusal: Rejected | Outdated,
    ) -> CommandResult:
        """Return the result that a refused command asks for again. Raises the refusal if there is none."""
        version = find_request(self._store, game, request)
        if version is None and isinstance(command, Choose):
            version = find_earlier_answer(self._store, game, request, command, refusal)
        if version is not None:
            return self._replay(game, caller, version)
        is_done = isinstance(refusal, Rejected) and refusal.reason is Reason.ALREADY_ANSWERED
        if is_done and isinstance(command, _IDEMPOTENT):
            snapshot = self._snapshots.load(game, caller.log_epoch)
            self._store.confirm(game, snapshot.version, snapshot.head)
            return CommandResult(caller.seat, snapshot, commit=None)
        raise refusal

    def _replay(self, game: str, caller: Caller, version: int) -> CommandResult:
        """Return the result of an earlier command, with its tokens."""
        commit = self._store.read(game, version - 1, 1)[0]
        snapshot = self._snapshots.load_version(game, version, caller.log_epoch)
        seat = caller.seat
        tokens = dict[int, str]()
        if isinstance(commit.command, Sit):
            seat = commit.command.seat
            if not commit.command.player:
                vault = self._secrets.load(game, snapshot.log_epoch)
                tokens = tokens_for(vault, caller.key, [seat])
        return CommandResult(seat, snapshot, commit, replayed=True, tokens=tokens)

    def write(
        self, game: str, snapshot: Snapshot, pending: PendingCommit, request: KeyedRequest
    ) -> CommandResult:
        """Decide and append once. Raises Rejected, Outdated, Conflict, Repeated, KeyReused, Unavailable."""
        if pending.if_version not in (None, snapshot.version):
            raise Outdated(pending.if_version, snapshot.version)
        secrets = {**pending.vault, **token_hashes(pending.tokens)}
        seed = bytes.fromhex(secrets.get(SEED) or self._secrets.load(game, snapshot.log_epoch)[SEED])
        table = run_command(snapshot.state, pending.command, dice_for(seed, snapshot.state, pending.command))
        self._check_repetition(game, snapshot, pending.command)
        commit = self._commit(snapshot, pending, table, request)
        if table.state.status == "over" != snapshot.state.status:
            secrets |= self._sign(commit)
        self._append(game, commit, secrets)
        reached = apply_commit(snapshot, commit, table.state)
        self._snapshots.keep(game, reached)
        self._secrets.add(game, secrets, reached.log_epoch)
        author = seat_of(commit.by)
        # Who plays for bots and clock goes on without being notified.
        if author is not None and bots_due(table.state) and not is_by_worker(commit, table.state):
            self.notify_bots(game)
        return CommandResult(-1 if author is None else author, reached, commit, tokens=pending.tokens)

    def _sign(self, commit: Commit) -> dict[str, str]:
        """Return the signature of the commit that ends a game, to be stored with its secrets."""
        signature = self.sign(commit.hash)
        return {SIGNATURE_FIELD: signature} if signature else {}

    def _check_repetition(self, game: str, snapshot: Snapshot, command: Command) -> None:
        """Raise Rejected if a seat repeats a command too often.

        The rules do not know this limit: logs from before it must still replay.
        """
        if is_repeatable(command):
            earlier = self._store.read(game, 0, snapshot.version)
            check_repetition((commit.command for commit in earlier), command)

    def _commit(
        self, snapshot: Snapshot, pending: PendingCommit, table: Table, request: KeyedRequest
    ) -> Commit:
        """Return the commit of a decided command, linked to the snapshot that it follows."""
        return link(
            Commit(
                version=snapshot.version + 1,
                # Clocks differ and are set back; a log that ran backwards would not be verified.
                at=max(stamp(self._clock()), snapshot.changed_at),
                by=pending.by,
                rules=table.state.release,
                command=logged_form(pending.command, table.events),
                events=tuple(table.events),
                prev=snapshot.head,
                bot=pending.bot,
                key=request.stored_key,
                request=request.fingerprint,
            )
        )

    def _append(self, game: str, commit: Commit, secrets: Mapping[str, str]) -> None:
        """Append a commit; try once more if Redis does not answer."""
        try:
            with metrics.time_append():
                self._store.append(game, commit, secrets)
        except Unavailable as fault:
            # Replicas that did not confirm it in time will not do so at once.
            if fault.cause == "replicas":
                raise
            self._append_again(game, commit, secrets)

    def _append_again(self, game: str, commit: Commit, secrets: Mapping[str, str]) -> None:
        """Append a commit again whose first try may have arrived; the key makes that safe."""
        try:
            with metrics.time_append():
                self._store.append(game, commit, secrets)
        except Repeated as repeat:
            found = self._store.read(game, repeat.version - 1, 1)
            if not found or found[0].hash != commit.hash:
                raise
