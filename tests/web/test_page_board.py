"""Every question of every edition on the page: few large choices, all in sight, and nothing that jumps."""

from contextlib import closing
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browser import open_tab
from tests.support.http_client import HttpClient, HttpPlayer, HttpService, SeatedGame
from tests.support.languages import find_english
from tests.support.sent_tables import keep_tokens, seat_plan
from tests.take_pictures import STATES, THERE

# Every state of a page in a real browser takes minutes.
pytestmark = pytest.mark.long

SIZES = [(390, 844), (768, 1024), (1280, 720)]
MOST_CHOICES = 6
LARGEST_SHIFT = 4
ASKED = [name for name in STATES if name.startswith(("tile-", "classic", "modern", "royale", "cards"))]

# Options that cannot be pressed where they are: out of the window, or with something else above their middle.
COVERED = """() => [...document.querySelectorAll(".option")].filter((option) => {
  const box = option.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const whole = box.top >= 0 && box.bottom <= innerHeight + 1 && box.left >= 0 && box.right <= innerWidth + 1;
  return !whole || !option.contains(document.elementFromPoint(x, y));
}).map((option) => option.getAttribute("aria-label"))"""
LEADING = ":not([data-choice], [disabled], [aria-pressed=true])"
# Words that are cut off, of tiles and of what is asked, and a tray that is longer than it is high.
CUT = """() => [...document.querySelectorAll(
  ".gist, .tile-name span, .tile-state, .ask-title, .common, .where, .option, .tray")].filter((it) => {
  const isDrawn = it.getClientRects().length && getComputedStyle(it).display !== "inline";
  return isDrawn && (it.scrollWidth > it.clientWidth + 1 || it.scrollHeight > it.clientHeight + 2);
}).map((it) => `${it.className}: ${it.textContent.trim()}`)"""
# The keys of options but cards: the numbers of rolled dice, or else the places in the row.
KEYS = """() =>
  [...document.querySelectorAll(".options:not(.of-hand) .option kbd")].map((it) => it.textContent)"""
# What a new size of the window changes is laid out in the next frame, and is there in the one after it.
DRAWN = """() => document.fonts.ready.then(() =>
  new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then))))"""
PLACES = """() => [".board", ".tray", ".seats", ".history", ".top"].map((name) => {
  const box = document.querySelector(name)?.getBoundingClientRect();
  return box ? [box.left, box.top, box.right, box.bottom] : null;
})"""


@pytest.mark.parametrize("name", ASKED)
def test_every_step_offers_few_choices_and_all_of_them_can_be_pressed(
    browser: Browser, service: str, name: str
) -> None:
    with closing(HttpClient(service)) as client:
        state = STATES[name](client)
    with open_tab(browser, reduced_motion="reduce") as tab:
        keep_tokens(tab.page.context, state.tokens)
        tab.page.goto(service + state.address)
        for width, height in SIZES:
            tab.page.set_viewport_size({"width": width, "height": height})
            tab.page.locator(".option").first.wait_for()
            tab.page.evaluate(DRAWN)
            check_steps(tab.page)
        # A service that is overloaded may say so, and is asked again.
        assert [refused for refused in tab.refused if refused.startswith("4")] == []
        assert [error for error in tab.errors if "Failed to load resource" not in error] == []


def check_steps(page: Page, depth: int = 0) -> None:
    """Checks this step, and goes into each that leads on."""
    options = page.locator(".option")
    count = options.count()
    beside = page.locator(".option.beside").count()
    assert 1 <= count - beside <= MOST_CHOICES
    assert beside <= 1
    assert page.evaluate(COVERED) == []
    assert page.evaluate(CUT) == []
    check_keys(page)
    # A step that answers has a choice; the others lead on, or are cards that can be taken.
    leading = [at for at in range(count) if options.nth(at).and_(page.locator(LEADING)).count()]
    for at in leading[:3]:
        option = options.nth(at)
        is_card = option.get_attribute("aria-pressed") is not None
        option.click()
        page.locator(f".ask[data-step='{depth + 1}']").wait_for()
        check_steps(page, depth + 1)
        back = option if is_card else page.get_by_role("button", name="Back", exact=True)
        back.click()
        page.locator(f".ask[data-step='{depth}']").wait_for()


def check_keys(page: Page) -> None:
    keys = [int(key) for key in page.evaluate(KEYS)]
    if page.locator(".of-dice, .either").count():
        assert keys == sorted({*keys})
    else:
        assert keys == [*range(1, len(keys) + 1)]


@pytest.mark.parametrize(("edition", "options"), [("royale", {"tiles": 6}), ("cards", {}), ("classic", {})])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_nothing_jumps_between_turns(
    browser: Browser, service: str, edition: str, options: dict[str, Any], width: int, height: int
) -> None:
    call = HttpService(service).insist
    game = SeatedGame(call("POST", "/v1/games", seat_plan(edition, 4, options)))
    player, table = HttpPlayer(call, Random(4)), call("GET", game.address)
    with open_tab(browser, reduced_motion="reduce", viewport={"width": width, "height": height}) as tab:
        keep_tokens(tab.page.context, {game.id: game.tokens[0]})
        tab.page.goto(f"{service}/games/{game.id}")
        tab.page.locator(".board").wait_for()
        first = tab.page.evaluate(PLACES)
        for _ in range(30):
            table = player.go_on(game, table)
            if table["status"] == "over":
                break
            tab.page.locator(f"[data-version='{table['version']}']").wait_for()
            now = tab.page.evaluate(PLACES)
            assert shift(first, now) <= LARGEST_SHIFT, f"{first} became {now} at version {table['version']}"


def shift(before: list[Any], after: list[Any]) -> float:
    pairs = [(one, other) for one, other in zip(before, after, strict=True) if one and other]
    return float(max(abs(a - b) for one, other in pairs for a, b in zip(one, other, strict=True)))


# What people see, and what is read aloud.
WORDS = """() => [document.body.innerText, ...[...document.querySelectorAll("[aria-label], [title]")]
  .flatMap((it) => [it.getAttribute("aria-label"), it.getAttribute("title")]).filter(Boolean)]"""
DIALOGS = ("So geht das Spiel", "Tisch", "Einstellungen")


@pytest.mark.parametrize("name", sorted({*STATES} - {"payout"}))
def test_german_shows_no_english_word(browser: Browser, service: str, name: str) -> None:
    with closing(HttpClient(service)) as client:
        state = STATES[name](client)
    with open_tab(browser, reduced_motion="reduce", locale="de-DE") as tab:
        keep_tokens(tab.page.context, state.tokens)
        page = tab.page
        page.goto(service + state.address)
        page.locator(THERE).first.wait_for()
        check_german(page)
        for dialog in DIALOGS if name in ("classic", "modern", "royale", "cards") else ():
            page.get_by_role("button", name=dialog, exact=True).click()
            page.locator("dialog[open] .dialog-body").wait_for()
            check_german(page)
            page.get_by_role("button", name="Schließen").click()


def check_german(page: Page) -> None:
    texts: list[str] = page.evaluate(WORDS)
    found = {line: words for text in texts for line in text.splitlines() if (words := find_english(line))}
    assert found == {}
