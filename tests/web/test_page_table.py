"""A table that is looked at: what would come of a choice, what the others did, and how fast it is shown."""

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import Tab, open_tab
from tests.support.http_client import HttpPlayer, HttpService, SeatedGame
from tests.support.sent_tables import NAMES, Seen, keep_tokens, play_until, seat_plan

# Every state of a page in a real browser takes minutes; `make test` plays the page in test_page_play.
pytestmark = pytest.mark.long

PLAN = seat_plan("classic", 2)
# Remembers what was to be seen, however short, and what the tray was headed by.
WATCH = """
window.watched = new Set();
new MutationObserver(() => {
  for (const sight of [".note.flying", ".gain"]) if (document.querySelector(sight)) watched.add(sight);
  watched.add(document.querySelector("h2.ask-title")?.textContent);
}).observe(document, {subtree: true, childList: true, characterData: true});
"""


@pytest.fixture
def moving(browser: Browser) -> Iterator[Tab]:
    """A tab in which things move."""
    with open_tab(browser) as tab:
        yield tab


def look_at(tab: Tab, base: str, game: SeatedGame, speed: str = "off") -> Page:
    """With the first seat's eyes."""
    keep_tokens(tab.page.context, {game.id: game.tokens[0]})
    tab.page.add_init_script(f"localStorage.setItem('croupier.speed', '{json.dumps(speed)}')")
    tab.page.add_init_script("localStorage.setItem('croupier.guided', 'false')")
    tab.page.add_init_script(WATCH)
    tab.page.goto(f"{base}/games/{game.id}")
    tab.page.locator(".board").wait_for()
    return tab.page


def was_seen(page: Page, *sights: str) -> bool:
    found: list[str] = page.evaluate("[...watched]")
    return {*sights} <= {*found}


def tying_number(table: Any) -> int | None:
    """A number that would bring Anna level with Ben."""
    roll = table["roll"]
    if not roll or roll["seat"] != 0:
        return None
    for casino in table["casinos"]:
        weights = {lot["owner"]: lot["weight"] for lot in casino["dice"]}
        added, number = roll["own"].count(casino["number"]), casino["number"]
        if added and weights.get("seat-0", 0) + added == weights.get("seat-1"):
            return int(number)
    return None


def test_looking_at_a_number_says_what_it_would_bring(moving: Tab, service: str) -> None:
    call = HttpService(service).insist
    game, table = play_until(call, PLAN, lambda seen: tying_number(seen) is not None)
    number = tying_number(table)
    page = look_at(moving, service, game)
    option, casino = (
        page.locator(f"[data-choice='place-{number}']"),
        page.locator(f"[data-casino='{number}']"),
    )
    # The keyboard stands on the first option when a turn begins.
    page.evaluate("document.activeElement.blur()")
    expect(page.locator(".casino.would")).to_have_count(0)
    before = casino.inner_text()
    option.hover()
    name = casino.get_attribute("aria-label")
    expect(page.locator(".prospect")).to_have_text(f"You would be tied with Ben at {name}: both out.")
    expect(casino.locator(".standing.tied")).to_have_count(2)
    page.mouse.move(0, 0)
    expect(page.locator(".prospect")).to_contain_text("Point at it to see")
    assert casino.inner_text() == before
    option.focus()
    expect(page.locator(".prospect[aria-live=polite]")).to_contain_text("tied with Ben")
    assert (moving.refused, moving.errors) == ([], [])


# Rows that look tied and are not, or the other way round, and how many there are.
MISLEADING = """() => {
  const rows = [...document.querySelectorAll(".standing")];
  const looks = (row) => getComputedStyle(row.querySelector(".dice")).opacity !== "1";
  const misleading = rows.filter((row) => looks(row) !== row.classList.contains("tied"));
  return [misleading.map((row) => row.title), rows.length];
}"""


