"""Pages that somebody else serves, in a real browser: they play and follow as if they were ours."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.browser import Tab, serve_folder
from tests.support.faults import Relay, open_relay
from tests.support.guides import read_blocks
from tests.support.http_client import HttpClient

# Every state of a page in a real browser takes minutes; `make test` plays the page in test_page_play.
pytestmark = pytest.mark.long

PAGES = Path(__file__).parent / "pages"
GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "follow-a-game.md"
CUTS = 3


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[str]:
    with serve_folder(PAGES) as base:
        yield base


@pytest.fixture
def relay(service: str) -> Iterator[Relay]:
    with open_relay(service) as relay:
        yield relay


def open_page(tab: Tab, elsewhere: str, base: str) -> None:
    """Open the page with the script that the guide gives it."""
    [script] = [block.code for block in read_blocks(GUIDE) if "browser" in block.flags]
    tab.page.goto(f"{elsewhere}/player.html?base={base}")
    tab.page.add_script_tag(content=script)


def test_a_page_plays_and_follows_through_a_cut_connection(
    tab: Tab, service: str, relay: Relay, elsewhere: str
) -> None:
    """From its first commit to its last, each once; what only this seat may see is among them."""
    open_page(tab, elsewhere, relay.base)
    tab.page.evaluate("begin('cards')")
    for cut in range(CUTS):
        tab.page.wait_for_function(f"heard.length >= {1 + 4 * cut}")
        relay.cut()
        tab.page.evaluate("playOn(3)")
    table = tab.page.evaluate("playOn(1000)")
    tab.page.wait_for_function("isOver")
    heard = tab.page.evaluate("heard")
    assert (table["status"], bool(table["winners"])) == ("over", True)
    with closing(HttpClient(service)) as client:
        log = client.get(f"/v1/games/{table['id']}/events?limit=1000")["commits"]
    assert [commit["hash"] for commit in heard] == [commit["hash"] for commit in log]
    hands = [event["cards"] for event in heard[0]["events"] if event["type"] == "cards_dealt"]
    assert ["value" in hand for hand in hands] == [True, False]
    assert tab.refused == []
    assert all("/events?after=" in request for request in tab.broken)
    assert tab.page.evaluate("streams") > CUTS


def test_a_browser_that_comes_back_with_a_used_ticket_is_told_to_stop(
    tab: Tab, relay: Relay, elsewhere: str
) -> None:
    open_page(tab, elsewhere, relay.base)
    tab.page.evaluate("begin('classic')")
    tab.page.evaluate("openCarelessly()")
    tab.page.wait_for_function("careless.readyState === EventSource.OPEN")
    relay.cut()
    tab.page.wait_for_function("careless.readyState === EventSource.CLOSED")
    assert [reply[:7] for reply in tab.refused] == ["401 GET"]
