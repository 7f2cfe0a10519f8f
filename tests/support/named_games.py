"""Games under an id of one's own choice, as anybody can play them at home."""

from __future__ import annotations

from collections.abc import Sequence

from events.commands import Create
from events.commit import Commit
from events.store import MemoryStore
from service.fairness.dice import commitment
from service.games.cache import Snapshots
from service.games.games import Games
from service.games.idempotency import identify_request
from service.games.seating import draft_game
from service.games.snapshots import begin_branch
from service.games.tokens import SecretsCache
from service.games.writer import Writer
from tests.support.games import people, play_answers, ticking_clock

SEED = bytes(range(32))


def play_under(name: str, edition: str = "classic", players: int = 2) -> Sequence[Commit]:
    """A true game to its end."""
    store = MemoryStore()
    snapshots = Snapshots(store)
    command = Create(name, edition, tuple(people(players)), commitment(SEED))
    writer = Writer(store, snapshots, SecretsCache(store, snapshots), ticking_clock())
    request = identify_request("create", None, ())
    writer.write(name, begin_branch(), draft_game(command, SEED, None, ""), request)
    games = Games(store, ticking_clock())
    for _ in play_answers(games, name):
        pass
    return games.commits(name)
