"""Going, coming back, and ending a game before its end."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from events.commands import Cancel, Command, Leave, Return, Start, Void
from events.commit import Commit
from events.store import Repeated, Store, Unavailable
from events.values import MOST_SEATS
from rules.attendance import stand_in
from rules.rejection import Reason, Rejected
from service.play.idempotency import Request, find_request, identify_request
from service.play.snapshot_cache import Snapshots
from service.play.snapshots import Snapshot
from service.play.tokens import end_tokens, former_seat
from service.play.vaults import Vaults
from service.play.writer import Draft, Writer


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
    """Each raises Rejected, UnknownGame, KeyReused, Unavailable; BranchLost off a wanted branch."""

    def __init__(self, store: Store, snapshots: Snapshots, vaults: Vaults, writer: Writer) -> None:
        self._store, self._snapshots, self._vaults, self._writer = store, snapshots, vaults, writer

    def leave(
        self, game: str, seat: int, for_good: bool, key: str | None = None, branch: int | None = None
    ) -> Settled:
        """Opens the seat in the lobby; in play a bot answers there (W4)."""

        def draft(snapshot: Snapshot) -> Draft:
            if snapshot.state.status == "lobby":
                return self._give_up(game, seat, Leave(seat))
            command = Leave(seat, stand_in(snapshot.state), for_good)
            return self._give_up(game, seat, command) if for_good else _by_seat(seat, command)

        return self._settle(game, identify_request(f"leave {seat}", key, for_good), draft, branch)

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

    def come_back(self, game: str, seat: int, key: str | None = None, branch: int | None = None) -> Settled:
        return self._send(game, seat, Return(seat), "return", key, branch)

    def start(
        self, game: str, seat: int, bot: str, key: str | None = None, branch: int | None = None
    ) -> Settled:
        """With this bot in every open seat (W5)."""
        return self._send(game, seat, Start(seat, bot), "start", key, branch)

    def cancel(self, game: str, seat: int, key: str | None = None, branch: int | None = None) -> Settled:
        return self._send(game, seat, Cancel(seat), "cancel", key, branch)

    def vote(
        self, game: str, seat: int, agrees: bool, key: str | None = None, branch: int | None = None
    ) -> Settled:
        """Whether the game is to end without winners; it does once all people want it (W7)."""
        return self._send(game, seat, Void(seat, agrees), "void", key, branch)

    def _give_up(self, game: str, seat: int, command: Leave) -> Draft:
        """Whoever gives up a seat has no token of it any more."""
        return Draft(command, f"seat-{seat}", vault=end_tokens(self._vaults.read(game), seat))

    def _send(
        self, game: str, seat: int, command: Command, scope: str, key: str | None, branch: int | None
    ) -> Settled:
        request = identify_request(f"{scope} {seat}", key, command)
        return self._settle(game, request, lambda _: _by_seat(seat, command), branch)

    def _settle(
        self, game: str, request: Request, draft: Callable[[Snapshot], Draft], branch: int | None
    ) -> Settled:
        try:
            for base in self._snapshots.bases(game, branch):
                written = self._writer.attempt(game, base, draft(base.snapshot), request)
                if written is not None:
                    return Settled(written.snapshot, written.commit)
        except Repeated as repeat:
            return self._replay(game, repeat.version, branch)
        except Rejected as refusal:
            return self._find_settled(game, request, refusal, branch)
        raise Unavailable(f"{game} changes faster than anybody can follow")

    def _find_settled(self, game: str, request: Request, refusal: Rejected, branch: int | None) -> Settled:
        """What is so already needs no commit. Raises the refusal where there is no such excuse."""
        version = find_request(self._store, game, request)
        if version is not None:
            return self._replay(game, version, branch)
        if refusal.reason is not Reason.ALREADY_ANSWERED:
            raise refusal
        return Settled(self._snapshots.load(game, branch), None)

    def _replay(self, game: str, version: int, branch: int | None) -> Settled:
        commit = self._store.read(game, version - 1, 1)[0]
        return Settled(self._snapshots.load_version(game, version, branch), commit, replayed=True)


def _by_seat(seat: int, command: Command) -> Draft:
    return Draft(command, f"seat-{seat}")
