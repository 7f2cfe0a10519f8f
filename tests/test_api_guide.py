"""The guides at /docs: every block of code runs as it stands there, and every link leads somewhere."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.config import Settings
from service.guides.guides import BACKGROUND, GUIDES, START, render_guide, resolve_link
from service.http.app import DOORBELL, create_app
from tests.support.app import HEALTHY_REDIS, capture_log, open_memory
from tests.support.browser import open_browser
from tests.support.guides import (
    FOLDER,
    ROOT,
    check_output,
    find_difference,
    read_blocks,
    write_session,
)
from tests.support.programs import find_program
from tests.support.service_process import RunningService
from tests.support.waiting import PATIENCE

NAMES = [path.stem for path in sorted(FOLDER.glob("*.md"))]
# Blocks that other suites run: TypeScript needs packages of npm, EventSource needs a browser.
ELSEWHERE = {
    ("quickstart", "sh"): "tests/javascript/long.py",
    ("quickstart", "ts"): "tests/javascript/long.py",
    ("follow-a-game", "js browser"): "tests/web/test_other_origins.py",
    ("let-a-model-play", "json"): "tests/service/mcp/test_whole_games.py",
    ("let-a-model-play", "sh"): "tests/service/mcp/test_whole_games.py",
    ("let-a-model-play", "python mcp"): "tests/service/mcp/test_whole_games.py",
}
RUN_HERE = ("bash", "js", "python", "http")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def guides_in(language: str) -> list[str]:
    return [
        name
        for name in NAMES
        if any(block.language == language and not block.flags for block in read_blocks(FOLDER / f"{name}.md"))
    ]


def sessions_in(language: str) -> list[Any]:
    """The guides with such examples. `make test` runs the quickstart, `make test-long` all of them."""
    return [
        pytest.param(name, marks=() if name == "quickstart" else pytest.mark.long)
        for name in guides_in(language)
    ]


def run(command: list[str], folder: Path) -> str:
    """Run a session and return what it prints."""
    (folder / ".venv").symlink_to(ROOT / ".venv")
    (folder / "verifier").symlink_to(ROOT / "verifier")
    done = subprocess.run(
        command, cwd=folder, env=os.environ, capture_output=True, text=True, timeout=4 * PATIENCE
    )
    assert done.returncode == 0, f"{done.stderr}\n{done.stdout}"
    return done.stdout


@pytest.mark.needs("bash", "curl")
@pytest.mark.parametrize("name", sessions_in("bash"))
def test_shell_examples_run_as_one_session(name: str, running: RunningService, tmp_path: Path) -> None:
    program, blocks = write_session(FOLDER / f"{name}.md", "bash", running.http.base)
    check_output(blocks, run(["bash", "-eu", "-c", program], tmp_path))


@pytest.mark.parametrize("name", sessions_in("python"))
def test_python_examples_run_as_one_session(name: str, running: RunningService, tmp_path: Path) -> None:
    program, blocks = write_session(FOLDER / f"{name}.md", "python", running.http.base)
    check_output(blocks, run([sys.executable, "-I", "-c", program], tmp_path))


@pytest.mark.parametrize("name", sessions_in("js"))
def test_javascript_examples_run_as_one_session(
    name: str, running: RunningService, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """In Node, and where there is none in a browser."""
    program, blocks = write_session(FOLDER / f"{name}.md", "js", running.http.base)
    node = find_program("node")
    if node:
        printed = run([node, "--input-type=module", "--eval", program], tmp_path)
    else:
        printed = run_in_browser(request.getfixturevalue("chromium"), program)
    check_output(blocks, printed)


def run_in_browser(chromium: str, program: str) -> str:
    """Run a session on an empty page and return what it writes to the console."""
    lines: list[str] = []
    with open_browser(chromium) as browser, browser.new_context() as context:
        page = context.new_page()
        page.on("console", lambda message: lines.append(message.text))
        page.evaluate(f"(async () => {{\n{program}\n}})()")
    return "\n".join([*lines, ""])


@pytest.mark.long
def test_javascript_examples_run_in_a_browser_too(chromium: str, running: RunningService) -> None:
    program, blocks = write_session(FOLDER / "quickstart.md", "js", running.http.base)
    check_output(blocks, run_in_browser(chromium, program))


@pytest.fixture
def limited() -> Iterator[FlaskClient]:
    """A service with the usual limits, which the one that runs does not have."""
    with capture_log(), open_memory() as memory:
        app = create_app(Settings(), memory, lambda: HEALTHY_REDIS)
        yield app.test_client()
        app.extensions[DOORBELL].close()


@pytest.mark.parametrize("name", guides_in("http"))
def test_headers_are_those_that_a_guide_shows(name: str, limited: FlaskClient) -> None:
    """A block has the lines of a request, an empty line, and those of the reply that matter."""
    for block in read_blocks(FOLDER / f"{name}.md"):
        if block.language == "http":
            asked, _, answered = block.code.partition("\n\n")
            first, *lines = asked.splitlines()
            method, address = first.split()
            headers = dict(line.split(": ", 1) for line in lines)
            reply = limited.open(address, method=method, headers=headers)
            status, *told = answered.strip().splitlines()
            assert f"HTTP/1.1 {reply.status_code} " in f"{status} "
            for line in told:
                header, _, value = line.partition(": ")
                assert not find_difference(value, reply.headers[header]), line


def test_every_block_of_every_guide_is_run() -> None:
    """Here, or by the suite that is named for it."""
    for name in NAMES:
        for block in read_blocks(FOLDER / f"{name}.md"):
            kind = " ".join((block.language, *block.flags))
            assert kind in RUN_HERE or (name, kind) in ELSEWHERE, f"{name}: nothing runs {kind}"
    for (name, _), suite in ELSEWHERE.items():
        assert f"{name}.md" in (ROOT / suite).read_text("utf-8")


def test_the_comparison_of_output_can_fail() -> None:
    assert not find_difference({"a": 1, "…": "…"}, {"a": 1, "b": 2})
    assert not find_difference([{"id": "g_…"}, "…"], [{"id": "g_1"}, 2, 3])
    assert find_difference({"a": 1}, {"a": 1, "b": 2})
    assert find_difference({"a": 1, "…": "…"}, {"b": 2})
    assert find_difference({"a": 1}, {"a": True})
    assert find_difference([1], [1, 2])
    assert find_difference("g_…", "p_1")


def test_links_of_guides_lead_to_guides_and_their_sections() -> None:
    guides = (START, *GUIDES, *BACKGROUND)
    anchors = {
        guide.address: {heading.anchor for heading in render_guide(guide).headings} for guide in guides
    }
    for guide in guides:
        source = (FOLDER.parent / guide.source).read_text("utf-8")
        for link in LINK.findall(source):
            address, _, anchor = (resolve_link(guide, link) or "").partition("#")
            known = anchors.get(address or guide.address)
            assert not anchor or known is None or anchor in known, f"{guide.source}: {link}"


def test_the_guides_are_in_the_order_of_the_navigation_and_none_is_left_out() -> None:
    assert {guide.source for guide in GUIDES} == {f"guides/{name}.md" for name in NAMES} - {START.source}
    for guide in GUIDES:
        assert render_guide(guide).title == guide.title