def test_whoever_is_tied_looks_so_and_nobody_else(moving: Tab, service: str) -> None:
    """Rows change places and meaning at once, turn after turn."""
    call = HttpService(service).insist
    game = SeatedGame(call("POST", "/v1/games", seat_plan("classic", 5)))
    player, page = HttpPlayer(call, Random(3)), look_at(moving, service, game)
    table, seen = call("GET", game.address), 0
    for _ in range(25):
        table = player.go_on(game, table)
        page.locator(f"[data-version='{table['version']}']").wait_for()
        misleading, rows = page.evaluate(MISLEADING)
        assert misleading == []
        seen += rows
    assert seen > 100


def last_die(table: Any) -> bool:
    """Of the first round, and Ben has it."""
    left = [seat["dice"] for seat in table["seats"]]
    return bool(table["round"] == 1 and left == [0, 1] and table["asks"])


def test_a_payout_can_be_followed_and_its_table_stays(moving: Tab, service: str) -> None:
    """Notes fly, sums rise; then the tray shows what all won, and the next round waits until that is read."""
    call = HttpService(service).insist
    game, table = play_until(call, PLAN, last_die)
    page = look_at(moving, service, game, "fast")
    won = page.locator(".tray .interlude")
    expect(won).to_have_count(0)
    HttpPlayer(call, Random(0)).go_on(game, table)
    expect(won).to_contain_text("What round 1 brought")
    expect(page.locator(".headline .round")).to_have_text("Round 1 of 4")
    assert was_seen(page, ".note.flying", ".gain")
    sums = [seat["total"] for seat in call("GET", game.address)["seats"]]
    expect(won.locator("b")).to_have_text([f"+${money:,}" for money in sorted(sums, reverse=True)])
    won.get_by_role("button", name="Go on").click()
    expect(page.locator(".headline .round")).to_have_text("Round 2 of 4")
    expect(page.locator(".history .round-table td")).to_have_text([f"+${money:,}" for money in sums])
    assert (moving.refused, moving.errors) == ([], [])


def test_whoever_is_behind_can_catch_up_and_sees_what_was_done_last(moving: Tab, service: str) -> None:
    """Slowly as asked for; at once after a click, and at once where that is the speed."""
    call = HttpService(service).insist
    game = SeatedGame(call("POST", "/v1/games", seat_plan("classic", 5, {"start_seat": 0})))
    player, page = HttpPlayer(call, Random(1)), look_at(moving, service, game, "slow")
    table = play_on(player, game, call("GET", game.address), 12)
    shown = page.locator("[data-version]")
    page.get_by_role("button", name="Catch up").click()
    # By itself it would take longer.
    expect(shown).to_have_attribute("data-version", str(table["version"]), timeout=8000)
    # Twelve of five: Anna had the last turn but one.
    expect(page.locator(".lately")).to_contain_text("Ben places")
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Speed of the others' turns").select_option("off")
    page.get_by_role("button", name="Close").click()
    table = play_on(player, game, table, 4)
    expect(shown).to_have_attribute("data-version", str(table["version"]))
    expect(page.get_by_role("button", name="Catch up")).to_have_count(0)


def test_what_puts_no_die_down_is_told_while_it_is_watched(moving: Tab, service: str) -> None:
    call = HttpService(service).insist
    game = SeatedGame(call("POST", "/v1/games", seat_plan("royale", 2, {"start_seat": 1, "tiles": 0})))
    page = look_at(moving, service, game, "slow")
    (ask,) = call("GET", game.address, None, game.tokens[1])["asks"]
    call("POST", f"{game.address}/choices", {"ask": ask["ask"], "choice": "pass"}, game.tokens[1])
    expect(page.locator("h2.ask-title")).to_have_text("Your turn: pick a number")
    assert was_seen(page, "Ben pays one chip.")
    expect(page.locator(".lately")).to_have_text("BBen pays one chip.")


def lone_rolled_die(table: Any) -> bool:
    """One is to be turned to any number, and some number lies in the roll just once."""
    asked = any(ask["prompt"] == "F2.die" and ask["seats"] == [0] for ask in table["asks"])
    own = table["roll"]["own"] if table["roll"] else []
    return asked and any(own.count(face) == 1 for face in own)


