"""Creates games, seats and rematches.

Other commands, choices among them, go through `writer.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, get_args

from msgspec.structs import replace

from events.commands import Create, Leave, Rematch, Sit
from events.commit import Commit
from events.store import Conflict, KeyReused, Repeated, Store, Unavailable
from events.text import Text
from events.types import OptionValue, RoundStarted
from events.values import MOST_SEATS, PRIVATE, PUBLIC, SeatPlan, Visibility
from rules import Rejected, State
from rules.errors import Reason
from rules.options import START_SEAT
from rules.seats import stand_in
from rules.state import SANDBOX, Seat
from service.fairness.dice import commitment, derive_sandbox_seed, read_sandbox_seed
from service.games.cache import Snapshots
from service.games.codes import derive_code, draw_code, former_game_behind, game_behind, watch_code_of
from service.games.creators import describe_creator
from service.games.deadlines import bots_due
from service.games.idempotency import (
    KeyedRequest,
    WeakKey,
    derive_game_id,
    find_request,
    identify_request,
    is_weak,
    scope_of,
)
from service.games.seating import (
    Seating,
    check_bots,
    draft_game,
    find_faults,
    seats_of_people,
    without_salts,
)
from service.games.snapshots import Snapshot, UnknownGame, begin_log
from service.games.tokens import SecretsCache, former_seat, has_token_key, tokens_for
from service.games.writer import NO_CALLER, Caller, CommandResult, Writer, identify_command


class GameCreation:
    """Holds what is needed to create games."""

    def __init__(
        self,
        store: Store,
        snapshots: Snapshots,
        secrets_cache: SecretsCache,
        writer: Writer,
        seeds: Callable[[], bytes],
        ids: Callable[[], str],
    ) -> None:
        """Create games in this store; `seeds` and `ids` draw the seeds and ids of new ones."""
        self._store = store
        self._snapshots = snapshots
        self._secrets = secrets_cache
        self._writer = writer
        self._seeds = seeds
        self._ids = ids


class Arrivals(GameCreation):
    """Creates games and seats people. A repeat with the same key gets the same seats and tokens."""

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
        """Create a game and return its seats. `creator` is what `Creators.identify` says.

        With a `sandbox_seed` it is a sandbox game, whose dice this text decides. A repeat with the same key
        gets the same seats and tokens. Raises Rejected, WeakKey, KeyReused and Unavailable.
        """
        check_bots(seats)
        chosen = {name: _option(value) for name, value in options.items()}
        for fault in find_faults(edition, len(seats), chosen):
            raise fault
        key = caller.key
        body: tuple[object, ...] = (edition, chosen, seats)
        if visibility != PUBLIC:
            # Requests for public games are described as they were before there were others.
            body = (*body, visibility)
        if sandbox_seed:
            body = (*body, SANDBOX, sandbox_seed)
        request = identify_request(scope_of("create", caller.sender), key, body)
        game, code = self._name_game(caller.sender, key, visibility)
        seed = read_sandbox_seed(sandbox_seed) if sandbox_seed else self._seeds()
        # The encoder leaves out the default only if it is the very same string.
        seen_by: Visibility = next(filter(visibility.__eq__, get_args(Visibility)))
        command = Create(
            game=game,
            edition=edition,
            seats=without_salts(seats) if sandbox_seed else tuple(seats),
            commitment=commitment(seed),
            options=chosen,
            visibility=seen_by,
            sandbox=bool(sandbox_seed),
        )
        pending = draft_game(command, seed, key, describe_creator(creator, caller.api_key))
        try:
            result = self._writer.write(game, begin_log(game), pending, request)
        except Repeated as repeat:
            replayed = self._replay(game, repeat.version, key)
            return replace(replayed, code=code, watch_code=self._find_watch_code(game, code))
        except Conflict as fault:
            # The game is over and has forgotten its requests.
            raise KeyReused(key) from fault
        return Seating(
            game,
            result.version,
            result.state,
            result.tokens,
            code=code,
            watch_code=self._find_watch_code(game, code),
        )

    def _find_watch_code(self, game: str, code: str) -> str:
        """Return the watch code of a private game; empty for others, and for those of older releases."""
        secret = self._store.secret() if code else b""
        return watch_code_of(secret, code) if code and game == game_behind(secret, code) else ""

    def has_created(self, key: str | None, sender: str) -> bool:
        """Return whether a creation with this key would be a repeated one. Raises Unavailable."""
        if key is None:
            return False
        secret = self._store.secret()
        code = derive_code(secret, sender, key)
        private = game_behind(secret, code), former_game_behind(secret, code)
        public = derive_game_id(secret, sender, key)
        return any(self._store.head(game)[0] for game in (public, *private))

    def _name_game(self, sender: str, key: str | None, visibility: Visibility) -> tuple[str, str]:
        """Return the id, and the code of a private game. Raises KeyReused, WeakKey and Unavailable."""
        if key is None and visibility != PRIVATE:
            return self._ids(), ""
        if is_weak(sender, key):
            raise WeakKey
        secret = self._store.secret()
        code = draw_code() if key is None else derive_code(secret, sender, key)
        if key is None:
            return game_behind(secret, code), code
        names = derive_game_id(secret, sender, key), self._name_private_game(secret, code, visibility)
        wanted, other = reversed(names) if visibility == PRIVATE else names
        # In a cluster the server of the other may be away: games of other servers do not wait for it.
        with suppress(Unavailable):
            if self._store.head(other)[0]:
                raise KeyReused(key)
        return wanted, code if visibility == PRIVATE else ""

    def _name_private_game(self, secret: bytes, code: str, visibility: Visibility) -> str:
        """Return the id behind a code: the one of an earlier release if such a game exists.

        Raises Unavailable for a private game if that cannot be looked up. A public game does not wait for it.
        """
        former = former_game_behind(secret, code)
        try:
            exists = bool(self._store.head(former)[0])
        except Unavailable:
            if visibility == PRIVATE:
                raise
            exists = False
        return former if exists else game_behind(secret, code)

    def sit(self, game: str, wish: Sit, caller: Caller = NO_CALLER) -> Seating:
        """Take a seat and return it; with a number below 0, take the first that is open.

        Raises what `Writer.execute` raises, and WeakKey.
        """
        if is_weak(caller.sender, caller.key):
            raise WeakKey
        result = self._writer.execute(game, caller, wish)
        return Seating(
            game,
            result.version,
            result.state,
            result.tokens,
            replayed=result.replayed,
            seats=(result.seat,),
        )

    def _replay(self, game: str, version: int, key: str | None) -> Seating:
        """Return what an earlier creation with this key returned."""
        command = self._store.read(game, version - 1, 1)[0].command
        snapshot = self._snapshots.load_version(game, version)
        vault = self._secrets.load(game, snapshot.log_epoch)
        seats = seats_of_people(command.seats) if isinstance(command, Create) else []
        tokens = tokens_for(vault, key, seats)
        return Seating(game, version, snapshot.state, tokens, replayed=True)


def _option(value: Any) -> OptionValue:
    """Return an option as events hold it: a list becomes a tuple."""
    return tuple(value) if isinstance(value, list) else value


class FormerSeats:
    """Finds the result of giving up a seat, for a repeated request whose token has ended by it."""

    def __init__(self, store: Store, snapshots: Snapshots, secrets_cache: SecretsCache) -> None:
        """Read from this store."""
        self._store = store
        self._snapshots = snapshots
        self._secrets = secrets_cache

    def find_departure(
        self, game: str, credential: str, player: str, for_good: bool, key: str | None
    ) -> CommandResult | None:
        """Return the result of leaving with this key, for the token with this hash or for the player.

        Returns None if there was no such request; never leaves a seat itself. Raises UnknownGame, KeyReused
        and Unavailable.
        """
        former = former_seat(self._secrets.read(game), credential)
        seats: Iterable[int] = () if former is None else (former,)
        if player:
            seats = range(MOST_SEATS)
        for seat in seats:
            request = identify_command(Caller(seat, key=key), Leave(seat, for_good=for_good))
            version = find_request(self._store, game, request)
            if version is not None and (not player or self._sat_there(game, version - 1, seat, player)):
                commit = self._store.read(game, version - 1, 1)[0]
                snapshot = self._snapshots.load_version(game, version)
                return CommandResult(seat, snapshot, commit, replayed=True)
        return None

    def _sat_there(self, game: str, version: int, seat: int, player: str) -> bool:
        """Return whether a player had a seat at this version."""
        return self._snapshots.load_version(game, version).state.seats[seat].player == player


# Makes the tokens of a rematch. No client can send it: an Idempotency-Key has no space.
_KEY = "of the rematch"


class Rematches(GameCreation):
    """Creates the game that follows a finished one, once."""

    def rematch(self, game: str, caller: Caller, creator: str = "", erased: Container[str] = ()) -> Seating:
        """Return the caller's seat in the game that follows, which the first caller creates (W8).

        The old log names the new game first: a second caller, or a repeat after a crash, finds or creates
        that one. `erased` are players of the old game who have been erased since. Raises Rejected,
        UnknownGame, Unavailable; LogReplaced in another epoch.
        """
        command = Rematch(caller.seat, self._ids())
        result = self._writer.execute(game, caller, command)
        old = result.snapshot
        new = self._find_or_create(game, old, describe_creator(creator, caller.api_key), erased)
        made = result.commit is not None and not result.replayed
        if result.commit is None:
            self._remember(game, old, identify_command(caller, command))
        if made and bots_due(new.state):
            self._writer.notify_bots(old.state.rematch)
        tokens = self._own_token(new, old.state.rematch, caller.seat)
        return Seating(old.state.rematch, new.version, new.state, tokens, result.replayed, made=made)

    def _find_or_create(
        self, game: str, old: Snapshot, creator: Mapping[str, str], erased: Container[str]
    ) -> Snapshot:
        """Return the newest snapshot of the new game; create it if there is none."""
        try:
            new = self._snapshots.load(old.state.rematch)
        except UnknownGame:
            return self._create(game, old, creator, erased)
        # The request that made it may not have been told so.
        self._store.confirm(old.state.rematch, new.version, new.head)
        return new

    def is_made(self, game: str) -> bool:
        """Return whether the rematch exists already. Raises UnknownGame."""
        return bool(self._snapshots.load(game).state.rematch)

    def _remember(self, game: str, old: Snapshot, request: KeyedRequest) -> None:
        """Store the key of a caller who was not the first, so that a repeat is known as one.

        Keys and the token key are dropped together.
        """
        if request.key is not None and has_token_key(self._secrets.read(game)):
            self._store.remember_request(game, request.stored_key, request.fingerprint, old.version)

    def _create(
        self, game: str, old: Snapshot, creator: Mapping[str, str], erased: Container[str]
    ) -> Snapshot:
        """Create the new game and return its snapshot.

        Concurrent calls draw other seeds; the first one to write counts.
        """
        state = old.state
        seed = derive_sandbox_seed(bytes.fromhex(state.seed), "rematch") if state.sandbox else self._seeds()
        options = {**state.options, START_SEAT.name: self._next_start(game, state)}
        plans = tuple(_plan_seat(state, seat, erased) for seat in state.seats)
        command = Create(
            game=state.rematch,
            edition=state.edition,
            seats=plans,
            commitment=commitment(seed),
            options=options,
            rematch_of=game,
            visibility=state.visibility,
            sandbox=state.sandbox,
        )
        request = identify_request("rematch", None, game)
        try:
            pending = draft_game(command, seed, _KEY, creator)
            return self._writer.write(state.rematch, begin_log(state.rematch), pending, request).snapshot
        except (Conflict, Repeated):
            return self._snapshots.load(state.rematch)

    def _next_start(self, game: str, state: State) -> int:
        """Return the seat to the left of the one that started the old game."""
        return state.left_of(_first_starter(self._store.read(game)))

    def _own_token(self, new: Snapshot, game: str, seat: int) -> dict[int, str]:
        """Return the token of the seat, by seat; empty for a player, whose own token is valid there, too.

        Raises Rejected if the new game is so long over that tokens cannot be derived any more.
        """
        if new.state.seats[seat].player:
            return {}
        vault = self._secrets.load(game, new.log_epoch)
        if not has_token_key(vault):
            raise Rejected(
                Reason.GAME_OVER,
                Text("the rematch, {game}, is over; its tokens are no longer shown", game=game),
            )
        return tokens_for(vault, _KEY, (seat,))


def _plan_seat(state: State, seat: Seat, erased: Container[str]) -> SeatPlan:
    """Return the plan of a seat of the new game; seats left for good or of erased players become bots."""
    if seat.bot:
        return SeatPlan(bot=seat.bot)
    if seat.player and seat.player in erased:
        return SeatPlan(bot=stand_in(state))
    if seat.player:
        return SeatPlan(
            player=seat.player,
            name_commitment=seat.name_commitment,
            seconds=seat.seconds,
            fallback=seat.fallback,
        )
    return SeatPlan(name=seat.name, seconds=seat.seconds, fallback=seat.fallback)


def _first_starter(commits: Iterable[Commit]) -> int:
    """Return the seat that started the first round."""
    rounds = (event for commit in commits for event in commit.events if isinstance(event, RoundStarted))
    return next(rounds).starter
