"""What the README says is so."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rules.editions import EDITIONS
from rules.ruleset import Ruleset
from tests.support.parallel_players import PROGRAM
from tests.support.service_process import RunningService
from tests.support.waiting import PATIENCE

ROOT = Path(__file__).parent.parent
EXECUTED = re.compile(r"<!-- executed by tests/test_readme.py -->\n```bash\n(.*?)```", re.S)
BOT = re.compile(r"<!-- executed by tests/test_readme.py -->\n```python\n(.*?)```", re.S)


@pytest.mark.needs("bash", "curl")
def test_a_stranger_plays_the_game_of_the_readme_and_verifies_it(
    running: RunningService, tmp_path: Path
) -> None:
    """The commands stand in the README exactly as they are run here."""
    [script] = EXECUTED.findall((ROOT / "README.md").read_text())
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    run = subprocess.run(
        ["bash", "-eu", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "CROUPIER": running.http.base},
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE,
    )
    assert run.returncode == 0, run.stderr
    assert "won by" in run.stdout
    assert "game.ndjson: verified." in run.stdout


def test_the_bot_of_the_readme_plays_a_game_to_its_end(running: RunningService) -> None:
    """In about thirty lines, without a package."""
    [script] = BOT.findall((ROOT / "README.md").read_text())
    assert len(script.splitlines()) <= 35
    run = subprocess.run(
        [sys.executable, "-I", "-c", script],
        env={**os.environ, "CROUPIER": running.http.base},
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("won by [")


def test_the_readme_names_the_two_commands_first() -> None:
    first = (ROOT / "README.md").read_text().split("```")[1]
    assert "make run" in first
    assert "make test" in first


@pytest.mark.parametrize("edition", EDITIONS.newest.values(), ids=lambda edition: edition.id)
def test_the_editions_say_for_how_many_each_is_and_each_option(edition: Ruleset) -> None:
    text = (ROOT / "README.md").read_text()
    [row] = [line for line in text.splitlines() if line.startswith(f"| `{edition.id}` |")]
    least, most = edition.seats
    assert f"| {least}–{most} |" in row
    for option in edition.options:
        if option.players:
            least, most = option.players
            assert f"`{option.name}` ({least}–{most} players)" in row


@pytest.mark.parametrize("arguments", [[], ["--help"], ["http://127.0.0.1:9", "token"]])
def test_the_example_that_plays_everywhere_says_what_it_needs(arguments: list[str]) -> None:
    run = subprocess.run([sys.executable, PROGRAM, *arguments], capture_output=True, text=True)
    assert (run.returncode, run.stderr.split(":")[0]) == (1, "usage")
    assert "ADDRESS TOKEN FILE" in run.stderr
    assert (
        "ADDRESS TOKEN FILE".replace("ADDRESS", "http://127.0.0.1:8000") in (ROOT / "README.md").read_text()
    )
