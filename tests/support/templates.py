"""Every English template that the service may show, found in its source and in its catalogues of things."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path

from events.redis import CAUSES
from events.text import Joined, Text
from rules import EDITIONS
from rules.explain.english import DICE, ENDS, ERASED, SENTENCES, STARTS
from service.catalog.bots import BOT_LEVELS
from service.games.command_limits import _WHAT
from service.http.fields import Length
from service.http.openapi.document import render_contract
from service.http.openapi.schemas import title_option
from service.http.problems import CODES, PROBLEM_TEXTS, STATUS, name_problem

ROOT = Path(__file__).parents[2]
# Which argument of these is a text.
_TAKES = {
    "Text": 0,
    "Problem": 1,
    "Fault": 0,
    "Rejected": 1,
    "ValidationError": 0,
    "InvalidPosition": 1,
    "PositionFault": 1,
    "BadFile": 0,
    "Broken": 1,
    "BrokenLog": 1,
    "_bad_header": 1,
    "BotFailed": 0,
    "BotAbsent": 0,
    "BotDied": 0,
    "Unreadable": 0,
    "UnreadableCommit": 1,
    "BadLine": 0,
    "fail": 1,
    "add": 2,
}
Named = Mapping[str, Sequence[ast.expr]]
# For operators and programs, who are told in English.
_ENGLISH_ONLY = (
    "service/ops",
    "service/load",
    "service/cli.py",
    "service/lobby/rebuild.py",
    "events/commit.py",
)


def find_templates() -> set[str]:
    return {*_in_source(), *_in_things()}


def _in_source() -> Iterator[str]:
    for room in ("events", "rules", "service", "workers"):
        for file in sorted((ROOT / room).rglob("*.py")):
            if not str(file.relative_to(ROOT)).startswith(_ENGLISH_ONLY):
                yield from _in_module(ast.parse(file.read_text("utf-8")))


def _in_module(module: ast.Module) -> Iterator[str]:
    named = defaultdict[str, list[ast.expr]](list)
    for node in ast.walk(module):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                named[getattr(target, "id", "")].append(node.value)
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            yield from _in_call(node, named)
        elif isinstance(node, ast.FunctionDef) and "label" in node.name:
            for inner in ast.walk(node):
                if isinstance(inner, ast.Return) and inner.value is not None:
                    yield from _constants(inner.value, {})


def _in_call(call: ast.Call, named: Named) -> Iterator[str]:
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    place = _TAKES.get(name)
    if name == "_compare":
        yield from (text for argument in call.args[1:] for text in _constants(argument, {}))
    if name == "quantity":
        yield from _counted(call)
    elif name == "Joined" and len(call.args) > 1:
        yield from (part for part in _constants(call.args[1], {}) if part.strip(" ,;+."))
    elif name == "OneOf":
        errors = [keyword.value for keyword in call.keywords if keyword.arg == "error"]
        yield from (text for error in errors for text in _constants(error, {}))
    elif place is not None and len(call.args) > place and not (name == "add" and len(call.args) < 4):
        yield from _constants(call.args[place], named)


def _counted(call: ast.Call) -> Iterator[str]:
    things = [part.value for part in call.args[1:] if isinstance(part, ast.Constant)]
    texts = [thing for thing in things if isinstance(thing, str)]
    if texts:
        yield from (f"{{count}} {texts[0]}", f"{{count}} {texts[1] if len(texts) > 1 else texts[0] + 's'}")


def _constants(node: ast.expr, named: Named) -> Iterator[str]:
    """The texts that an expression may be: its constants, and those of the names in it."""
    match node:
        case ast.Constant(value=str(text)) if text:
            yield text
        case ast.IfExp():
            yield from _constants(node.body, named)
            yield from _constants(node.orelse, named)
        case ast.Dict():
            for value in node.values:
                yield from _constants(value, named)
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
            others = {other: values for other, values in named.items() if other != name}
            for value in named.get(name, ()):
                yield from _constants(value, others)
        case _:
            return


def _in_things() -> Iterator[str]:
    """Texts of what the service offers, and those that are looked up."""
    for ruleset in EDITIONS.newest.values():
        yield from (ruleset.title, ruleset.text)
        yield from ruleset.how_to_play
        for spec in ruleset.options:
            yield title_option(spec)
            yield from _parts(spec.text)
            yield from _parts(spec.how)
        for extension in ruleset.extensions:
            yield from extension.briefs.values()
        for prompt in ruleset.prompts.values():
            yield prompt.text
        for tile in ruleset.tiles.values():
            yield tile.text
            yield tile.gist
            yield from (text for member in tile.members.values() for text in (member.text, member.brief))
    for group in render_contract().index.groups:
        yield group.about
        yield from (operation.summary for operation in group.operations)
    yield "One-armed bandit"
    yield from (level.text for level in BOT_LEVELS)
    for text in PROBLEM_TEXTS.values():
        yield from (text.meaning, text.remedy)
    yield from map(name_problem, CODES)
    yield from (
        HTTPStatus(status).description for status in {*STATUS.values()} if status != HTTPStatus.NOT_FOUND
    )
    yield from CAUSES.values()
    yield from (*SENTENCES.values(), *STARTS.values(), *ENDS.values(), ERASED)
    yield from (f"{{count}} {thing}" for pair in DICE.values() for thing in pair)
    yield from _WHAT.values()
    for message in (Length.message_min, Length.message_max, Length.message_all):
        yield from (message, message.replace("items", "characters"))


def _parts(text: str) -> Iterator[str]:
    if isinstance(text, Joined):
        yield from text.parts
    elif isinstance(text, Text):
        yield text.template
