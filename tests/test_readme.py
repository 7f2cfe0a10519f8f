"""What the README says is true, and it stays short."""

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
README = (ROOT / "README.md").read_text("utf-8")
ADDRESS = "http://127.0.0.1:8000"
EXECUTED = re.compile(r"<!-- executed by tests/test_readme.py -->\n```(\w+)\n(.*?)```", re.S)
PAPERS = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "docs" / "adr").glob("*.md"),
    *(ROOT / "docs" / "guides").glob("*.md"),
    ROOT / "service" / "page" / "README.md",
]
OURS = re.compile(r"`((?:events|rules|service|workers|verifier|examples|tests)/[\w./-]*)`")
# The recipes of CONTRIBUTING.md make these files.
MADE_BY_RECIPES = {"rules/editions/quick.py", "rules/tiles/i1_tip.py", "workers/bots/first.py"}
LINK = re.compile(r"\]\(([^)\s]+)\)")


def run_python(script: str, base: str, folder: Path) -> str:
    """Run a program of the papers against the service at `base` and return what it prints."""
    assert ADDRESS in script
    run = subprocess.run(
        [sys.executable, "-I", "-c", script.replace(ADDRESS, base)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_a_new_user_plays_the_game_of_the_readme_and_verifies_it(
    running: RunningService, tmp_path: Path
) -> None:
    """Program and command stand in the README exactly as they are run here."""
    (language, program), (shell, command) = EXECUTED.findall(README)
    assert (language, shell) == ("python", "sh")
    assert run_python(program, running.http.base, tmp_path).startswith("won by [")
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    run = subprocess.run(["sh", "-eu", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "game.ndjson: verified." in run.stdout


def test_the_readme_names_the_two_commands_first() -> None:
    first = README.split("```")[1]
    assert "make run" in first
    assert "make test" in first


def test_the_readme_is_read_in_two_minutes() -> None:
    assert len(README.splitlines()) <= 120
    assert len(README.split()) <= 900


@pytest.mark.parametrize("paper", PAPERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_line_of_prose_is_longer_than_an_editor_is_wide(paper: Path) -> None:
    """Rows of tables are as long as they have to be."""
    lines = paper.read_text("utf-8").splitlines()
    assert [line for line in lines if len(line) > 120 and not line.startswith("|")] == []


@pytest.mark.parametrize("paper", PAPERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_between_papers_leads_to_a_file_and_to_a_heading(paper: Path) -> None:
    for link in LINK.findall(paper.read_text("utf-8")):
        # What begins with a slash is an address of the service.
        if "://" in link or link.startswith("/"):
            continue
        name, _, heading = link.partition("#")
        target = paper.parent / name if name else paper
        assert target.exists(), link
        if heading:
            assert heading in headings(target), link


@pytest.mark.parametrize("paper", PAPERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_file_of_ours_that_a_paper_names_exists(paper: Path) -> None:
    names = set(OURS.findall(paper.read_text("utf-8"))) - MADE_BY_RECIPES
    assert [name for name in sorted(names) if not (ROOT / name).exists()] == []


def headings(paper: Path) -> set[str]:
    """The anchors of a paper's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", paper.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("edition", EDITIONS.newest.values(), ids=lambda edition: edition.id)
def test_the_editions_say_for_how_many_each_is_and_each_option(edition: Ruleset) -> None:
    [row] = [line for line in README.splitlines() if line.startswith(f"| `{edition.id}` |")]
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
    assert f"{ADDRESS} TOKEN FILE" in (ROOT / "docs" / "guides" / "bring-a-bot.md").read_text("utf-8")
