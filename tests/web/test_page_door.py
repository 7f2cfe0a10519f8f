"""The front door: of a browser that the service no longer knows, and with the form for a new table."""

import json
import re
from math import floor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from events.redis import connect
from service.catalog.bots import read_findings
from service.keys.keys import ApiKeys
from service.ops.redis_server import find_running_url
from tests.support.browser import Tab, open_form
from tests.support.http_client import HttpService
from tests.support.service_process import run_service
from tests.support.waiting import wait_until

# Every state of a page in a real browser takes minutes; `make test` plays the page in test_page_play.
pytestmark = pytest.mark.long

KEPT = "JSON.parse(localStorage.getItem('croupier.player'))"


def erase_player(page: Page, service: str) -> dict[str, Any]:
    """As it would be with a new data folder; the browser is not told."""
    kept: dict[str, Any] = page.evaluate(KEPT)
    HttpService(service).call("DELETE", "/v1/me", token=kept["token"])
    return kept


def test_a_token_of_nobody_is_forgotten_and_the_lists_stay(tab: Tab, service: str) -> None:
    kept = json.dumps(json.dumps({"id": "p_0", "name": "Anna", "token": "0" * 43}))
    tab.page.add_init_script(
        f"localStorage.getItem('croupier.player') ?? localStorage.setItem('croupier.player', {kept})"
    )
    tab.page.goto(service)
    expect(tab.page.get_by_role("region", name="Tables")).to_be_visible()
    assert tab.page.evaluate(KEPT) is None
    assert len([refused for refused in tab.refused if refused.startswith("401")]) == 1


def test_an_erased_player_gets_a_new_name_and_a_new_seat(tab: Tab, service: str) -> None:
    plan = {"edition": "classic", "seats": [{"name": "Ben"}, {"open": True}], "visibility": "private"}
    code = HttpService(service).call("POST", "/v1/games", plan).json["code"]
    page = tab.page
    page.goto(service)
    name_me(page, "Anna")
    first = erase_player(page, service)
    name_me(page, "Cleo")
    second = erase_player(page, service)
    assert (first["name"], second["name"]) == ("Anna", "Cleo")
    page.get_by_label("Code", exact=True).fill(code)
    page.get_by_role("button", name="Find the table").click()
    page.get_by_label("Your name").fill("Cleo")
    page.get_by_role("button", name="Sit down").click()
    expect(page.get_by_role("region", name="Players")).to_contain_text("Cleo")


def name_me(page: Page, name: str) -> None:
    field = page.get_by_label("My name")
    field.fill(name)
    field.blur()
    wait_until(lambda: (page.evaluate(KEPT) or {}).get("name") == name, f"{name} is somebody")


def test_a_name_that_cannot_be_had_is_a_trouble_in_words(tab: Tab, service: str) -> None:
    page = tab.page
    page.goto(service)
    page.get_by_label("My name").fill("\u202e")
    page.get_by_label("My name").blur()
    expect(page.get_by_role("alert")).to_be_visible()


def test_a_code_of_no_table_is_refused_in_words(tab: Tab, service: str) -> None:
    page = tab.page
    page.goto(service)
    page.get_by_label("Code", exact=True).fill("AAAA-AAAA-AAAA")
    page.get_by_role("button", name="Find the table").click()
    expect(page.get_by_role("alert")).to_contain_text("No table has this code")


def test_a_link_to_no_table_leads_home(tab: Tab, service: str) -> None:
    page = tab.page
    page.goto(f"{service}/games/g_0000000000000000000000")
    expect(page.get_by_role("heading", name="There is no such table")).to_be_visible()
    page.locator("main").get_by_role("link", name="Home").click()
    expect(page.get_by_role("button", name="Play now")).to_be_visible()


def measured(bot: str, edition: str, players: int, options: dict[str, Any]) -> str:
    """What is to be said of a bot at just this kind of table."""
    rows = [
        row
        for row in read_findings().levels[bot]
        if (row.edition, row.players, row.options) == (edition, players, options)
    ]
    (row,) = rows
    rival = row.against.capitalize()
    return f"Wins {percent(row.share)} against {rival}; {percent(row.even)} would be even."


def percent(share: float) -> str:
    return f"{floor(share * 100 + 0.5)}%"


def test_strengths_are_those_of_the_table_that_is_set_up(tab: Tab, service: str) -> None:
    page = tab.page
    page.goto(service)
    open_form(page, "Las Vegas Royale")
    told = page.locator(".strengths li")
    steady = told.filter(has=page.get_by_text("Steady", exact=True))
    expect(told.first).to_contain_text("The others are measured against it.")
    expect(steady).to_contain_text(measured("steady", "royale", 4, {}))
    page.get_by_role("spinbutton", name="Tiles").fill("6")
    expect(steady).to_contain_text(measured("steady", "royale", 4, {"tiles": 6}))
    page.get_by_label("Seat 4", exact=True).select_option("nobody")
    expect(steady).to_contain_text(measured("steady", "royale", 3, {"tiles": 6}))
    page.get_by_role("spinbutton", name="Tiles").fill("5")
    expect(steady).to_contain_text("Not measured at this kind of table.")
    expect(told.first).to_contain_text("The others are measured against it.")


