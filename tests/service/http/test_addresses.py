"""Where a request comes from: what a header says counts as far as proxies are trusted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.http.addresses import MOST_PROXIES, Proxies, network_of

PEER, NEAR, FAR, EVE = "192.0.2.1", "10.0.0.1", "10.0.0.2", "203.0.113.9"
HOSTILE = st.text(st.characters(codec="latin-1"), max_size=60) | st.sampled_from(
    ["", ",", ", ,", "unknown", "for=", 'for="', "for=;for=", "1.2.3.4:99999", "[::1", "::1%eth0", "_hidden"]
)


def caller(trusted: str, peer: str, forwarded_for: str | None = None, forwarded: str | None = None) -> str:
    headers = {"HTTP_X_FORWARDED_FOR": forwarded_for, "HTTP_FORWARDED": forwarded}
    named = {name: value for name, value in headers.items() if value is not None}
    return network_of(Proxies(trusted).find_address({"REMOTE_ADDR": peer, **named}))


@pytest.mark.parametrize("trusted", ["", "0", "10.0.0.0/8", "10.0.0.0/8,::1"])
@given(forwarded_for=HOSTILE | st.none(), forwarded=HOSTILE | st.none())
def test_what_a_stranger_says_of_himself_counts_for_nothing(
    trusted: str, forwarded_for: str | None, forwarded: str | None
) -> None:
    assert caller(trusted, PEER, forwarded_for, forwarded) == PEER
    assert caller(trusted, PEER, EVE, f"for={EVE}") == PEER


@given(forged=HOSTILE)
def test_what_a_stranger_says_to_a_proxy_counts_for_nothing(forged: str) -> None:
    """The proxy writes down where it comes from, behind whatever it was told."""
    assert caller("10.0.0.0/8", NEAR, f"{forged},{EVE}") == EVE
    assert caller("10.0.0.0/8", NEAR, f"{forged},{EVE}, {FAR}") == EVE
    assert caller("1", NEAR, f"{forged},{EVE}") == EVE
    assert caller("2", NEAR, f"{forged},{EVE},{FAR}") == EVE


@given(forged=HOSTILE)
def test_the_header_that_a_proxy_only_passes_on_counts_for_nothing(forged: str) -> None:
    assert caller("10.0.0.0/8", NEAR, EVE, forged) in (EVE, NEAR)
    assert caller("10.0.0.0/8", NEAR, forged, f"for={EVE}") in (EVE, NEAR)
    assert caller("10.0.0.0/8", NEAR, EVE, f"for={PEER}") == NEAR


@pytest.mark.parametrize(
    ("header", "network"),
    [
        (f"for={EVE}", EVE),
        (f'proto=https;FOR="{EVE}:4711";by={NEAR}', EVE),
        ('for="[2001:db8:1:2:3:4:5:6]:80"', "2001:db8:1:2::/64"),
        (f"for={PEER}, for={EVE}, for={FAR}", EVE),
        ("for=unknown", NEAR),
        ("for=_secret", NEAR),
        ("by=1.2.3.4", NEAR),
        (f"for={EVE}, for=unknown", NEAR),
    ],
)
def test_the_header_of_the_standard_is_read_too(header: str, network: str) -> None:
    assert caller("10.0.0.0/8", NEAR, forwarded=header) == network


@pytest.mark.parametrize(
    ("named", "network"),
    [
        (f"{EVE}:1234", EVE),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2:3:4:5:6]:443", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.9", EVE),
        ("garbage", NEAR),
        (f"{PEER}, {EVE}", EVE),
        (f"{FAR}, {FAR}", FAR),
    ],
)
def test_addresses_come_in_many_forms(named: str, network: str) -> None:
    assert caller("10.0.0.0/8", NEAR, named) == network


def test_fewer_names_than_proxies_means_that_somebody_came_another_way() -> None:
    assert caller("2", NEAR, EVE) == NEAR


def test_a_proxy_may_be_anywhere_or_at_known_places() -> None:
    assert Proxies("1").are_at(EVE)
    assert Proxies("10.0.0.0/8,2001:db8::/32").are_at(NEAR)
    assert Proxies("10.0.0.0/8,2001:db8::/32").are_at("2001:db8::1")
    assert not Proxies("10.0.0.0/8").are_at(EVE)
    assert not Proxies("10.0.0.0/8").are_at("")
    assert not Proxies("").are_at(NEAR)


def test_no_chain_is_followed_for_ever() -> None:
    named = ",".join([EVE, *[FAR] * (MOST_PROXIES + 5)])
    assert caller("10.0.0.0/8", NEAR, named) == FAR


def test_a_link_has_a_network_too() -> None:
    assert network_of("fe80::1%eth0") == "fe80::/64"
