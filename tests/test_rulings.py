"""Every ruling of docs/rulings.md is pinned by a test that names it, and every id a test names is there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from rules.editions import EDITIONS
from rules.ruleset import Ruleset
from rules.tiles import TILES
from tests.support.rulings import RULINGS, rulings

TESTS = Path(__file__).parent
# Not the C1 of T-C1: those are two rulings.
CITATION = re.compile(r"(?<![\w-])(?:T-[A-Z]\d+|[A-Z]\d+)(?![\w-])")
# A rule as a refusal names it: a ruling, or a heading in a book.
HEADING = re.compile(r"00[0-4] [A-Z][A-Z !?]+")


def named_in(path: Path) -> Iterator[tuple[str, str]]:
    """Name and docstring of every test of a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield f"{path.relative_to(TESTS)}::{node.name}", ast.get_docstring(node) or ""


@cache
def citations() -> dict[str, set[str]]:
    """Which tests cite which id."""
    found: dict[str, set[str]] = {}
    for path in TESTS.rglob("test_*.py"):
        for test, docstring in named_in(path):
            for cited in CITATION.findall(docstring):
                found.setdefault(cited, set()).add(test)
    return found


def test_every_ruling_is_an_entry_that_a_program_can_read() -> None:
    """A gap, a ruling, and an id of its own."""
    text = RULINGS.read_text()
    assert len(set(rulings())) == len(rulings()) == len(re.findall(r"^- ", text, re.MULTILINE))


def test_every_ruling_is_pinned_by_a_test() -> None:
    assert [ruling for ruling in rulings() if ruling not in citations()] == []


def test_no_test_cites_a_ruling_that_is_not_there() -> None:
    """A tile may be named by its code."""
    known = {*rulings(), *(tile.code for tile in TILES)}
    assert {cited: tests for cited, tests in citations().items() if cited not in known} == {}


@pytest.mark.parametrize("ruleset", EDITIONS.newest.values(), ids=lambda ruleset: ruleset.id)
def test_every_question_rests_on_a_ruling_or_a_heading(ruleset: Ruleset) -> None:
    """What may be answered is not the program's own idea."""
    for prompt in ruleset.prompts.values():
        for rule in (prompt.rule, *filter(None, prompt.verbs.values())):
            assert rule
            assert [part for part in rule.split(", ") if not is_rule(part)] == []


def is_rule(part: str) -> bool:
    return part in rulings() or HEADING.fullmatch(part) is not None
