"""The front door of a browser that the service no longer knows."""

import json
from typing import Any

from playwright.sync_api import Page, expect

from tests.support.browser import Tab
from tests.support.http_client import HttpService
from tests.support.waiting import wait_until

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
    expect(tab.page.get_by_role("heading", name="Open tables")).to_be_visible()
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
