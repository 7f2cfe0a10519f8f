"""What an operator does with single games and players: `croupier games` and `croupier players`."""

from __future__ import annotations

from collections.abc import Iterator

from events.commit import Unreadable
from rules.seats import ABANDONED, NOT_FILLED
from service import logs
from service.container import Backend, open_backend
from service.fairness.clocks import CLOCK
from service.games.cache import BrokenLog
from service.games.snapshots import Snapshot, UnknownGame
from service.history.audits import Audit
from service.lobby.filters import GameFilter
from service.players.feed import PlayerReading
from service.players.players import Player, PlayerChanges
from service.remote_bots.erasure import BotErasure
from service.text import escape, print_line

DONE = 0
NOT_DONE = 1
log = logs.logger(process="operator")


def list_games(url: str, status: str, edition: str, everything: bool, limit: int) -> int:
    """Run `croupier games list` and return the exit status."""
    with open_backend(url) as backend:
        names = _list_all(backend) if everything else _list_public(backend, GameFilter(status, edition))
        shown = 0
        for game in names:
            line = _describe_line(backend, game, status, edition)
            if line is None:
                continue
            print_line(line)
            shown += 1
            if shown == limit:
                break
    return DONE


def _list_public(backend: Backend, wanted: GameFilter) -> Iterator[str]:
    """Yield the ids of listed games, newest first."""
    cursor = None
    while True:
        page = backend.lobby.page(wanted, cursor)
        yield from (line.id for line in page.games)
        cursor = page.cursor
        if cursor is None:
            return


def _list_all(backend: Backend) -> Iterator[str]:
    """Yield the ids of all games, private and imported ones included; reads the names of all keys."""
    yield from sorted([*backend.store.list_games(), *backend.store.list_archived()])


def _describe_line(backend: Backend, game: str, status: str, edition: str) -> str | None:
    """Return a line about a game; None if it is not wanted, or is gone meanwhile."""
    try:
        snapshot = backend.games.snapshot(game)
    except UnknownGame:
        return None
    except (BrokenLog, Unreadable) as fault:
        return f"{escape(game)}  BROKEN LOG: {escape(str(fault))}"
    state = snapshot.state
    if status not in ("", state.status) or edition not in ("", state.edition):
        return None
    return (
        f"{escape(game)}  {state.edition:7}  {state.status:7}  version {snapshot.version:4}  "
        f"{snapshot.created_at}  {escape(_name_seats(snapshot))}"
    )


def _name_seats(snapshot: Snapshot) -> str:
    """Return who sits where; a registered player by the id."""
    return ", ".join(
        f"bot {seat.bot}" if seat.bot else seat.player or seat.name or "open" for seat in snapshot.state.seats
    )


def show_game(url: str, game: str) -> int:
    """Run `croupier games show` and return the exit status: 1 if the game is unknown or not verified."""
    with open_backend(url) as backend:
        try:
            audit = backend.auditor.audit(game)
        except UnknownGame:
            return _say_unknown(game)
        for line in _describe_game(backend, game):
            print_line(escape(line))
        print_line(escape(_describe_verdict(audit)))
    return NOT_DONE if audit.verified and audit.verified.ok is False else DONE


def _describe_verdict(audit: Audit) -> str:
    """Return whether dice, rules and payouts were verified."""
    verdict = audit.verified
    if verdict is None:
        return "verified: when it is over; the chain of hashes holds"
    if verdict.ok is False:
        return f"NOT VERIFIED: version {verdict.version}: {verdict.fault}"
    return f"verified: {verdict.unchecked or 'yes'}"


def _describe_game(backend: Backend, game: str) -> Iterator[str]:
    """Yield lines about a game; none if its log is broken."""
    try:
        snapshot = backend.games.snapshot(game)
    except BrokenLog:
        return
    state = snapshot.state
    yield f"game: {game}, {state.edition}, rules of release {state.release}"
    yield f"status: {state.status}, {state.visibility}, version {snapshot.version}, head {snapshot.head}"
    yield f"created: {snapshot.created_at}, last changed: {snapshot.changed_at}"
    if snapshot.imported_at:
        yield f"imported: {snapshot.imported_at}, as {state.game}"
    for number, seat in enumerate(state.seats):
        who = f"bot {seat.bot}" if seat.bot else f"{seat.name or 'open'} {seat.player}".strip()
        yield f"seat {number}: {who}"


def close_game(url: str, game: str) -> int:
    """Run `croupier games close` and return the exit status: 1 if there is no such game, or it is over."""
    logs.configure()
    with open_backend(url) as backend:
        try:
            snapshot = backend.games.snapshot(game)
        except UnknownGame:
            return _say_unknown(game)
        reason = NOT_FILLED if snapshot.state.status == "lobby" else ABANDONED
        # In the log it is the service that closes a game, as it does with those that were abandoned.
        if not backend.games.close(game, reason, CLOCK, snapshot.version):
            print_line(f"{escape(game)}: it is over, or it went on meanwhile")
            return NOT_DONE
        log.warning("game_closed", game=game, reason=reason, meaning="an operator closed it")
    print_line(f"{escape(game)}: closed as {reason}")
    return DONE


def show_player(url: str, name: str) -> int:
    """Run `croupier players show` and return the exit status: 1 if there is no such player."""
    with open_backend(url) as backend:
        player = backend.players.read(name)
        if player is None:
            return _say_unknown(name)
        print_line(f"player: {escape(player.id)}, {escape(player.name)}, since {player.created}")
        for game in backend.lobby.page(GameFilter(player=player.id)).games:
            print_line(f"game: {game.id}, {game.edition}, {game.status}")
        for what, number in sorted(PlayerReading(backend.redis).counts(player.id).items()):
            print_line(f"{escape(what)}: {number}")
    return DONE


def erase_player(url: str, name: str) -> int:
    """Run `croupier players erase` and return the exit status: 1 if there is no such player."""
    logs.configure()
    with open_backend(url) as backend:
        player = backend.players.read(name)
        games = None if player is None else _erase(backend, player)
        if games is None:
            return _say_unknown(name)
        log.warning("player_erased", player=name, meaning="an operator erased them")
    print_line(f"{escape(name)}: erased; seats that are being left: {games}")
    return DONE


def _erase(backend: Backend, player: Player) -> int | None:
    """Erase a player and leave their seats; return how many, or None if they have been erased meanwhile."""
    changes = PlayerChanges(backend.redis, backend.players)
    bots = BotErasure(backend.remote_bots, backend.players, changes, backend.erasure, backend.webhooks)
    bots.erase_all_of(player.id)
    games = changes.erase(player)
    if games is None:
        return None
    backend.erasure.leave_at_once(player.id, games)
    backend.webhooks.delete_all_of(player.id)
    bots.forget(player.id)
    return len(games)


def _say_unknown(name: str) -> int:
    print_line(f"{escape(name)}: there is no such id")
    return NOT_DONE
