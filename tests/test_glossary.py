"""Every code name in docs/glossary.md is one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GLOSSARY = ROOT / "docs" / "glossary.md"
CODE = [path for package in ("events", "rules", "service") for path in (ROOT / package).rglob("*.py")]
# A name, a member, or something done with a name: `Dice.small`, `home(owner)`, `PURSE[seat]`, `seat: int`.
NAME = re.compile(r"(?P<name>\w+(?:\.\w+)?)(?P<use>[(\[]|: )?.*")


def names() -> list[str]:
    """What stands in the columns "in code"; what has quotes or a dash is an example of a value."""
    found: list[str] = []
    column = 1
    for line in GLOSSARY.read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if "in code" in cells:
            column = cells.index("in code")
        elif len(cells) > column:
            found += re.findall(r"`(.+?)`", cells[column])
    return [name for name in found if not re.search(r"[\"-]", name)]


@cache
def defined() -> dict[str, set[str]]:
    """Functions, values and texts of the code; members with the name of their class before them."""
    found: dict[str, set[str]] = {"function": set(), "value": set(), "text": set()}
    for path in CODE:
        for node in ast.walk(ast.parse(path.read_text())):
            for kind, name in definitions(node):
                found[kind].add(name)
    return found


def definitions(node: ast.AST) -> Iterator[tuple[str, str]]:
    match node:
        case ast.ClassDef(name=name, body=body):
            yield "value", name
            yield from ((kind, f"{name}.{member}") for part in body for kind, member in definitions(part))
        case ast.FunctionDef(name=name):
            yield "function", name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            yield "value", name
        case ast.Constant(value=str(text)):
            yield "text", text


def stands(written: str) -> bool:
    found = NAME.fullmatch(written)
    assert found, written
    kinds = {"(": ["function"], "[": ["value"]}.get(found["use"], ["function", "value", "text"])
    return any(found["name"] in defined()[kind] for kind in kinds)


def test_every_code_name_of_the_glossary_stands_in_the_code() -> None:
    assert len(names()) > 80
    assert [name for name in names() if not stands(name)] == []


@pytest.mark.parametrize("name", ["purse(seat)", "casino(number)", "PURSES[seat]", "ARENA", "Dice.medium"])
def test_a_name_that_is_not_there_is_missed(name: str) -> None:
    assert not stands(name)