def test_a_die_that_is_turned_is_not_drawn_as_if_it_had_been_rolled(moving: Tab, service: str) -> None:
    plan = seat_plan("royale", 2, {"tile_codes": ["F2"]})
    game, _ = play_until(HttpService(service).insist, plan, lone_rolled_die)
    page = look_at(moving, service, game)
    page.locator(".option.thing").first.wait_for()
    expect(page.locator(".option.pictured")).to_have_count(0)


def play_on(player: HttpPlayer, game: SeatedGame, table: Any, answers: int) -> Any:
    for _ in range(answers):
        table = player.go_on(game, table)
    return table


def test_who_was_too_late_is_told_that_a_bot_moved(moving: Tab, service: str) -> None:
    options = {"turn_seconds": 1, "start_seat": 0}
    plan = {"edition": "classic", "seats": [{"name": "Anna"}, {"name": "Ben"}], "options": options}
    page = look_at(moving, service, SeatedGame(HttpService(service).insist("POST", "/v1/games", plan)))
    expect(page.locator(".answered")).to_have_text("Your time was up: a bot moved for you.")


def test_who_left_can_come_back_at_the_tray(moving: Tab, service: str) -> None:
    call = HttpService(service).insist
    plan = {"edition": "classic", "seats": [{"name": "Anna"}, {"name": "Ben"}], "options": {"start_seat": 1}}
    game = SeatedGame(call("POST", "/v1/games", plan))
    call("POST", f"{game.address}/leave", {}, game.tokens[0])
    page = look_at(moving, service, game)
    expect(page.locator(".answered")).to_contain_text("A bot plays for you.")
    page.get_by_role("button", name="Come back to the table").click()
    expect(page.locator(".answered")).to_have_count(0)
    assert "stand_in" not in call("GET", game.address)["seats"][0]


def test_history_speaks_the_language_of_the_page_at_once(moving: Tab, service: str) -> None:
    call = HttpService(service).insist
    game, _ = play_until(call, PLAN, lambda seen: seen["version"] > 4)
    page = look_at(moving, service, game)
    expect(page.get_by_role("region", name="What happened")).to_contain_text("Anna rolls")
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Language").select_option("de")
    page.get_by_role("button", name="Schließen").click()
    expect(page.get_by_role("region", name="Was geschah")).to_contain_text("Anna würfelt")


FIGURES = {"choice": "place-1", "money": None, "win": None, "why": "It is all the same."}


def test_an_adviser_without_figures_says_only_why(moving: Tab, service: str) -> None:
    call = HttpService(service).insist
    game = SeatedGame(call("POST", "/v1/games", seat_plan("classic", 2, {"start_seat": 0})))
    (ask,) = call("GET", game.address, None, game.tokens[0])["asks"]
    told = [{**FIGURES, "choice": option["choice"]} for option in ask["options"]]
    page = look_at(moving, service, game)
    page.route(
        "**/v1/advice", lambda route: route.fulfill(json={"options": told, "bot": "expert", "budget": 1})
    )
    page.get_by_role("button", name="What would an expert do?").click()
    expect(page.locator(".option .advice").first).to_have_text("★ It is all the same.")
    expect(page.locator(".tray")).not_to_contain_text("%")


def is_crowded(table: Any) -> bool:
    """A look at Anna's first option would give its casino a third row."""
    roll = table["roll"]
    if not roll or roll["seat"] != 0:
        return False
    owners = {lot["owner"] for lot in table["casinos"][min(roll["own"]) - 1]["dice"]}
    return len(owners) == 2 and "seat-0" not in owners


