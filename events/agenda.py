"""The agenda: a stack of steps and questions that come next, its top at the end."""

from __future__ import annotations

from msgspec import Struct

from events.secrecy import Secret


class Step(Struct, frozen=True, tag_field="kind", tag="step", omit_defaults=True):
    """Automatic work; the edition has the function for its name."""

    name: str
    seat: int | None = None
    number: int | None = None
    tile: str = ""
    data: tuple[int | str, ...] = ()
    secret: Secret[str] | None = None


class Answer(Struct, frozen=True):
    seat: int
    choice: str | Secret[str]


class Ask(Struct, frozen=True, tag_field="kind", tag="ask", omit_defaults=True):
    """A question to one seat, or to several that answer in any order.

    `options` are the legal answers; empty where they would tell others what a seat holds.
    """

    id: int
    prompt: str
    seats: tuple[int, ...]
    options: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = ()
    number: int | None = None
    tile: str = ""
    data: tuple[int | str, ...] = ()
    secret: Secret[str] | None = None

    @property
    def awaited(self) -> tuple[int, ...]:
        """The seats that have not answered yet."""
        if not self.answers:
            return self.seats
        answered = {answer.seat for answer in self.answers}
        return tuple(seat for seat in self.seats if seat not in answered)


def require(value: int | None) -> int:
    """Return a seat or number that must be set on a step or an ask."""
    if value is None:
        raise ValueError("the agenda names no seat or casino here")
    return value


Item = Step | Ask
Agenda = tuple[Item, ...]
