"""Stand-ins under the real supervisor: `python -m tests.support.stand_in_service KIND [DATA_DIR]`."""

import os
import subprocess
import sys
from functools import partial

from service import logs
from service.ops.processes import StoppedTimer, spawn
from service.ops.redis_server import RedisServer
from service.ops.supervision import Child, Supervisor
from service.run_folder import NAME, beat_for, measure_silence
from tests.support.waiting import PATIENCE

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
LOOPING = """
while True: pass
"""
BEATING = """
from time import sleep
from service.run_folder import beat
while True: beat(); sleep(0.05)
"""
PROGRAMS = {"polite": POLITE, "stubborn": STUBBORN, "short": "", "looping": LOOPING, "beating": BEATING}
# Far above what a busy machine takes from a process that beats.
HANG_SECONDS = 3.0


def command(kind: str, name: str) -> list[str]:
    return [sys.executable, "-c", BEGINNING + PROGRAMS[kind], name]


def stand_in(kind: str, name: str) -> Child:
    return Child(name, partial(spawn, command(kind, name)))


def beating_stand_in(kind: str, name: str) -> Child:
    """One that is expected to beat."""

    def launch() -> subprocess.Popen[bytes]:
        beat_for(name)
        return spawn(command(kind, name), {**os.environ, NAME: name})

    return Child(name, launch, measure_silence=lambda _: measure_silence(name), hang_seconds=HANG_SECONDS)


def run_beating(kind: str) -> int:
    return Supervisor([beating_stand_in(kind, "one"), beating_stand_in("beating", "two")]).run()


def run_stand_ins(kind: str) -> int:
    children = [stand_in(kind, "one"), stand_in(kind, "two")]
    base = [stand_in("polite", "base")]
    # On a busy machine a polite one takes its time, and is not to be killed for that.
    grace = 1.0 if kind == "stubborn" else PATIENCE
    return Supervisor(children, base, announce=announce, grace=grace).run()


def announce() -> None:
    # In one piece: with PYTHONUNBUFFERED, print writes the end of the line apart, and others write between.
    os.write(1, b"open\n")


def run_with_redis(data_dir: str, binary: str | None) -> int:
    with RedisServer(data_dir, binary) as server:
        print(server.url, flush=True)
        redis = Child("redis", server.spawn, server.process, StoppedTimer(), HANG_SECONDS)
        return Supervisor([], (redis,)).run()


if __name__ == "__main__":
    logs.configure("debug")
    if sys.argv[1] == "redis":
        sys.exit(run_with_redis(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None))
    if sys.argv[1] in ("looping", "beating"):
        sys.exit(run_beating(sys.argv[1]))
    sys.exit(run_stand_ins(sys.argv[1]))
