"""A seventeenth tile: one file, one name, and nothing else knows of it."""

from __future__ import annotations

import ast
from pathlib import Path
from random import Random

import pytest

from events.commands import Choose, Create
from events.types import OptionValue
from events.values import SeatPlan
from rules.decide import run_command
from rules.editions.royale import royale
from rules.legal import legal
from rules.mechanics.laying import both_sides
from rules.releases import Editions
from rules.state import EMPTY, State
from rules.tile import Tile
from rules.tiles import TILES
from tests.support.game_loop import NAMES, SeededChance
from tests.support.laws import check_conservation, things_of
from tests.support.toy_tile import CODE, ROUGE_ET_NOIR

ROOT = Path(__file__).parents[3]
TILE_FILES = sorted(path for path in (ROOT / "rules/tiles").glob("*.py") if path.stem != "__init__")

SEVENTEEN = Editions(royale((*TILES, ROUGE_ET_NOIR)))


def begin(options: dict[str, OptionValue], chance: SeededChance, players: int) -> State:
    seats = tuple(SeatPlan(name) for name in NAMES[:players])
    create = Create("g_1", "royale", seats, "c0" * 32, options)
    return run_command(EMPTY, create, chance, SEVENTEEN).state


@pytest.mark.parametrize("codes", [("Z1",), ("H2", "Z1", "D2"), ("Z1", "E1", "F2", "G2", "B1", "C2")])
@pytest.mark.parametrize("players", [2, 5])
def test_a_toy_tile_is_played_to_the_end_beside_the_others(codes: tuple[str, ...], players: int) -> None:
    """T2: its code may be named like any other, and MY CHOICE can set it off."""
    chance = SeededChance(players)
    state = begin({"tile_codes": codes}, chance, players)
    things, random, prompts = things_of(state), Random(players), set[str]()
    while (ask := state.ask) is not None:
        prompts.add(ask.prompt)
        option = random.choice(legal(state, ask.awaited[0], SEVENTEEN))
        assert option.label
        state = run_command(state, Choose(ask.id, ask.awaited[0], option.choice), chance, SEVENTEEN).state
        check_conservation(state, things)
        if CODE in state.tiles:
            assert set(ROUGE_ET_NOIR.shows(state)) == set(ROUGE_ET_NOIR.members)
    assert state.status == "over"
    assert "Z1.bet" in prompts


def test_a_toy_tile_is_drawn_like_the_others() -> None:
    """T0: it has one side only, and lies out in some game."""
    drawn = [begin({"tiles": 6}, SeededChance(seed), 3).tiles for seed in range(20)]
    assert any(CODE in tiles for tiles in drawn)
    assert not any("Z2" in tiles for tiles in drawn)


def test_every_file_holds_one_tile() -> None:
    """One file each, and one name in the tuple."""
    assert [path.stem[:2].upper() for path in TILE_FILES] == [tile.code for tile in TILES]


def test_sixteen_sides_make_eight_tiles() -> None:
    """000: eight double-sided tiles; whoever adds one adds it to these."""
    sides = both_sides({tile.code: tile for tile in TILES})
    assert sorted(sides)[:8] == [(f"{letter}1", f"{letter}2") for letter in "ABCDEFGH"]


@pytest.mark.parametrize("path", TILE_FILES, ids=lambda path: path.stem)
def test_no_tile_knows_another(path: Path) -> None:
    """What two tiles share stands beside them."""
    imports = [
        node
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    names = [alias.name for node in imports for alias in node.names]
    modules = [node.module or "" for node in imports if isinstance(node, ast.ImportFrom)]
    assert not any(name.startswith(("rules.tiles", "rules.editions")) for name in (*names, *modules))


@pytest.mark.parametrize("tile", TILES, ids=lambda tile: tile.code)
def test_every_tile_explains_itself(tile: Tile) -> None:
    """One or two plain sentences; its steps and prompts carry its code."""
    assert tile.text.endswith(".")
    assert 1 <= tile.text.count(". ") + 1 <= 2
    assert all(name.startswith(f"{tile.code}.") for name in (*tile.steps, *tile.prompts))
