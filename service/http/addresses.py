"""Finds the address that a request comes from, behind trusted proxies.

The gunicorn master loads this module before gevent has patched the standard library, so it must not import
anything of the service.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

# Who has one IPv6 address has all of its /64 network.
IPV6_PREFIX = 64
MOST_PROXIES = 16
MOST_CALLERS = 10_000
# Of a header, from its end.
LONGEST_READ = 1_000
_PORT = re.compile(r"(?:\[(?P<six>[^\]]*)\]|(?P<four>[\d.]+))(?::\d+)?")
_FOR = re.compile(r"(?:^|;)\s*for=(?P<quote>\"?)(?P<node>[^\";]*)(?P=quote)\s*(?:;|$)", re.IGNORECASE)


@lru_cache(MOST_CALLERS)
def network_of(address: str) -> str:
    """Return what callers are told apart by: the IPv4 address, or the /64 network of an IPv6 address."""
    known = parse_address(address)
    if not isinstance(known, IPv6Address):
        return address if known is None else str(known)
    return str(IPv6Network((known, IPV6_PREFIX), strict=False))


def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """Return the address, given with or without a port; None for any other text.

    An IPv4 address that is mapped into IPv6 is returned as IPv4.
    """
    with_port = _PORT.fullmatch(text.strip())
    bare = (with_port["six"] or with_port["four"] or "") if with_port else text.strip()
    try:
        known = ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    return (known.ipv4_mapped or known) if isinstance(known, IPv6Address) else known


class Proxies:
    """`trusted` is the number of proxies in front of the service, or their networks separated by commas.

    The headers of a trusted proxy are followed up to the first address that is not trusted.
    """

    def __init__(self, trusted: str) -> None:
        self._hops = int(trusted) if trusted.isdecimal() else 0
        names = [] if trusted.isdecimal() else trusted.split(",")
        self._networks = [ip_network(name.strip(), strict=False) for name in names if name.strip()]
        self.are_at = lru_cache(MOST_CALLERS)(self._are_at)
        self._follow_headers = lru_cache(MOST_CALLERS)(self._read_headers)

    def _are_at(self, address: str) -> bool:
        """Whether a trusted proxy may have this address."""
        known = parse_address(address)
        return bool(self._hops) or any(known in network for network in self._networks if known)

    def find_address(self, environ: Mapping[str, Any]) -> str:
        """Return the caller's address; empty when there is none, as over a Unix socket."""
        peer = environ.get("REMOTE_ADDR") or ""
        if not self.are_at(peer):
            # Nothing that an untrusted caller sends is stored, however long it is.
            return peer
        named = (environ.get(name, "")[-LONGEST_READ:] for name in ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED"))
        return self._follow_headers(peer, *named)

    def _read_headers(self, peer: str, forwarded_for: str, forwarded: str) -> str:
        """A proxy writes one of the headers and may pass the other on: when they differ, neither counts."""
        found = [
            self._follow(peer, nodes)
            for nodes in (_split(forwarded_for), [_node(part) for part in _split(forwarded)])
            if nodes
        ]
        return found[0] if found and len(set(found)) == 1 else peer

    def _follow(self, peer: str, nodes: Sequence[str]) -> str:
        """Return the first address that is no trusted proxy; the nearest is last in `nodes`."""
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
    """Return the `for` of an element of Forwarded (RFC 7239); empty when it has none."""
    found = _FOR.search(element)
    return found["node"] if found else ""


class TrustedProxies:
    """WSGI middleware that puts the caller's address into `REMOTE_ADDR`, as werkzeug's ProxyFix does.

    ProxyFix trusts a number of proxies, whatever their addresses, and reads `X-Forwarded-For` only.
    `TRUSTED_PROXIES` may name networks, and `Forwarded` (RFC 7239) counts as well; when both headers are
    there and differ, neither does.
    """

    def __init__(self, app: WSGIApplication, proxies: Proxies) -> None:
        self._app = app
        self._proxies = proxies

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ["REMOTE_ADDR"] = self._proxies.find_address(environ)
        return self._app(environ, start_response)
