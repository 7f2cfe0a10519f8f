"""Everything that can be done with games, whoever asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from events.codec import decode_raw
from events.commands import Choose, Create, Sit
from events.commit import Commit
from events.store import Conflict, Repeated, Store, Unavailable
from events.types import OptionValue
from events.values import SeatPlan
from rules.rejection import Reason, Rejected
from rules.state import State
from service.fairness.dice import commitment, new_seed
from service.fairness.verify import Verdict, verify
from service.play.answers import SETTLED, earlier_answer
from service.play.bot_levels import BOT_NAMES
from service.play.idempotency import Request, identify_request, new_game_id
from service.play.recently_used import RecentlyUsed
from service.play.snapshots import EMPTY_SNAPSHOT, Snapshot, Snapshots, UnknownGame
from service.play.tokens import new_spice, tokens_for
from service.play.vaults import SEED, Vaults
from service.play.writer import Draft, Outdated, Writer, Written

CREATOR = "creator"


class Seating(Struct, frozen=True):
    """Tokens by seat, for the seats that this request took for people."""

    game: str
    version: int
    state: State
    tokens: dict[int, str]
    replayed: bool = False


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


class Audit(Struct, frozen=True):
    """Seed and verification come with the end of the game."""

    version: int
    head: str
    commitment: str
    seed: str | None = None
    verified: Verdict | None = None


class Games:
    def __init__(
        self,
        store: Store,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        seeds: Callable[[], bytes] = new_seed,
    ) -> None:
        self._store, self._seeds = store, seeds
        self._snapshots, self._vaults = Snapshots(store), Vaults(store)
        self._writer = Writer(store, self._snapshots, self._vaults, clock)
        self._verdicts: RecentlyUsed[Verdict] = RecentlyUsed(100)

    # Writing

    def create(
        self, edition: str, options: Mapping[str, Any], seats: Sequence[SeatPlan], key: str | None = None
    ) -> Seating:
        """Raises Rejected, KeyReused and Unavailable."""
        _check_bots(seats)
        chosen = {name: _option(value) for name, value in options.items()}
        asked = identify_request("create", key, (edition, chosen, seats))
        game, draft = self._new_game(edition, chosen, tuple(seats), key)
        try:
            return _seating(game, self._writer.write(game, EMPTY_SNAPSHOT, draft, asked))
        except Repeated as repeat:
            return self._seated_before(game, repeat.version, key)
        except Conflict as fault:
            raise Unavailable(f"{game} exists without the request that made it") from fault

    def _new_game(
        self, edition: str, options: dict[str, OptionValue], seats: tuple[SeatPlan, ...], key: str | None
    ) -> tuple[str, Draft]:
        game, seed = new_game_id(key), self._seeds()
        vault = {SEED: seed.hex(), **new_spice()}
        tokens = tokens_for(vault, key, _people(seats))
        command = Create(game, edition, seats, commitment(seed), options)
        return game, Draft(command, CREATOR, tokens, vault)

    def sit(
        self, game: str, name: str, entropy: str = "", key: str | None = None, seat: int | None = None
    ) -> Seating:
        """The first open seat, unless one is named. Raises Rejected, UnknownGame, KeyReused, Unavailable."""
        asked = identify_request("sit", key, (name, entropy, seat))

        def draft(snapshot: Snapshot) -> Draft:
            taken = _first_open(snapshot.state) if seat is None else seat
            tokens = tokens_for(self._vaults.load(game), key, (taken,))
            return Draft(Sit(taken, name, entropy), f"seat-{taken}", tokens)

        try:
            return _seating(game, self._writer.carry_out(game, asked, draft))
        except Repeated as repeat:
            return self._seated_before(game, repeat.version, key)
        except Rejected:
            version = self._repeated(game, asked)
            if version is None:
                raise
            return self._seated_before(game, version, key)

    def choose(
        self,
        game: str,
        seat: int,
        ask: int,
        choice: str,
        key: str | None = None,
        by: str | None = None,
        if_version: int | None = None,
    ) -> Outcome:
        """Raises Rejected, Outdated, UnknownGame, KeyReused and Unavailable."""
        asked = identify_request(_scope(seat, by), key, (ask, choice))
        answer = Choose(ask, seat, choice)

        def draft(snapshot: Snapshot) -> Draft:
            if if_version is not None and if_version != snapshot.version:
                raise Outdated(if_version, snapshot.version)
            return Draft(answer, by or f"seat-{seat}")

        try:
            written = self._writer.carry_out(game, asked, draft)
        except Repeated as repeat:
            return self._outcome(game, repeat.version)
        except (Rejected, Outdated) as refusal:
            return self._outcome(game, self._answered_before(game, asked, answer, refusal))
        return Outcome(written.commit, written.snapshot)

    # Reading

    def snapshot(self, game: str, version: int | None = None) -> Snapshot:
        """Raises UnknownGame and UnknownVersion."""
        return self._snapshots.load(game) if version is None else self._snapshots.load_version(game, version)

    def cached_snapshot(self, game: str) -> Snapshot | None:
        """Without asking the store: the game may have gone on."""
        return self._snapshots.find(game)

    def commits(self, game: str, after: int = 0, limit: int | None = None) -> Sequence[Commit]:
        """As stored: to be published before anybody sees them. Raises UnknownGame."""
        found = self._store.read(game, after, limit)
        if not found and self._snapshots.find(game) is None and not self._store.head(game)[0]:
            raise UnknownGame(game)
        return found

    def find_seat(self, game: str, token: str) -> int | None:
        """The seat that a token opens; None where it opens nothing. Raises UnknownGame."""
        return self._vaults.find_seat(game, token)

    def audit(self, game: str) -> Audit:
        snapshot = self._snapshots.load(game)
        state = snapshot.state
        if state.status != "over":
            return Audit(snapshot.version, snapshot.head, state.commitment)
        verified = self._verdict(game, snapshot.head)
        return Audit(snapshot.version, snapshot.head, state.commitment, state.seed, verified)

    def _verdict(self, game: str, head: str) -> Verdict:
        verdict = self._verdicts.find(head)
        if verdict is None:
            verdict = verify([decode_raw(entry) for entry in self._store.read_stored(game)])
            self._verdicts.keep(head, verdict)
        return verdict

    # Requests that were carried out before

    def _repeated(self, game: str, asked: Request) -> int | None:
        return (
            None if asked.key is None else self._store.find_request(game, asked.stored_key, asked.fingerprint)
        )

    def _answered_before(
        self, game: str, asked: Request, answer: Choose, refusal: Rejected | Outdated
    ) -> int:
        """The version that took the same answer before; else the refusal that fits."""
        version = self._repeated(game, asked)
        if version is None and (isinstance(refusal, Outdated) or refusal.reason in SETTLED):
            version = earlier_answer(self._store.read(game), answer, refusal)
            if version is not None and asked.key is not None:
                self._store.remember_request(game, asked.stored_key, asked.fingerprint, version)
        if version is None:
            raise refusal
        return version

    def _outcome(self, game: str, version: int) -> Outcome:
        commit = self._store.read(game, version - 1, 1)[0]
        return Outcome(commit, self.snapshot(game, version), replayed=True)

    def _seated_before(self, game: str, version: int, key: str | None) -> Seating:
        command = self._store.read(game, version - 1, 1)[0].command
        seats = _people(command.seats) if isinstance(command, Create) else [command.seat]
        tokens = tokens_for(self._vaults.load(game), key, seats)
        return Seating(game, version, self.snapshot(game, version).state, tokens, replayed=True)


def _seating(game: str, written: Written) -> Seating:
    return Seating(game, written.snapshot.version, written.snapshot.state, written.draft.tokens)


def _scope(seat: int, by: str | None) -> str:
    """Clock and bots have keys of their own: no person can take those in advance and stop them."""
    return f"seat-{seat}" if by is None else f"{by} for {seat}"


def _people(seats: Sequence[SeatPlan]) -> list[int]:
    return [seat for seat, plan in enumerate(seats) if plan.name is not None and plan.bot is None]


def _first_open(state: State) -> int:
    """Seat 0 where none is open: then the rules say what is wrong."""
    return next((seat for seat, taken in enumerate(state.seats) if taken.name is None), 0)


def _option(value: Any) -> OptionValue:
    return tuple(value) if isinstance(value, list) else value


def _check_bots(seats: Sequence[SeatPlan]) -> None:
    for seat, plan in enumerate(seats):
        if plan.bot is not None and plan.bot not in BOT_NAMES:
            known = ", ".join(sorted(BOT_NAMES))
            raise Rejected(Reason.BAD_SEATS, f"no bot {plan.bot}; there are {known}", f"/seats/{seat}/bot")
