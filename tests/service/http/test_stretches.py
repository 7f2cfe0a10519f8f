"""No request holds an API process: while one computes, the others go on."""

import subprocess
import sys
from collections.abc import Iterable

import pytest
from msgspec import Struct, json

from events.redis import connect
from service.http.register import OPERATIONS
from service.ops.redis_server import RedisServer

# Of processor time between two switches, in a process that serves all requests in one thread.
MOST_MILLISECONDS = 50.0
LARGEST_REFUSAL = 8 * 1024


class Measured(Struct, frozen=True):
    operation: str
    call: str
    status: int
    length: int
    milliseconds: float


def measure(url: str, names: Iterable[str] = ()) -> list[Measured]:
    """See `tests.support.stretches`, which is a program of its own because gevent patches all of it."""
    command = [sys.executable, "-m", "tests.support.stretches", url, *names]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return [json.decode(line, type=Measured) for line in done.stdout.splitlines()]


@pytest.mark.long
def test_no_operation_holds_a_process_for_long_with_its_dearest_input(spare_redis: RedisServer) -> None:
    measured = measure(spare_redis.url)
    assert {one.operation for one in measured} == {operation.id for operation in OPERATIONS}
    refusals = [one for one in measured if one.status >= 400]
    assert [one for one in refusals if one.length > LARGEST_REFUSAL] == []
    assert [one for one in measured if one.status >= 500] == []
    # Whatever else the machine does counts now and then; what holds a process does so each time.
    for _ in range(2):
        measured = [one for one in measured if one.milliseconds > MOST_MILLISECONDS]
        if measured:
            empty(spare_redis.url)
            measured = measure(spare_redis.url, {one.operation for one in measured})
    assert [one for one in measured if one.milliseconds > MOST_MILLISECONDS] == []


def empty(url: str) -> None:
    """Make room for another world."""
    with connect(url) as client:
        client.flushall()
