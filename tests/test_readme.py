import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support.running_service import RunningService
from tests.support.waiting import PATIENCE

ROOT = Path(__file__).parent.parent
EXECUTED = re.compile(r"<!-- executed by tests/test_readme.py -->\n```sh\n(.*?)```", re.S)
BOT = re.compile(r"<!-- executed by tests/test_readme.py -->\n```python\n(.*?)```", re.S)


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
