from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.secrecy import Secret, commitment, proves, redact, seal
from events.types import Event
from tests.support import event_samples as strategies
from tests.support.event_samples import EVENTS, SALT, structs_in

VIEWERS = st.none() | strategies.SEATS
STRANGER = 99


def secrets_in(event: Event) -> list[Secret[Any]]:
    return [thing for thing in structs_in(event) if isinstance(thing, Secret)]


@given(strategies.events, VIEWERS)
def test_redacting_twice_is_redacting_once(event: Event, viewer: int | None) -> None:
    once = redact(event, viewer)
    assert redact(once, viewer) == once


@given(strategies.events, VIEWERS)
def test_a_viewer_keeps_what_is_for_him_and_holds_commitments_of_the_rest(
    event: Event, viewer: int | None
) -> None:
    before, after = secrets_in(event), secrets_in(redact(event, viewer))
    assert [secret.hidden for secret in after] == [secret.hidden for secret in before]
    for kept, secret in zip(after, before, strict=True):
        assert kept == (secret if viewer in secret.audience else Secret(secret.hidden))


@given(strategies.events)
def test_neither_value_nor_salt_is_left_for_a_stranger(event: Event) -> None:
    seen = redact(event, STRANGER)
    for secret in secrets_in(seen):
        assert msgspec.to_builtins(secret) == {"hidden": secret.hidden}
    for secret in secrets_in(event):
        assert str(secret.salt).encode() not in msgspec.json.encode(seen)


@given(strategies.secrets, strategies.secrets)
def test_the_commitment_proves_its_value_and_no_other(secret: Secret[Any], other: Secret[Any]) -> None:
    assert proves(secret.hidden, secret.salt, secret.value)
    same = (secret.salt, secret.value) == (other.salt, other.value)
    assert proves(secret.hidden, other.salt, other.value) == same


@given(st.text(), strategies.SALTS, strategies.SALTS)
def test_equal_values_under_other_salts_look_different(value: str, salt: str, other: str) -> None:
    assert (commitment(salt, value) == commitment(other, value)) == (salt == other)


def test_a_salt_cannot_borrow_bytes_of_the_value() -> None:
    """12 under a salt must not open as 2 under the salt with the digit 1 appended."""
    hidden = commitment(SALT, 12)
    assert not proves(hidden, SALT + b"1".hex(), 2)


@pytest.mark.parametrize("salt", [None, 7, "", "zz" * 16, SALT[:-2]])
def test_a_bad_salt_proves_nothing(salt: object) -> None:
    assert not proves(commitment(SALT, "keep"), salt, "keep")


def test_what_holds_no_secret_is_not_copied() -> None:
    for event in EVENTS:
        if not secrets_in(event):
            assert redact(event, None) is event


def test_a_sealed_secret_does_not_open() -> None:
    with pytest.raises(LookupError):
        _ = redact(seal("keep", SALT, (1,)), 0).contents
    assert redact(seal("keep", SALT, (1,)), 1).contents == "keep"


def test_what_cannot_be_searched_is_refused() -> None:
    for thing in ([seal("keep", SALT, ())], {seal("keep", SALT, ())}, b"keep"):
        with pytest.raises(TypeError):
            redact(thing, None)


def test_secrets_inside_dicts_are_found() -> None:
    hands = {0: seal(("2",), SALT, (0,)), 1: seal(("3",), SALT, (1,))}
    assert redact(hands, 1) == {0: Secret(hands[0].hidden), 1: hands[1]}
