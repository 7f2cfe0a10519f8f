"""`rules` as its users meet it: eight names, and a whole game with nothing but them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import rules
from events.commands import Choose, Create
from events.values import SeatPlan
from rules import EDITIONS, TILES, Rejected, State, decide, evolve, legal, view
from tests.support.game_loop import SeededChance

ROOT = Path(__file__).parents[2]


def play(state: State, command: Create | Choose) -> State:
    for event in decide(state, command, SeededChance(1)):
        state = evolve(state, event)
    return state


def begin(edition: str) -> State:
    return play(State(), Create("g_1", edition, (SeatPlan("Anna"), SeatPlan("Ben")), "c0" * 32))


@pytest.mark.parametrize("edition", EDITIONS.newest)
def test_a_game_is_played_with_the_face_alone(edition: str) -> None:
    state = begin(edition)
    while state.ask is not None:
        seat = state.ask.awaited[0]
        state = play(state, Choose(state.ask.id, seat, legal(state, seat)[0].choice))
    assert state.status == "over"
    assert state.winners


def test_a_choice_that_is_not_offered_is_rejected() -> None:
    state = begin(next(iter(EDITIONS.newest)))
    assert state.ask is not None
    with pytest.raises(Rejected):
        play(state, Choose(state.ask.id, state.ask.seats[0], "fly-7"))


def test_a_spectator_sees_no_secret() -> None:
    dealt = next(state for state in map(begin, EDITIONS.newest) if state.hands)
    assert {hand.value for hand in view(dealt, None).hands.values()} == {None}


def test_every_tile_is_known_by_its_code() -> None:
    assert len({tile.code for tile in TILES}) == len(TILES)


def test_functions_hide_the_modules_of_their_name() -> None:
    """`from rules import decide` is the function, `from rules.decide import …` reads the module."""
    assert all(callable(getattr(rules, name)) for name in ("decide", "evolve", "legal"))


def imported_from(path: Path) -> list[tuple[str, str]]:
    source = path.read_text()
    nodes = ast.walk(ast.parse(source)) if "from rules" in source else ()
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return [(node.module or "", alias.name) for node in froms for alias in node.names]


def test_modules_of_the_rules_import_from_each_other() -> None:
    """Their face imports all of them, so none can import from it."""
    inside = [path for path in (ROOT / "rules").rglob("*.py") if path != ROOT / "rules/__init__.py"]
    assert [path for path in inside for module, _ in imported_from(path) if module == "rules"] == []


def test_service_and_workers_use_the_face() -> None:
    outside = [path for room in ("service", "workers") for path in (ROOT / room).rglob("*.py")]
    past_it = [
        f"{path.relative_to(ROOT)}: {module}.{name}"
        for path in outside
        for module, name in imported_from(path)
        if re.match(r"rules\.", module) and name in rules.__all__
    ]
    assert past_it == []
