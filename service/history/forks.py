"""Forks games: plays a finished game on from one of its tables, with new seats and dice (W12).

The log of a fork begins with the commits of its origin, byte for byte, so that its chain proves where it
comes from. `Forks.fork` is the entry point.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from events.chain import Broken, forget_unhashed, link
from events.commands import Fork
from events.commit import Commit
from events.store import Conflict, KeyReused, Repeated
from events.values import PRIVATE, Origin, SeatPlan, Visibility
from rules import Rejected
from rules.decide import run_command
from rules.errors import Reason
from service.fairness.dice import commitment, dice_for
from service.fairness.segments import Segment, find_segments
from service.games.command_limits import check_repetition
from service.games.creators import CREATOR_FIELD
from service.games.games import Games
from service.games.heavy_work import CooperativeIterator
from service.games.idempotency import (
    KeyedRequest,
    WeakKey,
    derive_game_id,
    identify_request,
    is_weak,
    scope_of,
)
from service.games.seating import CREATOR, Seating, check_bots, seats_of_people
from service.games.snapshots import Snapshot
from service.games.tokens import SEED, new_token_key, token_hashes, tokens_for
from service.timestamps import stamp

UNSEEN = "a fork of a private game is seen from its seats alone: name a person"


class Forks:
    """Creates games that begin with the commits of another one."""

    def __init__(self, games: Games) -> None:
        """Fork these games."""
        self._store = games.store
        self._snapshots = games.snapshots
        self._secrets = games.secrets
        self._clock = games.clock
        self._seeds = games.seeds
        self._ids = games.ids

    def fork(
        self,
        game: str,
        at: int,
        seats: Sequence[SeatPlan],
        key: str | None = None,
        creator: str = "",
        sender: str = "",
    ) -> Seating:
        """Create a game that goes on from version `at` of a finished game, and return its seats.

        A repeat with the same key gets the same game. Raises Rejected, UnknownGame, UnknownVersion,
        UnknownRules, WeakKey, KeyReused and Unavailable.
        """
        check_bots(seats)
        if is_weak(sender, key):
            raise WeakKey
        request = identify_request(scope_of("fork", sender), key, (game, at, seats))
        name = self._name(sender, key)
        seed = self._seeds()
        commits = self._write_log(game, at, name, tuple(seats), commitment(seed), request)
        secrets = {SEED: seed.hex(), CREATOR_FIELD: creator, **new_token_key()}
        tokens = tokens_for(secrets, key, seats_of_people(seats))
        try:
            self._store.create_with_history(
                name, CooperativeIterator(commits), {**secrets, **token_hashes(tokens)}
            )
        except Repeated as repeat:
            return self._replay(name, repeat.version, key, seats)
        except Conflict as fault:
            raise KeyReused(key) from fault
        made = self._snapshots.load(name)
        return Seating(name, made.version, made.state, tokens)

    def _write_log(
        self, game: str, at: int, name: str, seats: tuple[SeatPlan, ...], promise: str, request: KeyedRequest
    ) -> list[Commit]:
        """Return the log of the fork: the commits of its origin up to `at`, and the commit that forks it."""
        newest, base = self._read_origin(game, at)
        commits = CooperativeIterator(self._store.read(game))
        segment = _find_segment(commits, at)
        # A fork shows what its origin shows, so it is visible to the same people only.
        seen = newest.state.visibility
        _check_seen(seen, seats)
        command = Fork(name, Origin(segment.game, at, base.head), seats, promise, seen)
        commit = self._decide(base, command, segment.seed, request)
        inherited = CooperativeIterator(commits[:at])
        check_repetition((one.command for one in inherited), command)
        return [*map(forget_unhashed, inherited), commit]

    def has_forked(self, key: str | None, sender: str) -> bool:
        """Say whether a fork with this key would be a repeated one."""
        return key is not None and self._store.head(self._name(sender, key))[0] > 0

    def _name(self, sender: str, key: str | None) -> str:
        """Return an id for the fork: random, or derived from the key, so that a repeat finds it."""
        return self._ids() if key is None else derive_game_id(self._store.secret(), sender, key)

    def _read_origin(self, game: str, at: int) -> tuple[Snapshot, Snapshot]:
        """Return the newest snapshot and that of the version. Raises Rejected unless the game is over."""
        newest = self._snapshots.load(game)
        if newest.state.status != "over":
            raise Rejected(Reason.NOT_OVER, "only a finished game can be forked", rule="W12")
        return newest, self._snapshots.load_version(game, at)

    def _decide(self, base: Snapshot, command: Fork, seed: bytes, request: KeyedRequest) -> Commit:
        """Decide the fork on the state of its origin and return its commit, linked to the origin's chain."""
        table = run_command(base.state, command, dice_for(seed, base.state, command))
        at = max(stamp(self._clock()), base.changed_at)
        commit = Commit(
            version=base.version + 1,
            at=at,
            by=CREATOR,
            rules=base.state.release,
            command=command,
            events=tuple(table.events),
            prev=base.head,
        )
        return replace(link(commit), key=request.stored_key, request=request.fingerprint)

    def _replay(self, game: str, version: int, key: str | None, seats: Sequence[SeatPlan]) -> Seating:
        """Return what an earlier request with this key created."""
        snapshot = self._snapshots.load_version(game, version)
        tokens = tokens_for(self._secrets.load(game, snapshot.log_epoch), key, seats_of_people(seats))
        return Seating(game, version, snapshot.state, tokens, replayed=True)


def _check_seen(visibility: Visibility, seats: Sequence[SeatPlan]) -> None:
    """Raise Rejected for a private fork without people: no caller could see or end it."""
    if visibility == PRIVATE and all(plan.bot is not None for plan in seats):
        raise Rejected(Reason.BAD_SEATS, UNSEEN, "/seats", "W12")


def _find_segment(commits: Sequence[Commit], at: int) -> Segment:
    """Return the segment that the table at this version belongs to. Raises Rejected if the log is not valid.

    A fork of a fork may begin with a table of the first game.
    """
    try:
        segments = find_segments(commits)
    except Broken as fault:
        detail = (
            f"its log does not prove itself, and no fork of it would: commit {fault.version}, {fault.why}"
        )
        raise Rejected(Reason.UNPROVEN, detail, rule="W12") from fault
    return next((one for one in segments if one.commits[-1].version > at), segments[-1])
