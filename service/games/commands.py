"""Commands about seats: sit, leave, return, start, void, rematch, and limits on repeating them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, get_args

from msgspec import Struct
from msgspec.structs import replace

from events.commands import Cancel, Command, Create, Leave, Rematch, Return, Sit, Start, Void
from events.commit import Commit
from events.store import Conflict, KeyReused, Repeated, Store, Unavailable
from events.types import OptionValue, RoundStarted
from events.values import MOST_SEATS, PRIVATE, PUBLIC, SeatPlan, Visibility
from rules import Rejected, State
from rules.errors import Reason
from rules.options import START_SEAT
from rules.seats import stand_in
from rules.state import Seat
from service.fairness.dice import commitment
from service.games.cache import Snapshots
from service.games.codes import derive_code, draw_code, game_behind
from service.games.idempotency import (
    ANONYMOUS,
    KeyedRequest,
    WeakKey,
    derive_game_id,
    find_request,
    former_game_id,
    identify_request,
    is_weak,
    scope_of,
)
from service.games.seating import (
    Seating,
    check_bots,
    draft_game,
    find_faults,
    first_open_seat,
    seats_taken_by,
)
from service.games.snapshots import Snapshot, UnknownGame, begin_log
from service.games.tokens import SecretsCache, end_tokens, former_seat, has_token_key, tokens_for
from service.games.writer import PendingCommit, Writer


class Arrivals:
    """Whoever repeats a request with its key gets the same seats and the same tokens again."""

    def __init__(
        self,
        store: Store,
        snapshots: Snapshots,
        vaults: SecretsCache,
        writer: Writer,
        seeds: Callable[[], bytes],
        ids: Callable[[], str],
    ) -> None:
        self._store, self._snapshots, self._vaults = store, snapshots, vaults
        self._writer = writer
        self._seeds = seeds
        self._ids = ids

    def create(
        self,
        edition: str,
        options: Mapping[str, Any],
        seats: Sequence[SeatPlan],
        key: str | None,
        creator: str,
        sender: str,
        visibility: Visibility,
    ) -> Seating:
        check_bots(seats)
        chosen = {name: _option(value) for name, value in options.items()}
        for fault in find_faults(edition, len(seats), chosen):
            raise fault
        # As it was before there were others: repeats of those requests are still known.
        seen = () if visibility == PUBLIC else (visibility,)
        request = identify_request(scope_of("create", sender), key, (edition, chosen, seats, *seen))
        former = self._find_former(request) if sender == ANONYMOUS else None
        if former is not None:
            return former
        (game, code), seed = self._name_game(sender, key, visibility), self._seeds()
        # The very word, for the encoder leaves out what is the default and not what only equals it.
        seen_by: Visibility = next(filter(visibility.__eq__, get_args(Visibility)))
        command = Create(game, edition, tuple(seats), commitment(seed), chosen, visibility=seen_by)
        draft = draft_game(command, seed, key, creator)
        try:
            written = self._writer.write(game, begin_log(), draft, request)
        except Repeated as repeat:
            return replace(self._replay(game, repeat.version, key), code=code)
        except Conflict as fault:
            # The game is over and has forgotten its requests.
            raise KeyReused(key) from fault
        return Seating(game, written.snapshot.version, written.snapshot.state, draft.tokens, code=code)

    def has_created(self, key: str | None, sender: str) -> bool:
        """Whether a creation with this key would be a repeated one."""
        if key is None:
            return False
        secret = self._store.secret()
        private = game_behind(secret, derive_code(secret, sender, key))
        games = derive_game_id(secret, sender, key), private, former_game_id(key)
        return any(self._store.head(game)[0] for game in games)

    def _name_game(self, sender: str, key: str | None, visibility: Visibility) -> tuple[str, str]:
        """The id, and the code of a private game. Raises KeyReused, WeakKey and Unavailable."""
        if key is None and visibility != PRIVATE:
            return self._ids(), ""
        if is_weak(sender, key):
            raise WeakKey
        secret = self._store.secret()
        code = draw_code() if key is None else derive_code(secret, sender, key)
        if key is None:
            return game_behind(secret, code), code
        names = derive_game_id(secret, sender, key), game_behind(secret, code)
        wanted, other = reversed(names) if visibility == PRIVATE else names
        if self._store.head(other)[0]:
            raise KeyReused(key)
        return wanted, code if visibility == PRIVATE else ""

    def _find_former(self, request: KeyedRequest) -> Seating | None:
        """Of a game from before ids were secret, whatever its key is like. Raises KeyReused."""
        game = None if request.key is None else former_game_id(request.key)
        if game is None or not self._store.head(game)[0]:
            return None
        version = find_request(self._store, game, request)
        if version is None:
            raise KeyReused(request.key)
        return self._replay(game, version, request.key)

    def sit(self, game: str, wish: Sit, key: str | None, log_epoch: int | None, sender: str) -> Seating:
        """The wished seat, or with a number below 0 the first that is open."""
        request = identify_request(scope_of("sit", sender), key, _describe_wish(wish))
        try:
            # Who sat down with such a key when that was allowed is still told so.
            if is_weak(sender, key) and find_request(self._store, game, request) is None:
                raise WeakKey
            return self._sit(game, wish, request, log_epoch)
        except Repeated as repeat:
            return self._replay(game, repeat.version, key)
        except Rejected:
            version = find_request(self._store, game, request)
            if version is None:
                raise
            return self._replay(game, version, key)

    def _sit(self, game: str, wish: Sit, request: KeyedRequest, log_epoch: int | None) -> Seating:
        for base in self._snapshots.bases(game, log_epoch):
            taken = first_open_seat(base.snapshot.state) if wish.seat < 0 else wish.seat
            command = replace(wish, seat=taken)
            vault = self._vaults.load(game, base.snapshot.log_epoch)
            tokens = tokens_for(vault, request.key, seats_taken_by(command))
            written = self._writer.attempt(
                game, base, PendingCommit(command, f"seat-{taken}", tokens=tokens), request
            )
            if written is not None:
                snapshot = written.snapshot
                return Seating(game, snapshot.version, snapshot.state, tokens, seats=(taken,))
        raise Unavailable(f"{game} changes faster than anybody can sit down")

    def _replay(self, game: str, version: int, key: str | None) -> Seating:
        command = self._store.read(game, version - 1, 1)[0].command
        snapshot = self._snapshots.load_version(game, version)
        tokens = tokens_for(self._vaults.load(game, snapshot.log_epoch), key, seats_taken_by(command))
        seats = (command.seat,) if isinstance(command, Sit) else ()
        return Seating(game, version, snapshot.state, tokens, replayed=True, seats=seats)


def _describe_wish(wish: Sit) -> tuple[object, ...]:
    """What makes one request the same as another; as ever where no player is concerned."""
    seat = None if wish.seat < 0 else wish.seat
    return (wish.name, wish.entropy, seat, *([wish.player] if wish.player else ()))


def _option(value: Any) -> OptionValue:
    return tuple(value) if isinstance(value, list) else value


class Settled(Struct, frozen=True):
    """What stands now. The commit is the stored one, to be redacted; None where nothing had to change."""

    snapshot: Snapshot
    commit: Commit | None
    replayed: bool = False


class Left(Struct, frozen=True):
    """The seat that somebody gave up, and what that led to."""

    seat: int
    settled: Settled


class Departures:
    """Each raises Rejected, UnknownGame, KeyReused, Unavailable; LogReplaced in another epoch."""

    def __init__(self, store: Store, snapshots: Snapshots, vaults: SecretsCache, writer: Writer) -> None:
        self._store, self._snapshots, self._vaults, self._writer = store, snapshots, vaults, writer

    def leave(
        self, game: str, seat: int, for_good: bool, key: str | None = None, log_epoch: int | None = None
    ) -> Settled:
        """Opens the seat in the lobby; in play a bot answers there (W4)."""

        def draft(snapshot: Snapshot) -> PendingCommit:
            if snapshot.state.status == "lobby":
                return self._give_up(game, seat, Leave(seat))
            command = Leave(seat, stand_in(snapshot.state), for_good)
            return self._give_up(game, seat, command) if for_good else _by_seat(seat, command)

        return self._settle(game, identify_request(f"leave {seat}", key, for_good), draft, log_epoch)

    def find_left(
        self, game: str, credential: str, player: str, for_good: bool, key: str | None
    ) -> Left | None:
        """What came of giving up a seat, for whoever repeats that with its key; never leaves anything."""
        former = former_seat(self._vaults.read(game), credential)
        for seat in range(MOST_SEATS) if player else () if former is None else (former,):
            version = find_request(self._store, game, identify_request(f"leave {seat}", key, for_good))
            if version is not None and (not player or self._sat_there(game, version - 1, seat, player)):
                return Left(seat, self._replay(game, version, None))
        return None

    def _sat_there(self, game: str, version: int, seat: int, player: str) -> bool:
        return self._snapshots.load_version(game, version).state.seats[seat].player == player

    def come_back(
        self, game: str, seat: int, key: str | None = None, log_epoch: int | None = None
    ) -> Settled:
        return self._send(game, seat, Return(seat), "return", key, log_epoch)

    def start(
        self, game: str, seat: int, bot: str, key: str | None = None, log_epoch: int | None = None
    ) -> Settled:
        """With this bot in every open seat (W5)."""
        return self._send(game, seat, Start(seat, bot), "start", key, log_epoch)

    def cancel(self, game: str, seat: int, key: str | None = None, log_epoch: int | None = None) -> Settled:
        return self._send(game, seat, Cancel(seat), "cancel", key, log_epoch)

    def vote(
        self, game: str, seat: int, agrees: bool, key: str | None = None, log_epoch: int | None = None
    ) -> Settled:
        """Whether the game is to end without winners; it does once all people want it (W7)."""
        return self._send(game, seat, Void(seat, agrees), "void", key, log_epoch)

    def _give_up(self, game: str, seat: int, command: Leave) -> PendingCommit:
        """Whoever gives up a seat has no token of it any more."""
        return PendingCommit(command, f"seat-{seat}", vault=end_tokens(self._vaults.read(game), seat))

    def _send(
        self, game: str, seat: int, command: Command, scope: str, key: str | None, log_epoch: int | None
    ) -> Settled:
        request = identify_request(f"{scope} {seat}", key, command)
        return self._settle(game, request, lambda _: _by_seat(seat, command), log_epoch)

    def _settle(
        self,
        game: str,
        request: KeyedRequest,
        draft: Callable[[Snapshot], PendingCommit],
        log_epoch: int | None,
    ) -> Settled:
        try:
            for base in self._snapshots.bases(game, log_epoch):
                written = self._writer.attempt(game, base, draft(base.snapshot), request)
                if written is not None:
                    return Settled(written.snapshot, written.commit)
        except Repeated as repeat:
            return self._replay(game, repeat.version, log_epoch)
        except Rejected as refusal:
            return self._find_settled(game, request, refusal, log_epoch)
        raise Unavailable(f"{game} changes faster than anybody can follow")

    def _find_settled(
        self, game: str, request: KeyedRequest, refusal: Rejected, log_epoch: int | None
    ) -> Settled:
        """What is so already needs no commit. Raises the refusal where there is no such excuse."""
        version = find_request(self._store, game, request)
        if version is not None:
            return self._replay(game, version, log_epoch)
        if refusal.reason is not Reason.ALREADY_ANSWERED:
            raise refusal
        return Settled(self._snapshots.load(game, log_epoch), None)

    def _replay(self, game: str, version: int, log_epoch: int | None) -> Settled:
        commit = self._store.read(game, version - 1, 1)[0]
        return Settled(self._snapshots.load_version(game, version, log_epoch), commit, replayed=True)


def _by_seat(seat: int, command: Command) -> PendingCommit:
    return PendingCommit(command, f"seat-{seat}")


# No client can send it: an Idempotency-Key has no space.
_KEY = "of the rematch"


class Rematches:
    def __init__(
        self,
        store: Store,
        snapshots: Snapshots,
        vaults: SecretsCache,
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
        log_epoch: int | None = None,
        key: str | None = None,
        erased: Container[str] = (),
    ) -> Seating:
        """The caller's own seat in the game that follows, which the first caller makes (W8).

        The old log names it first, so that whoever comes second, or after a crash, finds or makes the same.
        `erased` are players of the old game who are none any more.
        Raises Rejected, UnknownGame, Unavailable; LogReplaced in another epoch.
        """
        request = identify_request(f"rematch {seat}", key, "")
        replayed = find_request(self._store, game, request) is not None
        old, named = self._name_rematch(game, seat, log_epoch, request)
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

    def _remember(self, game: str, old: Snapshot, request: KeyedRequest) -> None:
        """So that whoever was not the first is told of a repeat; keys and spice are dropped together."""
        if request.key is not None and has_token_key(self._vaults.read(game)):
            stored, fingerprint = request.stored_key, request.fingerprint
            self._store.remember_request(game, stored, fingerprint, old.version)

    def _name_rematch(
        self, game: str, seat: int, log_epoch: int | None, request: KeyedRequest
    ) -> tuple[Snapshot, bool]:
        """The old game once it names the new one, and whether this call made it do so."""
        draft = PendingCommit(Rematch(seat, self._ids()), f"seat-{seat}")
        try:
            for base in self._snapshots.bases(game, log_epoch):
                written = self._writer.attempt(game, base, draft, request)
                if written is not None:
                    return written.snapshot, True
        except Repeated:
            return self._snapshots.load(game, log_epoch), False
        except Rejected as refusal:
            if refusal.reason is not Reason.ALREADY_ANSWERED:
                raise
            return self._snapshots.load(game, log_epoch), False
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
            return self._writer.write(state.rematch, begin_log(), draft, request).snapshot
        except (Conflict, Repeated):
            return self._snapshots.load(state.rematch)

    def _next_start(self, game: str, state: State) -> int:
        """Left of whoever started the first round of the old game."""
        return state.left_of(_first_starter(self._store.read(game)))

    def _own_token(self, new: Snapshot, game: str, seat: int) -> dict[int, str]:
        """A player's own token is good in the new game, too."""
        if new.state.seats[seat].player:
            return {}
        vault = self._vaults.load(game, new.log_epoch)
        if not has_token_key(vault):
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
