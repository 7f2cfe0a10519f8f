"""A disk that takes its time for every write. Needs gcc, for a library between the server and the disk."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from service.ops.redis_server import find_binary
from tests.faults.outages.attacked import NotRun, attack_service, now, wait_for
from tests.support.service_process import descendants_matching, kill

SOURCE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
static void delay(void) {
    struct stat slow;
    if (stat(getenv("SLOW_DISK"), &slow)) return;
    struct timespec pause = {slow.st_size / 1000, slow.st_size % 1000 * 1000000L};
    nanosleep(&pause, 0);
}
int fsync(int fd) { delay(); return ((int (*)(int)) dlsym(RTLD_NEXT, "fsync"))(fd); }
int fdatasync(int fd) { delay(); return ((int (*)(int)) dlsym(RTLD_NEXT, "fdatasync"))(fd); }
"""
SCRIPT = """#!/bin/sh
test "$1" = - && export LD_PRELOAD='{library}'
exec '{binary}' "$@"
"""
SECONDS = 12.0


def build_slow_server(folder: Path) -> str:
    """A server whose every sync takes as many milliseconds as a file has bytes."""
    source, library, script = folder / "slow.c", folder / "slow.so", folder / "slow-server"
    source.write_text(SOURCE)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    binary = find_binary(os.environ.get("CROUPIER_REDIS_SERVER"))
    script.write_text(SCRIPT.format(library=library, binary=binary))
    script.chmod(0o700)
    return str(script)


def run(folder: Path) -> bool:
    if not shutil.which("gcc"):
        raise NotRun("it needs gcc")
    delay = folder / "delay"
    server = build_slow_server(folder)
    with attack_service(folder, CROUPIER_REDIS_SERVER=server, SLOW_DISK=str(delay)) as attacked:
        for milliseconds in (300, 2_500, 7_000):
            started = now()
            delay.write_bytes(b"x" * milliseconds)
            attacked.people.await_answering()
            wait_for(SECONDS)
            if milliseconds == 2_500:
                kill(descendants_matching(attacked.pid, "(redis|valkey)-server"))
            said = {one.word for one in attacked.watcher.select("/readyz", started)}
            reads = attacked.describe_reads(started)
            delay.unlink()
            recovery = attacked.await_recovery(now())
            print(f"   {milliseconds} ms a sync: /readyz said {said}; {reads}; ready {recovery}", flush=True)
            attacked.people.play_further()
    return attacked.has_held
