"""A page that somebody else serves, in a real browser: it plays as if it were ours."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.browser import Tab
from tests.support.page_server import serve_folder

PAGES = Path(__file__).parent / "pages"


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[str]:
    with serve_folder(PAGES) as base:
        yield base


def test_a_page_of_another_origin_plays_a_game_to_its_end(tab: Tab, service: str, elsewhere: str) -> None:
    tab.page.goto(f"{elsewhere}/player.html?service={service}")
    table = tab.page.evaluate("playGame('classic')")
    assert table["status"] == "over"
    assert table["winners"]
    assert (tab.refused, tab.broken, tab.errors) == ([], [], [])
