"""Old stored commits, lifted on their raw dicts before any object exists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from events.commit import FORMAT

Raw = dict[str, Any]
Upcaster = Callable[[Raw], Raw]
Upcasters = Mapping[int, Mapping[str, Upcaster]]

# From a format to the next: what changes, by the type of the event or command.
UPCASTERS: Upcasters = {}


def upcast(raw: Raw, upcasters: Upcasters = UPCASTERS, to: int = FORMAT) -> Raw:
    for number in range(raw.get("format", 1), to):
        raw = _lift_format(raw, upcasters.get(number, {}), number + 1)
    return raw


def _lift_format(raw: Raw, upcasters: Mapping[str, Upcaster], number: int) -> Raw:
    def lift(thing: Raw) -> Raw:
        upcaster = upcasters.get(thing["type"])
        return upcaster(thing) if upcaster else thing

    events = [lift(event) for event in raw["events"]]
    return {**raw, "command": lift(raw["command"]), "events": events, "format": number}
