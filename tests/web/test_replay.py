"""A game that is over is walked through and checked in a real browser, by link and from a file."""

import re
from copy import deepcopy
from typing import Any
from urllib.request import Request, urlopen

import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, expect

from service.fairness.export_file import write_file
from tests.support.browser import Tab, lines
from tests.support.forgeries import Raws, change_die, change_notes, remove_commit
from tests.support.games import make_games, play_game
from tests.support.http_client import HttpService
from tests.support.waiting import PATIENCE

# Every state of a page in a real browser takes minutes; `make test` plays the page in test_page_play.
pytestmark = pytest.mark.long

Json = dict[str, Any]
VERIFIED = "Dice and sums verified; payments and moves not checked here"
DROP = """([name, text]) => {
    const carried = new DataTransfer();
    carried.items.add(new File([text], name));
    const told = {bubbles: true, cancelable: true, dataTransfer: carried};
    document.body.dispatchEvent(new DragEvent("dragover", told));
    document.body.dispatchEvent(new DragEvent("drop", told));
}"""


class FinishedGame:
    """Played elsewhere, which is quicker, and brought to the service as a file."""

    def __init__(self, base: str, edition: str, players: int, **options: Any) -> None:
        self.base, self.service, games = base, HttpService(base), make_games()
        played = games.commits(play_game(games, edition, options, players))
        request = Request(f"{base}/v1/imports", write_file(played), {"Content-Type": "application/x-ndjson"})
        with urlopen(request, timeout=PATIENCE) as reply:
            self.id = msgspec.json.decode(reply.read())["id"]
        self.last = len(played)

    def table(self, at: int | None = None) -> Json:
        found: Json = self.service.call("GET", f"/v1/games/{self.id}" + (f"?at={at}" if at else "")).json
        return found

    def commits(self) -> Raws:
        reply = self.service.call("GET", f"/v1/games/{self.id}/events?limit=1000")
        found: Raws = reply.json["commits"]
        return found

    def address(self, at: int) -> str:
        return f"{self.base}/games/{self.id}?at={at}"


@pytest.fixture(scope="module")
def royale(service: str) -> FinishedGame:
    return FinishedGame(service, "royale", 2, tiles=2)


@pytest.fixture(scope="module")
def cards(service: str) -> FinishedGame:
    return FinishedGame(service, "cards", 2)


def money(table: Json) -> list[str]:
    return [f"${seat['total']:,}" for seat in table["seats"]]


def shown_money(page: Page) -> list[str]:
    return page.locator(".seats .money").all_text_contents()


def expect_step(page: Page, game: FinishedGame, at: int) -> None:
    expect(page.locator(".headline .step")).to_have_text(f"Step {at} of {game.last}")


def test_keys_and_slider_lead_to_every_step_and_the_address_follows(tab: Tab, royale: FinishedGame) -> None:
    page = tab.page
    page.goto(royale.address(1))
    expect_step(page, royale, 1)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect_step(page, royale, 3)
    page.wait_for_url(royale.address(3))
    page.get_by_role("slider").fill("20")
    expect_step(page, royale, 20)
    assert shown_money(page) == money(royale.table(20))
    page.keyboard.press("End")
    expect_step(page, royale, royale.last)
    assert shown_money(page) == money(royale.table())
    page.keyboard.press("Home")
    page.keyboard.press("PageDown")
    expect(page.locator(".headline .round")).to_have_text("Round 2 of 3")
    expect(page.get_by_role("region", name="Why the money went where it went")).to_be_visible()
    assert (tab.refused, tab.errors) == ([], [])


def test_it_plays_by_itself_until_it_is_paused(tab: Tab, royale: FinishedGame) -> None:
    page = tab.page
    page.add_init_script("localStorage.setItem('croupier.speed', '\"fast\"')")
    page.goto(royale.address(4))
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url(royale.address(6))
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert tab.errors == []


@pytest.mark.parametrize("text", ["", "hello\nyou", "<img src=x>", "7"])
def test_what_never_was_a_game_is_not_called_a_changed_one(text: str, tab: Tab, service: str) -> None:
    page = open_door(tab, service)
    drop(page, text, "notes.txt")
    told = page.get_by_role("alert")
    expect(told).to_contain_text("This is not a game file")
    expect(told).not_to_contain_text("as it was played")


def test_the_service_says_who_would_win_what_at_a_step(tab: Tab, royale: FinishedGame) -> None:
    page = tab.page
    page.goto(royale.address(12))
    standing = [row for casino in royale.table(12)["casinos"] for row in casino["standing"]]
    winning = [f"${sum(row['notes']) // 1000}k" for row in standing if row["notes"]]
    expect(page.locator(".board .wins .gets")).to_have_text(winning)


