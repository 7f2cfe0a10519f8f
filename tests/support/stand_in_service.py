"""A house of stand-in children: `python -m tests.support.stand_in_service KIND [DATA_DIR]`."""

import sys
from functools import partial

from service import logs
from service.ops.embedded_server import RedisServer
from service.ops.processes import spawn
from service.ops.supervision import Child, Supervisor

PROGRAMS = {
    "steady": "import signal; signal.pause()",
    "stubborn": "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: signal.pause()",
    "short": "pass",
}


def stand_in(kind: str, name: str) -> Child:
    return Child(name, partial(spawn, [sys.executable, "-c", PROGRAMS[kind]]))


def run_stand_ins(kind: str) -> int:
    children = [stand_in(kind, "one"), stand_in("steady", "two")]
    return Supervisor(children, announce=lambda: print("open", flush=True), grace=1.0).run()


def run_with_redis(data_dir: str, binary: str | None) -> int:
    with RedisServer(data_dir, binary) as server:
        print(server.url, flush=True)
        return Supervisor([], (Child("redis", server.spawn, server.process),)).run()


if __name__ == "__main__":
    logs.configure()
    if sys.argv[1] == "redis":
        sys.exit(run_with_redis(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None))
    sys.exit(run_stand_ins(sys.argv[1]))
