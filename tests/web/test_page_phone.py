"""The page on a phone: nothing that matters is covered, cut or out of sight."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect

from tests.support.browser import Tab, open_tab
from tests.support.http_client import HttpPlayer, HttpService, SeatedGame
from tests.support.sent_tables import MOST_FLAT, asks, keep_tokens, play_until, seat_plan

# Every state of a page in a real browser takes minutes.
pytestmark = pytest.mark.long

PHONE: ViewportSize = {"width": 390, "height": 844}
LOW_PHONE: ViewportSize = {"width": 360, "height": 740}
LONG_NAMES = (
    *("Maximiliane-Soph", "Jean-Baptiste IV", "Ekaterina Ivanov"),
    *("Bartholomew Finn", "Constantin Popa", "Wilhelmina Orr"),
)
TILES = [("B2", "E1", "F1"), ("F2", "H1", "E2"), ("A2", "C1", "D2"), ("A1", "G1", "H2"), ("C2", "D1", "G2")]
# How many letters of a name must be in sight at least, however many seats there are.
LEAST_LETTERS = 8
# Elements that cannot be seen whole where they are: out of the window, or with something above their middle.
COVERED = """(sight) => [...document.querySelectorAll(sight)].filter((it) => {
  const box = it.getBoundingClientRect();
  const there = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  const whole = box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth;
  return !whole || !there || !(it.contains(there) || there.contains(it));
}).map((it) => it.outerHTML.slice(0, 80))"""
# Corners of an element, a little inside, at which something else lies.
CORNERS_COVERED = """(it) => {
  const {left, right, top, bottom} = it.getBoundingClientRect();
  const corners = [left + 9, right - 9].flatMap((x) => [[x, top + 9], [x, bottom - 9]]);
  return corners.filter(([x, y]) => !it.contains(document.elementFromPoint(x, y)));
}"""
# Texts that end in "…" or behind an edge.
CUT = """(sight) => [...document.querySelectorAll(sight)]
  .filter((it) => it.scrollWidth > it.clientWidth + 1).map((it) => it.textContent)"""
# Of each name, how many letters are in sight.
LETTERS = """() => [...document.querySelectorAll(".seats .name")].map((name) => {
  const room = name.clientWidth;
  const letters = [...name.textContent];
  const range = document.createRange();
  range.selectNodeContents(name);
  const whole = range.getBoundingClientRect().width;
  return whole <= room ? Infinity : Math.floor((letters.length * room) / whole);
})"""
# What belongs in the window together in a replay; the first round's mark leads to the beginning.
IN_SIGHT = ".seats, .board, .tray, .roll .die, .controls button:not(.to-first), .controls input"
WHOLE = "(it) => it.scrollWidth <= it.clientWidth + 1 && it.scrollHeight <= it.clientHeight + 1"
BOXES = "(all) => all.map((it) => it.getBoundingClientRect().toJSON())"
# Of each casino, what lies over something else in it.
HEAPED = """() => [...document.querySelectorAll(".casino")].flatMap((casino) => {
  const sight = ".note, .standing :is(.die, b), .gets, .tile-name span, .tile-state :is(.drawn, .spaces)";
  const whole = casino.getBoundingClientRect();
  const seen = [...casino.querySelectorAll(sight)].map((it) => [it, it.getBoundingClientRect()]);
  const there = seen.filter(([it, box]) => box.width > 0 && it.textContent + it.innerHTML);
  const over = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1.5
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 3;
  return there.filter(([it, box], at) => box.right > whole.right || box.bottom > whole.bottom
    || there.slice(at + 1).some(([next, other]) => !it.contains(next) && over(box, other)))
    .map(([it]) => `${casino.dataset.casino}: ${it.outerHTML.slice(0, 80)}`);
})"""
# The board and the controls of a replay, as they lie in the window.
PLACES = """() => [".seats", ".board", ".controls"].map((name) => {
  const {top, bottom} = document.querySelector(name).getBoundingClientRect();
  return [top, bottom];
})"""


@pytest.fixture
def phone(browser: Browser) -> Iterator[Tab]:
    with open_tab(
        browser, viewport=PHONE, has_touch=True, is_mobile=True, reduced_motion="reduce", locale="en-US"
    ) as tab:
        yield tab


def look_at(tab: Tab, base: str, game: SeatedGame, seat: int = 0) -> Page:
    keep_tokens(tab.page.context, {game.id: game.tokens[seat]})
    tab.page.goto(f"{base}/games/{game.id}")
    tab.page.locator(".board").wait_for()
    tab.page.evaluate("document.fonts.ready")
    return tab.page


@pytest.mark.parametrize(("edition", "players"), [("classic", 4), ("royale", 5), ("modern", 6)])
def test_names_can_be_read_at_a_full_table(phone: Tab, service: str, edition: str, players: int) -> None:
    plan = {"edition": edition, "seats": [{"name": name} for name in LONG_NAMES[:players]]}
    game = SeatedGame(HttpService(service).insist("POST", "/v1/games", plan))
    page = look_at(phone, service, game)
    assert min(page.evaluate(LETTERS)) >= LEAST_LETTERS
    assert page.evaluate(CUT, ".sign h2") == []


@pytest.mark.parametrize("codes", TILES)
def test_names_and_states_of_tiles_are_whole(phone: Tab, service: str, codes: tuple[str, ...]) -> None:
    """At the beginning of a round, when most spaces of most tiles are free."""
    plan = seat_plan("royale", 4, {"tile_codes": [*codes]})
    game = SeatedGame(HttpService(service).insist("POST", "/v1/games", plan))
    page = look_at(phone, service, game)
    assert page.locator(".tile").count() == len(codes)
    expect(page.locator(".gist")).to_have_count(len(codes))
    assert page.evaluate(CUT, ".tile-name span, .tile-state, .gist") == []


def is_full(table: Any) -> bool:
    """Five owners have dice at one casino, and somebody is to place more."""
    owners = (len({lot["owner"] for lot in casino["dice"]}) for casino in table["casinos"])
    return max(owners) > 4 and any(ask["prompt"] == "turn.place" for ask in table["asks"])


@pytest.mark.parametrize("language", ["en-US", "de-DE"])
@pytest.mark.parametrize(
    "codes", [("B1", "E1", "F1", "A1", "G2", "H2"), ("C1", "D2", "A2", "B2", "H1", "F2")]
)
def test_a_full_board_of_tiles_can_be_read(
    browser: Browser, service: str, codes: tuple[str, ...], language: str
) -> None:
    """All six casinos are in sight, also on a low phone, and nothing in them lies over something else."""
    plan = seat_plan("royale", 5, {"tile_codes": [*codes]})
    game, table = play_until(HttpService(service).insist, plan, is_full)
    with open_tab(browser, has_touch=True, is_mobile=True, reduced_motion="reduce", locale=language) as tab:
        for size in (PHONE, LOW_PHONE):
            tab.page.set_viewport_size(size)
            page = look_at(tab, service, game, table["asks"][0]["seats"][0])
            page.locator(".option").first.wait_for()
            expect(page.locator("[data-casino='6']")).to_be_in_viewport(ratio=1)
            assert page.evaluate(HEAPED) == []


def test_nothing_lies_over_what_a_tile_does(phone: Tab, service: str) -> None:
    plan = seat_plan("royale", 4, {"tile_codes": ["B1", "E1", "F1", "A1", "G2", "H2"]})
    game = SeatedGame(HttpService(service).insist("POST", "/v1/games", plan))
    page = look_at(phone, service, game)
    for tile in page.locator(".tile-name").all():
        tile.tap()
        assert page.locator(".tile-text").evaluate(CORNERS_COVERED) == []
        tile.tap()


def is_wide_choice(table: Any) -> bool:
    """Whether a roll of many numbers is asked about, with a chip that may be paid instead."""
    return any(
        ask["prompt"] == "turn.place" and {"pass"} < {it["choice"] for it in ask["options"]}
        for ask in table["asks"]
        if len(ask["options"]) > MOST_FLAT - 1
    )


def test_advice_leaves_every_answer_in_sight(phone: Tab, service: str) -> None:
    plan = seat_plan("royale", 4, {"tile_codes": ["B1", "E1", "F1", "A1", "G2", "H2"]})
    game, table = play_until(HttpService(service).insist, plan, is_wide_choice)
    page = look_at(phone, service, game, table["asks"][0]["seats"][0])
    page.get_by_role("button", name="What would an expert do?").tap()
    page.locator(".option .advice").first.wait_for()
    assert page.evaluate(COVERED, ".option") == []
    assert page.locator(".tray").evaluate("(tray) => tray.scrollHeight <= tray.clientHeight + 1")


@pytest.mark.parametrize("size", [LOW_PHONE, PHONE], ids=["low", "usual"])
@pytest.mark.parametrize(
    ("edition", "prompt"), [("classic", "turn.place"), ("royale", "turn.place"), ("cards", "cards.select")]
)
def test_advice_moves_no_answer(
    browser: Browser, service: str, edition: str, prompt: str, size: ViewportSize
) -> None:
    options = {"tiles": 6} if edition == "royale" else {}
    game, table = play_until(HttpService(service).insist, seat_plan(edition, 4, options), asks(prompt))
    with open_tab(browser, viewport=size, has_touch=True, is_mobile=True, reduced_motion="reduce") as tab:
        page = look_at(tab, service, game, table["asks"][0]["seats"][0])
        page.locator(".option").first.wait_for()
        before = page.locator(".option").evaluate_all(BOXES)
        page.get_by_role("button", name="What would an expert do?").tap()
        page.locator(".option.best").first.wait_for()
        assert page.locator(".option").evaluate_all(BOXES) == before
        expect(page.locator(".advice-why")).to_be_in_viewport(ratio=0.99)


@pytest.mark.parametrize("language", ["en-US", "de-DE"])
def test_what_a_card_would_bring_is_told_whole(browser: Browser, service: str, language: str) -> None:
    game, table = play_until(HttpService(service).insist, seat_plan("cards", 5), asks("cards.select"))
    with open_tab(
        browser, viewport=LOW_PHONE, has_touch=True, is_mobile=True, reduced_motion="reduce", locale=language
    ) as tab:
        page = look_at(tab, service, game, table["asks"][0]["seats"][0])
        for card in page.locator(".of-card").all():
            card.tap()
            expect(page.locator(".prospect")).to_contain_text(".")
            assert page.locator(".prospect").evaluate(WHOLE)
            card.tap()


def lies_heaped(table: Any) -> bool:
    """One seat has more dice than are drawn at a casino where three have some."""
    return any(
        len(casino["dice"]) > 2 and max(lot["small"] for lot in casino["dice"]) > 4
        for casino in table["casinos"]
    )


def test_nothing_is_looked_at_before_a_finger_points_at_it(phone: Tab, service: str) -> None:
    """A preview of dice that nobody has placed looks as if they lay there."""
    plan = {"edition": "modern", "seats": [{"name": "Anna"}, {"name": "Ben"}], "options": {"start_seat": 0}}
    game = SeatedGame(HttpService(service).insist("POST", "/v1/games", plan))
    page = look_at(phone, service, game)
    page.locator(".option").first.wait_for()
    assert page.locator(".ghost, .casino.would, .option:focus").count() == 0
    expect(page.locator(".seat.you .me")).to_be_in_viewport()
    expect(page.locator(".seat:not(.you) .tags")).to_be_hidden()


def test_many_dice_are_counted_once(phone: Tab, service: str) -> None:
    game, _ = play_until(HttpService(service).insist, seat_plan("classic", 4), lies_heaped)
    page = look_at(phone, service, game)
    crowded = page.locator(".crowded .standing:has(.many)").first
    counts = crowded.locator("b").evaluate_all("all => all.filter((it) => it.checkVisibility()).length")
    assert counts == 1


def test_a_question_that_is_not_about_numbers_speaks_of_no_number(phone: Tab, service: str) -> None:
    game, table = play_until(
        HttpService(service).insist,
        seat_plan("royale", 2, {"tile_codes": ["F1"]}),
        lambda seen: any(ask["prompt"] == "F1.block" for ask in seen["asks"]),
    )
    page = look_at(phone, service, game, table["asks"][0]["seats"][0])
    expect(page.locator(".option").first).to_be_visible()
    expect(page.locator(".tray")).not_to_contain_text("Under each number")


def test_the_tray_tells_what_others_did_while_they_move(phone: Tab, service: str) -> None:
    """The log is out of sight on a phone."""
    game, _ = play_until(
        HttpService(service).insist,
        seat_plan("classic", 3),
        lambda seen: seen["version"] > 8 and any(ask["seats"] == [1] for ask in seen["asks"]),
    )
    lines = look_at(phone, service, game).locator(".story li")
    expect(lines).to_have_count(3)
    for line in lines.all():
        expect(line).to_contain_text("places")
        expect(line).to_be_in_viewport(ratio=1)


def finished(service: str) -> SeatedGame:
    call = HttpService(service).insist
    game = SeatedGame(call("POST", "/v1/games", seat_plan("royale", 4, {"tiles": 6}, bot="random")))
    HttpPlayer(call, Random(2)).play(game)
    return game


def test_in_a_replay_nothing_covers_the_roll_and_nothing_moves(phone: Tab, service: str) -> None:
    page = phone.page
    page.goto(f"{service}/games/{finished(service).id}?at=2")
    page.locator(".replay .board").wait_for()
    first = page.evaluate(PLACES)
    rolls = 0
    for _ in range(25):
        rolls += page.locator(".roll").count()
        assert page.evaluate(COVERED, IN_SIGHT) == []
        assert page.evaluate(PLACES) == first
        page.get_by_role("button", name="One step on").tap()
    assert rolls > 5
    assert (phone.refused, phone.errors) == ([], [])


def test_a_replay_calls_everybody_by_one_name(phone: Tab, service: str) -> None:
    """The levels of bots are all that its file has; their names come from the service, a little later."""
    game = finished(service)
    names = [seat["name"] for seat in HttpService(service).insist("GET", game.address)["seats"]]
    page = phone.page
    page.goto(f"{service}/games/{game.id}?at=9")
    expect(page.locator(".seats .name")).to_have_text(names)
    expect(page.locator(".history")).not_to_contain_text("Random")


def test_analyse_leads_to_the_analysis(phone: Tab, service: str) -> None:
    page = look_at_end(phone, service)
    page.get_by_role("link", name="Analyse").tap()
    page.locator(".chances").wait_for()
    expect(page.get_by_role("heading", name="Luck and choices")).to_be_in_viewport()
    page.go_back()
    expect(page.locator(".ending")).to_be_visible()


def look_at_end(tab: Tab, service: str) -> Page:
    tab.page.goto(f"{service}/games/{finished(service).id}")
    tab.page.locator(".ending").wait_for()
    return tab.page


def test_what_to_do_at_the_end_is_in_sight(phone: Tab, service: str) -> None:
    page = look_at_end(phone, service)
    assert page.evaluate(COVERED, ".ending .then > *") == []


def test_an_edition_opens_in_sight(phone: Tab, service: str) -> None:
    page = phone.page
    page.goto(service)
    for title in ("Las Vegas (2012)", "Las Vegas: the card game", "Las Vegas Royale"):
        page.get_by_role("button", name=title).tap()
        expect(page.locator(".preset")).to_have_count(3)
        for preset in page.locator(".preset").all():
            expect(preset).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("language", ["en-US", "de-DE"])
def test_the_front_door_is_two_screens_long(browser: Browser, service: str, language: str) -> None:
    """Also with as many tables as it lists, at which names are long."""
    call = HttpService(service).insist
    seats = [*({"name": name} for name in LONG_NAMES[:3]), {"open": True}]
    for _ in range(7):
        call("POST", "/v1/games", {"edition": "royale", "seats": seats})
    with open_tab(browser, viewport=PHONE, has_touch=True, is_mobile=True, locale=language) as tab:
        page = tab.page
        page.goto(service)
        page.get_by_role("button", name="6+").first.wait_for()
        page.get_by_role("link", name="API").wait_for()
        assert page.evaluate("document.documentElement.scrollHeight") <= 2 * PHONE["height"]


@pytest.mark.parametrize("language", ["en-US", "de-DE"])
@pytest.mark.parametrize("width", [360, 390])
def test_the_front_door_is_as_wide_as_the_phone(
    browser: Browser, service: str, width: int, language: str
) -> None:
    """Also with tables to join, and a dialog lies on it whole."""
    plan = {"edition": "royale", "seats": [*({"name": name} for name in LONG_NAMES[:3]), {"open": True}]}
    HttpService(service).insist("POST", "/v1/games", plan)
    size = {"width": width, "height": 740}
    with open_tab(browser, viewport=size, has_touch=True, is_mobile=True, locale=language) as tab:
        tab.page.goto(service)
        tab.page.locator(".lists .tabs").wait_for()
        assert tab.page.evaluate("document.documentElement.scrollWidth") == width
        tab.page.locator("[data-opens=settings]").tap()
        expect(tab.page.locator("dialog[open]")).to_be_in_viewport(ratio=1)


def test_a_person_without_a_name_is_told_what_they_are_called(phone: Tab, service: str) -> None:
    page = phone.page
    page.goto(service)
    called = page.get_by_label("My name").get_attribute("placeholder") or ""
    page.get_by_role("button", name="Play now").tap()
    expect(page.locator(".seat.you .name")).to_have_text(called)
    assert called not in ("", "Guest")


def test_the_log_is_not_ahead_of_the_table(phone: Tab, service: str) -> None:
    """The others move while a page that was reloaded waits for its table."""
    call = HttpService(service).insist
    game = SeatedGame(call("POST", "/v1/games", seat_plan("classic", 3)))
    player, stale = HttpPlayer(call, Random(1)), call("GET", game.address)

    def move_meanwhile(route: Route) -> None:
        reply = route.fetch()
        table = stale
        for _ in range(4):
            table = player.go_on(game, table)
        route.fulfill(response=reply)

    def cut_stream(route: Route) -> None:
        """Nothing comes by the stream, so only what was loaded is shown."""
        if "event-stream" in route.request.headers.get("accept", ""):
            route.abort()
        else:
            route.continue_()

    phone.page.route(f"**{game.address}", move_meanwhile, times=1)
    phone.page.route(f"**{game.address}/events?*", cut_stream)
    page = look_at(phone, service, game)
    expect(page.locator("[data-version]")).to_have_attribute("data-version", str(stale["version"]))
    page.get_by_role("button", name="Log").tap()
    log = page.get_by_role("region", name="What happened")
    expect(log).to_contain_text("The table is set.")
    expect(log.locator("li.dice_placed")).to_have_count(0)