def test_an_option_that_is_on_by_itself_can_be_switched_off(tab: Tab, service: str) -> None:
    page = tab.page
    page.goto(service)
    open_form(page, "Las Vegas (2012)")
    page.get_by_label("Advice").uncheck()
    page.get_by_role("button", name="Open the table").click()
    page.locator(".board").wait_for()
    table = HttpService(service).call("GET", f"/v1{urlsplit(page.url).path}").json
    assert table["options"]["advice"] is False


def test_an_option_that_no_longer_fits_the_players_is_not_sent(tab: Tab, service: str) -> None:
    page = tab.page
    page.goto(service)
    open_form(page, "Las Vegas (2012)")
    page.get_by_label("Neutral dice").check()
    page.get_by_label("Seat 5", exact=True).select_option("greedy")
    page.get_by_role("button", name="Open the table").click()
    page.locator(".board").wait_for()
    assert tab.refused == []


def test_what_an_edition_is_known_for_is_on_in_its_presets(tab: Tab, service: str) -> None:
    page = tab.page
    page.goto(service)
    page.get_by_role("button", name="Las Vegas (new edition)").click()
    page.get_by_role("button", name="Against bots You and four bots").click()
    page.locator(".board").wait_for()
    table = HttpService(service).call("GET", f"/v1{urlsplit(page.url).path}").json
    assert (table["options"]["bandit"], len(table["seats"])) == (True, 5)
    expect(page.get_by_role("article", name="One-armed bandit")).to_be_visible()


def test_a_clock_is_one_press_and_the_invitation_tells_it(tab: Tab, service: str) -> None:
    page = tab.page
    page.goto(service)
    open_form(page, "Las Vegas (2012)")
    page.get_by_label("Seat 2", exact=True).select_option("open")
    expect(page.get_by_role("button", name="No clock")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="5 min + 5 s").click()
    page.get_by_role("button", name="20 s a turn").click()
    page.get_by_role("button", name="Open the table").click()
    expect(page.locator(".terms")).to_contain_text("20 s a turn")
    options = HttpService(service).call("GET", f"/v1{urlsplit(page.url).path}").json["options"]
    assert (options["turn_seconds"], options["total_seconds"], options["increment_seconds"]) == (20, 0, 0)


def test_the_form_speaks_of_no_code(tab: Tab, service: str) -> None:
    """Names of the contract are for programs."""
    page = tab.page
    page.goto(service)
    for edition in ("Las Vegas (2012)", "Las Vegas Royale"):
        open_form(page, edition)
        form = page.locator("form.new-table-form")
        expect(form.locator("option[value='takeover:random']")).to_have_text("Random, until they are back")
        assert re.findall(r"`|\w_\w|takeover:", form.text_content() or "") == []


def test_page_of_a_service_for_keys_says_so_and_plays_by_link(tab: Tab, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with run_service(data, ACCESS="keys") as (address, _), connect(find_running_url(data) or "") as client:
        key = ApiKeys(client).create("arcade", ["play"]).key
        plan = {"edition": "classic", "seats": [{"name": "Ben"}, {"open": True}]}
        game = HttpService(address).insist("POST", "/v1/games", plan, key)["id"]
        page = tab.page
        page.goto(address)
        expect(page.get_by_text("Tables are opened by partner sites here")).to_be_visible()
        expect(page.get_by_role("button", name="Play now")).to_have_count(0)
        page.goto(f"{address}/games/{game}")
        page.get_by_role("textbox").fill("Anna")
        page.get_by_role("button", name="Sit down").click()
        expect(page.get_by_role("region", name="Players").get_by_text("Anna")).to_be_visible()


def test_two_sides_of_a_tile_cannot_be_picked_together(tab: Tab, service: str) -> None:
    page = tab.page
    page.goto(service)
    open_form(page, "Las Vegas Royale")
    page.locator(".several summary").click()
    page.get_by_role("checkbox", name="Lucky Punch").check()
    other = page.get_by_role("checkbox", name="Jackpot")
    expect(other).to_be_disabled()
    expect(page.locator(".several label", has=other)).to_contain_text("The other side of Lucky Punch.")
    # How many tiles there are follows from those that were picked.
    expect(page.get_by_label("Tiles", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Open the table").click()
    expect(page.locator("[data-tile]")).to_have_count(1)


def test_an_option_brings_what_it_needs(tab: Tab, service: str) -> None:
    page = tab.page
    page.goto(service)
    open_form(page, "Las Vegas: the card game")
    chips, in_turn = page.get_by_label("Chip cards"), page.get_by_label("One after the other")
    chips.check()
    expect(in_turn).to_be_checked()
    in_turn.uncheck()
    expect(chips).not_to_be_checked()
