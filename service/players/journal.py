"""What happened in a player's games, and the list of them: written by the projector, each thing once."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from msgspec import Struct
from redis import Redis

from events.commit import Commit
from events.redis_client import translate_redis_errors
from events.redis_store import BELL
from events.store import Store
from rules.editions import EDITIONS
from rules.state import EMPTY, State
from service.play.recently_used import RecentlyUsed
from service.play.snapshots import Snapshot
from service.players.keys import ALL_ROWS, DEPARTURES, derived_keys, list_keys, player_key
from service.players.my_games import describe_game, encode_row
from service.players.news import News, concern_players, follow_news

# Whoever is away for longer than that is told so, and looks into the list of games instead.
MOST_EVENTS = 2_000
MOST_GAMES = 1_000
_HASH = 8
_UNTOLD = -1


class Told(Struct, frozen=True):
    """A game at the last commit that was told, and the branch of the log it was read on."""

    head: str
    state: State
    branch: int


BEGINNING = Told("", EMPTY, 0)


class Page(Struct, frozen=True):
    """Commits of a game and what they mean, the state they lead to, and the game as it stands."""

    commits: Sequence[Commit]
    news: Sequence[News]
    state: State
    snapshot: Snapshot
    since: int

    @property
    def seats(self) -> dict[str, int]:
        """Where each player sits now."""
        return {seat.player: number for number, seat in enumerate(self.snapshot.state.seats) if seat.player}


class Journal:
    """May be told the same twice, and by two at once: the script knows how far each player was told."""

    def __init__(self, client: Redis, store: Store, most_events: int = MOST_EVENTS) -> None:
        self._redis: Any = client
        self._store, self._most = store, most_events
        self._note = client.register_script(files("service.players").joinpath("note.lua").read_text("utf-8"))
        self._told: RecentlyUsed[Told] = RecentlyUsed(MOST_GAMES)

    def note(self, game: str, commits: Sequence[Commit], snapshot: Snapshot) -> None:
        """Tells the players of a game what these commits mean. Raises Unavailable."""
        if _is_ours(snapshot, commits):
            self._note_all(game, commits, snapshot, commits[0].version - 1)

    def describe(self, game: str, snapshot: Snapshot) -> None:
        """Writes what is missing of a game, all of it if need be."""
        if _is_ours(snapshot, ()):
            self._told.drop(game)
            self._note_all(game, self._store.read(game), snapshot, snapshot.version)

    def _note_all(self, game: str, commits: Sequence[Commit], snapshot: Snapshot, since: int) -> None:
        """On a log that went another way than what was told, all is new after version `since`."""
        known = self._told.find(game)
        moved = known is not None and known.branch != snapshot.branch
        if known is None or known.head != commits[0].prev:
            known, commits = BEGINNING, commits if commits[0].version == 1 else self._store.read(game)
        page = _read_page(known.state, commits, snapshot, since)
        if _UNTOLD in self._tell_all(page, moved):
            page = _read_page(EMPTY, self._store.read(game), snapshot, since)
            self._tell_all(page, moved)
        self._told.keep(game, Told(page.commits[-1].hash, page.state, snapshot.branch))

    def _tell_all(self, page: Page, moved: bool) -> list[int]:
        players = dict.fromkeys([*page.seats, *(one.player for one in page.news)])
        return [self._tell(player, page, moved) for player in players]

    def _tell(self, player: str, page: Page, moved: bool) -> int:
        """How much was new, or _UNTOLD where the player never heard of what came before."""
        seat, snapshot, first = page.seats.get(player), page.snapshot, page.commits[0]
        row = None if seat is None else describe_game(snapshot, seat)
        newest = max(snapshot.version, page.commits[-1].version)
        hashes = first.prev[:_HASH] + "".join(commit.hash[:_HASH] for commit in page.commits)
        arguments: list[str | int] = [
            *(player, snapshot.state.game, newest, int(moved)),
            *(encode_row(row) if row else "", int(row is not None and row.awaiting)),
            *(BELL, self._most, first.version, hashes, page.since),
        ]
        for one in page.news:
            arguments += (one.version, one.what, one.seat) if one.player == player else ()
        with translate_redis_errors():
            return int(self._note((player_key(player), *derived_keys(player), DEPARTURES), arguments))

    def clear_lists(self) -> None:
        """The lists of all players, which are made anew from the log; what was told stays told."""
        with translate_redis_errors():
            for key in self._redis.scan_iter(ALL_ROWS, count=1000):
                self._redis.delete(*list_keys(key.decode().rpartition(":")[2]))


def _is_ours(snapshot: Snapshot, commits: Sequence[Commit]) -> bool:
    """Whether it concerns players of this service: those of a game from elsewhere are not."""
    concerned = concern_players(snapshot.state, commits) and EDITIONS.knows(snapshot.state)
    return concerned and not snapshot.imported


def _read_page(state: State, commits: Sequence[Commit], snapshot: Snapshot, since: int) -> Page:
    return Page(commits, *follow_news(state, commits), snapshot, since)
