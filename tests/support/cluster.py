"""A cluster of masters with their replicas: real processes of the bundled server program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import redis

from events.cluster import SLOTS, View, parse_nodes, slot_of
from events.layout import CLUSTER_PARTITIONS, Layout
from events.server_url import Address
from tests.support.sentinel import PASSWORD_IN_URL, SERVER, Node
from tests.support.service_process import free_port
from tests.support.waiting import wait_until

NODE_TIMEOUT_SECONDS = 2.0
_CLUSTER = (
    SERVER
    + """\
cluster-enabled yes
cluster-port {bus}
cluster-config-file nodes.conf
cluster-node-timeout {timeout}
cluster-require-full-coverage no
cluster-allow-reads-when-down no
"""
)


class ClusterSet:
    """Masters with so many replicas each, on this machine."""

    def __init__(
        self, folder: Path, masters: int = 3, replicas: int = 1, timeout: float = NODE_TIMEOUT_SECONDS
    ) -> None:
        number = masters * (1 + replicas)
        self._masters = masters
        # Left to itself, a server takes its port plus 10,000 for the others, whoever has that.
        self._buses = [free_port() for _ in range(number)]
        self.nodes = [
            Node(folder / f"node-{at}", _CLUSTER, bus=bus, timeout=int(timeout * 1000))
            for at, bus in enumerate(self._buses)
        ]

    @property
    def url(self) -> str:
        """The setting REDIS_URL for this cluster."""
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes[:3])
        return f"redis+cluster://:{PASSWORD_IN_URL}@{hosts}"

    def start(self) -> None:
        for node in self.nodes:
            node.start()
        wait_until(lambda: all(node.is_answering() for node in self.nodes), "all servers answering")
        first = self.nodes[0]
        for number, node in enumerate(self.nodes[: self._masters]):
            low = SLOTS * number // self._masters
            high = SLOTS * (number + 1) // self._masters - 1
            node.call("CLUSTER", "ADDSLOTSRANGE", low, high)
            node.call("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        for node, bus in zip(self.nodes[1:], self._buses[1:], strict=True):
            first.call("CLUSTER", "MEET", "127.0.0.1", node.port, bus)
        wait_until(lambda: all(map(self._knows_all, self.nodes)), "all servers knowing each other")
        for number, node in enumerate(self.nodes[self._masters :]):
            master = self.nodes[number % self._masters]
            node.call("CLUSTER", "REPLICATE", master.call("CLUSTER", "MYID").decode())
        wait_until(self.is_whole, "all replicas following their masters")

    def stop(self) -> None:
        for node in self.nodes:
            node.kill()

    def _knows_all(self, node: Node) -> bool:
        with suppress(redis.RedisError):
            return len(_ask_for_map(node).servers) == len(self.nodes)
        return False

    def is_whole(self) -> bool:
        """Whether all servers run, all slots are served, and all replicas are online."""
        replicas = len(self.nodes) // self._masters - 1
        with suppress(redis.RedisError):
            masters = [node for node in self.nodes if node.call("ROLE")[0] == b"master"]
            is_well = all(b"cluster_state:ok" in node.call("CLUSTER", "INFO") for node in self.nodes)
            online = [node.count_replicas() for node in masters]
            return is_well and online == [replicas] * self._masters
        return False

    def master_of(self, key: str) -> Node:
        """The master of a key, by the first server that answers."""
        found: list[Node] = []

        def is_known() -> bool:
            found[:] = self._find_master(slot_of(key))
            return bool(found)

        wait_until(is_known, f"a master of {key}")
        return found[0]

    def _find_master(self, slot: int) -> list[Node]:
        for node in self.nodes:
            with suppress(redis.RedisError):
                for claim in _ask_for_map(node).claims:
                    if any(first <= slot <= last for first, last in claim.slots):
                        return [one for one in self.nodes if one.port == claim.master.port]
        return []

    def pick_master(self, number: int) -> Node:
        """One master after the other, of those that have partitions."""
        layout = Layout(CLUSTER_PARTITIONS)
        masters = {self.master_of(layout.feed_key(partition)).port for partition in range(0, 256, 8)}
        port = sorted(masters)[number % len(masters)]
        return next(node for node in self.nodes if node.port == port)

    def move_slots(self, source: Node, target: Node) -> int:
        """Move a third of the slots of one master to another at once; how many."""
        [(first, last), *_] = next(
            claim.slots for claim in _ask_for_map(source).claims if claim.master.port == source.port
        )
        end = first + (last - first) // 3
        to = target.call("CLUSTER", "MYID").decode()
        source.call("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", first, end, "NODE", to)
        wait_until(lambda: self._find_master(end) == [target], "the slots being moved")
        return end + 1 - first

    def repair(self) -> None:
        """Start the server that was killed; wait until every master has its replicas."""
        for node in self.nodes:
            if not node.is_running:
                node.start()
        wait_until(self.is_whole, "all replicas following their masters")

    def replicas_of(self, master: Node) -> list[Node]:
        ports = {int(one[1]) for one in master.call("ROLE")[2]}
        return [node for node in self.nodes if node.port in ports]


def _ask_for_map(node: Node) -> View:
    return parse_nodes(node.call("CLUSTER", "NODES").decode(), Address("127.0.0.1", node.port))


@contextmanager
def run_cluster(
    folder: Path, masters: int = 3, replicas: int = 1, timeout: float = NODE_TIMEOUT_SECONDS
) -> Iterator[ClusterSet]:
    """A cluster that serves all slots; at the end all servers are killed."""
    cluster = ClusterSet(folder, masters, replicas, timeout)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