def test_nothing_moves_away_under_a_finger(browser: Browser, service: str) -> None:
    """The preview of the option that has the focus takes room, and goes only after the click."""
    game, _ = play_until(HttpService(service).insist, seat_plan("classic", 4), is_crowded)
    with open_tab(browser, viewport={"width": 390, "height": 1100}, has_touch=True, is_mobile=True) as tab:
        page = look_at(tab, service, game)
        page.locator(".option").first.focus()
        expect(page.locator(".casino.would .standing")).to_have_count(3)
        advice = page.get_by_role("button", name="What would an expert do?")
        before = advice.bounding_box()
        assert before is not None
        with page.expect_request("**/v1/advice"):
            page.touchscreen.tap(before["x"] + before["width"] / 2, before["y"] + before["height"] - 4)
        expect(page.locator(".casino.would")).to_have_count(0)


PLACES = "options => options.map(it => it.getBoundingClientRect()).map(({left, bottom}) => [left, bottom])"


def test_options_with_advice_still_fit_on_a_phone(browser: Browser, service: str) -> None:
    """Beside each other, and all of them to be seen without scrolling."""
    call = HttpService(service).insist
    game, table = play_until(call, PLAN, lambda seen: len({*(seen["roll"] or {"own": []})["own"]}) > 3)
    (ask,) = call("GET", game.address, None, game.tokens[table["roll"]["seat"]])["asks"]
    figures = {"money": 117_000, "win": 0.24, "why": "Makes you first at casino 1 for $90,000."}
    told = [{**figures, "choice": option["choice"]} for option in ask["options"]]
    with open_tab(browser, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True) as tab:
        game.tokens[0] = game.tokens[table["roll"]["seat"]]
        page = look_at(tab, service, game)
        page.route("**/v1/advice", lambda route: route.fulfill(json={"options": told, "bot": "expert"}))
        page.get_by_role("button", name="What would an expert do?").tap()
        expect(page.locator(".option .advice").last).to_be_visible()
        places = page.locator(".option").evaluate_all(PLACES)
        assert len({left for left, _ in places}) == 3
        assert max(bottom for _, bottom in places) < 844


def test_the_end_says_who_came_where_and_nothing_of_dice(moving: Tab, service: str) -> None:
    call = HttpService(service).insist
    game = SeatedGame(call("POST", "/v1/games", seat_plan("classic", 3)))
    table = HttpPlayer(call, Random(5)).play(game)
    sums = [seat["total"] for seat in table["seats"]]
    last = sums.index(min(sums))
    keep_tokens(moving.page.context, {game.id: game.tokens[last]})
    moving.page.goto(f"{service}/games/{game.id}")
    place = 1 + sum(other > sums[last] for other in sums)
    ordinal = ("first", "second", "third")[place - 1]
    expect(moving.page.locator(".ending .place")).to_have_text(f"You came {ordinal} of three.")
    expect(moving.page.locator(".headline")).to_have_text("The game is over")
    expect(moving.page.get_by_role("region", name="Players")).not_to_contain_text("left")


def counted(players: int) -> dict[str, Any]:
    """An analysis."""
    points = {"luck": 0.2, "lost": 0.3, "others": 0.1, "even": 0.3333, "choices": 9, "best_choices": 4}
    seats = [{"seat": seat, "name": "", "worst": None, "text": "", **points} for seat in range(players)]
    return {"choices": [], "seats": seats}


# What the buttons at the end lie above.
UNDER_BUTTONS = """() => {
  const {top} = document.querySelector(".ending .then").getBoundingClientRect();
  const rows = [...document.querySelectorAll(".ranking li, .luck tr, .luck .hint")];
  return rows.filter((it) => it.getBoundingClientRect().bottom > top).map((it) => it.textContent);
}"""


@pytest.mark.parametrize(("edition", "players"), [("classic", 5), ("modern", 6), ("royale", 4)])
def test_no_result_lies_under_the_buttons(browser: Browser, service: str, edition: str, players: int) -> None:
    call = HttpService(service).insist
    game = SeatedGame(call("POST", "/v1/games", seat_plan(edition, players)))
    HttpPlayer(call, Random(5)).play(game)
    with open_tab(browser, viewport={"width": 1280, "height": 720}) as tab:
        tab.page.route("**/analysis", lambda route: route.fulfill(json=counted(players)))
        tab.page.goto(f"{service}/games/{game.id}")
        expect(tab.page.locator(".luck tbody tr")).to_have_count(players)
        assert tab.page.evaluate(UNDER_BUTTONS) == []


