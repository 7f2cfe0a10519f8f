"""A master, its replicas and sentinels: real processes of the bundled server program."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.ops.redis_server import find_binary
from tests.support.service_process import free_port
from tests.support.waiting import wait_until

NAME = "croupier"
PASSWORD = "pass word@,1"
PASSWORD_IN_URL = quote(PASSWORD)
DOWN_AFTER_SECONDS = 2.0
SERVER = """\
port {port}
bind 127.0.0.1
dir {folder}
logfile {folder}/log
requirepass "{password}"
masterauth "{password}"
appendonly yes
appendfsync always
save ""
maxmemory-policy noeviction
repl-diskless-sync yes
repl-diskless-sync-delay 0
"""
_SENTINEL = """\
port {port}
bind 127.0.0.1
dir {folder}
logfile {folder}/log
sentinel monitor {name} 127.0.0.1 {master} 2
sentinel auth-pass {name} "{password}"
sentinel down-after-milliseconds {name} {down_after}
sentinel failover-timeout {name} 10000
sentinel parallel-syncs {name} 2
"""


class Node:
    """One server process with a folder and a port of its own."""

    def __init__(self, folder: Path, config: str, is_sentinel: bool = False, **told: object) -> None:
        folder.mkdir(parents=True)
        self.port = free_port()
        self._is_sentinel = is_sentinel
        self._file = folder / "node.conf"
        self._file.write_text(config.format(port=self.port, folder=folder, password=PASSWORD, **told))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *options: str) -> None:
        mode = ["--sentinel"] if self._is_sentinel else []
        self._process = subprocess.Popen(
            [find_binary(), str(self._file), *options, *mode], stdout=subprocess.DEVNULL
        )

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def client(self) -> redis.Redis:
        password = None if self._is_sentinel else PASSWORD
        return redis.Redis(
            port=self.port, password=password, socket_timeout=1, retry=Retry(NoBackoff(), 0), protocol=2
        )

    def call(self, *command: object) -> Any:
        """The bare reply to a command."""
        with self.client() as client:
            connection: Any = client.connection_pool.get_connection()
            connection.send_command(*command)
            return connection.read_response()

    def is_answering(self) -> bool:
        with suppress(redis.RedisError):
            return bool(self.call("PING"))
        return False

    def count_replicas(self) -> int:
        """How many replicas are online."""
        with self.client() as client, suppress(redis.RedisError):
            told = client.info("replication")
            replicas = (told[f"slave{number}"] for number in range(told["connected_slaves"]))
            return sum(replica["state"] == "online" for replica in replicas)
        return 0

    def send_signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """Also one that is stopped."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class SentinelSet:
    """One master, replicas and sentinels on this machine."""

    def __init__(self, folder: Path, replicas: int = 2, down_after: float = DOWN_AFTER_SECONDS) -> None:
        self.servers = [Node(folder / f"server-{number}", SERVER) for number in range(replicas + 1)]
        self.sentinels = [
            Node(
                folder / f"sentinel-{number}",
                _SENTINEL,
                is_sentinel=True,
                name=NAME,
                master=self.servers[0].port,
                down_after=int(down_after * 1000),
            )
            for number in range(3)
        ]

    @property
    def url(self) -> str:
        """The setting REDIS_URL for these servers."""
        hosts = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self.sentinels)
        return f"redis+sentinel://:{PASSWORD_IN_URL}@{hosts}/{NAME}"

    def start(self) -> None:
        self.start_servers()
        for sentinel in self.sentinels:
            sentinel.start()
        wait_until(self._is_watched, "the sentinels knowing each other and the replicas")

    def start_servers(self) -> None:
        """The master and its replicas, without sentinels."""
        master, *replicas = self.servers
        master.start()
        for replica in replicas:
            replica.start("--replicaof", f"127.0.0.1 {master.port}")
        self.await_replicas(master, len(replicas))

    def stop(self) -> None:
        for node in (*self.sentinels, *self.servers):
            node.kill()

    def await_replicas(self, master: Node, number: int) -> None:
        wait_until(lambda: master.count_replicas() == number, "the replicas following the master")

    def _is_watched(self) -> bool:
        return all(self._knows_all(sentinel) for sentinel in self.sentinels)

    def _knows_all(self, sentinel: Node) -> bool:
        with sentinel.client() as client, suppress(redis.RedisError):
            told = client.sentinel_master(NAME)
            others = len(self.servers) - 1, len(self.sentinels) - 1
            return (told["num-slaves"], told["num-other-sentinels"]) == others
        return False

    def await_master(self, other_than: Node | None = None) -> Node:
        """The server that a sentinel names as the master."""
        found: list[Node] = []

        def is_there() -> bool:
            found[:] = [node for node in self._named() if node is not other_than]
            return bool(found)

        wait_until(is_there, "a master that a sentinel names")
        return found[0]

    def pick_master(self, number: int) -> Node:
        """The master: there is one only."""
        return self.await_master()

    def replicas_of(self, master: Node) -> list[Node]:
        return [node for node in self.servers if node is not master]

    def repair(self) -> None:
        """Start the server that was killed; wait until all follow one master."""
        master = self.await_master()
        for node in self.servers:
            if not node.is_running:
                node.start("--replicaof", f"127.0.0.1 {master.port}")
        self.await_replicas(master, len(self.servers) - 1)

    def _named(self) -> Iterator[Node]:
        for sentinel in self.sentinels:
            with sentinel.client() as client, suppress(redis.RedisError):
                named = client.sentinel_get_master_addr_by_name(NAME)
                yield from (node for node in self.servers if named and node.port == named[1])


@contextmanager
def run_sentinel_set(
    folder: Path, replicas: int = 2, down_after: float = DOWN_AFTER_SECONDS
) -> Iterator[SentinelSet]:
    """Servers and sentinels that know each other; at the end all are killed."""
    servers = SentinelSet(folder, replicas, down_after)
    try:
        servers.start()
        yield servers
    finally:
        servers.stop()
