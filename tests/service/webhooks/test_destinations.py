"""Where webhooks may go: forms of private addresses, and names that change."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from service.webhooks.destinations import BadDestination, Destinations, Unresolved, parse_url, read_networks

_PRIVATE = """
127.0.0.1 127.1 127.0.1 0x7f.1 0x7f000001 2130706433 017700000001 0177.0.0.1 127.0.0.1. 0x7F.0.0.1
0 0.0.0.0 10.0.0.1 10.1 172.16.0.1 172.31.255.255 192.168.0.1 192.168.1 169.254.169.254 2852039166
100.64.0.1 192.0.0.8 192.0.2.1 198.18.0.1 198.51.100.7 203.0.113.9 192.88.99.1 224.0.0.1 240.0.0.1
255.255.255.255 localhost localhost. LOCALHOST a.localhost router metadata.google.internal printer.local
[::] [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:a9fe:a9fe] [::127.0.0.1]
[64:ff9b::7f00:1] [64:ff9b::10.0.0.1] [64:ff9b:1::a00:1] [2002:7f00:1::] [2002:0a00:0001::1] [2001:0:1::1]
[2001:db8::1] [fe80::1] [fe80::1%25eth0] [fec0::1] [fc00::1] [fd12:3456::1] [ff02::1] [100::1] [3fff::1]
[5f00::1] [::ffff:0:127.0.0.1]
"""
PRIVATE = _PRIVATE.split()
MALFORMED = (
    "",
    "example.org",
    "//example.org/",
    "ftp://example.org/",
    "https://",
    "https:///path",
    "https://user@example.org/",
    "https://user:password@example.org/",
    "https://example.org@127.0.0.1/",
    "https://example.org:0/",
    "https://example.org:65536/",
    "https://example.org:port/",
    "https://example.org/#fragment",
    "https://example.org\\@127.0.0.1/",
    "https://exam ple.org/",
    "https://example.org/\r\nHost: x",
    "https://example.org/\x00",
    "https://bücher.example/",
    "https://１２７.0.0.1/",
    "https://%31%32%37.0.0.1/",
    "https://256.0.0.1/",
    "https://1.2.3.4.5/",
    "https://0x/",
    "https://[::1/",
    "https://[example.org]/",
    "https://-example.org/",
    "https://example..org/",
    "https://" + "a" * 64 + ".org/",
    "https://example.org/" + "a" * 2_000,
)


def resolver(*addresses: str) -> Destinations:
    return Destinations(resolver=lambda host, port: addresses)


def is_refused(destinations: Destinations, url: str) -> bool:
    try:
        destinations.check(url)
    except BadDestination:
        return True
    return False


def test_there_are_enough_forms() -> None:
    assert len(set(PRIVATE)) >= 40


@pytest.mark.parametrize("host", PRIVATE)
def test_private_addresses_are_refused_in_every_form(host: str) -> None:
    destinations = Destinations()
    for url in (f"https://{host}/", f"https://{host}:8443/hook", f"http://{host}/"):
        assert is_refused(destinations, url)


@pytest.mark.parametrize("url", MALFORMED)
def test_what_is_no_url_is_refused(url: str) -> None:
    assert is_refused(resolver("8.8.8.8"), url)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"])
def test_public_addresses_are_taken_on_any_port(address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    for port in ("", ":1", ":8443", ":65535"):
        assert Destinations().pin(Destinations().check(f"https://{host}{port}/hook?a=b"))
    assert is_refused(Destinations(), f"http://{host}/")


@pytest.mark.parametrize("host", [name.strip("[]") for name in PRIVATE if name.startswith("[")])
def test_names_that_lead_to_private_addresses_are_refused(host: str) -> None:
    assert is_refused(resolver(host), "https://example.org/")
    assert is_refused(resolver("8.8.8.8", host), "https://example.org/")


def test_a_name_that_changes_is_checked_again() -> None:
    answers = iter([["8.8.8.8"], ["127.0.0.1"]])
    destinations = Destinations(resolver=lambda host, port: next(answers))
    destination = destinations.check("https://example.org/")
    with pytest.raises(BadDestination):
        destinations.pin(destination)


def test_a_name_that_is_unknown_now_is_resolved_later() -> None:
    def resolve_nothing(host: str, port: int) -> Sequence[str]:
        raise Unresolved(host)

    destinations = Destinations(resolver=resolve_nothing)
    destination = destinations.check("https://example.org/")
    with pytest.raises(Unresolved):
        destinations.pin(destination)
    assert is_refused(destinations, "http://example.org/")


def test_networks_that_the_operator_allows() -> None:
    destinations = Destinations(read_networks("127.0.0.0/8, fd00::/8"))
    for url in ("http://127.0.0.1:9000/", "http://localhost/", "https://[fd00::1]/", "http://2130706433/"):
        assert destinations.pin(destinations.check(url))
    for url in ("http://10.0.0.1/", "https://[::1]/", "http://8.8.8.8/"):
        assert is_refused(destinations, url)


def test_the_host_is_that_of_the_url() -> None:
    assert parse_url("https://Example.ORG.:8443/a?b").host_header == "example.org:8443"
    assert parse_url("https://[2606:4700::1]/").host_header == "[2606:4700::1]"
    assert parse_url("https://example.org").target == "/"
