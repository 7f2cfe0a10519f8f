"""The list of games: newest first, in pages, derived from the log."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
import redis
from msgspec.structs import replace

from events.commands import Cancel, Leave
from events.follower import RedisCursor
from events.redis import connect
from events.redis_store import RedisStore
from events.store import Unavailable
from events.values import SeatPlan
from rules import scoring
from service.container import build_backend
from service.games.cursors import BadCursor, write_member
from service.games.snapshots import Snapshot
from service.games.writer import Caller
from service.lobby.filters import GameFilter
from service.lobby.lobby import MOST_LOOKED_AT, Lobby
from service.lobby.rebuild import PROJECTOR, describe_game, rebuild_lobby
from service.ops.redis_server import RedisServer
from service.timestamps import stamp
from tests.support.app import open_memory
from tests.support.games import answer_at_random, make_games, people, play_answers, play_game, start_game

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.fixture(params=["fakeredis", "real"])
def client(request: pytest.FixtureRequest) -> Iterator[redis.Redis]:
    if request.param == "fakeredis":
        with open_memory() as client:
            yield client
        return
    request.getfixturevalue("real_redis")
    server: RedisServer = request.getfixturevalue("redis_server")
    with connect(server.url) as client:
        yield client


def ids(lobby: Lobby, **wanted: Any) -> list[str]:
    return [game.id for game in lobby.page(GameFilter(**wanted), limit=100).games]


def put(lobby: Lobby, snapshot: Snapshot, created: datetime = NOON, changed: datetime = NOON) -> str:
    """Lists the game as it stands, as if it had been made and changed then."""
    lobby.update(replace(snapshot, created_at=stamp(created), changed_at=stamp(changed)))
    return snapshot.state.game


def test_games_are_listed_newest_first_by_status_and_edition(client: redis.Redis) -> None:
    games, lobby = make_games(), Lobby(client)
    plans = {"waiting": [*people(1), SeatPlan()], "running": people(2)}
    made = [
        games.create(edition, {}, plan).state for edition in ("classic", "modern") for plan in plans.values()
    ]
    for hours, state in enumerate(made):
        put(lobby, games.snapshot(state.game), NOON + timedelta(hours=hours))
    waiting, running, waiting_too, running_too = (state.game for state in made)
    assert ids(lobby) == [running_too, waiting_too, running, waiting]
    assert ids(lobby, status="lobby") == [waiting_too, waiting]
    assert ids(lobby, edition="classic") == [running, waiting]
    assert ids(lobby, status="playing", edition="modern") == [running_too]
    assert ids(lobby, status="over") == ids(lobby, edition="roulette") == []
    assert sorted(lobby.active_games()) == sorted([running, running_too])


def test_a_line_says_who_sits_there(client: redis.Redis) -> None:
    lobby = Lobby(client)
    plan = [SeatPlan(name="Anna"), SeatPlan(bot="greedy"), SeatPlan()]
    games = make_games()
    put(lobby, games.snapshot(games.create("classic", {}, plan).game), NOON)
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
        put(lobby, games.snapshot(game), NOON + timedelta(seconds=number // 4))
    found, cursor = list[str](), None
    for _ in range(4):
        page = lobby.page(cursor=cursor, limit=3)
        found += [game.id for game in page.games]
        cursor = page.cursor
        # New games come at the front and push nothing onto a later page.
        newer = start_game(games)
        put(lobby, games.snapshot(newer), NOON + timedelta(days=1))
    assert cursor is None
    assert sorted(found) == sorted(made)


def test_the_last_full_page_has_no_cursor(client: redis.Redis) -> None:
    games, lobby = make_games(), Lobby(client)
    for _ in range(4):
        game = start_game(games)
        put(lobby, games.snapshot(game), NOON)
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
        Lobby(client).update(snapshot)
    (line,) = Lobby(client).page().games
    assert line.status == "over"
    assert (ids(Lobby(client), status="over"), ids(Lobby(client), status="playing")) == ([game], [])


@pytest.mark.parametrize("answered", [0, 40], ids=["seats taken", "rounds played"])
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
        put(Lobby(client), games.snapshot(game, version), NOON)
    (line,) = Lobby(client).page().games
    assert [seat.open for seat in line.seats] == [seat.name is None for seat in newest.state.seats]
    assert line.round == newest.state.round
    assert (newest.state.round > 1) == bool(answered)


def test_what_has_not_changed_is_not_written_again(client: redis.Redis) -> None:
    games, lobby = make_games(), Lobby(client)
    game = start_game(games)
    put(lobby, games.snapshot(game), NOON)
    Lobby(client).clear()
    put(lobby, games.snapshot(game), NOON)
    assert ids(lobby) == []
    lobby.clear()
    put(lobby, games.snapshot(game), NOON)
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


# What somebody looks for


def test_games_are_found_by_who_sits_there(client: redis.Redis) -> None:
    games, lobby = make_games(), Lobby(client)
    plans = [[SeatPlan(name="Anna"), SeatPlan()], [SeatPlan(name="Ben"), SeatPlan(bot="greedy")]]
    plans.append([SeatPlan(player="p_1", name_commitment="c"), SeatPlan(name="anna")])
    first, second, third = (
        put(lobby, games.snapshot(games.create("classic", {}, plan).game)) for plan in plans
    )
    assert sorted(ids(lobby, name="ANNA")) == sorted([first, third])
    assert ids(lobby, name="Ben", status="playing") == [second]
    assert ids(lobby, name="Ben", status="lobby") == ids(lobby, name="greedy") == []
    assert ids(lobby, player="p_1") == [third]
    assert ids(lobby, player="p_1", name="Ben") == []
    games.execute(first, Caller(0), Leave(0, for_good=False))
    put(lobby, games.snapshot(first))
    assert ids(lobby, name="Anna") == [third]


def test_games_are_found_by_their_open_seats(client: redis.Redis) -> None:
    games, lobby = make_games(), Lobby(client)
    made = [
        games.create("modern", {}, [SeatPlan(name="Anna"), *[SeatPlan()] * seats]).game for seats in (1, 2, 3)
    ]
    for hours, game in enumerate(made):
        put(lobby, games.snapshot(game), NOON + timedelta(hours=hours))
    assert ids(lobby, open_seats=1) == made[::-1]
    assert ids(lobby, open_seats=3) == made[2:]
    games.sit(made[2], "Ben")
    put(lobby, games.snapshot(made[2]), NOON + timedelta(hours=2))
    assert ids(lobby, open_seats=3) == []
    assert ids(lobby, open_seats=2, edition="classic") == []
    assert ids(lobby, open_seats=2) == [made[2], made[1]]
    games.execute(made[2], Caller(0), Cancel(0))
    assert games.close(made[1], "not_filled", "clock", 1)
    for game in made[1:]:
        put(lobby, games.snapshot(game), NOON + timedelta(hours=2))
    assert ids(lobby, open_seats=1) == made[:1]


def test_what_changed_last_comes_first_if_that_is_asked_for(client: redis.Redis) -> None:
    games, lobby = make_games(), Lobby(client)
    made = [start_game(games) for _ in range(6)]
    for number, game in enumerate(made):
        # Two of them in the same millisecond.
        put(lobby, games.snapshot(game), NOON + timedelta(number), NOON - timedelta(hours=number // 2))
    expected = [game for start in (0, 2, 4) for game in sorted(made[start : start + 2], reverse=True)]
    assert ids(lobby, order="changed") == expected
    found, cursor = list[str](), None
    for _ in range(3):
        page = lobby.page(GameFilter(order="changed"), cursor, 2)
        found, cursor = [*found, *(game.id for game in page.games)], page.cursor
    assert (found, cursor) == (expected, None)
    since = stamp(NOON - timedelta(hours=2))
    assert ids(lobby, order="changed", updated_after=since) == expected[:4]
    assert sorted(ids(lobby, updated_after=since)) == sorted(expected[:4])
    answer_at_random(games, made[5], Random(1))
    put(lobby, games.snapshot(made[5]), NOON + timedelta(5), NOON + timedelta(1))
    assert ids(lobby, order="changed")[0] == made[5]


def test_finished_games_are_found_by_when_they_ended(client: redis.Redis) -> None:
    """W8: a rematch is made later, and changes nothing about that."""
    games, lobby = make_games(), Lobby(client)
    ended = play_game(games, "classic", {}, 2)
    finished = games.snapshot(ended).ended_at
    games.rematches.rematch(ended, Caller(0))
    lobby.update(games.snapshot(ended))
    lobby.update(games.snapshot(start_game(games)))
    (line,) = lobby.page(GameFilter(finished_after="2026-11-15T00:00:00.000Z", order="changed")).games
    assert (line.id, line.finished, line.totals) == (
        ended,
        finished,
        scoring.totals(games.snapshot(ended).state),
    )
    assert line.updated > finished
    assert ids(lobby, finished_after=finished, order="changed") == []


def test_a_line_says_how_far_the_game_is_and_whom_it_awaits(client: redis.Redis) -> None:
    """M8: totals are covered where that was agreed."""
    games, lobby = make_games(), Lobby(client)
    open_game = start_game(games)
    covered = start_game(games, options={"hide_money": True})
    for game in (open_game, covered):
        answer_at_random(games, game, Random(1))
        lobby.update(games.snapshot(game))
    lines = {line.id: line for line in lobby.page().games}
    newest = games.snapshot(open_game)
    line = lines[open_game]
    assert newest.state.ask is not None
    assert (line.version, line.updated, line.awaits) == (2, newest.changed_at, newest.state.ask.awaited)
    assert (line.totals, lines[covered].totals) == ((0, 0), None)


@pytest.mark.parametrize("visibility", ["unlisted", "private"])
def test_what_is_not_public_is_in_no_list(client: redis.Redis, visibility: Any) -> None:
    games, lobby = make_games(), Lobby(client)
    game = games.create("classic", {}, [SeatPlan(name="Anna"), SeatPlan()], visibility=visibility).game
    lobby.update(games.snapshot(game))
    assert ids(lobby) == ids(lobby, name="Anna") == ids(lobby, open_seats=1) == []
    assert ids(lobby, order="changed") == ids(lobby, status="lobby") == []


def test_a_wish_that_few_fit_is_looked_for_a_while_and_then_page_by_page(client: redis.Redis) -> None:
    """No request costs more because there are more games."""
    games, lobby = make_games(), Lobby(client)
    snapshot = games.snapshot(start_game(games))
    for number in range(MOST_LOOKED_AT + 50):
        state = replace(snapshot.state, game=f"g_{number:022d}")
        put(lobby, replace(snapshot, state=state), NOON + timedelta(seconds=number))
    rare = games.create("modern", {}, people(2)).game
    put(lobby, games.snapshot(rare), NOON - timedelta(1))
    wish = GameFilter(name="Anna", edition="modern")
    page = lobby.page(wish)
    assert (page.games, page.cursor is None) == ((), False)
    assert [line.id for line in lobby.page(wish, page.cursor).games] == [rare]


def test_lines_from_before_are_read_and_written_anew(client: redis.Redis) -> None:
    """The mark of a whole lobby is another one now, so that the reconciler makes it again."""
    backend = build_backend(client)
    game = start_game(backend.games)
    snapshot = backend.games.snapshot(game)
    member = write_member(datetime.fromisoformat(snapshot.created_at), game)
    for name in ("lobby:classic", "lobby:*", "*:classic", "*:*"):
        client.zadd("croupier:{lobby}:" + name, {member: 0})
    line = f'{{"id":"{game}","edition":"classic","status":"lobby","created":"{snapshot.created_at}",'
    line += '"round":0,"rounds":4,"seats":[{"seat":0,"name":"Anna"}],"winners":null}'
    client.hset("croupier:{lobby}:games", game, "0001" + line)
    client.set("croupier:{lobby}:whole", 1)
    (old,) = backend.lobby.page(GameFilter(status="lobby")).games
    assert (old.version, old.updated) == (0, snapshot.created_at)
    assert not backend.lobby.is_whole()
    describe_game(backend, game)
    assert ids(backend.lobby, status="lobby") == ids(backend.lobby, status="lobby", edition="classic") == []
    assert ids(backend.lobby, status="playing") == ids(backend.lobby, order="changed") == [game]


def test_seats_that_nobody_can_take_are_not_offered_by_lists_from_before(client: redis.Redis) -> None:
    """Such a list still names the game; its line says that it is over."""
    games, lobby = make_games(), Lobby(client)
    game = games.create("modern", {}, [SeatPlan(name="Anna"), SeatPlan()]).game
    lobby.update(games.snapshot(game))
    names = [*client.scan_iter("croupier:{lobby}:*open:1")]
    kept = {key: cast(bytes, client.dump(key)) for key in names}
    games.execute(game, Caller(0), Cancel(0))
    lobby.update(games.snapshot(game))
    for key, value in kept.items():
        client.restore(key, 0, value, replace=True)
    assert len(names) == 2
    assert ids(lobby, open_seats=1) == ids(lobby, open_seats=1, order="changed") == []
