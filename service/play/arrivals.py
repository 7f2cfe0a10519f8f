"""How people come to a table: they create it, or they sit down at it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

from msgspec.structs import replace

from events.commands import Create, Sit
from events.store import Conflict, KeyReused, Repeated, Store, Unavailable
from events.types import OptionValue
from events.values import PRIVATE, PUBLIC, SeatPlan, Visibility
from rules.rejection import Rejected
from service.fairness.dice import commitment
from service.play.codes import derive_code, draw_code, game_behind
from service.play.creation import draft_game
from service.play.idempotency import Request, find_request, identify_request
from service.play.keys import (
    ANONYMOUS,
    WeakKey,
    derive_game_id,
    former_game_id,
    is_weak,
    scope_of,
)
from service.play.seating import Seating, check_bots, find_faults, first_open_seat, seats_taken_by
from service.play.snapshot_cache import Snapshots
from service.play.snapshots import begin_branch
from service.play.tokens import tokens_for
from service.play.vaults import Vaults
from service.play.writer import Draft, Writer


class Arrivals:
    """Whoever repeats a request with its key gets the same seats and the same tokens again."""

    def __init__(
        self,
        store: Store,
        snapshots: Snapshots,
        vaults: Vaults,
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
            written = self._writer.write(game, begin_branch(), draft, request)
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

    def _find_former(self, request: Request) -> Seating | None:
        """Of a game from before ids were secret, whatever its key is like. Raises KeyReused."""
        game = None if request.key is None else former_game_id(request.key)
        if game is None or not self._store.head(game)[0]:
            return None
        version = find_request(self._store, game, request)
        if version is None:
            raise KeyReused(request.key)
        return self._replay(game, version, request.key)

    def sit(self, game: str, wish: Sit, key: str | None, branch: int | None, sender: str) -> Seating:
        """The wished seat, or with a number below 0 the first that is open."""
        request = identify_request(scope_of("sit", sender), key, _describe_wish(wish))
        try:
            # Who sat down with such a key when that was allowed is still told so.
            if is_weak(sender, key) and find_request(self._store, game, request) is None:
                raise WeakKey
            return self._sit(game, wish, request, branch)
        except Repeated as repeat:
            return self._replay(game, repeat.version, key)
        except Rejected:
            version = find_request(self._store, game, request)
            if version is None:
                raise
            return self._replay(game, version, key)

    def _sit(self, game: str, wish: Sit, request: Request, branch: int | None) -> Seating:
        for base in self._snapshots.bases(game, branch):
            taken = first_open_seat(base.snapshot.state) if wish.seat < 0 else wish.seat
            command = replace(wish, seat=taken)
            vault = self._vaults.load(game, base.snapshot.branch)
            tokens = tokens_for(vault, request.key, seats_taken_by(command))
            written = self._writer.attempt(
                game, base, Draft(command, f"seat-{taken}", tokens=tokens), request
            )
            if written is not None:
                snapshot = written.snapshot
                return Seating(game, snapshot.version, snapshot.state, tokens, seats=(taken,))
        raise Unavailable(f"{game} changes faster than anybody can sit down")

    def _replay(self, game: str, version: int, key: str | None) -> Seating:
        command = self._store.read(game, version - 1, 1)[0].command
        snapshot = self._snapshots.load_version(game, version)
        tokens = tokens_for(self._vaults.load(game, snapshot.branch), key, seats_taken_by(command))
        seats = (command.seat,) if isinstance(command, Sit) else ()
        return Seating(game, version, snapshot.state, tokens, replayed=True, seats=seats)


def _describe_wish(wish: Sit) -> tuple[object, ...]:
    """What makes one request the same as another; as ever where no player is concerned."""
    seat = None if wish.seat < 0 else wish.seat
    return (wish.name, wish.entropy, seat, *([wish.player] if wish.player else ()))


def _option(value: Any) -> OptionValue:
    return tuple(value) if isinstance(value, list) else value
