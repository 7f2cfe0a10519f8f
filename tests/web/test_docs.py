"""The page at /docs/reference/try in a real browser: what it has filled in works at the first click."""

import json
from contextlib import closing
from typing import Any

import pytest
from playwright.sync_api import Locator

from tests.support.browser import Tab
from tests.support.contract import described_operations
from tests.support.http_client import HttpClient

# Every state of a page in a real browser takes minutes; `make test` plays the page in test_page_play.
pytestmark = pytest.mark.long


def unfold(tab: Tab, operation: str) -> Locator:
    block = tab.page.locator(f"#operations-Play-{operation}")
    block.locator(".opblock-summary-control").click()
    block.get_by_role("button", name="Try it out").click()
    return block


def execute(tab: Tab, operation: str, block: Locator) -> Any:
    [method] = {known.method for known in described_operations() if known.id == operation}
    with tab.page.expect_response(lambda response: response.request.method == method) as reply:
        block.get_by_role("button", name="Execute").click()
    assert reply.value.ok, reply.value.text()
    return reply.value.json()


def authorize(tab: Tab, token: str) -> None:
    tab.page.locator(".btn.authorize").click()
    tab.page.locator("#auth-bearer-value").first.fill(token)
    tab.page.get_by_role("button", name="Apply credentials").first.click()
    tab.page.get_by_role("button", name="Close").first.click()


def find_answer(service: str, made: Any) -> tuple[str, str]:
    """The token of a seat that is asked, and what it may send."""
    with closing(HttpClient(service)) as client:
        [ask, *_] = client.get(f"/v1/games/{made['id']}")["asks"]
        token = made["seats"][ask["seats"][0]]["token"]
        [ask, *_] = client.get(f"/v1/games/{made['id']}", token)["asks"]
    return token, json.dumps({"ask": ask["ask"], "choice": ask["options"][0]["choice"]})


def test_a_game_is_created_and_played_on_the_page(tab: Tab, service: str) -> None:
    """As the page proposes it; then the token of whoever is asked is good for all that follows."""
    tab.page.goto(f"{service}/docs/reference/try")
    made = execute(tab, "createGame", unfold(tab, "createGame"))
    token, answer = find_answer(service, made)
    authorize(tab, token)
    block = unfold(tab, "choose")
    block.locator("tr[data-param-name=game] input").fill(made["id"])
    block.locator("textarea.body-param__text").fill(answer)
    assert execute(tab, "choose", block)["events"]
    assert (tab.refused, tab.errors) == ([], [])