def test_the_service_explains_a_step_in_the_language_of_the_page(tab: Tab, royale: FinishedGame) -> None:
    page = tab.page
    page.goto(royale.address(6))
    page.get_by_text("This step explained").click()
    explained = royale.service.call("GET", f"/v1/games/{royale.id}/explain/6").json["sentences"]
    expect(page.locator(".explained li")).to_have_text(explained)
    page.keyboard.press("ArrowRight")
    explained = royale.service.call("GET", f"/v1/games/{royale.id}/explain/7").json["sentences"]
    expect(page.locator(".explained li")).to_have_text(explained)
    assert (tab.refused, tab.errors) == ([], [])


def test_the_badge_says_what_was_checked_here_and_what_the_audit_adds(tab: Tab, royale: FinishedGame) -> None:
    page = tab.page
    page.goto(royale.address(5))
    page.get_by_text(VERIFIED).click()
    proof = page.locator(".proof")
    expect(proof).to_contain_text(f"The chain: {royale.last} commits")
    expect(proof).to_contain_text("each thrown again from the seed")
    expect(proof).to_contain_text("Whether every move was allowed")
    expect(proof).to_contain_text(
        "The service's audit decided every move again by the rules: it all follows."
    )
    expect(proof).to_contain_text(royale.commits()[-1]["hash"])


def test_after_the_end_a_game_is_seen_with_the_eyes_of_any_seat(tab: Tab, cards: FinishedGame) -> None:
    page = tab.page
    page.goto(cards.address(2))
    hands = page.get_by_role("region", name="Hands")
    expect(hands.locator(".card.back")).to_have_count(0)
    page.get_by_label("Seen by").select_option("0")
    expect(hands.locator("li").nth(0).locator(".card")).to_have_count(5)
    expect(hands.locator("li").nth(1).locator(".card.back")).to_have_count(1)
    page.get_by_label("Seen by").select_option("null")
    expect(hands.locator(".card.back")).to_have_count(2)


def test_the_expert_tells_luck_from_choices_and_names_mistakes(tab: Tab, service: str) -> None:
    short = FinishedGame(service, "modern", 2)
    page = tab.page
    page.goto(short.address(3))
    chances = page.get_by_role("region", name="Luck and choices")
    expect(chances.get_by_role("img")).to_have_attribute("aria-label", re.compile("Anna: 50%.*Ben: 50%"))
    expect(chances.get_by_role("heading", name="Where something else")).to_be_visible()
    told = short.service.call("GET", f"/v1/games/{short.id}/analysis").json
    for seat in told["seats"]:
        row = chances.get_by_role("row", name=seat["name"])
        for points in (seat["luck"], -seat["lost"], seat["others"]):
            expect(row).to_contain_text(f"{abs(points) * 100:.0f}")
        said = f"{seat['name']}: {seat['best_choices']} of {seat['choices']} choices were the best"
        expect(chances).to_contain_text(said)
    mistakes = [choice for choice in told["choices"] if choice["mistake"]]
    dearest = max(mistakes, key=lambda choice: choice["loss"])
    # The board shows names where the service numbers casinos.
    names = {str(casino["number"]): casino["name"] for casino in short.table()["casinos"]}
    why = re.sub(r"\bcasino (\d)\b", lambda found: names[found[1]], dearest["better"]["why"])
    expect(chances).to_contain_text(why)
    worst = dearest["version"]
    # Before it was made, so that what would have been better can be played.
    chances.get_by_role("button", name=f"Step {worst}:").click()
    expect(page.locator(".headline .step")).to_have_text(f"Before step {worst} of {short.last}")
    # On the board: the casino that would have been better, with the dice as they would lie there.
    expect(page.locator(".tray .ask-title")).to_contain_text("Better:")
    expect(page.locator(".casino.lit .ghost").first).to_be_in_viewport()
    assert (tab.refused, tab.errors) == ([], [])


# Files


def drop(page: Page, text: str, name: str = "game.ndjson") -> None:
    page.evaluate(DROP, [name, text])


def open_door(tab: Tab, base: str) -> Page:
    """Ready for files: what they are checked with has come."""
    tab.page.goto(base)
    expect(tab.page.locator("html")).to_have_attribute("data-files", "ready")
    return tab.page


