"""Mechanisms put together: nothing is decided by the order in which they stand."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from msgspec.structs import replace

from events.agenda import Step
from events.types import ChipsMoved, TokenMoved
from events.values import BANK, PURSE, SUPPLY
from rules.editions import EDITIONS
from rules.editions.royale import royale
from rules.mechanics import payout
from rules.ruleset import join_unique, merge_unique
from rules.table import Table
from rules.tiles import TILES
from tests.support.positions import ANNA, ScriptedChance, tile_table

EDITION_FILES = sorted((Path(__file__).parents[2] / "rules/editions").glob("*.py"))


def test_what_differs_in_name_is_joined() -> None:
    assert join_unique({"turns": 1}, {}, {"payout": 2}) == {"turns": 1, "payout": 2}


def test_a_name_that_two_claim_is_a_fault() -> None:
    """Even where both would do the same."""
    with pytest.raises(ValueError, match=r"payout\.after is defined twice"):
        join_unique(payout.STEPS, {"payout.after": payout.finish})
    with pytest.raises(ValueError, match="A1 is defined twice"):
        merge_unique([("A1", 1), ("B1", 2), ("A1", 1)])


@pytest.mark.parametrize("name", ["payout.after", "turns", "tile", "E2.give"])
def test_a_tile_takes_no_step_from_another_mechanism(name: str) -> None:
    """T0: tiles add to the game and replace nothing in it."""
    first, *others = TILES
    with pytest.raises(ValueError, match=f"{name} is defined twice"):
        royale((replace(first, steps={name: payout.finish}), *others))


@pytest.mark.parametrize("name", ["turn.place", "B1.place"])
def test_a_tile_takes_no_question_from_another_mechanism(name: str) -> None:
    first, *others = TILES
    with pytest.raises(ValueError, match=f"{name} is defined twice"):
        royale((replace(first, prompts={name: first.prompts["A1.hide"]}), *others))


def test_no_two_tiles_have_one_code() -> None:
    with pytest.raises(ValueError, match="C1 is defined twice"):
        royale((*TILES, replace(TILES[0], code="C1", prompts={})))


@pytest.mark.parametrize("path", EDITION_FILES, ids=lambda path: path.stem)
def test_no_edition_lays_one_mapping_over_another(path: Path) -> None:
    """The later one would win in silence; `join` speaks up."""
    mappings = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Dict)]
    assert all(None not in mapping.keys for mapping in mappings)


def test_when_all_is_paid_the_tiles_come_first_and_then_the_edition() -> None:
    """D8, T-C2: an edition that has something to pay at the end takes nothing from the tiles."""

    def hand_over(table: Table) -> None:
        table.record(TokenMoved("start", SUPPLY[ANNA]))

    rules = replace(EDITIONS.newest["royale"], after_payout=(hand_over,))
    table = Table(tile_table("C2", dice={1: {1: 1, 2: 2}}), rules, ScriptedChance())
    payout.record_counts(table, Step("payout.before"))
    payout.remove_ties(table, Step("payout.ties"))
    payout.finish(table, Step("payout.after"))
    assert table.events[-2:] == [
        ChipsMoved(PURSE[ANNA], BANK, 2),
        TokenMoved("start", SUPPLY[ANNA]),
    ]
