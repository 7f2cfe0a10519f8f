"""Where a request comes from, behind proxies as far as they are trusted.

Loaded before gevent has patched anything: nothing of the service's may be imported here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

# Whoever has one IPv6 address has all of its network.
IPV6_PREFIX = 64
MOST_PROXIES = 16
MOST_CALLERS = 10_000
# Of a header, from its end.
LONGEST_READ = 1_000
_PORT = re.compile(r"(?:\[(?P<six>[^\]]*)\]|(?P<four>[\d.]+))(?::\d+)?")
_FOR = re.compile(r"(?:^|;)\s*for=(?P<quote>\"?)(?P<node>[^\";]*)(?P=quote)\s*(?:;|$)", re.IGNORECASE)


@lru_cache(MOST_CALLERS)
def network_of(address: str) -> str:
    """What one caller can be expected to have: an IPv4 address, or an IPv6 network."""
    known = parse_address(address)
    if not isinstance(known, IPv6Address):
        return address if known is None else str(known)
    return str(IPv6Network((known, IPV6_PREFIX), strict=False))


def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """With or without a port; None where it is none. What is IPv4 in IPv6's clothes is IPv4."""
    with_port = _PORT.fullmatch(text.strip())
    bare = (with_port["six"] or with_port["four"] or "") if with_port else text.strip()
    try:
        known = ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    return (known.ipv4_mapped or known) if isinstance(known, IPv6Address) else known


class Proxies:
    """`trusted` is how many stand before us, or their networks with commas between; empty for none.

    What a header says is believed of a trusted proxy, and no further than the first address that is none.
    """

    def __init__(self, trusted: str) -> None:
        self._hops = int(trusted) if trusted.isdecimal() else 0
        names = [] if trusted.isdecimal() else trusted.split(",")
        self._networks = [ip_network(name.strip(), strict=False) for name in names if name.strip()]
        self.are_at = lru_cache(MOST_CALLERS)(self._are_at)
        self._follow_headers = lru_cache(MOST_CALLERS)(self._follow_headers_anew)

    def _are_at(self, address: str) -> bool:
        """Whether one that is trusted may be at this address."""
        known = parse_address(address)
        return bool(self._hops) or any(known in network for network in self._networks if known)

    def find_caller(self, environ: Mapping[str, Any]) -> str:
        """The network that a request comes from; empty where there is none, as over a Unix socket."""
        peer = environ.get("REMOTE_ADDR") or ""
        if not self.are_at(peer):
            # Nothing that a stranger sends is kept, however long it is.
            return network_of(peer)
        named = (environ.get(name, "")[-LONGEST_READ:] for name in ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED"))
        return self._follow_headers(peer, *named)

    def _follow_headers_anew(self, peer: str, forwarded_for: str, forwarded: str) -> str:
        """A proxy writes one of the two headers and may pass the other on: where they differ, none counts."""
        found = [
            self._follow(peer, nodes)
            for nodes in (_split(forwarded_for), [_node(part) for part in _split(forwarded)])
            if nodes
        ]
        return network_of(found[0] if found and len(set(found)) == 1 else peer)

    def _follow(self, peer: str, nodes: Sequence[str]) -> str:
        """From proxy to proxy, the nearest last in `nodes`."""
        if self._hops:
            known = parse_address(nodes[-self._hops]) if len(nodes) >= self._hops else None
            return peer if known is None else str(known)
        for node in reversed(nodes):
            known = parse_address(node)
            if known is None or not self.are_at(peer):
                break
            peer = str(known)
        return peer


def _split(header: str) -> list[str]:
    return header.rsplit(",", MOST_PROXIES)[-MOST_PROXIES:] if header else []


def _node(element: str) -> str:
    """Whom an element of Forwarded (RFC 7239) is about; empty where it does not say."""
    found = _FOR.search(element)
    return found["node"] if found else ""
