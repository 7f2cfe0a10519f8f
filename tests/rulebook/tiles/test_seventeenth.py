"""One tile more: one value, one name in a tuple, and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import rules.tiles
from events.agenda import Step
from events.types import CounterMoved, GameCreated
from events.values import Dice, SeatPlan
from rules.bank import pay
from rules.editions.royale import royale
from rules.laying import both_sides
from rules.options import completed
from rules.state import EMPTY, State
from rules.table import Table
from rules.tile import Tile
from rules.tiles import TILES
from tests.rulebook.positions import ANNA, Scripted

FILES = sorted(Path(rules.tiles.__file__).parent.glob("??_*.py"))


def _setup(table: Table, number: int) -> None:
    table.record(CounterMoved("I1", 1))


def _activated(table: Table, seat: int, number: int, placed: Dice) -> None:
    pay(table, seat, table.state.counters["I1"] * 10_000)


def _shows(state: State) -> dict[str, object]:
    return {"chips": state.counters["I1"]}


TIP = Tile("I1", "TIP", "Pays a chip.", "I2", setup=_setup, activated=_activated, shows=_shows)


def test_a_seventeenth_tile_is_one_value_and_one_name() -> None:
    """T0: it can be named, is laid out, set up, activated and shown."""
    ruleset = royale((*TILES, TIP))
    options = completed(ruleset, 3, {"tile_codes": ("I1", "A2"), "start_seat": 0})
    seats = (SeatPlan("Anna"), SeatPlan("Ben"), SeatPlan("Carla"))
    table = Table(EMPTY, ruleset, Scripted())
    table.record(GameCreated("g_1", "royale", options, seats, "", "1"))
    table.push(Step("game"))
    table.run()
    assert TIP.shows(table.state) == {"chips": 1}
    table.activate(ANNA, 1, 1, 0)
    table.run()
    assert table.state.chips_of(ANNA) == 3


def test_sixteen_sides_make_eight_tiles() -> None:
    """000: eight double-sided tiles."""
    sides = {tile.code: tile for tile in TILES}
    assert len(sides) == len(TILES) == len(FILES) == 16
    assert sorted(both_sides(sides)) == [(f"{letter}1", f"{letter}2") for letter in "ABCDEFGH"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_tile_knows_another(path: Path) -> None:
    """What two tiles share stands beside them."""
    parsed = ast.walk(ast.parse(path.read_text()))
    imported = {node.module or "" for node in parsed if isinstance(node, ast.ImportFrom)}
    assert not {module for module in imported if module.startswith(("rules.tiles", "rules.editions"))}


@pytest.mark.parametrize("tile", TILES, ids=lambda tile: tile.code)
def test_every_tile_explains_itself(tile: Tile) -> None:
    """One or two plain sentences."""
    assert tile.text.endswith(".")
    assert 1 <= tile.text.count(". ") + 1 <= 2
    assert all(name.startswith(f"{tile.code}.") for name in (*tile.steps, *tile.prompts))
