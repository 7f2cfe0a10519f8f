"""The public feed of a cluster: a journal for each partition, read as one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
import redis

from events.redis import connect, connect_blocking
from rules.state import EMPTY
from service.container import build_backend
from service.feeds.journals import PUBLIC, follow_game
from service.feeds.reading import Feeds
from service.lobby.rebuild import describe_game
from service.players.feed import BEGINNING
from service.players.names import Names
from tests.support.cluster import ClusterSet, run_cluster
from tests.support.games import awaited_seats, choose, start_mixed_game
from workers.projector import make_projectors


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterSet]:
    with run_cluster(Path(tmp_path_factory.mktemp("cluster")), masters=3, replicas=0) as cluster:
        yield cluster


@pytest.mark.long
def test_journals_of_all_partitions_are_read_as_one(cluster: ClusterSet, real_redis: redis.Redis) -> None:
    """Events of one game come in order, each once, wherever a reader stops. A lost one begins anew."""
    draw = Random(5)
    with connect(cluster.url) as client, connect_blocking(cluster.url, 0.05) as waiting:
        backend = build_backend(client, queue_client=real_redis)
        feeds = Feeds(client, backend.games, Names(client))
        projectors = make_projectors(backend, waiting, 0.05)
        games = []
        found: list[tuple[str, int, str, int | None]] = []
        after = BEGINNING
        for _ in range(6):
            games.append(start_mixed_game(backend.games, "Anna", "Ben"))
            for _ in range(3):
                game = draw.choice(games)
                choose(backend.games, game, awaited_seats(backend.games, game)[0])
            for _ in range(3):
                for projector in projectors:
                    projector.step()
            describe_game(backend, draw.choice(games))
            while (page := feeds.read(PUBLIC, after, draw.randint(1, 4))).events:
                assert not page.reset
                found += [(event.game, event.version, event.type, event.seat) for event in page.events]
                after = page.next
        expected = [
            (game, event.version, event.what, event.seat)
            for game in games
            for event in follow_game(EMPTY, backend.store.read(game))[0]
        ]
        assert sorted(found, key=repr) == sorted(expected, key=repr)
        for game in games:
            assert [one for one in found if one[0] == game] == [one for one in expected if one[0] == game]
        assert feeds.find_end(PUBLIC) == after
        assert after.startswith("v")
        lost = backend.store.layout.partition(games[0])
        client.delete(backend.store.layout.key(lost, "public"))
        page = feeds.read(PUBLIC, after, 100)
        assert page.reset
        assert page.events == []
        assert not feeds.read(PUBLIC, page.start, 100).reset
