"""What was ever written can be read for ever."""

from pathlib import Path
from typing import Any

import msgspec

from events.chain import check_chain
from events.commands import Choose
from events.commit import Raw, convert_raw, decode, decode_raw, encode
from events.types import DiceMoved, Event
from tests.support.event_samples import members, sample_log

STORED = Path(__file__).parent.parent / "stored"


ADDITIONS = ("winner", "tiles", "closed", "players", "endings", "visibility", "forks", "remote", "sandbox")
FORMAT_1 = ("events-format-1.ndjson", *(f"events-format-1-{added}.ndjson" for added in ADDITIONS))


def lines(*names: str) -> list[bytes]:
    return [line for name in names for line in (STORED / name).read_bytes().splitlines()]


def test_format_1_decodes_to_the_same_objects() -> None:
    assert [decode(line) for line in lines(*FORMAT_1)] == sample_log()


def test_format_1_is_written_as_it_was_then() -> None:
    """A field that is not left out at its default would change the public form and break old chains."""
    for line in lines(*FORMAT_1):
        assert encode(decode(line)) == line


def test_the_chain_over_stored_samples_holds() -> None:
    raws = [decode_raw(line) for line in lines(*FORMAT_1)]
    assert check_chain(raws) == sample_log()[-1].hash


def test_every_event_type_is_among_the_stored_samples() -> None:
    kept = [decode(line) for path in STORED.glob("events-*.ndjson") for line in lines(path.name)]
    assert {type(event) for commit in kept for event in commit.events} == members(Event)


def _moved(event: Raw) -> Raw:
    ends = {"source": event["from"], "target": event["to"]}
    return {name: item for name, item in event.items() if name not in ("from", "to")} | ends


def _chosen(command: Raw) -> Raw:
    return {"choice" if name == "option" else name: item for name, item in command.items()}


def test_an_old_form_is_lifted_on_its_raw_dict() -> None:
    old = decode_raw(lines("format-0.ndjson")[0])
    commit = convert_raw(old, {0: {"dice_moved": _moved, "choose": _chosen}})
    assert commit.events == (DiceMoved("seat-0", "arena", "casino-3", 2, face=3),)
    assert commit.command == Choose(9, 0, "place-3")
    assert (commit.format, commit.hash) == (1, old["hash"])


def test_lifting_leaves_what_was_read_as_it_was() -> None:
    """The chain is checked on the form that was written, also after that form has become old."""
    old = decode_raw(lines("format-0.ndjson")[0])
    before: Any = msgspec.json.encode(old)
    convert_raw(old, {0: {"dice_moved": _moved, "choose": _chosen}})
    assert msgspec.json.encode(old) == before
    assert check_chain([old]) == old["hash"]