def test_a_dropped_file_is_checked_and_replayed_without_a_service(tab: Tab, royale: FinishedGame) -> None:
    page = open_door(tab, royale.base)
    page.context.set_offline(True)
    drop(page, lines(royale.commits()))
    expect(page.get_by_text(VERIFIED)).to_be_visible()
    expect_step(page, royale, 1)
    page.keyboard.press("End")
    expect_step(page, royale, royale.last)
    assert shown_money(page) == money(royale.table())
    page.get_by_role("slider").fill("20")
    expect_step(page, royale, 20)
    assert shown_money(page) == money(royale.table(20))
    expect(page.locator(".standings")).not_to_contain_text(["would win"] * 6)
    signs = [casino["name"] for casino in royale.table()["casinos"] if not casino["name"].isdigit()]
    for name in signs:
        expect(page.get_by_role("article", name=name)).to_be_visible()
    assert (tab.errors, tab.broken) == ([], [])


def test_what_is_saved_is_what_can_be_dropped(tab: Tab, royale: FinishedGame) -> None:
    page = tab.page
    page.goto(royale.address(1))
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    saved = download.value.path()
    page.goto(royale.base)
    page.get_by_label("Open a game file").set_input_files(saved)
    expect(page.get_by_text(VERIFIED)).to_be_visible()


def change_name(raws: Raws) -> None:
    raws[0]["events"][0]["seats"][0]["name"] = "Mallory"


def test_a_tampered_file_is_rejected_with_the_place(tab: Tab, royale: FinishedGame) -> None:
    page, true = open_door(tab, royale.base), royale.commits()
    for lie in (change_die, change_notes, remove_commit, change_name):
        raws = deepcopy(true)
        lie(raws)
        place = next(at for at, (one, other) in enumerate(zip(raws, true, strict=False), 1) if one != other)
        drop(page, lines(raws), f"{lie.__name__}.ndjson")
        told = page.get_by_role("alert")
        expect(told).to_contain_text(lie.__name__)
        expect(told).to_contain_text("This is not the game as it was played")
        expect(told).to_contain_text(f"in commit {place}.")
        expect(page.get_by_role("slider")).to_have_count(0)


def test_what_is_no_game_is_refused_in_words(tab: Tab, service: str) -> None:
    page = open_door(tab, service)
    for number, text in enumerate(("", "hello", "[" * 1000, '{"version": 1, "version": 2}', "<img src=x>")):
        name = f"<img src=x onerror=alert({number})>.ndjson"
        drop(page, text, name)
        expect(page.get_by_role("alert")).to_contain_text(name)
    assert tab.errors == []


# For everybody


@pytest.mark.parametrize("light", ["light", "dark"])
def test_nothing_keeps_anybody_out(light: Any, tab: Tab, royale: FinishedGame, cards: FinishedGame) -> None:
    page = tab.page
    page.emulate_media(color_scheme=light, reduced_motion="reduce")
    page.goto(royale.address(royale.last))
    page.get_by_text(VERIFIED).click()
    expect(page.get_by_text("every move again by the rules")).to_be_visible()
    found = [Axe().run(page)]
    page.goto(cards.address(3))
    expect_step(page, cards, 3)
    found.append(Axe().run(page))
    drop(page, "hello")
    expect(page.get_by_role("alert")).to_be_visible()
    found.append(Axe().run(page))
    assert [result.generate_report() for result in found if result.violations_count] == []


def test_a_dialog_stays_open_when_what_the_page_waits_for_comes(tab: Tab, royale: FinishedGame) -> None:
    page, held = tab.page, list[Route]()
    page.route("**/events", lambda route: held.append(route))
    with page.expect_request("**/events"):
        page.goto(royale.address(3))
    page.get_by_role("button", name="Settings").click()
    for route in held:
        route.continue_()
    expect_step(page, royale, 3)
    expect(page.get_by_label("Language")).to_be_visible()
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_label("Language")).to_be_hidden()


def test_a_replay_speaks_german(tab: Tab, royale: FinishedGame) -> None:
    page = tab.page
    page.goto(royale.address(3))
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Language").select_option("de")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.get_by_role("button", name="Schließen").click()
    expect(page.locator(".headline .step")).to_have_text(f"Schritt 3 von {royale.last}")
    page.reload()
    expect(page.get_by_text("Würfel und Summen geprüft, Zahlungen und Züge nicht")).to_be_visible()
    page.keyboard.press("PageDown")
    expect(page.get_by_role("region", name="Warum das Geld dorthin ging")).to_be_visible()
    # The service writes in the language of the page, too.
    page.locator(".tile-name").first.click()
    name = page.locator(".tile-text b").inner_text()
    told = page.locator(".tile-text").inner_text().removeprefix(name).strip()
    assert told in page.evaluate("fetch('/v1/editions/royale/rules?language=de').then((it) => it.text())")
