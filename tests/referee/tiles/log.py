"""Reads a log thing by thing: a script says what has to come next."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from tests.referee.books import Event, fair

T = TypeVar("T")

# A script is sent the things of a log, answers and events, one after the other.
Script = Generator[None, Event, T]


@dataclass
class Log:
    """Things may be looked at before they are taken."""

    held: Event | None = None

    def peek(self) -> Script[Event]:
        if self.held is None:
            self.held = yield
        return self.held

    def take(self, kind: str) -> Script[Event]:
        thing = yield from self.peek()
        fair(thing["type"] == kind, f"this was the time for {kind}")
        self.held = None
        return thing

    def expect(self, kind: str, **facts: Any) -> Script[None]:
        thing = yield from self.take(kind)
        found = {name: thing.get(name) for name in facts}
        fair(found == facts, f"{kind}: expected {facts}, found {found}")

    def ask(self, prompt: str, seat: int, options: Sequence[str]) -> Script[str]:
        """Exactly these options are offered to this seat, and it takes one; empty if that stays covered."""
        agenda = (yield from self.take("agenda_changed"))["agenda"]
        asked = agenda[-1] if agenda else {}
        whom = (asked.get("prompt"), asked.get("seats"))
        fair(whom == (prompt, [seat]), f"seat {seat} should be asked {prompt}, not {whom}")
        offered = sorted(asked.get("options", []))
        fair(offered == sorted(options), f"{prompt}: expected {sorted(options)}, offered {offered}")
        answer = yield from self.take("choose")
        fair((answer["seat"], answer["ask"]) == (seat, asked["id"]), f"seat {seat} did not answer {prompt}")
        choice = answer["choice"]
        shown = choice.get("value") or "" if isinstance(choice, dict) else choice
        fair(not shown or shown in options, f"{prompt}: {shown} is no option")
        return str(shown)

    def sealed(self, prompt: str, seat: int, options: Sequence[str]) -> Script[str]:
        """An answer that nobody else sees yet: what proves it later."""
        yield from self.ask(prompt, seat, options)
        chosen = yield from self.take("chosen")
        fair(chosen["seat"] == seat, f"seat {chosen['seat']} chose for seat {seat}")
        return str(chosen["choice"]["hidden"])

    def opened(self, hidden: str, seat: int, options: Sequence[str]) -> Script[str]:
        shown = yield from self.take("revealed")
        value, salt = shown["value"], bytes.fromhex(shown["salt"])
        proof = sha256(salt + json.dumps(value).encode()).hexdigest()
        fair((shown["hidden"], shown["seat"]) == (hidden, seat), "something else was uncovered")
        fair(proof == hidden and value in options, f"{value} is not what seat {seat} had covered")
        return str(value)

    def black(self) -> Script[tuple[int, int]]:
        """The two extra dice."""
        thrown = yield from self.take("dice_rolled")
        faces = thrown.get("black", [])
        fair(set(thrown) == {"type", "chance", "black"}, "the black dice should be thrown")
        fair(len(faces) == 2 and all(1 <= face <= 6 for face in faces), f"black dice showing {faces}")
        return faces[0], faces[1]


class Watch:
    """Feeds a script, and keeps what it returns."""

    def __init__(self, script: Script[int]) -> None:
        self.script, self.result = script, -1
        next(script)

    def see(self, thing: Event) -> None:
        try:
            self.script.send(thing)
        except StopIteration as end:
            self.result = end.value
