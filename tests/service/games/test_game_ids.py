"""Keys of requests that come without a token: nobody guesses them, and no id gives them away."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from events.redis import connect
from events.redis_store import RedisStore
from events.store import Store
from events.values import SeatPlan
from service.games.games import Games
from service.games.idempotency import ANONYMOUS, is_weak, name_game
from service.games.seating import Seating
from service.games.writer import Caller
from service.ops.redis_server import RedisServer
from tests.support.api_client import ApiClient, long_key
from tests.support.app import open_memory
from tests.support.games import export_game, make_games, people
from tests.support.stores import FalteringStore
from tests.support.waiting import PATIENCE

AT_ONCE = 20
WEAK = (
    "k-1",
    "create-1",
    "0123456789abcdef",
    "a" * 32,
    "ab" * 64,
    "1234567890" * 4,
    "0123456789abcdef" * 2,
    str(UUID(int=0)),
    str(UUID(int=1)),
    str(UUID(int=2**128 - 1)),
    "11111111-1111-1111-1111-111111111111",
)
TABLE = {"edition": "classic", "seats": [{"name": "Anna"}, {"open": True}, {"open": True}]}


@given(st.uuids(version=4), st.sampled_from((str, lambda key: key.hex, lambda key: str(key).upper())))
def test_every_random_uuid_will_do(key: UUID, write: Any) -> None:
    assert not is_weak(ANONYMOUS, write(key))


@pytest.mark.parametrize("key", WEAK)
def test_without_a_token_a_weak_key_is_refused_with_advice(api: ApiClient, key: str) -> None:
    game = api.create(*TABLE["seats"])  # type: ignore[arg-type]
    for address, body in (("/v1/games", TABLE), (f"{game.address}/seats", {"name": "Ben"})):
        reply = api.post(address, body, Idempotency_Key=key)
        problem = reply.get_json()
        assert (reply.status_code, problem["code"]) == (400, "weak_key")
        assert "UUID" in problem["detail"]
        assert problem["errors"][0]["parameter"] == "Idempotency-Key"
    assert game.version() == 1
    assert [seat.get("open") for seat in game.table()["seats"]].count(True) == 2


def test_with_a_token_a_short_key_will_do(api: ApiClient) -> None:
    game = api.create(*TABLE["seats"])  # type: ignore[arg-type]
    seats = [
        api.post(f"{game.address}/seats", {"name": "Ben"}, game.tokens[0], Idempotency_Key="1").get_json()
        for _ in range(2)
    ]
    assert seats[0] == seats[1]


def test_the_same_key_of_two_senders_makes_two_games(store: Store) -> None:
    games = make_games(store)
    made = [
        games.create("classic", {}, people(2), caller=Caller(key=long_key(1), sender=sender))
        for sender in ("", "p_1", "p_2")
    ]
    assert len({seated.game for seated in made}) == 3
    again = games.create("classic", {}, people(2), caller=Caller(key=long_key(1), sender="p_2"))
    assert (again.game, again.tokens, again.replayed) == (made[2].game, made[2].tokens, True)


def test_the_same_key_of_two_senders_takes_two_seats(store: Store) -> None:
    games = make_games(store)
    game = games.create("classic", {}, [SeatPlan(name="Anna"), SeatPlan(), SeatPlan()]).game
    seated = [
        games.sit(game, "Ben", caller=Caller(key=long_key(1), sender=sender)) for sender in ("", "seat-0")
    ]
    assert [list(sat.tokens) for sat in seated] == [[1], [2]]
    again = games.sit(game, "Ben", caller=Caller(key=long_key(1)))
    assert (again.tokens, again.replayed) == (seated[0].tokens, True)


# What the id tells


def test_the_id_tells_nothing_of_the_key(memory: redis.Redis) -> None:
    """Whoever has id and log, and guesses right, cannot know that he does."""
    key, stores = long_key(1), (RedisStore(memory), RedisStore(open_memory()))
    made = [make_games(store).create("classic", {}, people(2), caller=Caller(key=key)) for store in stores]
    assert len({seated.game for seated in made}) == 2
    unkeyed = name_game(sha256(f"game|{key}".encode()).digest())
    assert unkeyed not in {seated.game for seated in made}
    public = str(export_game(make_games(stores[0]), made[0].game))
    for guess in (key, sha256(key.encode()).hexdigest(), sha256(f"create|{key}".encode()).hexdigest()[:32]):
        assert guess not in public


def test_the_secret_of_the_ids_is_drawn_once_and_outlives_every_process(memory: redis.Redis) -> None:
    secret = RedisStore(memory).secret()
    assert (len(secret), RedisStore(memory).secret()) == (32, secret)
    assert RedisStore(memory).list_games() == []


def test_a_log_without_its_secret_gets_another(memory: redis.Redis) -> None:
    """As after a restore to before the first game; processes that are warm go by what is there."""
    store = RedisStore(memory)
    games, secret = make_games(store), store.secret()
    first = games.create("classic", {}, people(2), caller=Caller(key=long_key(1)))
    memory.flushall()
    again = games.create("classic", {}, people(2), caller=Caller(key=long_key(1)))
    assert (again.replayed, again.game == first.game, store.secret() == secret) == (False, False, False)
    assert Games(store).create("classic", {}, people(2), caller=Caller(key=long_key(1))).game == again.game


# Repeats


def test_of_twenty_creations_at_once_there_is_one_game_and_one_reply(
    redis_server: RedisServer, real_redis: redis.Redis
) -> None:
    """In as many processes, and none of them has seen the secret before."""
    start = Barrier(AT_ONCE)

    def create(_: int) -> Seating:
        with connect(redis_server.url) as client:
            games = Games(RedisStore(client))
            start.wait(PATIENCE)
            return games.create("classic", {}, people(3), caller=Caller(key=long_key(1)))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        made = list(pool.map(create, range(AT_ONCE)))
    assert len(RedisStore(real_redis).list_games()) == 1
    assert len({(seated.game, *seated.tokens.items()) for seated in made}) == 1
    assert [seated.replayed for seated in made].count(False) == 1


def test_a_creation_whose_reply_was_lost_is_told_again() -> None:
    store = FalteringStore()
    store.after = 1
    first = make_games(store).create("classic", {}, people(2), caller=Caller(key=long_key(1)))
    again = make_games(store).create("classic", {}, people(2), caller=Caller(key=long_key(1)))
    assert (again.game, again.tokens) == (first.game, first.tokens)
    assert (len(first.tokens), store.list_games()) == (2, [first.game])
