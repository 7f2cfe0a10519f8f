"""A finished game is rebuilt from Redis; the peer rebuilds an aggregate of the same facts from SQLite."""

from __future__ import annotations

from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from msgspec import to_builtins

from bench.ratio import Ratio, measure_rates
from bench.seeded_chance import SeededChance
from events.chain import GENESIS, link
from events.commands import Choose, Command, Create
from events.commit import Commit
from events.redis import connect
from events.redis_store import RedisStore
from events.store import Store
from events.values import SeatPlan
from rules.decide import run_command
from rules.state import EMPTY
from service.games.snapshots import EMPTY_SNAPSHOT, fold_commits
from service.ops.redis_server import RedisServer

GAME = "bench"


class Game(Aggregate):
    """Holds the same facts and does as little with each as can be."""

    def __init__(self) -> None:
        self.facts = 0

    @event("Happened")
    def happen(self, fact: dict[str, Any]) -> None:
        self.facts += 1


def record(store: Store) -> int:
    """Plays one game into the store; how many events it has."""
    chance = SeededChance(1)
    state = EMPTY
    head = GENESIS
    events = 0
    command: Command | None = Create(GAME, "classic", (SeatPlan(bot="random"),) * 4, "")
    for version in range(1, 1_000):
        if command is None:
            break
        table = run_command(state, command, chance)
        commit = link(Commit(version, "", "seat", "1", command, tuple(table.events), head))
        store.append(GAME, commit)
        state = table.state
        head = commit.hash
        events = events + len(table.events)
        ask = state.ask
        command = None if ask is None else Choose(ask.id, ask.seats[0], chance.random.choice(ask.options))
    return events


def open_peer(folder: str) -> Application[UUID]:
    """Of the stores that the peer ships for more than tests, the one that needs no server."""
    place = {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": f"{folder}/peer.db"}
    return Application[UUID](env=place)


def record_for_peer(application: Application[UUID], store: Store) -> Callable[[], int]:
    """The peer gets the facts of our game; what comes back rebuilds its aggregate of them."""
    game = Game()
    facts = [fact for commit in store.read(GAME) for fact in commit.events]
    for fact in facts:
        game.happen(fact=to_builtins(fact))
    application.save(game)

    def rebuild() -> int:
        application.repository.get(game.id)
        return len(facts)

    return rebuild


def measure() -> Ratio:
    with (
        TemporaryDirectory(prefix="croupier-bench-") as folder,
        RedisServer(folder) as server,
        connect(server.url) as client,
    ):
        store = RedisStore(client)
        events = record(store)

        def ours() -> int:
            fold_commits(EMPTY_SNAPSHOT, store.read(GAME))
            return events

        peers = [
            record_for_peer(application, store) for application in (open_peer(folder), Application[UUID]())
        ]
        mine, stored, unstored = measure_rates(ours, *peers)
    remark = f"with the peer's events in memory instead: {unstored:,.0f}, {mine / unstored:.2f} ×"
    return Ratio("replay, against eventsourcing", mine, stored, "events/s", 10.0, remark=remark)