# Of each place, the sum that is told and the parts that it is made of.
PARTS = """() => [...document.querySelectorAll(".ranking li")].map((row) => {
  const worth = (text) => Number(text.replace(/.*[$]/s, "").replaceAll(",", ""));
  const parts = [...row.querySelectorAll(".purse .note, .purse .worth")].map((it) => worth(it.textContent));
  return [worth(row.querySelector(".money").textContent), parts.reduce((sum, part) => sum + part, 0)];
})"""


@pytest.mark.parametrize(("edition", "options"), [("royale", {}), ("classic", {"chip_cards": True})])
def test_what_everybody_has_at_the_end_adds_up(
    tab: Tab, service: str, edition: str, options: dict[str, Any]
) -> None:
    call = HttpService(service).insist
    game = SeatedGame(call("POST", "/v1/games", seat_plan(edition, 4, options)))
    table = HttpPlayer(call, Random(5)).play(game)
    tab.page.goto(f"{service}/games/{game.id}")
    tab.page.locator(".ranking").wait_for()
    totals = sorted((seat["total"] for seat in table["seats"]), reverse=True)
    assert tab.page.evaluate(PARTS) == [[total, total] for total in totals]
    expect(tab.page.locator(".purse .worth").first).to_be_visible()


def takes_part_in(prompt: str, options: int, seat: int = 0) -> Seen:
    return lambda table: any(
        ask["prompt"] == prompt and ask["seats"] == [seat] and len(ask["options"]) == options
        for ask in table["asks"]
    )


# From left to right, the tops of the options.
TOPS = "options => options.map((it) => Math.round(it.getBoundingClientRect().top))"


def test_six_casinos_stand_in_a_row_with_the_roll_beside_them(tab: Tab, service: str) -> None:
    plan = seat_plan("royale", 2, {"tile_codes": ["D2"]})
    game, _ = play_until(HttpService(service).insist, plan, takes_part_in("D2.turn", 7))
    page = look_at(tab, service, game)
    expect(page.locator(".option")).to_have_count(7)
    assert len({*page.locator(".option").evaluate_all(TOPS)}) == 1
    expect(page.locator(".option.beside")).to_have_attribute("aria-label", "Roll all your dice")
    page.keyboard.press("7")
    expect(page.locator(".options.of-dice")).to_be_visible()


def test_the_grey_dice_of_a_tile_are_counted(tab: Tab, service: str) -> None:
    plan = seat_plan("royale", 4, {"tile_codes": ["F1"]})
    game, table = play_until(HttpService(service).insist, plan, lambda seen: len(clusters(seen)) == 4)
    page = look_at(tab, service, game)
    expect(page.locator("[data-tile=F1] .count")).to_have_text([str(size) for size in clusters(table)])


def clusters(table: Any) -> list[int]:
    tile = next(casino["tile"] for casino in table["casinos"] if casino["tile"])
    sizes: list[int] = tile["shows"].get("clusters", [])
    return sizes


# What of a seat's plate lies outside of it, and how high its chip cards are.
BURST = """() => [...document.querySelectorAll(".seat")].flatMap((seat) => {
  const plate = seat.getBoundingClientRect();
  return [...seat.querySelectorAll(".chip-set")].filter((it) => {
    const {left, right, top, bottom} = it.getBoundingClientRect();
    return left < plate.left || right > plate.right || top < plate.top || bottom > plate.bottom;
  });
}).length"""


@pytest.mark.parametrize("size", [(390, 844), (768, 1024), (1280, 720)])
def test_chip_cards_lie_in_one_line_within_the_plate(
    browser: Browser, service: str, size: tuple[int, int]
) -> None:
    plan = seat_plan("classic", 4, {"chip_cards": True, "neutral_dice": True})
    game, table = play_until(HttpService(service).insist, plan, has_many_colours)
    with open_tab(browser, viewport={"width": size[0], "height": size[1]}) as tab:
        page = look_at(tab, service, game)
        taken = [len({*seat["chip_cards"]}) for seat in table["seats"]]
        expect(page.locator(".seats .chip-set")).to_have_count(sum(taken))
        expect(page.locator(".seats .chip-set .spoken").first).to_contain_text("chip card")
        assert page.evaluate(BURST) == 0
        lines = page.locator(".seats .chip-sets").evaluate_all("all => all.map((it) => it.offsetHeight)")
        assert max(lines) < 24


