import os
import re
import subprocess
from pathlib import Path

from tests.support.service_process import run_service
from tests.support.waiting import PATIENCE

ROOT = Path(__file__).parent.parent
EXECUTED = re.compile(r"<!-- executed by tests/test_readme.py -->\n```sh\n(.*?)```", re.S)


def test_a_stranger_plays_the_game_of_the_readme_and_verifies_it(tmp_path: Path) -> None:
    """The commands stand in the README exactly as they are run here."""
    [script] = EXECUTED.findall((ROOT / "README.md").read_text())
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    with run_service(tmp_path / "data") as (base, _):
        run = subprocess.run(
            ["bash", "-eu", "-c", script],
            cwd=tmp_path,
            env={**os.environ, "CROUPIER": base},
            capture_output=True,
            text=True,
            timeout=3 * PATIENCE,
        )
    assert run.returncode == 0, run.stderr
    assert "won by" in run.stdout
    assert "game.ndjson: verified." in run.stdout


def test_the_readme_names_the_two_commands_first() -> None:
    first = (ROOT / "README.md").read_text().split("```")[1]
    assert "make run" in first
    assert "make test" in first
