"""The list of games: newest first, in pages, derived from the log."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import fakeredis
import pytest
import redis

from events.redis_client import connect
from events.redis_cursor import RedisCursor
from events.redis_store import RedisStore
from events.store import Unavailable
from events.values import SeatPlan
from service.factory import build_backend
from service.lobby.cursors import BadCursor
from service.lobby.lobby import Lobby
from service.ops.embedded_server import RedisServer
from service.rebuild import PROJECTOR, describe_game, rebuild_lobby
from tests.support.games import answer_at_random, make_games, people, play_answers, play_game, start_game

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.fixture(params=["fakeredis", "real"])
def client(request: pytest.FixtureRequest) -> Iterator[redis.Redis]:
    if request.param == "fakeredis":
        with fakeredis.FakeRedis() as client:
            yield client
        return
    request.getfixturevalue("real_redis")
    server: RedisServer = request.getfixturevalue("redis_server")
    with connect(server.url) as client:
        yield client


def ids(lobby: Lobby, **wanted: str) -> list[str]:
    return [game.id for game in lobby.page(**wanted, limit=100).games]


def test_games_are_listed_newest_first_by_status_and_edition(client: redis.Redis) -> None:
    games, lobby = make_games(), Lobby(client)
    plans = {"waiting": [*people(1), SeatPlan()], "running": people(2)}
    made = [
        games.create(edition, {}, plan).state for edition in ("classic", "modern") for plan in plans.values()
    ]
    for hours, state in enumerate(made):
        lobby.update(state.game, state, NOON + timedelta(hours=hours))
    waiting, running, waiting_too, running_too = (state.game for state in made)
    assert ids(lobby) == [running_too, waiting_too, running, waiting]
    assert ids(lobby, status="lobby") == [waiting_too, waiting]
    assert ids(lobby, edition="classic") == [running, waiting]
    assert ids(lobby, status="playing", edition="modern") == [running_too]
    assert ids(lobby, status="over") == ids(lobby, edition="roulette") == ids(lobby, edition="*") == []
    assert sorted(lobby.active_games()) == sorted([running, running_too])


def test_a_line_says_who_sits_there(client: redis.Redis) -> None:
    lobby = Lobby(client)
    plan = [SeatPlan(name="Anna"), SeatPlan(bot="greedy"), SeatPlan()]
    state = make_games().create("classic", {}, plan).state
    lobby.update(state.game, state, NOON)
    (line,) = lobby.page().games
    assert (line.edition, line.status, line.round, line.rounds) == ("classic", "lobby", 0, 4)
    assert line.created == "2026-11-15T12:00:00.000Z"
    assert [(seat.name, seat.bot, seat.open) for seat in line.seats] == [
        ("Anna", None, False),
        ("greedy", "greedy", False),
        (None, None, True),
    ]


def test_a_game_moves_on_from_list_to_list(client: redis.Redis) -> None:
    backend = build_backend(client)
    games, lobby = backend.games, backend.lobby
    game = games.create("classic", {}, [SeatPlan(name="Anna"), SeatPlan()]).game
    seen = []
    describe_game(backend, game)
    seen.append([status for status in ("lobby", "playing", "over") if ids(lobby, status=status)])
    games.sit(game, "Ben")
    describe_game(backend, game)
    seen.append([status for status in ("lobby", "playing", "over") if ids(lobby, status=status)])
    for _ in play_answers(games, game):
        describe_game(backend, game)
    seen.append([status for status in ("lobby", "playing", "over") if ids(lobby, status=status)])
    assert seen == [["lobby"], ["playing"], ["over"]]
    assert lobby.active_games() == []
    assert lobby.page().games[0].winners == games.snapshot(game).state.winners


def test_pages_follow_each_other_without_gap_or_twin(client: redis.Redis) -> None:
    games, lobby = make_games(), Lobby(client)
    made = [start_game(games) for _ in range(11)]
    for number, game in enumerate(made):
        lobby.update(game, games.snapshot(game).state, NOON + timedelta(seconds=number // 4))
    found, cursor = list[str](), None
    for _ in range(4):
        page = lobby.page(cursor=cursor, limit=3)
        found += [game.id for game in page.games]
        cursor = page.cursor
        # New games come at the front and push nothing onto a later page.
        newer = start_game(games)
        lobby.update(newer, games.snapshot(newer).state, NOON + timedelta(days=1))
    assert cursor is None
    assert sorted(found) == sorted(made)


def test_the_last_full_page_has_no_cursor(client: redis.Redis) -> None:
    games, lobby = make_games(), Lobby(client)
    for _ in range(4):
        game = start_game(games)
        lobby.update(game, games.snapshot(game).state, NOON)
    assert lobby.page(limit=4).cursor is None
    assert lobby.page(limit=3).cursor is not None


@pytest.mark.parametrize("cursor", ["", "!", "abc", "ünï", "fHw", "MTIzfA", "QUJDfGc", "a" * 500])
def test_a_made_up_cursor_is_refused(cursor: str, client: redis.Redis) -> None:
    with pytest.raises(BadCursor):
        Lobby(client).page(cursor=cursor)


def test_updates_may_come_twice_and_in_any_order(client: redis.Redis) -> None:
    """The projector delivers at least once, and a rebuild runs beside it."""
    games = make_games()
    game = games.create("classic", {}, [SeatPlan(name="Anna"), SeatPlan()]).game
    games.sit(game, "Ben")
    for _ in play_answers(games, game):
        pass
    snapshots = [games.snapshot(game, version) for version in range(1, games.snapshot(game).version + 1)]
    shuffled = snapshots * 2
    Random(5).shuffle(shuffled)
    for snapshot in shuffled:
        Lobby(client).update(game, snapshot.state, snapshot.created_at)
    (line,) = Lobby(client).page().games
    assert line.status == "over"
    assert (ids(Lobby(client), status="over"), ids(Lobby(client), status="playing")) == ([game], [])


@pytest.mark.parametrize("answered", [0, 60], ids=["seats taken", "rounds played"])
def test_an_older_line_never_replaces_a_newer_one(client: redis.Redis, answered: int) -> None:
    """Within one status too."""
    games = make_games()
    game = games.create("classic", {}, [SeatPlan(name="Anna"), SeatPlan(), SeatPlan()]).game
    games.sit(game, "Ben")
    if answered:
        games.sit(game, "Carla")
        assert len(list(play_answers(games, game, answered))) == answered
    newest = games.snapshot(game)
    for version in (newest.version, 3 if answered else 1):
        Lobby(client).update(game, games.snapshot(game, version).state, NOON)
    (line,) = Lobby(client).page().games
    assert [seat.open for seat in line.seats] == [seat.name is None for seat in newest.state.seats]
    assert line.round == newest.state.round
    assert (newest.state.round > 1) == bool(answered)


def test_what_has_not_changed_is_not_written_again(client: redis.Redis) -> None:
    games, lobby = make_games(), Lobby(client)
    game = start_game(games)
    lobby.update(game, games.snapshot(game).state, NOON)
    Lobby(client).clear()
    answer_at_random(games, game, Random(1))
    lobby.update(game, games.snapshot(game).state, NOON)
    assert ids(lobby) == []
    lobby.clear()
    lobby.update(game, games.snapshot(game).state, NOON)
    assert ids(lobby) == [game]


def test_the_lobby_is_rebuilt_from_the_log(client: redis.Redis) -> None:
    backend = build_backend(client)
    lobby = backend.lobby
    for edition in ("classic", "cards"):
        play_game(backend.games, edition, {}, 2)
        start_game(backend.games, edition)
    for game in backend.store.list_games():
        describe_game(backend, game)
    before = lobby.page(limit=100)
    client.set("croupier:{lobby}:left-over", "from an older release")
    assert rebuild_lobby(build_backend(client)) == {}
    assert Lobby(client).page(limit=100) == before
    assert len(before.games) == 4
    assert not client.exists("croupier:{lobby}:left-over")


def test_the_command_rebuilds_the_lobby_and_lets_the_projector_begin_anew(
    real_redis: redis.Redis, redis_server: RedisServer
) -> None:
    cursor = RedisCursor(real_redis, PROJECTOR)
    cursor.save({0: "1-0"})
    game = start_game(make_games(RedisStore(real_redis)))
    command = [str(Path(sys.executable).with_name("croupier")), "rebuild"]
    environment = {**os.environ, "REDIS_URL": redis_server.url}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "from one game, none" in done.stdout
    assert ids(Lobby(real_redis)) == [game]
    assert cursor.positions() == {}


def test_clearing_the_lobby_leaves_the_games(client: redis.Redis) -> None:
    store = RedisStore(client)
    game = start_game(make_games(store))
    Lobby(client).clear()
    assert make_games(store).snapshot(game).version == 1


def test_a_redis_that_is_away_is_said_to_be_away() -> None:
    with connect("redis://127.0.0.1:1") as client:
        lobby = Lobby(client)
        for call in (lobby.page, lobby.active_games, lobby.clear):
            with pytest.raises(Unavailable):
                call()
