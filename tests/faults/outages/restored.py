"""A backup put back under warm processes, at every version of a card game with three people."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

from service.ops.redis_server import RedisServer
from tests.support.app import capture_log
from tests.support.restores import MOST_MOVES, check_restore, open_world

# Restores between two lines of what is told.
STEP = 50


def walk(last: int) -> Iterator[tuple[int, int]]:
    """From every version to the one before, to one near and to any."""
    random = Random(1)
    for at in range(2, last + 1):
        near = max(1, at - random.randrange(2, MOST_MOVES + 2))
        yield from ((at, back) for back in sorted({at - 1, near, random.randrange(1, at)}))


def run(folder: Path) -> bool:
    """Whatever is told or done of a branch that was lost ends it."""
    logging.disable(logging.WARNING)
    restores = 0
    with (
        RedisServer(folder, os.environ.get("CROUPIER_REDIS_SERVER")) as server,
        capture_log(),
        open_world(server.url) as world,
    ):
        for at, back in walk(len(world.points)):
            try:
                check_restore(world, server.url, at, back, thoroughly=True)
            except AssertionError as fault:
                print(f"   from version {at} to {back}: {fault}", flush=True)
                return False
            restores += 1
            if restores % STEP == 0:
                print(f"   {restores} restores, at version {at} of {len(world.points)}", flush=True)
    print(f"   {restores} restores at {len(world.points)} versions: nothing of a lost branch", flush=True)
    return True