def has_many_colours(table: Any) -> bool:
    return any(len({*seat["chip_cards"]}) > 3 for seat in table["seats"])


def shows_six_numbers(table: Any) -> bool:
    roll = table["roll"]
    return bool(roll and roll["seat"] == 0 and len({*roll["own"]}) == 6)


def test_six_numbers_with_what_they_bring_fit_a_tablet(browser: Browser, service: str) -> None:
    """And beside them there is room for the guide and for the adviser."""
    game, _ = play_until(HttpService(service).insist, seat_plan("classic", 4), shows_six_numbers)
    with open_tab(browser, viewport={"width": 768, "height": 1024}) as tab:
        keep_tokens(tab.page.context, {game.id: game.tokens[0]})
        tab.page.goto(f"{service}/games/{game.id}")
        for sight, count in ((".option .outcome", 6), (".ask-foot button", 3)):
            expect(tab.page.locator(sight)).to_have_count(count)
            for one in tab.page.locator(sight).all():
                expect(one).to_be_in_viewport(ratio=1)
        assert tab.page.locator(".tray").evaluate("(tray) => tray.scrollHeight <= tray.clientHeight + 1")


def test_equal_sums_are_explained(tab: Tab, service: str) -> None:
    call = HttpService(service).insist
    game = SeatedGame(call("POST", "/v1/games", seat_plan("classic", 4)))
    HttpPlayer(call, Random(5)).play(game)
    table = call("GET", game.address, None, game.tokens[3])
    for seat, place in zip(table["seats"], (1, 2, 3, 3), strict=True):
        seat.update(total=300_000, place=place)
    table["winners"] = [0]
    keep_tokens(tab.page.context, {game.id: game.tokens[3]})
    tab.page.route(f"**{game.address}", lambda route: route.fulfill(json=table))
    tab.page.goto(f"{service}/games/{game.id}")
    expect(tab.page.locator(".ending .place")).to_have_text(f"You share third place of four with {NAMES[2]}.")
    expect(tab.page.locator(".ranking small")).to_have_text(["ahead with more notes"] * 2)


def test_nothing_at_the_end_moves_when_the_analysis_comes(moving: Tab, service: str) -> None:
    call = HttpService(service).insist
    game = SeatedGame(call("POST", "/v1/games", seat_plan("classic", 3)))
    HttpPlayer(call, Random(5)).play(game)
    keep_tokens(moving.page.context, {game.id: game.tokens[1]})
    page = moving.page
    told: list[dict[str, Any]] = [{"done": 3, "of": 9}]
    page.route("**/analysis", lambda route: route.fulfill(json=told[-1]))
    page.goto(f"{service}/games/{game.id}")
    page.locator(".ending progress").wait_for()
    before = page.locator(".ending .then").bounding_box()
    told.append(counted(3))
    expect(page.locator(".counted")).to_contain_text("The dice were kind to you: they gave you 20 points.")
    assert page.locator(".ending .then").bounding_box() == before


def test_the_log_names_tiles_that_no_longer_lie_on_the_board(tab: Tab, service: str) -> None:
    call = HttpService(service).insist
    plan = seat_plan("royale", 3, {"tiles": 6})
    game, _ = play_until(call, plan, lambda table: table["status"] == "over")
    tab.page.goto(f"{service}/games/{game.id}")
    log = tab.page.locator(".history ol")
    tab.page.get_by_role("button", name="Show all").click()
    expect(log).to_contain_text("Tiles: ")
    expect(log).not_to_contain_text(re.compile(r"\b[A-H][12]\b"))
