"""Who made a game: enough to be fair, and nothing that anybody is shown."""

from __future__ import annotations

import pytest
import redis
from flask import Flask

from events.redis_store import RedisStore
from events.values import SeatPlan
from service.games.creators import Creators
from service.games.games import Games
from service.http.addresses import network_of
from service.queue.fair_queue import FairQueue
from tests.support.api_client import ApiClient
from tests.support.app import open_memory
from tests.support.stores import LAYOUT

EVE = "192.0.2.7"


def create_from(app: Flask, address: str) -> ApiClient:
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = address
    return ApiClient(client)


def test_all_processes_know_a_caller_by_the_same_hash(memory: redis.Redis) -> None:
    one, other = Creators(memory), Creators(memory)
    assert one.identify(EVE) == other.identify(EVE)
    assert one.identify(EVE) != one.identify("192.0.2.8")


def test_without_the_key_an_address_cannot_be_told_from_its_hash(memory: redis.Redis) -> None:
    with open_memory() as elsewhere:
        assert Creators(memory).identify(EVE) != Creators(elsewhere).identify(EVE)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        (EVE, EVE),
        ("::ffff:192.0.2.7", EVE),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("", ""),
        ("unix:", "unix:"),
    ],
)
def test_whoever_has_an_ipv6_address_has_its_network(address: str, network: str) -> None:
    assert network_of(address) == network


def test_a_game_knows_its_creator_and_the_log_does_not(app: Flask, memory: redis.Redis) -> None:
    game = create_from(app, EVE).create({"name": "Anna"}, {"bot": "random"}, options={"start_seat": 0})
    creator = Creators(memory).identify(EVE)
    assert Games(RedisStore(memory)).creator_of(game.id) == creator
    stored = RedisStore(memory).read_stored(game.id)
    assert stored
    assert all(creator.encode() not in entry for entry in stored)


def test_a_persons_choice_puts_the_game_in_its_creators_lane_at_once(app: Flask, memory: redis.Redis) -> None:
    """Whoever chooses, from wherever: the time is the creator's."""
    game = create_from(app, EVE).create({"name": "Anna"}, {"bot": "random"}, options={"start_seat": 0})
    assert FairQueue(memory).take() is None
    seat, ask = game.ask()
    game.choose(seat, ask["ask"], ask["options"][0]["choice"])
    turn = FairQueue(memory).take()
    assert turn is not None
    assert (turn.game, turn.creator, turn.is_awaited) == (game.id, Creators(memory).identify(EVE), True)


def test_games_from_before_share_a_lane(memory: redis.Redis) -> None:
    games = Games(RedisStore(memory))
    game = games.create("classic", {}, [SeatPlan("Anna"), SeatPlan("Ben")]).game
    memory.hdel(LAYOUT.game_key("vault", game), "creator")
    assert Games(RedisStore(memory)).creator_of(game) == ""
