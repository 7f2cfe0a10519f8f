"""Settings: hints, sound, and choices that are asked for twice; the share sheet, and a lost connection."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import OPTIONS, Tab, open_tab
from tests.support.http_client import HttpService, SeatedGame
from tests.support.sent_tables import asks, keep_tokens, play_until, seat_plan
from tests.support.waiting import wait_until

# A real browser for each; `make test` plays the page in test_page_play.
pytestmark = pytest.mark.long

# Counts the audio contexts that the page opens.
COUNT_SOUNDS = """
window.opened = 0;
const Real = window.AudioContext;
window.AudioContext = class extends Real { constructor() { super(); window.opened += 1; } };
"""
# A phone's share sheet, which a browser without a screen does not have.
SHARE_SHEET = "navigator.share = async (what) => { window.shared = what; };"


@pytest.fixture
def calm(browser: Browser) -> Iterator[Tab]:
    with open_tab(browser, reduced_motion="reduce") as tab:
        yield tab


def sit_down(tab: Tab, base: str) -> SeatedGame:
    """Open a table at which this tab's seat is asked."""
    game, _ = play_until(HttpService(base).insist, seat_plan("classic", 2), asks("turn.place"))
    keep_tokens(tab.page.context, {game.id: game.tokens[0]})
    tab.page.goto(f"{base}/games/{game.id}")
    tab.page.locator(OPTIONS).first.wait_for()
    return game


def switch_on(page: Page, setting: str) -> None:
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("checkbox", name=setting).check()
    page.get_by_role("button", name="Close").click()


def test_a_choice_that_is_to_be_confirmed_is_sent_by_the_second_press(calm: Tab, service: str) -> None:
    game = sit_down(calm, service)
    page = calm.page
    switch_on(page, "Confirm my choices")
    before = page.request.get(f"{service}{game.address}").json()["version"]
    page.locator(OPTIONS).first.click()
    confirm = page.get_by_role("button", name="Confirm", exact=True)
    expect(confirm).to_be_visible()
    assert page.request.get(f"{service}{game.address}").json()["version"] == before
    with page.expect_response(lambda reply: reply.url.endswith("/choices")) as sent:
        confirm.click()
    assert sent.value.ok


def test_nothing_is_heard_until_sound_is_switched_on(tab: Tab, service: str) -> None:
    page = tab.page
    page.add_init_script(COUNT_SOUNDS)
    sit_down(tab, service)
    with page.expect_response(lambda reply: reply.url.endswith("/choices")):
        page.locator(OPTIONS).first.click()
    page.locator(OPTIONS).first.wait_for(state="detached")
    assert page.evaluate("opened") == 0
    sit_down(tab, service)
    switch_on(page, "Sound")
    page.locator(OPTIONS).first.click()
    wait_until(lambda: page.evaluate("opened") == 1, "a sound")


def test_hints_that_were_switched_off_never_come_back(calm: Tab, service: str) -> None:
    sit_down(calm, service)
    page = calm.page
    guide = page.locator(".guide")
    expect(guide).to_be_visible()
    page.get_by_role("button", name="Hints off").click()
    expect(guide).to_have_count(0)
    page.reload()
    page.locator(OPTIONS).first.wait_for()
    expect(guide).to_have_count(0)
    sit_down(calm, service)
    expect(guide).to_have_count(0)


def test_a_table_is_handed_to_the_share_sheet_of_the_phone(calm: Tab, service: str) -> None:
    page = calm.page
    page.add_init_script(SHARE_SHEET)
    game = sit_down(calm, service)
    page.locator("[data-opens='menu']").click()
    page.get_by_role("button", name="Share this table").click()
    wait_until(lambda: page.evaluate("window.shared?.url") == f"{service}/games/{game.id}", "sharing")


def test_without_a_connection_the_page_says_so_and_goes_on_when_it_is_back(calm: Tab, service: str) -> None:
    page = calm.page
    page.goto(service)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.context.set_offline(True)
    page.goto(f"{service}/stats")
    expect(page.get_by_role("heading", name="No connection")).to_be_visible()
    assert page.evaluate("document.styleSheets[0].cssRules.length") > 0
    page.context.set_offline(False)
    page.get_by_role("link", name="Try again").click()
    expect(page.get_by_role("heading", name="No connection")).to_have_count(0)
