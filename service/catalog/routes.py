"""HTTP operations on the catalog: editions, event types, bots and error codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated, Any

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from events.commit import FORMAT
from events.text import Text, as_text
from rules import EDITIONS
from rules.ruleset import Ruleset
from rules.tile import Tile
from service.catalog.bots import (
    BOT_LEVELS,
    BotLevel,
    Difficulty,
    Findings,
    Measured,
    Rating,
    Strength,
    name_difficulty,
    read_findings,
)
from service.config import Access
from service.http.auth import PUBLIC_ACCESS
from service.http.headers import JSON, MARKDOWN, TEXT
from service.http.openapi.schemas import DIALECT, REF, options_schema, union_schemas
from service.http.operation import Call, operation
from service.http.problems import CODES, PROBLEM_TEXTS, Problem, ProblemBody, to_body
from service.http.responses import Reply
from service.languages.catalogue import Language


class Seats(Struct, frozen=True):
    min: int
    max: int


class TileText(Struct, frozen=True):
    """`gist` is the text in a few words; `shows` says of each member of a table's `shows` what it means."""

    code: str
    name: str
    text: str
    gist: str
    shows: dict[str, str]
    track: Annotated[
        tuple[int, ...],
        Meta(description="What each space of its counter pays, in dollars. Empty if it has no counter."),
    ]


class Edition(Struct, frozen=True):
    """`options` is a JSON Schema, good to build a form from; its `$comment` explains the `x-` marks."""

    id: str
    release: int
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
    access: Access = "open"


@operation("GET /v1/editions", "What can be played, and with what options", Editions, access=PUBLIC_ACCESS)
def list_editions(call: Call[None]) -> Reply:
    """Return all editions."""
    return Reply(replace(_editions(), access=call.services.access))


@cache
def _editions() -> Editions:
    """Return the newest release of each edition, described once."""
    return Editions(tuple(map(describe_edition, EDITIONS.newest.values())))


def describe_edition(ruleset: Ruleset) -> Edition:
    """Return what a client needs to know of an edition."""
    return Edition(
        id=ruleset.id,
        release=ruleset.release,
        title=ruleset.title,
        text=ruleset.text,
        seats=Seats(*ruleset.seats),
        rounds=ruleset.rounds,
        casinos=ruleset.casinos,
        bandit=None if ruleset.bandit is None else as_text(ruleset.bandit),
        options=options_schema(ruleset),
        tiles=tuple(map(_describe_tile, ruleset.tiles.values())),
        bots=tuple(level.name for level in BOT_LEVELS),
    )


def _describe_tile(tile: Tile) -> TileText:
    """Return the text of a tile."""
    shows = {name: member.text for name, member in tile.members.items()}
    return TileText(
        code=tile.code,
        name=tile.name,
        text=tile.text,
        gist=tile.gist,
        shows=shows,
        track=tuple(tile.track),
    )


class Rules(Struct, frozen=True):
    """The rules of an edition in our own words; `options` and `tiles` say what each of them changes."""

    edition: str
    release: int
    title: str
    text: str
    paragraphs: Annotated[tuple[str, ...], Meta(description="How it is played, from the set-up to the end.")]
    options: Annotated[dict[str, str], Meta(description="What each option does, by its name.")]
    tiles: tuple[TileText, ...]


@operation(
    "GET /v1/editions/{edition}/rules",
    "The rules of an edition in our own words",
    {JSON: Rules, TEXT: str, MARKDOWN: str},
    access=PUBLIC_ACCESS,
    errors=("not_found",),
    any_accept=True,
)
def show_rules(call: Call[None]) -> Reply:
    """Return the rules of an edition, as JSON or as text. Raises Problem if there is no such edition."""
    ruleset = EDITIONS.newest.get(call.path["edition"])
    if ruleset is None:
        raise Problem("not_found", Text("There is no such edition. `GET /v1/editions` lists them all."))
    rules = Rules(
        edition=ruleset.id,
        release=ruleset.release,
        title=ruleset.title,
        text=ruleset.text,
        paragraphs=ruleset.how_to_play,
        options={spec.name: spec.how for spec in ruleset.options},
        tiles=tuple(map(_describe_tile, ruleset.tiles.values())),
    )
    if call.media == JSON:
        return Reply(rules)
    return Reply(lambda: _write_rules(rules, call.language).encode(), media=f"{call.media}; charset=utf-8")


def _write_rules(rules: Rules, language: Language) -> str:
    """Return the rules as Markdown, which can be read as plain text."""
    say = language.put
    parts = [f"# {say(rules.title)}", *map(say, (rules.text, *rules.paragraphs))]
    options = [f"- `{name}`: {say(text)}" for name, text in rules.options.items()]
    parts += [f"## {say(Text('Options'))}", "\n".join(options)]
    if rules.tiles:
        tiles = [f"- {tile.code} {tile.name}: {say(tile.text)}" for tile in rules.tiles]
        parts += [f"## {say(Text('Tiles'))}", "\n".join(tiles)]
    return "\n\n".join(parts) + "\n"


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


class MeasuredLevel(BotLevel, frozen=True, kw_only=True):
    strength: tuple[Strength, ...]
    ratings: tuple[Rating, ...]
    difficulty: Annotated[
        Difficulty | None,
        Meta(description="A word for people, by the mean of its ratings; null if it was not measured yet."),
    ]


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
            name=level.name,
            text=level.text,
            seat_names=level.seat_names,
            strength=found.levels.get(level.name, ()),
            ratings=found.ratings.get(level.name, ()),
            difficulty=name_difficulty(found.ratings.get(level.name, ())),
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
    return Reply(Problems(tuple(_describe_problem(code, call.language) for code in sorted(CODES))))


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
    return Reply(_describe_problem(code, call.language))


@cache
def _describe_problem(code: str, language: Language) -> ProblemKind:
    """Return what an error code means, with an example."""
    text = PROBLEM_TEXTS[code]
    example = to_body(Problem(code, text.meaning), EXAMPLE_ID, language)
    return ProblemKind(code, example.title, example.status, text.meaning, text.remedy, example)
