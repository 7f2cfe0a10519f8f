from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.commands import Command
from events.commit import FORMAT, Unreadable, decode, encode
from events.types import Event
from tests.support import event_samples as strategies
from tests.support.event_samples import (
    COMMANDS,
    EVENTS,
    chain_commits,
    members,
    next_commit,
    sample_log,
    structs_in,
)
from tests.support.profiles import examples

HEAD = (0, "0" * 64)
KINDS = sorted(members(Event), key=lambda kind: kind.__name__)


def test_every_event_and_command_type_has_a_sample() -> None:
    assert {type(event) for event in EVENTS} == members(Event)
    assert {type(command) for command in COMMANDS} == members(Command)


def test_the_samples_set_every_field_of_every_type() -> None:
    unset: set[tuple[str, str]] = set()
    seen: set[tuple[str, str]] = set()
    for thing in structs_in((*EVENTS, *COMMANDS)):
        for field in msgspec.structs.fields(thing):
            name = (type(thing).__name__, field.name)
            (unset if getattr(thing, field.name) == field.default else seen).add(name)
    assert unset <= seen


def test_every_sample_survives_the_round_trip() -> None:
    for commit in sample_log():
        assert decode(encode(commit)) == commit


@pytest.mark.parametrize("kind", KINDS)
@examples(25, long=100)
@given(data=st.data())
def test_every_event_survives_the_round_trip(kind: type, data: st.DataObject) -> None:
    event: Event = data.draw(strategies.values_of(kind))
    commit = next_commit(HEAD, [event])
    assert decode(encode(commit)) == commit


@given(strategies.commands)
def test_every_command_survives_the_round_trip(command: Command) -> None:
    commit = next_commit(HEAD, EVENTS[:1], command)
    assert decode(encode(commit)) == commit


@given(strategies.events)
def test_an_event_starts_with_its_type_so_that_it_is_read_in_one_pass(event: Event) -> None:
    [written] = msgspec.json.decode(encode(next_commit(HEAD, [event])))["events"]
    assert next(iter(written)) == "type"


def test_type_names_are_short_and_stable() -> None:
    tags = {msgspec.json.decode(msgspec.json.encode(event))["type"] for event in EVENTS}
    assert tags == {_snake(kind.__name__) for kind in members(Event)}


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


VALID: dict[str, Any] = msgspec.json.decode(encode(next(chain_commits([EVENTS[:1]]))))


@pytest.mark.parametrize(
    "stored",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        msgspec.json.encode({**VALID, "version": "one"}),
        msgspec.json.encode({**VALID, "events": None}),
        msgspec.json.encode({**VALID, "events": [{"type": "dice_stolen"}]}),
        msgspec.json.encode({**VALID, "format": "1"}),
        msgspec.json.encode({**VALID, "format": 0, "events": [1]}),
    ],
)
def test_what_is_no_commit_is_unreadable(stored: bytes) -> None:
    with pytest.raises(Unreadable):
        decode(stored)


@pytest.mark.parametrize("number", [FORMAT + 1, 0, -(10**12)])
def test_a_format_of_a_newer_release_or_of_none_is_refused_by_name(number: int) -> None:
    with pytest.raises(Unreadable, match=f"format {number} is unknown"):
        decode(msgspec.json.encode({**VALID, "format": number}))
