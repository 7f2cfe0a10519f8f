"""Games by rules that only a newer program knows are left alone, and nobody makes a noise about it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace
from redis import Redis

from events.follower import Projector, RedisCursor
from rules.editions import EDITIONS
from rules.releases import Editions
from service.container import Backend, build_backend
from service.lobby.rebuild import rebuild_lobby
from tests.support.app import capture_log
from tests.support.games import ManualClock
from tests.support.release_games import GAME, SEED, play_game
from workers.jobs import play_shift
from workers.projector import projection_handler
from workers.reconciler import Reconciler

NEWER = Editions((replace(EDITIONS.newest["classic"], release=7),))
KNOWN = Editions((EDITIONS.newest["classic"],))


def store_game(backend: Backend, editions: Editions) -> None:
    """It waits for a bot, and its people have run out of time."""
    vault: dict[str, str] | None = {"seed": SEED.hex()}
    for commit in play_game(editions, "classic", 2, {"turn_seconds": 5, "start_seat": 0}, answers=0, bots=1):
        backend.store.append(GAME, commit, vault)
        vault = None


@pytest.fixture
def backend(fake: Redis) -> Backend:
    return build_backend(fake)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime.now(UTC) + timedelta(days=400))


def project(fake: Redis, backend: Backend) -> None:
    cursor = RedisCursor(fake, "test", 0.01)
    Projector(backend.store, cursor, projection_handler(backend)).step()


def test_the_projector_passes_it_over(fake: Redis, backend: Backend) -> None:
    store_game(backend, NEWER)
    with capture_log() as log:
        project(fake, backend)
    assert log.getvalue() == b""
    assert backend.queue.waiting_games() == set()
    assert backend.lobby.active_games() == []


def test_the_reconciler_leaves_it_alone_even_if_it_is_listed(
    fake: Redis, backend: Backend, clock: ManualClock
) -> None:
    """The newer program had listed it before it was rolled back."""
    store_game(backend, NEWER)
    assert rebuild_lobby(backend) == {}
    snapshot = backend.games.snapshot(GAME)
    backend.lobby.update(replace(snapshot, state=replace(snapshot.state, release="1")))
    backend.due.write(GAME, clock())
    assert backend.lobby.active_games() == [GAME]
    reconciler = Reconciler(backend, clock)
    with capture_log() as log:
        for _ in range(3):
            clock.forward(60)
            reconciler.step()
    assert log.getvalue() == b""
    assert backend.queue.waiting_games() == set()


def test_a_worker_has_nothing_to_do_with_it(backend: Backend) -> None:
    store_game(backend, NEWER)
    before = backend.store.head(GAME)
    backend.scheduler.schedule(GAME)
    assert play_shift(backend) == 1
    assert backend.store.head(GAME) == before


def test_the_lobby_is_rebuilt_without_it(backend: Backend) -> None:
    store_game(backend, NEWER)
    assert rebuild_lobby(backend) == {}
    assert backend.lobby.page().games == ()


def test_a_game_by_known_rules_is_played(fake: Redis, backend: Backend) -> None:
    """The same game, so that the others are not left alone for another reason."""
    store_game(backend, KNOWN)
    project(fake, backend)
    assert backend.queue.waiting_games() == {GAME}
    assert backend.lobby.active_games() == [GAME]
    before, _ = backend.store.head(GAME)
    play_shift(backend)
    assert backend.store.head(GAME)[0] > before
