"""Figures over all games, in a real browser."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.support.browser import open_tab
from tests.support.http_client import HttpService
from tests.support.waiting import wait_until

# Every state of a page in a real browser takes minutes; `make test` plays the page in test_page_play.
pytestmark = pytest.mark.long

PLANS: tuple[tuple[str, dict[str, Any]], ...] = (("classic", {}), ("royale", {"tiles": 3}))


@pytest.fixture(scope="module")
def counted(service: str) -> dict[str, Any]:
    """What the service says once two games of bots have been counted."""
    http = HttpService(service)
    for edition, options in PLANS:
        seats = [{"bot": "random"}, {"bot": "greedy"}]
        http.call("POST", "/v1/games", {"edition": edition, "options": options, "seats": seats})

    def read() -> dict[str, Any]:
        stats: dict[str, Any] = http.call("GET", "/v1/stats").json
        return stats

    def are_counted() -> bool:
        return {table["edition"] for table in read()["tables"]} >= {edition for edition, _ in PLANS}

    wait_until(are_counted, "the counts of two games")
    return read()


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_figures_are_shown_to_everybody(
    service: str, browser: Browser, counted: dict[str, Any], scheme: str
) -> None:
    with open_tab(browser, color_scheme=scheme, reduced_motion="reduce") as tab:
        tab.page.goto(service)
        tab.page.get_by_role("link", name="Statistics").click()
        expect(tab.page.get_by_role("heading", level=1)).to_have_text("Statistics")
        # Others play here meanwhile, so that the figures themselves may be newer than these.
        assert counted["rolls"]
        expect(tab.page.get_by_text("Fair dice are further from even").first).to_be_visible()
        expect(tab.page.get_by_role("rowheader", name="Greedy").first).to_be_visible()
        assert Axe().run(tab.page).response["violations"] == []
        assert tab.refused + tab.errors == []
