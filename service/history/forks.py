"""Forks games: plays a finished game on from one of its tables, with new seats, its dice or new ones (W12).

The log of a fork begins with the commits of its origin, byte for byte, so that its chain proves where it
comes from. `Forks.fork` is the entry point.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from events.chain import Broken, forget_unhashed, link
from events.commands import Fork
from events.commit import Commit
from events.store import Conflict, KeyReused, Repeated
from events.text import Text
from events.values import PRIVATE, Origin, SeatPlan, Visibility
from rules import Rejected, State
from rules.decide import run_command
from rules.errors import Reason
from rules.seats import stand_in
from rules.state import Seat
from service.fairness.dice import commitment, derive_sandbox_seed, dice_for
from service.fairness.segments import Segment, find_segments
from service.games.command_limits import check_repetition
from service.games.creators import describe_creator
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
from service.games.seating import CREATOR, Seating, check_bots, seats_of_people, without_salts
from service.games.snapshots import Snapshot
from service.games.tokens import SEED, new_token_key, token_hashes, tokens_for
from service.players.players import Player
from service.timestamps import stamp

UNSEEN = Text("a fork of a private game is seen from its seats alone: name a person")


class ForkOrigin(Struct, frozen=True):
    """Holds what a fork begins with: the table, all commits of its game, and the segment it belongs to."""

    table: Snapshot
    commits: Sequence[Commit]
    segment: Segment
    visibility: Visibility


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
        same_dice: bool = False,
        api_key: str = "",
    ) -> Seating:
        """Create a game that goes on from version `at` of a finished game, and return its seats.

        With `same_dice` the same choices lead to the same game. A repeat with the same key gets the same
        game. Raises Rejected, UnknownGame, UnknownVersion, UnknownRules, WeakKey, KeyReused and Unavailable.
        """
        check_bots(seats)
        if is_weak(sender, key):
            raise WeakKey
        # Requests for other dice are described as they were before there were the same.
        body: tuple[object, ...] = (game, at, seats, same_dice) if same_dice else (game, at, seats)
        request = identify_request(scope_of("fork", sender), key, body)
        name = self._name(sender, key)
        origin = self._read_origin(game, at)
        seed = self._choose_seed(origin, same_dice)
        commits = self._write_log(origin, name, tuple(seats), seed, same_dice, request)
        secrets = {SEED: seed.hex(), **describe_creator(creator, api_key), **new_token_key()}
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

    def plan_seats(self, game: str, at: int, player: Player | None) -> list[SeatPlan]:
        """Return the seats of a fork that says nothing about them: as they were at that version.

        Bots stay what they are and people keep their names. A registered player sits there only as the
        caller; a bot plays for others, who have not agreed to play. Raises as `fork` does.
        """
        state = self._load_origin(game, at)[1].state
        return [_keep_seat(state, seat, player) for seat in state.seats]

    def _choose_seed(self, origin: ForkOrigin, same_dice: bool) -> bytes:
        """Return the seed of the fork: that of its origin, one derived from it in a sandbox, or a new one."""
        if same_dice:
            return origin.segment.seed
        if origin.table.state.sandbox:
            return derive_sandbox_seed(origin.segment.seed, f"fork|{origin.table.version}")
        return self._seeds()

    def _write_log(
        self,
        origin: ForkOrigin,
        name: str,
        seats: tuple[SeatPlan, ...],
        seed: bytes,
        same_dice: bool,
        request: KeyedRequest,
    ) -> list[Commit]:
        """Return the log of the fork: the commits of its origin up to the table, and one that forks it."""
        table = origin.table
        segment = origin.segment
        _check_seen(origin.visibility, seats)
        command = Fork(
            game=name,
            origin=Origin(segment.game, table.version, table.head),
            seats=without_salts(seats) if table.state.sandbox else seats,
            commitment=commitment(seed),
            visibility=origin.visibility,
            same_dice=same_dice,
        )
        commit = self._decide(table, command, segment.seed, request)
        inherited = CooperativeIterator(origin.commits[: table.version])
        check_repetition((one.command for one in inherited), command)
        return [*map(forget_unhashed, inherited), commit]

    def has_forked(self, key: str | None, sender: str) -> bool:
        """Say whether a fork with this key would be a repeated one."""
        return key is not None and self._store.head(self._name(sender, key))[0] > 0

    def _name(self, sender: str, key: str | None) -> str:
        """Return an id for the fork: random, or derived from the key, so that a repeat finds it."""
        return self._ids() if key is None else derive_game_id(self._store.secret(), sender, key)

    def _read_origin(self, game: str, at: int) -> ForkOrigin:
        """Return what a fork of a game begins with. Raises Rejected, UnknownGame and UnknownVersion."""
        newest, table = self._load_origin(game, at)
        commits = CooperativeIterator(self._store.read(game))
        # A fork shows what its origin shows, so it is visible to the same people only.
        return ForkOrigin(table, commits, _find_segment(commits, at), newest.state.visibility)

    def _load_origin(self, game: str, at: int) -> tuple[Snapshot, Snapshot]:
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


def _keep_seat(state: State, seat: Seat, player: Player | None) -> SeatPlan:
    """Return the plan of a seat that stays as it was."""
    if seat.bot:
        return SeatPlan(bot=seat.bot)
    if not seat.player:
        return SeatPlan(name=seat.name, seconds=seat.seconds, fallback=seat.fallback)
    if player is not None and seat.player == player.id:
        return SeatPlan(player=player.id, name_commitment=player.name_commitment)
    return SeatPlan(bot=stand_in(state))


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
        detail = Text(
            "its log does not prove itself, and no fork of it would: commit {version}, {why}",
            version=fault.version,
            why=fault.why,
        )
        raise Rejected(Reason.UNPROVEN, detail, rule="W12") from fault
    return next((one for one in segments if one.commits[-1].version > at), segments[-1])
