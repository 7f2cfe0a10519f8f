"""What comes in, as marshmallow schemas; openapi.yaml is rendered from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields, validate, validates_schema
from werkzeug.datastructures import MultiDict

from service.api.fields import LARGEST, CleanText, Name, NumberText, OptionField, StrictBool, StrictInt, Word
from service.api.problems import Fault, Problem
from service.play.bot_levels import BOT_NAMES

LONGEST_NAME = 40
LONGEST_ENTROPY = 128
LONGEST_CHOICE = 100
MOST_COMMITS = 1_000
MOST_GAMES = 100
LONGEST_WAIT = 60
ENTROPY = "Chance of one's own, mixed into every roll and draw of the game."
Beyond = Callable[[dict[str, Any]], list[Fault]]
OPTION_VALUE = {
    "anyOf": [
        {"type": ["boolean", "null"]},
        {"type": "integer", "minimum": -LARGEST, "maximum": LARGEST},
        {"type": "array", "items": {"type": "string"}},
    ]
}


class Strict(Schema):
    class Meta:
        # The default, said aloud because the contract is rendered from it.
        unknown = RAISE


class NewSeat(Strict):
    """A named seat, a bot's seat, or one that is open for somebody to take."""

    name = Name(LONGEST_NAME, metadata={"description": "Seats a person and returns a token."})
    bot = fields.String(
        validate=validate.OneOf(BOT_NAMES), metadata={"description": "The level; see /v1/bots."}
    )
    open = StrictBool(validate=validate.OneOf([True]))
    entropy = CleanText(LONGEST_ENTROPY, least=0, metadata={"description": ENTROPY})

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _one_kind(self, data: Any, original: Any, **given: Any) -> None:
        if not isinstance(original, Mapping):
            return
        if sum(kind in original for kind in ("name", "bot", "open")) != 1:
            raise ValidationError("a seat has one of name, bot and open")
        if "entropy" in original and "name" not in original:
            raise ValidationError("only a named seat adds entropy", "entropy")


class NewGame(Strict):
    edition = Word(40, required=True, metadata={"description": "See /v1/editions."})
    options = fields.Dict(
        keys=Word(40),
        values=OptionField(allow_none=True, metadata=OPTION_VALUE),
        load_default=dict,
        metadata={"description": "Members and values as the edition's own schema in /v1/editions says."},
    )
    seats = fields.List(fields.Nested(NewSeat), required=True)


class SitDown(Strict):
    name = Name(LONGEST_NAME, required=True)
    entropy = CleanText(LONGEST_ENTROPY, least=0, load_default="", metadata={"description": ENTROPY})
    seat = StrictInt(0, metadata={"description": "The first open seat when left out."})


class Choice(Strict):
    ask = StrictInt(1, required=True, metadata={"description": "Which of the table's asks is answered."})
    choice = Word(
        LONGEST_CHOICE, required=True, metadata={"description": "The `choice` of one of its options."}
    )


class TableQuery(Schema):
    at = NumberText(1, metadata={"description": "The table as it was at this version."})


class GamesQuery(Schema):
    status = fields.String(validate=validate.OneOf(["lobby", "playing", "over"]))
    edition = Word(40)
    cursor = Word(200, metadata={"description": "From `next` of the page before."})
    limit = NumberText(1, MOST_GAMES, load_default=20)


class EventsQuery(Schema):
    after = NumberText(0, load_default=0, metadata={"description": "Commits after this version."})
    limit = NumberText(
        1,
        MOST_COMMITS,
        metadata={"description": "At most so many commits; 200 in a JSON page, else as many as there are."},
    )
    wait = NumberText(
        0,
        LONGEST_WAIT,
        load_default=0,
        metadata={"description": "Seconds to wait for the first commit when there is none yet."},
    )


class NoQuery(Schema):
    """For what takes no parameters."""


def loaded(schema: Schema, document: object, beyond: Beyond = lambda readable: []) -> dict[str, Any]:
    """The body as the schema makes it, or a Problem with every fault: those `beyond` the schema too."""
    try:
        given: dict[str, Any] = schema.load(document)  # type: ignore[arg-type]
    except ValidationError as refusal:
        faults = [Fault(detail, pointer) for pointer, detail in _faults(refusal.messages, "")]
        if isinstance(refusal.valid_data, dict):
            faults += beyond(refusal.valid_data)
        raise Problem("invalid_body", "the body does not fit its schema", errors=faults) from None
    return given


def loaded_query(schema: Schema, arguments: MultiDict[str, str]) -> dict[str, Any]:
    twice = [
        Fault("it is given twice", parameter=name) for name in arguments if len(arguments.getlist(name)) > 1
    ]
    try:
        given: dict[str, Any] = schema.load(arguments.to_dict())
        faults = []
    except ValidationError as refusal:
        given, faults = {}, [Fault(text, parameter=name[1:]) for name, text in _faults(refusal.messages, "")]
    if faults or twice:
        raise bad_query(faults + twice)
    return given


def bad_query(faults: list[Fault]) -> Problem:
    names = ", ".join(sorted({fault.parameter or "" for fault in faults}))
    return Problem("invalid_query", f"in the query string this is not understood: {names}", errors=faults)


def _faults(messages: Any, pointer: str) -> Iterator[tuple[str, str]]:
    """marshmallow's nested messages as JSON pointers, all of them."""
    if isinstance(messages, str):
        yield pointer, messages
    elif isinstance(messages, list):
        for message in messages:
            yield from _faults(message, pointer)
    else:
        for name, inner in messages.items():
            yield from _faults(inner, pointer + _step(name, pointer))


def _step(name: object, pointer: str) -> str:
    # Of an option marshmallow also says whether key or value is wrong; the document has no such step.
    if name == "_schema" or (name in ("key", "value") and pointer.startswith("/options/")):
        return ""
    return "/" + str(name).replace("~", "~0").replace("/", "~1")
