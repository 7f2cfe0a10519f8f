"""Games that are over, played once a process and put wherever a test wants them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from itertools import count
from typing import Any

from redis import Redis

from events.commit import Commit
from events.store import MemoryStore
from service.container import build_backend
from service.fairness.export_file import write_file
from tests.support.games import make_games, play_game

Options = tuple[tuple[str, Any], ...]
# The edition, how many play, the options, and what the answers are drawn from.
Table = tuple[str, int, Options, int]


@cache
def finished_log(
    edition: str = "classic", players: int = 2, options: Options = (), seed: int = 1
) -> tuple[str, Sequence[Commit], str]:
    """The id, the commits as they are stored, and the seed."""
    store = MemoryStore()
    games = make_games(store)
    game = play_game(games, edition, dict(options), players, seed)
    return game, tuple(store.read(game)), games.snapshot(game).state.seed


def finished_file(edition: str = "classic", players: int = 2, options: Options = (), seed: int = 1) -> bytes:
    """As anybody may download it."""
    return write_file(finished_log(edition, players, options, seed)[1])


def ends_apart() -> dict[Table, str]:
    """What to put for games of three editions that end one after the other, and when each does."""
    ends = dict[str, Table]()
    for edition in ("classic", "cards", "modern"):
        tables = ((edition, 2, (), seed) for seed in count(1))
        ended, table = next((end, table) for table in tables if (end := _find_end(table)) not in ends)
        ends[ended] = table
    return {table: ended for ended, table in sorted(ends.items())}


def _find_end(table: Table) -> str:
    return str(json.loads(finished_file(*table).splitlines()[0])["ended"])


def put_finished(
    memory: Redis, edition: str = "classic", players: int = 2, options: Options = (), seed: int = 1
) -> str:
    """Into the log and the list; nobody holds a token."""
    game, commits, revealed = finished_log(edition, players, options, seed)
    backend = build_backend(memory)
    backend.store.found(game, commits, {"seed": revealed})
    backend.lobby.update(backend.games.snapshot(game))
    say_that_all_are_listed(memory)
    return game


def say_that_all_are_listed(memory: Redis) -> None:
    """As the reconciler does, before which nobody is sent what is listed."""
    lobby = build_backend(memory).lobby
    lobby.begin_filling("a test")
    lobby.mark_whole("a test")
