"""Where a request comes from."""

from __future__ import annotations

from ipaddress import IPv6Address, IPv6Network, ip_address

from flask import Request

# Whoever has one IPv6 address has all of its network.
IPV6_PREFIX = 64


def caller_address(request: Request) -> str:
    """Empty where there is none, as over a Unix socket."""
    return request.remote_addr or ""


def network_of(address: str) -> str:
    """What one caller can be expected to have: an IPv4 address, or an IPv6 network."""
    try:
        known = ip_address(address)
    except ValueError:
        return address
    if not isinstance(known, IPv6Address):
        return str(known)
    return str(known.ipv4_mapped or IPv6Network((known, IPV6_PREFIX), strict=False))
