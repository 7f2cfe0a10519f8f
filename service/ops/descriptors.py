"""How many connections a process can hold at once: each takes a file descriptor, and so does much else."""

import resource

from msgspec import Struct

# For Redis, for files, and for whoever is accepted while another is sent away.
RESERVED = 128
# Beyond this it is memory that a process runs out of.
MOST_CONNECTIONS = 4_000
LEAST_CONNECTIONS = 64


class Capacity(Struct, frozen=True):
    """Connections in all, and how many of them may be streams; the rest is for requests."""

    connections: int
    streams: int


def raise_descriptor_limit() -> None:
    """As far as the process may by itself."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def measure_capacity() -> Capacity:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return plan_capacity(MOST_CONNECTIONS + RESERVED if soft == resource.RLIM_INFINITY else soft)


def plan_capacity(descriptors: int) -> Capacity:
    connections = min(MOST_CONNECTIONS, max(LEAST_CONNECTIONS, descriptors - RESERVED))
    return Capacity(connections, connections * 3 // 4)
