"""How much one address may have at once: games that are open, and streams."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import pytest
import redis
from flask import Flask

from service.container import Backend, build_backend
from service.games.creators import Creators
from service.games.deadlines import closing_reason
from service.http.doorbell import Doorbell, TooManyListeners
from service.http.limits import RETRY_SECONDS, StreamQuota, TooManyStreams
from service.http.streaming import Streams
from service.lobby.open_games import LOOKED_AT, OpenGames
from service.lobby.rebuild import rebuild_lobby
from tests.support.api_client import ApiClient
from tests.support.app import ANNA, EVE, Open, client_at
from tests.support.contract import check_response
from tests.support.finished_games import put_finished
from workers.projector import projection_handler

PLAN = {"edition": "classic", "seats": [{"name": "Anna"}, {"open": True}]}
KEY = "0c1ab1e5-7a9f-4f0e-9d5c-2f8c1d0e9b7a"


@pytest.fixture
def backend(memory: redis.Redis) -> Backend:
    return build_backend(memory)


@pytest.fixture
def app(open_limited: Open) -> Flask:
    return open_limited(open_games=2, open_streams=2)


@pytest.fixture
def eve(app: Flask) -> ApiClient:
    return client_at(app, EVE)


def count_open(backend: Backend, address: str = EVE) -> int:
    return backend.open_games.count(Creators(backend.redis).identify(address))


def project(backend: Backend, game: str) -> None:
    projection_handler(backend)(game, backend.games.commits(game))


def close(backend: Backend, game: str) -> None:
    snapshot = backend.games.snapshot(game)
    assert backend.games.close(game, closing_reason(snapshot), "clock", snapshot.version)


def test_who_has_enough_games_open_gets_no_other(app: Flask, eve: ApiClient) -> None:
    games = [eve.post("/v1/games", PLAN) for _ in range(3)]
    assert [reply.status_code for reply in games] == [201, 201, 429]
    assert games[2].get_json()["code"] == "too_many_games"
    assert "may have 2 open games" in games[2].get_json()["detail"]
    assert games[2].headers["Retry-After"] == str(RETRY_SECONDS)
    assert client_at(app, ANNA).post("/v1/games", PLAN).status_code == 201


def test_who_ended_enough_games_today_gets_no_other_until_tomorrow(
    open_limited: Open, backend: Backend
) -> None:
    app = open_limited(daily_games=2)
    eve = client_at(app, EVE)
    games = [eve.post("/v1/games", PLAN).get_json()["id"] for _ in range(2)]
    for game in games:
        close(backend, game)
        project(backend, game)
        project(backend, game)
    refused = eve.post("/v1/games", PLAN)
    assert (refused.status_code, refused.get_json()["code"]) == (429, "too_many_games")
    assert 0 < int(refused.headers["Retry-After"]) <= 86_400
    assert client_at(app, ANNA).post("/v1/games", PLAN).status_code == 201


def test_games_of_other_days_count_no_more(memory: redis.Redis) -> None:
    noon = 1_800_000_000.0 // 86_400 * 86_400 + 43_200
    open_games = OpenGames(memory, lambda: now[0])
    now = [noon]
    open_games.update("g_1", "Eve", is_open=False, ended_at="2027-01-14T12:00:00.000Z")
    open_games.update("g_2", "Eve", is_open=False, ended_at="2027-01-15T11:59:00.000Z")
    assert (open_games.count_ended("Eve"), open_games.seconds_left_today()) == (1, 43_201)
    now = [noon + 86_400]
    assert open_games.count_ended("Eve") == 0


def test_a_rematch_is_another_game_but_for_who_joins_it(eve: ApiClient, backend: Backend) -> None:
    played = eve.create({"name": "Anna"}, {"name": "Ben"})
    close(backend, played.id)
    project(backend, played.id)
    first, _ = [eve.post("/v1/games", PLAN).get_json()["id"] for _ in range(2)]

    def rematch(seat: int) -> int:
        return eve.post(f"{played.address}/rematch", {}, played.tokens[seat]).status_code

    assert rematch(0) == 429
    close(backend, first)
    project(backend, first)
    assert rematch(0) == 201
    assert count_open(backend) == 2
    assert eve.post("/v1/games", PLAN).status_code == 429
    assert rematch(1) == 201


def test_a_game_that_is_over_makes_room(eve: ApiClient, backend: Backend) -> None:
    first, _ = [eve.post("/v1/games", PLAN).get_json()["id"] for _ in range(2)]
    close(backend, first)
    project(backend, first)
    assert count_open(backend) == 1
    assert eve.post("/v1/games", PLAN).status_code == 201
    assert eve.post("/v1/games", PLAN).status_code == 429


def test_what_the_projector_missed_is_found_out(
    eve: ApiClient, backend: Backend, memory: redis.Redis
) -> None:
    """It is behind, or the log was restored: before somebody is refused, some games are looked at."""
    first, second = [eve.post("/v1/games", PLAN).get_json()["id"] for _ in range(2)]
    close(backend, second)
    assert eve.post("/v1/games", PLAN).status_code == 201
    memory.delete(*memory.keys(f"*{first}*"))
    assert eve.post("/v1/games", PLAN).status_code == 201


def test_a_repeated_creation_is_answered_however_many_are_open(eve: ApiClient) -> None:
    first = eve.post("/v1/games", PLAN, Idempotency_Key=KEY)
    assert eve.post("/v1/games", PLAN).status_code == 201
    again = eve.post("/v1/games", PLAN, Idempotency_Key=KEY)
    assert (again.status_code, again.get_json()) == (201, first.get_json())
    assert eve.post("/v1/games", PLAN).status_code == 429


def test_a_repeated_fork_is_answered_however_many_are_open(memory: redis.Redis, eve: ApiClient) -> None:
    address = f"/v1/games/{put_finished(memory)}/forks"
    plan = {"at": 5, "seats": [{"name": "Anna"}, {"bot": "greedy"}]}
    first = eve.post(address, plan, Idempotency_Key=KEY)
    assert eve.post("/v1/games", PLAN).status_code == 201
    again = eve.post(address, plan, Idempotency_Key=KEY)
    assert (again.status_code, again.get_json()) == (201, first.get_json())
    assert eve.post(address, plan).status_code == 429


def test_a_lost_count_is_rebuilt_from_the_log(eve: ApiClient, backend: Backend, memory: redis.Redis) -> None:
    first, second = [eve.post("/v1/games", PLAN).get_json()["id"] for _ in range(2)]
    close(backend, first)
    for key in memory.scan_iter("croupier:{lobby}:*"):
        memory.delete(key)
    assert count_open(backend) == 0
    assert rebuild_lobby(backend) == {}
    assert count_open(backend) == 1
    close(backend, second)
    assert rebuild_lobby(backend) == {}
    assert count_open(backend) == 0


def test_a_game_is_counted_once_however_often_it_is_projected(eve: ApiClient, backend: Backend) -> None:
    game = eve.post("/v1/games", PLAN).get_json()["id"]
    for _ in range(3):
        project(backend, game)
        project(build_backend(backend.redis), game)
    assert count_open(backend) == 1


def test_looking_again_goes_round(backend: Backend) -> None:
    """Not always at the same ones, so that nothing stays counted for ever."""
    clock = iter(range(10_000))
    open_games = type(backend.open_games)(backend.redis, lambda: float(next(clock)))
    names = [f"g_{number}" for number in range(3 * LOOKED_AT)]
    for name in names:
        open_games.update(name, "eve", is_open=True)
    seen: list[str] = []

    def look(name: str) -> bool:
        seen.append(name)
        return True

    for _ in range(3):
        open_games.look_again("eve", look)
    assert sorted(seen) == names


def test_who_has_enough_streams_open_gets_no_other(app: Flask, eve: ApiClient) -> None:
    game = eve.post("/v1/games", PLAN).get_json()["id"]
    doorbell: Doorbell = app.extensions["doorbell"]
    address = f"/v1/games/{game}/events"
    with doorbell.listen(game, EVE), doorbell.listen(game, EVE):
        for headers in ({"Accept": "text/event-stream"}, {}):
            query = "" if headers else "?after=1&wait=1"
            reply = eve.get(address + query, **headers)
            check_response(reply)
            assert (reply.status_code, reply.get_json()["code"]) == (429, "stream_quota")
            assert reply.headers["Retry-After"] == "15"
        assert eve.get(address).status_code == 200
        assert client_at(app, ANNA).get(f"{address}?after=1&wait=0").status_code == 200
    with doorbell.listen(game, EVE):
        assert eve.get(f"{address}?after=1&wait=1").status_code == 200


@pytest.mark.parametrize(("most", "processes", "share"), [(10, 1, 10), (10, 2, 5), (10, 3, 4), (1, 4, 1)])
def test_each_process_allows_its_share_of_the_streams(most: int, processes: int, share: int) -> None:
    quota = StreamQuota(most, processes)
    assert [try_to(lambda: quota.enter(EVE)) for _ in range(share + 1)] == [True] * share + [False]
    assert try_to(lambda: quota.enter(ANNA))
    quota.leave(EVE)
    assert try_to(lambda: quota.enter(EVE))


def test_without_a_limit_or_an_address_nothing_is_counted() -> None:
    assert all(try_to(lambda: StreamQuota(0).enter(EVE)) for _ in range(3))
    quota = StreamQuota(1)
    assert all(try_to(lambda: quota.enter("")) for _ in range(3))


def try_to(act: Callable[[], None]) -> bool:
    try:
        act()
    except TooManyStreams:
        return False
    return True


def test_a_listener_leaves_once(memory: redis.Redis) -> None:
    with closing(Doorbell(memory, quota=StreamQuota(1))) as doorbell:
        for _ in range(3):
            listener = doorbell.listen("g_1", EVE)
            assert not try_to(lambda: doorbell.listen("g_1", EVE).close())
            listener.close()
            listener.close()


def test_where_all_streams_are_taken_whoever_has_most_makes_room(memory: redis.Redis) -> None:
    """His oldest ends and comes back by itself, or is refused; who has few is let in."""
    with closing(Doorbell(memory, most=6)) as doorbell:
        crowd = [doorbell.listen("g_1", EVE) for _ in range(6)]
        first, second = (doorbell.listen("g_1", ANNA) for _ in range(2))
        assert [listener.is_dismissed for listener in crowd] == [True, True, False, False, False, False]
        assert [first.is_dismissed, second.is_dismissed] == [False, False]
        for caller in (ANNA, EVE):
            with pytest.raises(TooManyListeners):
                doorbell.listen("g_1", caller)
        crowd[2].close()
        crowd[0].close()
        doorbell.listen("g_1", EVE).close()


def test_a_stream_that_is_sent_away_says_goodbye(app: Flask, eve: ApiClient) -> None:
    game = eve.post("/v1/games", PLAN).get_json()["id"]
    doorbell: Doorbell = app.extensions["doorbell"]
    streams = Streams(build_backend(doorbell._redis).games, doorbell)
    opening = streams.open_log(game, None, 0, None)
    with doorbell.listen(game) as listener:
        frames = streams.frames(opening.reader, opening.tail, listener)
        assert [next(frames)[:5] for _ in range(2)] == [b"retry", b"id: 1"]
        listener.dismiss()
        assert b"".join(frames) == b'event: bye\ndata: {"version":1}\n\n'
