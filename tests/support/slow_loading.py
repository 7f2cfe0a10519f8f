"""A server that takes its time to load what it has."""

from pathlib import Path
from random import Random

import redis

from service.ops.redis_server import RedisServer, find_binary
from tests.support.waiting import wait_until

KEYS = 300
# Every key is loaded so many microseconds late; after each, as none can be compressed, the server answers.
SCRIPT = """#!/bin/sh
test "$1" = - && set -- - --key-load-delay {delay} --loading-process-events-interval-bytes 1024
exec '{binary}' "$@"
"""


def make_slow_server(folder: Path, binary: str | None, seconds: float, keys: int = KEYS) -> RedisServer:
    """Not started yet; a server of so many keys that was there before has left them in the folder.

    What is written later is loaded as slowly: a command takes as long as a key.
    """
    with RedisServer(folder, binary) as server, redis.Redis.from_url(server.url) as client:
        client.mset({f"key-{number}": Random(number).randbytes(1500) for number in range(keys)})
        client.bgrewriteaof()
        wait_until(lambda: _is_rewritten(client), "the log as a file of keys")
    script = folder / "slow-server"
    script.write_text(SCRIPT.format(delay=int(seconds * 1e6 / keys), binary=find_binary(binary)))
    script.chmod(0o700)
    return RedisServer(folder, str(script))


def _is_rewritten(client: redis.Redis) -> bool:
    info = client.info("persistence")
    return not info["aof_rewrite_in_progress"] and not info["aof_rewrite_scheduled"]
