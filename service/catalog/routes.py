"""HTTP operations on the catalog: editions, event types, bots and error codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated, Any

from msgspec import Meta, Struct, field

from events.commit import FORMAT
from rules import EDITIONS
from rules.ruleset import Ruleset
from rules.tile import Tile
from service.catalog.bots import BOT_LEVELS, BotLevel, Findings, Measured, Rating, Strength, read_findings
from service.http.auth import PUBLIC_ACCESS
from service.http.openapi.schemas import DIALECT, REF, options_schema, union_schemas
from service.http.operation import Call, operation
from service.http.problems import CODES, PROBLEM_TEXTS, Problem, ProblemBody, to_body
from service.http.responses import Reply


class Seats(Struct, frozen=True):
    min: int
    max: int


class TileText(Struct, frozen=True):
    """`shows` says of each member that the tile has in a table's `shows` what it means."""

    code: str
    name: str
    text: str
    shows: dict[str, str]


class Edition(Struct, frozen=True):
    """`options` is a JSON Schema, good to build a form from; its `$comment` explains the `x-` marks."""

    id: str
    title: str
    text: str
    seats: Seats
    rounds: int
    casinos: tuple[str, ...]
    bandit: Annotated[str | None, Meta(description="The name of the casino that the option `bandit` adds.")]
    options: dict[str, Any]
    tiles: tuple[TileText, ...]
    bots: tuple[str, ...]


class Editions(Struct, frozen=True):
    editions: tuple[Edition, ...]


@operation("GET /v1/editions", "What can be played, and with what options", Editions, access=PUBLIC_ACCESS)
def list_editions(call: Call[None]) -> Reply:
    """Return all editions."""
    return Reply(_editions())


@cache
def _editions() -> Editions:
    """Return the newest release of each edition, described once."""
    return Editions(tuple(map(describe_edition, EDITIONS.newest.values())))


def describe_edition(ruleset: Ruleset) -> Edition:
    """Return what a client needs to know of an edition."""
    return Edition(
        id=ruleset.id,
        title=ruleset.title,
        text=ruleset.text,
        seats=Seats(*ruleset.seats),
        rounds=ruleset.rounds,
        casinos=ruleset.casinos,
        bandit=ruleset.bandit,
        options=options_schema(ruleset),
        tiles=tuple(map(_describe_tile, ruleset.tiles.values())),
        bots=tuple(level.name for level in BOT_LEVELS),
    )


def _describe_tile(tile: Tile) -> TileText:
    """Return the text of a tile."""
    shows = {name: member.text for name, member in tile.members.items()}
    return TileText(tile.code, tile.name, tile.text, shows)


Json = dict[str, Any]


class EventType(Struct, frozen=True):
    """`version` is the format of the commits that hold it: events of an earlier one are lifted when read."""

    type: str
    version: int
    json_schema: Annotated[Json, Meta(description="A JSON Schema without references.")] = field(name="schema")


class EventTypes(Struct, frozen=True):
    event_types: tuple[EventType, ...]


@operation("GET /v1/event-types", "Every type of event as a JSON Schema", EventTypes, access=PUBLIC_ACCESS)
def list_event_types(call: Call[None]) -> Reply:
    """Return all types of events."""
    return Reply(_event_types())


@cache
def _event_types() -> EventTypes:
    """Return all types of events, described once."""
    components = union_schemas()
    types = components["Event"]["discriminator"]["mapping"]
    return EventTypes(tuple(_describe_event(type, ref, components) for type, ref in types.items()))


def _describe_event(type: str, ref: str, components: Mapping[str, Json]) -> EventType:
    """Return a type of event with its JSON Schema."""
    return EventType(type, FORMAT, {"$schema": DIALECT, **_write_out({"$ref": ref}, components)})


def _write_out(schema: Any, components: Mapping[str, Json]) -> Any:
    """Return a schema with what it refers to in place of references, so that it can stand alone."""
    if isinstance(schema, list):
        return [_write_out(part, components) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _write_out(components[schema["$ref"].removeprefix(REF.format(name=""))], components)
    return {name: _write_out(part, components) for name, part in schema.items() if name != "discriminator"}


class MeasuredLevel(BotLevel, frozen=True):
    strength: tuple[Strength, ...]
    ratings: tuple[Rating, ...]


class Bots(Struct, frozen=True):
    measured: Measured
    bots: tuple[MeasuredLevel, ...]


@operation("GET /v1/bots", "Who plays the seats without people", Bots, access=PUBLIC_ACCESS)
def list_bots(call: Call[None]) -> Reply:
    """Return all bots."""
    return Reply(_bots())


@cache
def _bots() -> Bots:
    """Return all bots with their strengths, read once."""
    return join_strengths(BOT_LEVELS, read_findings())


def join_strengths(levels: Iterable[BotLevel], found: Findings) -> Bots:
    """Return bots with their measured strengths; a level that was not measured has none."""
    measured = (
        MeasuredLevel(
            level.name, level.text, found.levels.get(level.name, ()), found.ratings.get(level.name, ())
        )
        for level in levels
    )
    return Bots(Measured(found.rules, found.first_seed), tuple(measured))


EXAMPLE_ID = "2f8c1d0e9b7a6543"


class ProblemKind(Struct, frozen=True):
    """`meaning` is what went wrong, `remedy` what to do about it."""

    code: str
    title: str
    status: int
    meaning: str
    remedy: str
    example: ProblemBody


class Problems(Struct, frozen=True):
    problems: tuple[ProblemKind, ...]


@operation(
    "GET /v1/problems", "Every code of a refusal, and what to do about it", Problems, access=PUBLIC_ACCESS
)
def list_problems(call: Call[None]) -> Reply:
    """Return all error codes."""
    return Reply(Problems(tuple(map(_describe_problem, sorted(CODES)))))


@operation(
    "GET /v1/problems/{code}",
    "What a code of a refusal means, and what to do about it",
    ProblemKind,
    access=PUBLIC_ACCESS,
    errors=("not_found",),
)
def show_problem(call: Call[None]) -> Reply:
    """Return one error code. Raises Problem if there is none such."""
    code = call.path["code"]
    if code not in CODES:
        raise Problem("not_found", "There is no such error code. `GET /v1/problems` lists them all.")
    return Reply(_describe_problem(code))


@cache
def _describe_problem(code: str) -> ProblemKind:
    """Return what an error code means, with an example."""
    text = PROBLEM_TEXTS[code]
    example = to_body(Problem(code, text.meaning), EXAMPLE_ID)
    return ProblemKind(code, example.title, example.status, text.meaning, text.remedy, example)
