"""Statistics equal what a script counts from the exports that shares no code with the service."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from redis import Redis

from events.commands import Leave, Void
from events.commit import Commit
from events.values import SeatPlan
from service.container import build_backend
from service.games.writer import Caller
from tests.explain_games import plans
from tests.service.stats.test_stats import tally
from tests.support.api_client import ApiClient
from tests.support.finished_games import say_that_all_are_listed
from tests.support.game_loop import NAMES
from tests.support.games import answer_at_random, make_games, play_answers

SCRIPT = Path(__file__).parents[3] / "examples" / "count_exports.py"


def play_every_kind() -> Iterator[tuple[str, Sequence[Commit], str]]:
    """Bots and people, with every tile; somebody goes for good, and some break off."""
    random, games = Random(7), make_games()
    for number, plan in enumerate(islice(plans(random), 27)):
        seats = [SeatPlan(name=name) for name in NAMES[1 : plan.players]]
        game = games.create(plan.edition, plan.options, [SeatPlan(bot="greedy"), *seats]).game
        if number % 9 == 1:
            answer_at_random(games, game, random)
            for seat in range(1, plan.players):
                games.execute(game, Caller(seat), Void(seat, agrees=True))
        if number % 9 == 2:
            games.execute(game, Caller(1), Leave(1, for_good=True))
        for _ in play_answers(games, game, seed=number):
            pass
        yield game, games.commits(game), games.snapshot(game).state.seed


def count(*paths: Path) -> Any:
    """As anybody runs it, without the project."""
    run = [sys.executable, "-I", str(SCRIPT), *map(str, paths)]
    return json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)


def told_by_service(api: ApiClient) -> Any:
    """Without names and what follows from the rest."""
    stats = api.call("GET", "/v1/stats")
    drop = ("name", "chi_square", "p")
    return {
        part: [{name: value for name, value in row.items() if name not in drop} for row in stats[part]]
        for part in ("tables", "tiles", "rolls")
    }


@pytest.mark.long
def test_statistics_equal_the_count_of_a_separate_script(
    api: ApiClient, memory: Redis, tmp_path: Path
) -> None:
    backend = build_backend(memory)
    for game, commits, seed in play_every_kind():
        backend.store.create_with_history(game, commits, {"seed": seed})
        backend.lobby.update(backend.games.snapshot(game))
    tally(memory)
    say_that_all_are_listed(memory)
    (tmp_path / "all.ndjson").write_bytes(api.get("/v1/exports?limit=500").get_data())
    counted = count(tmp_path / "all.ndjson")
    assert counted == told_by_service(api)
    assert len(counted["tiles"]) == 16
    assert sum(table["broken_off"] for table in counted["tables"]) == 3
    assert {bot["bot"] for table in counted["tables"] for bot in table["bots"]} == {"greedy"}
    assert count(tmp_path, tmp_path / "all.ndjson") == counted


def test_the_script_needs_nothing_but_python() -> None:
    imports = [
        node
        for node in ast.walk(ast.parse(SCRIPT.read_text()))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    names = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in imports if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names
