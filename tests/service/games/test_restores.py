"""A restore under warm processes, at many points of a card game with three people, on a real Redis.

`make faults ATTACK=restore` does it at every point, and with all that anybody can read.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from random import Random

import pytest
import redis

from service.ops.redis_server import RedisServer
from tests.support.restores import MOST_MOVES, World, check_restore, open_world

CLOSELY = 9
SAMPLE = 4


@pytest.fixture
def world(redis_server: RedisServer, real_redis: redis.Redis, log: BytesIO) -> Iterator[World]:
    with open_world(redis_server.url) as made:
        yield made


def restores(world: World) -> Iterator[tuple[int, int]]:
    """From a version to an earlier one: the one before, one near and any in turn.

    All versions while people sit down and in the first hand, where everything happens for the first time;
    later some. `make faults ATTACK=restore` goes through all.
    """
    last = len(world.points)
    random = Random(1)
    later = random.sample(range(CLOSELY + 1, last), SAMPLE)
    for at in (*range(2, CLOSELY + 1), *later, last):
        near = max(1, at - random.randrange(1, MOST_MOVES + 1))
        yield at, (at - 1, near, random.randrange(1, at))[at % 3]


@pytest.mark.long
def test_nothing_of_a_lost_branch_is_told_or_done(world: World, redis_server: RedisServer) -> None:
    for at, back in restores(world):
        check_restore(world, redis_server.url, at, back)
