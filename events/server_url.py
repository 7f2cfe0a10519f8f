"""URLs of several servers: redis+sentinel://HOST:PORT,HOST:PORT/NAME and redis+cluster://HOST:PORT,HOST:PORT.

Nothing here imports redis-py: settings are read before gevent has patched sockets.
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

SENTINEL_PORT = 26379
REDIS_PORT = 6379


class Address(NamedTuple):
    """Where a server listens."""

    host: str
    port: int


class SentinelUrl(NamedTuple):
    """The parts of a URL of sentinels.

    `name` is what they call the master, and `master` a redis:// or rediss:// URL with the user, the password,
    the database and the options for it; its host stands for any.
    """

    sentinels: list[Address]
    name: str
    master: str


def is_sentinel_url(url: str) -> bool:
    """Return whether a URL names sentinels."""
    return urlsplit(url).scheme in ("redis+sentinel", "rediss+sentinel")


def parse_sentinel_url(url: str) -> SentinelUrl:
    """Return the parts of a URL of sentinels. Raises ValueError."""
    parts = urlsplit(url)
    server, hosts = _split_hosts(parts)
    name, _, database = parts.path.strip("/").partition("/")
    if not name or (database and not database.isdecimal()):
        raise ValueError("the name of the master is missing, or the database is not a number")
    master = f"{server}/{database}?{parts.query}"
    return SentinelUrl(parse_hosts(hosts, SENTINEL_PORT), unquote(name), master)


class ClusterUrl(NamedTuple):
    """The parts of a URL of a cluster: some of its servers, and a redis:// or rediss:// URL for any."""

    servers: list[Address]
    server: str


def is_cluster_url(url: str) -> bool:
    """Return whether a URL names servers of a cluster."""
    return urlsplit(url).scheme in ("redis+cluster", "rediss+cluster")


def parse_cluster_url(url: str) -> ClusterUrl:
    """Return the parts of a URL of a cluster. Raises ValueError."""
    parts = urlsplit(url)
    server, hosts = _split_hosts(parts)
    if parts.path.strip("/") not in ("", "0"):
        raise ValueError("a cluster has one database only")
    return ClusterUrl(parse_hosts(hosts, REDIS_PORT), f"{server}?{parts.query}")


def _split_hosts(parts: SplitResult) -> tuple[str, str]:
    """Return a redis:// or rediss:// URL in which `server` stands for any host, and the list of hosts."""
    user, at, hosts = parts.netloc.rpartition("@")
    scheme = parts.scheme.partition("+")[0]
    return f"{scheme}://{user}{at}server", hosts


def parse_hosts(text: str, default_port: int) -> list[Address]:
    """Return the addresses in HOST:PORT,HOST:PORT; a port may be missing. Raises ValueError."""
    places = [urlsplit(f"//{host}") for host in text.split(",")]
    if not all(place.hostname and place.port != 0 and not place.path for place in places):
        raise ValueError("a host is missing, or a port is wrong")
    return [Address(str(place.hostname), place.port or default_port) for place in places]
