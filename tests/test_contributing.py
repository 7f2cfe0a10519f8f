"""The recipes of CONTRIBUTING.md work: each is followed step by step in a copy of the tree."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.support.waiting import PATIENCE

# Each recipe is followed in a copy of the whole tree.
pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
RECIPES = ["Add an edition", "Add a tile", "Add a bot", "Add an operation"]
STEP = re.compile(r"^\d\. (.*?)(?=^\d\. |\Z)", re.S | re.M)
BLOCK = re.compile(r"^   ```(python|diff)\n(.*?)^   ```$", re.S | re.M)
FILE = re.compile(r"`((?:rules|service|workers|tests|docs)/[\w/]+\.\w+|[A-Z]\w+\.md)`")
# The reader chooses this name.
MADE_BY_READER = {"tests/service/test_your_own.py"}


def steps_of(recipe: str) -> list[str]:
    section = TEXT.split(f"\n## {recipe}\n")[1].split("\n## ")[0]
    return STEP.findall(section)


def follow(recipe: str, tree: Path) -> None:
    """Create and change the files that the steps of a recipe name."""
    for step in steps_of(recipe):
        blocks = BLOCK.findall(step)
        if not blocks:
            continue
        path = tree / FILE.findall(step)[0]
        for language, block in blocks:
            code = textwrap.dedent(block)
            if language == "diff":
                path.write_text(change(path.read_text("utf-8"), code), "utf-8")
            elif step.startswith("Create"):
                assert not path.exists()
                path.write_text(code, "utf-8")
            else:
                path.write_text(f"{path.read_text('utf-8')}\n\n{code}", "utf-8")


def change(text: str, diff: str) -> str:
    """Apply a diff without line numbers; what it shows as present must stand in the text once."""
    lines = diff.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] != "+")
    after = "".join(line[1:] for line in lines if line[0] != "-")
    assert text.count(before) == 1, before
    return text.replace(before, after)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for package in ("events", "rules", "service", "workers"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("openapi.yaml", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def run_in(tree: Path, program: str) -> str:
    """Run a program with the packages of `tree`; the tests' own stand behind them."""
    paths = f"import sys; sys.path[:0] = [{str(tree)!r}]; sys.path.append({str(ROOT)!r})\n"
    run = subprocess.run(
        [sys.executable, "-c", paths + program],
        cwd=tree,
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_contributing_has_the_four_recipes() -> None:
    assert [title for title in re.findall(r"^## (.+)$", TEXT, re.M) if title.startswith("Add")] == RECIPES


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_file_that_a_recipe_names_exists_or_is_made(recipe: str) -> None:
    for step in steps_of(recipe):
        names = FILE.findall(step)
        if step.startswith("Create"):
            assert not (ROOT / names.pop(0)).exists()
        missing = {name for name in names if not (ROOT / name).exists()}
        assert missing <= MADE_BY_READER


@pytest.mark.parametrize("command", sorted(set(re.findall(r"`make ([\w-]+)", TEXT))))
def test_every_make_command_of_the_recipes_exists(command: str) -> None:
    assert re.search(rf"^{command}:", (ROOT / "Makefile").read_text("utf-8"), re.M)


PLAY = """
from random import Random
from events.commands import Choose, Create
from events.types import ChipsMoved
from events.values import SeatPlan
from rules.decide import run_command
from rules.legal import legal
from rules.state import EMPTY, view
from tests.support.game_loop import SeededChance
from workers.bots import BOTS

def play(edition, options, bot):
    chance = SeededChance(1)
    seats = (SeatPlan("Anna"), SeatPlan("Ben"))
    state = run_command(EMPTY, Create("g_1", edition, seats, "c0" * 32, options), chance).state
    while (ask := state.ask) is not None:
        seat = ask.awaited[0]
        choice = BOTS[bot].choose(view(state, seat), seat, Random(1))
        result = run_command(state, Choose(ask.id, seat, choice), chance)
        yield state, choice, result
        state = result.state
"""
CONTRACT = """
from service.http.openapi.document import render_contract
contract = render_contract().yaml.content.decode()
"""


def test_the_recipe_for_an_edition_makes_one_that_can_be_played(tree: Path) -> None:
    follow("Add an edition", tree)
    program = """
*_, (before, choice, last) = play("quick", {}, "random")
assert (last.state.status, last.state.round) == ("over", 2)
assert "cards, quick]" in contract
"""
    run_in(tree, PLAY + CONTRACT + program)


def test_the_recipe_for_a_tile_makes_one_that_pays(tree: Path) -> None:
    follow("Add a tile", tree)
    program = """
moves = list(play("royale", {"tile_codes": ("I1",)}, "random"))
assert moves[-1][2].state.status == "over"
paid = [
    any(isinstance(event, ChipsMoved) for event in result.events)
    for before, choice, result in moves
    if choice == f"place-{before.tiles.index('I1') + 1}"
]
assert paid and all(paid)
"""
    run_in(tree, PLAY + program)


def test_the_recipe_for_a_bot_makes_one_that_plays(tree: Path) -> None:
    follow("Add a bot", tree)
    program = """
for before, choice, result in play("classic", {}, "first"):
    assert choice == legal(before, before.ask.awaited[0])[0].choice
assert result.state.status == "over"
assert list(BOTS)[:2] == ["random", "first"]
assert "enum: [random, first, " in contract
"""
    run_in(tree, PLAY + CONTRACT + program)


def test_the_recipe_for_an_operation_makes_one_that_answers(tree: Path) -> None:
    follow("Add an operation", tree)
    program = """
from flask.testing import FlaskClient
from tests.support.app import open_app, open_memory
with open_app(open_memory()) as app:
    # The client of the tests knows the committed contract only.
    app.test_client_class = FlaskClient
    reply = app.test_client().get("/v1/greeting")
    assert reply.get_json() == {"text": "Welcome to Las Vegas"}
assert "operationId: showGreeting" in contract
"""
    run_in(tree, CONTRACT + program)
