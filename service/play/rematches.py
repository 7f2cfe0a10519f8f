"""The same people again: a game that is over names the one that follows it."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable

from events.commands import Create, Rematch
from events.commit import Commit
from events.store import Conflict, Repeated, Store, Unavailable
from events.types import RoundStarted
from events.values import SeatPlan
from rules.attendance import stand_in
from rules.options import START_SEAT
from rules.rejection import Reason, Rejected
from rules.state import Seat, State
from service.fairness.dice import commitment
from service.play.creation import draft_game
from service.play.idempotency import Request, find_request, identify_request
from service.play.seating import Seating
from service.play.snapshot_cache import Snapshots
from service.play.snapshots import Snapshot, UnknownGame, begin_branch
from service.play.tokens import has_spice, tokens_for
from service.play.vaults import Vaults
from service.play.writer import Draft, Writer

# No client can send it: an Idempotency-Key has no space.
_KEY = "of the rematch"


class Rematches:
    def __init__(
        self,
        store: Store,
        snapshots: Snapshots,
        vaults: Vaults,
        writer: Writer,
        seeds: Callable[[], bytes],
        ids: Callable[[], str],
    ) -> None:
        self._store, self._snapshots, self._vaults, self._writer = store, snapshots, vaults, writer
        self._seeds = seeds
        self._ids = ids

    def rematch(
        self,
        game: str,
        seat: int,
        creator: str = "",
        branch: int | None = None,
        key: str | None = None,
        erased: Container[str] = (),
    ) -> Seating:
        """The caller's own seat in the game that follows, which the first caller makes (W8).

        The old log names it first, so that whoever comes second, or after a crash, finds or makes the same.
        `erased` are players of the old game who are none any more.
        Raises Rejected, UnknownGame, Unavailable; BranchLost off a wanted branch.
        """
        request = identify_request(f"rematch {seat}", key, "")
        replayed = find_request(self._store, game, request) is not None
        old, named = self._name_rematch(game, seat, branch, request)
        new = self._find_or_create(game, old, creator, erased)
        self._remember(game, old, request)
        tokens = self._own_token(new, old.state.rematch, seat)
        return Seating(old.state.rematch, new.version, new.state, tokens, replayed, made=named)

    def _find_or_create(self, game: str, old: Snapshot, creator: str, erased: Container[str]) -> Snapshot:
        try:
            return self._snapshots.load(old.state.rematch)
        except UnknownGame:
            return self._create(game, old, creator, erased)

    def is_made(self, game: str) -> bool:
        """Whether another call would only find it. Raises UnknownGame."""
        return bool(self._snapshots.load(game).state.rematch)

    def _remember(self, game: str, old: Snapshot, request: Request) -> None:
        """So that whoever was not the first is told of a repeat; keys and spice are dropped together."""
        if request.key is not None and has_spice(self._vaults.read(game)):
            stored, fingerprint = request.stored_key, request.fingerprint
            self._store.remember_request(game, stored, fingerprint, old.version)

    def _name_rematch(
        self, game: str, seat: int, branch: int | None, request: Request
    ) -> tuple[Snapshot, bool]:
        """The old game once it names the new one, and whether this call made it do so."""
        draft = Draft(Rematch(seat, self._ids()), f"seat-{seat}")
        try:
            for base in self._snapshots.bases(game, branch):
                written = self._writer.attempt(game, base, draft, request)
                if written is not None:
                    return written.snapshot, True
        except Repeated:
            return self._snapshots.load(game, branch), False
        except Rejected as refusal:
            if refusal.reason is not Reason.ALREADY_ANSWERED:
                raise
            return self._snapshots.load(game, branch), False
        raise Unavailable(f"{game} changes faster than anybody can follow")

    def _create(self, game: str, old: Snapshot, creator: str, erased: Container[str]) -> Snapshot:
        """Whoever else does the same in this moment has made the same game, but for its seed."""
        state, seed = old.state, self._seeds()
        options = {**state.options, START_SEAT.name: self._next_start(game, state)}
        plans = tuple(_plan_seat(state, seat, erased) for seat in state.seats)
        command = Create(
            state.rematch, state.edition, plans, commitment(seed), options, game, state.visibility
        )
        request = identify_request("rematch", None, game)
        try:
            draft = draft_game(command, seed, _KEY, creator)
            return self._writer.write(state.rematch, begin_branch(), draft, request).snapshot
        except (Conflict, Repeated):
            return self._snapshots.load(state.rematch)

    def _next_start(self, game: str, state: State) -> int:
        """Left of whoever started the first round of the old game."""
        return state.left_of(_first_starter(self._store.read(game)))

    def _own_token(self, new: Snapshot, game: str, seat: int) -> dict[int, str]:
        """A player's own token is good in the new game, too."""
        if new.state.seats[seat].player:
            return {}
        vault = self._vaults.load(game, new.branch)
        if not has_spice(vault):
            raise Rejected(
                Reason.GAME_OVER, f"the rematch, {game}, is long over; its tokens are told no more"
            )
        return tokens_for(vault, _KEY, (seat,))


def _plan_seat(state: State, seat: Seat, erased: Container[str]) -> SeatPlan:
    """Whoever was away is asked again; a seat that was left for good, or whose player is gone, is a bot's."""
    if seat.bot:
        return SeatPlan(bot=seat.bot)
    if seat.player and seat.player in erased:
        return SeatPlan(bot=stand_in(state))
    if seat.player:
        return SeatPlan(player=seat.player, name_commitment=seat.name_commitment)
    return SeatPlan(name=seat.name, seconds=seat.seconds, fallback=seat.fallback)


def _first_starter(commits: Iterable[Commit]) -> int:
    rounds = (event for commit in commits for event in commit.events if isinstance(event, RoundStarted))
    return next(rounds).starter
