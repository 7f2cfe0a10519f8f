"""Stand-ins under the real supervisor: `python -m tests.support.stand_in_service KIND [DATA_DIR]`."""

import sys
from functools import partial

from service import logs
from service.ops.embedded_server import RedisServer
from service.ops.processes import spawn
from service.ops.supervision import Child, Supervisor

BEGINNING = """
import os, signal, sys
def say(word):
    os.write(1, f"{sys.argv[1]} {word}\\n".encode())
"""
# Whoever dies with the supervisor instead of being stopped by it has no time to say goodbye.
POLITE = """
def leave(number, frame):
    say("stopped")
    sys.exit()
signal.signal(signal.SIGTERM, leave)
say("ready")
while True: signal.pause()
"""
STUBBORN = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
say("ready")
while True: signal.pause()
"""
PROGRAMS = {"polite": POLITE, "stubborn": STUBBORN, "short": ""}


def command(kind: str, name: str) -> list[str]:
    return [sys.executable, "-c", BEGINNING + PROGRAMS[kind], name]


def stand_in(kind: str, name: str) -> Child:
    return Child(name, partial(spawn, command(kind, name)))


def run_stand_ins(kind: str) -> int:
    children = [stand_in(kind, "one"), stand_in(kind, "two")]
    base = [stand_in("polite", "base")]
    return Supervisor(children, base, announce=lambda: print("open", flush=True), grace=1.0).run()


def run_with_redis(data_dir: str, binary: str | None) -> int:
    with RedisServer(data_dir, binary) as server:
        print(server.url, flush=True)
        return Supervisor([], (Child("redis", server.spawn, server.process),)).run()


if __name__ == "__main__":
    logs.configure()
    if sys.argv[1] == "redis":
        sys.exit(run_with_redis(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None))
    sys.exit(run_stand_ins(sys.argv[1]))
