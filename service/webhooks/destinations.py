"""Decides where webhooks may go: checks addresses of URLs, and resolves and checks what a name stands for.

A name is resolved when the webhook is made and again for every delivery, and the delivery goes to the address
that was checked: a name that changes in between gains nothing.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from urllib.parse import urlsplit

from msgspec import Struct

from events.text import Text

LONGEST_URL = 2_000
LONGEST_NAME = 253
DEFAULT_PORTS = {"http": 80, "https": 443}
Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Resolver = Callable[[str, int], Sequence[str]]

_URL = re.compile(r"[!-~]+", re.ASCII)
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*", re.ASCII)
# What inet_aton takes for an address: `127.1`, `0x7f.1`, `017700000001`, `2130706433`.
_NUMBERS = re.compile(r"(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+)){0,3}", re.ASCII)
_NUMBER_LABEL = re.compile(r"0x[0-9a-f]*|[0-9]+", re.ASCII)
_NO_HOST = Text("must name a host: a domain name, or an address")
# Names of these belong to a network of somebody's own, and so do names without a dot.
_LOCAL_NAMES = (".internal", ".local", ".localdomain", ".lan", ".home.arpa", ".intranet", ".corp")
_LOOPBACK = ("127.0.0.1", "::1")
_NAT64 = IPv6Network("64:ff9b::/96")
_GLOBAL_UNICAST = IPv6Network("2000::/3")
# Within what counts as global elsewhere: tunnels to IPv4, relays, and what is meant for documents.
_TUNNELS: tuple[Network, ...] = (
    IPv6Network("2001::/23"),
    IPv6Network("2001:db8::/32"),
    IPv6Network("2002::/16"),
    IPv6Network("3fff::/20"),
    IPv4Network("192.88.99.0/24"),
    IPv4Network("192.0.0.0/24"),
    IPv4Network("168.63.129.16/32"),
)


class BadDestination(ValueError):
    """Says why a webhook cannot go to a URL; the argument is a text about the field `url`."""


class Unresolved(Exception):
    """Says that a name stands for no address now."""


class Destination(Struct, frozen=True):
    """A URL in its parts: `host` is a name or an address, `target` what stands in the request line."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def is_secure(self) -> bool:
        return self.scheme == "https"

    @property
    def host_header(self) -> str:
        """Return the header `Host`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


def read_networks(text: str) -> tuple[Network, ...]:
    """Return networks that are separated by commas or spaces. Raises ValueError."""
    return tuple(ip_network(name, strict=False) for name in text.replace(",", " ").split())


def parse_url(url: str) -> Destination:
    """Return the parts of a URL. Raises BadDestination."""
    if len(url) > LONGEST_URL:
        raise BadDestination(Text("must have at most {max} characters", max=LONGEST_URL))
    if not _URL.fullmatch(url) or "\\" in url:
        raise BadDestination(Text("must be a URL of visible ASCII characters, without backslashes"))
    try:
        parts = urlsplit(url)
        port = parts.port
        host = parts.hostname or ""
    except ValueError:
        raise BadDestination(Text("must be a URL such as https://example.org/hook")) from None
    if parts.scheme not in DEFAULT_PORTS:
        raise BadDestination(Text("must begin with https://"))
    if "@" in parts.netloc:
        raise BadDestination(Text("must not have a user name or password"))
    if "#" in url:
        raise BadDestination(Text("must not have a fragment"))
    if port == 0:
        raise BadDestination(Text("must have a port from 1 to 65535"))
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Destination(parts.scheme, _read_host(host), port or DEFAULT_PORTS[parts.scheme], target)


def _read_host(host: str) -> str:
    """Return a name in lower case without the last dot, or an address in its usual form.

    Raises BadDestination.
    """
    host = host.lower()
    if ":" in host:
        return _read_ipv6(host)
    host = host.removesuffix(".")
    if not _NAME.fullmatch(host) or len(host) > LONGEST_NAME:
        raise BadDestination(_NO_HOST)
    if _NUMBER_LABEL.fullmatch(host.rpartition(".")[2]):
        # A last label that is a number makes it an address, in one of its many forms.
        return _read_numbers(host)
    return host


def _read_ipv6(host: str) -> str:
    """Return an IPv6 address in its usual form. Raises BadDestination."""
    try:
        address = IPv6Address(host)
    except ValueError:
        raise BadDestination(_NO_HOST) from None
    if address.scope_id is not None:
        raise BadDestination(_NO_HOST)
    return str(address)


def _read_numbers(host: str) -> str:
    """Return the IPv4 address that a host of numbers means. Raises BadDestination."""
    if not _NUMBERS.fullmatch(host):
        raise BadDestination(_NO_HOST)
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        raise BadDestination(_NO_HOST) from None


def resolve(host: str, port: int) -> Sequence[str]:
    """Return the addresses that a host stands for; an address stands for itself. Raises Unresolved."""
    if host == "localhost" or host.endswith(".localhost"):
        return _LOOPBACK
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as fault:
        raise Unresolved(host) from fault
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


class TimedResolver:
    """Resolves names for callers that cannot wait as long as a name server may take.

    Only a few look-ups are under way at once, so that slow name servers hold no more than a few threads.
    """

    def __init__(self, resolver: Resolver = resolve, seconds: float = 2.0, most: int = 4) -> None:
        """Ask `resolver`, up to `most` times at once."""
        self._resolve = resolver
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(most, "resolver")

    def __call__(self, host: str, port: int) -> Sequence[str]:
        """Return the addresses that a host stands for. Raises Unresolved, also if that takes too long."""
        if _is_address(host):
            return (host,)
        asked = self._threads.submit(self._resolve, host, port)
        try:
            return asked.result(self._seconds)
        except TimeoutError as fault:
            asked.cancel()
            raise Unresolved(host) from fault


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


class Destinations:
    """Checks where webhooks go, against the networks that the operator allows."""

    def __init__(self, allowed: Sequence[Network] = (), resolver: Resolver = resolve) -> None:
        """Allow public addresses, and all in the networks `allowed`."""
        self._allowed = tuple(allowed)
        self._resolve = resolver

    def check(self, url: str) -> Destination:
        """Return the parts of a URL that a webhook may have. Raises BadDestination.

        A name that stands for no address now is taken for https: every delivery resolves it again.
        """
        destination = parse_url(url)
        try:
            self.pin(destination)
        except Unresolved:
            if not destination.is_secure or _is_local(destination.host):
                raise BadDestination(_refuse(destination)) from None
        return destination

    def pin(self, destination: Destination) -> str:
        """Return the address to connect to, once all that the host stands for were checked.

        Raises BadDestination and Unresolved.
        """
        found = self._resolve(destination.host, destination.port)
        if not found:
            raise Unresolved(destination.host)
        if tuple(found) == _LOOPBACK:
            found = [address for address in found if self._allows(destination, address)]
        if not found or not all(self._allows(destination, address) for address in found):
            raise BadDestination(_refuse(destination))
        # Servers that have both kinds answer on the older one; not all networks have the newer.
        return min(found, key=lambda address: ":" in address)

    def _allows(self, destination: Destination, text: str) -> bool:
        """Return whether a webhook may connect to an address."""
        try:
            address = unwrap(ip_address(text))
        except ValueError:
            return False
        if any(address in network for network in self._allowed):
            return True
        return destination.is_secure and is_public(address)


def _is_local(host: str) -> bool:
    """Return whether a name can only belong to a local network."""
    return "." not in host or host.endswith(_LOCAL_NAMES)


def _refuse(destination: Destination) -> Text:
    if destination.is_secure:
        return Text("must not lead to a private, local or reserved address")
    return Text("must begin with https://; http:// is for addresses that the operator allows")


def unwrap(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 address stands for, mapped or by NAT64; others as they are."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def is_public(address: Address) -> bool:
    """Return whether an address belongs to a host of the public internet."""
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    if any(address in network for network in _TUNNELS):
        return False
    return isinstance(address, IPv4Address) or address in _GLOBAL_UNICAST
