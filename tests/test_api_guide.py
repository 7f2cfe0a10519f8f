"""The examples of docs/api.md work as they stand there."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.service_process import RunningService
from tests.support.waiting import PATIENCE

GUIDE = Path(__file__).parents[1] / "docs" / "api.md"
ADDRESS = "http://127.0.0.1:8000"
SHELL = re.compile(r"^```bash\n(.*?)^```", re.S | re.M)
LINK = re.compile(r"\]\((#[\w-]+)\)")
HEADING = re.compile(r"^## (.+)$", re.M)


@pytest.mark.needs("bash", "curl")
def test_shell_examples_run_as_one_session(running: RunningService, tmp_path: Path) -> None:
    script = "".join(SHELL.findall(GUIDE.read_text("utf-8")))
    assert ADDRESS in script
    run = subprocess.run(
        ["bash", "-eu", "-c", script.replace(ADDRESS, running.http.base)],
        cwd=tmp_path,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE,
    )
    assert run.returncode == 0, run.stderr
    assert re.findall(r'"code":"(\w+)"', run.stdout) == ["unauthorized"]
    assert '"name":"Ben","token":"' in run.stdout
    assert '"sentences":' in run.stdout
    assert '"commitment":"' in run.stdout
    assert "\nid: 1\ndata: {" in (tmp_path / "frames.txt").read_text("utf-8")
    for reply in ("table.json", "game.json", "earlier.json"):
        assert '"version":' in (tmp_path / reply).read_text("utf-8")


def test_links_inside_the_guide_lead_to_its_sections() -> None:
    text = GUIDE.read_text("utf-8")
    sections = {"#" + title.lower().replace(" ", "-") for title in HEADING.findall(text)}
    assert set(LINK.findall(text)) <= sections
