"""Removes a game with everything that was derived from it: `croupier games remove`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from events.commands import Create, Fork, Sit
from events.commit import Commit
from service import logs
from service.container import Backend, open_backend
from service.games.cache import BrokenLog, read_readable
from service.games.snapshots import Snapshot, UnknownGame
from service.text import escape, print_line

REMOVED = 0
NOT_REMOVED = 1
log = logs.logger(process="operator")


def main(url: str, game: str, reason: str, force: bool) -> int:
    """Run `croupier games remove` and return the exit status: 1 if there is no such game, or it goes on."""
    logs.configure()
    with open_backend(url) as backend:
        version, _ = backend.store.head(game)
        if not version:
            # A removal that broke off has removed the log first.
            forget_derived(backend, game, None, ())
            print_line(f"{escape(game)}: there is no such game")
            return NOT_REMOVED
        snapshot = _find_snapshot(backend, game)
        if snapshot is not None and snapshot.state.status != "over" and not force:
            print_line(f"{escape(game)}: it is not over; --force removes it all the same")
            return NOT_REMOVED
        remove_game(backend, game, reason)
    print_line(f"{escape(game)}: removed")
    return REMOVED


def remove_game(backend: Backend, game: str, reason: str = "") -> None:
    """Remove a game's log, and all that was derived from it; a line in the log says so.

    The log goes first, so that no process derives anything from it again. Raises Unavailable.
    """
    version, head = backend.store.head(game)
    snapshot = _find_snapshot(backend, game)
    commits = read_readable(backend.store, game)
    creator = ""
    keys: Sequence[str] = ()
    with suppress(UnknownGame):
        creator = backend.games.creator_of(game)
        keys = backend.key_feed.list_keys(game, _list_players(commits))
    sealed = backend.archiver.find_sealed(game) if backend.archiver else None
    backend.store.remove(game)
    if sealed is not None:
        backend.stats.unseal(sealed)
    log.warning(
        "game_removed",
        game=game,
        version=version,
        head=head,
        imported=snapshot.imported_at if snapshot else "",
        named=snapshot.state.game if snapshot else "",
        reason=reason,
    )
    backend.open_games.remove(game, creator)
    forget_derived(backend, game, snapshot, commits)
    backend.key_feed.remove(game, keys)


def _find_snapshot(backend: Backend, game: str) -> Snapshot | None:
    """Return the newest snapshot; None of a game that is not there or whose log is broken."""
    try:
        return backend.games.snapshot(game)
    except (UnknownGame, BrokenLog):
        return None


def forget_derived(backend: Backend, game: str, snapshot: Snapshot | None, commits: Sequence[Commit]) -> None:
    """Remove a game from every list, index and count. Raises Unavailable."""
    backend.due.write(game, None)
    backend.lobby.remove(game)
    backend.stats.remove(game)
    backend.feed.remove(game, _list_players(commits))
    backend.public_feed.remove(game)
    if snapshot is not None:
        backend.namesakes.forget(snapshot)


def forget_lost(backend: Backend, game: str) -> None:
    """Remove what was derived from a game whose log was lost. Raises Unavailable.

    Its players are those in its row, and those whom this process has told of it.
    """
    row = backend.lobby.find(game)
    seats = row.seats if row else ()
    players = [*(seat.player for seat in seats if seat.player), *backend.feed.find_told(game)]
    backend.open_games.remove(game)
    backend.feed.remove(game, players)
    backend.key_feed.remove(game, backend.key_feed.list_told(game, players))
    forget_derived(backend, game, None, ())


def _list_players(commits: Sequence[Commit]) -> Sequence[str]:
    """Return all players who ever had a seat."""
    players = dict[str, None]()
    for commit in commits:
        match commit.command:
            case Create(seats=seats) | Fork(seats=seats):
                players |= dict.fromkeys(plan.player for plan in seats if plan.player)
            case Sit(player=player) if player:
                players[player] = None
            case _:
                pass
    return list(players)
