"""The rules of each edition in our own words, and the index for language models."""

from __future__ import annotations

import re

import pytest

from rules import EDITIONS
from tests.support.api_client import ApiClient


@pytest.mark.parametrize("edition", EDITIONS.newest)
def test_rules_are_told_in_every_language_and_form(api: ApiClient, edition: str) -> None:
    address = f"/v1/editions/{edition}/rules"
    ruleset = EDITIONS.newest[edition]
    rules = api.get(address).get_json()
    assert rules["paragraphs"] == list(ruleset.how_to_play)
    assert len(rules["paragraphs"]) > 4
    assert rules["options"] == {spec.name: spec.how for spec in ruleset.options}
    assert [tile["track"] for tile in rules["tiles"]] == [list(tile.track) for tile in ruleset.tiles.values()]
    german = api.get(address, accept_language="de")
    assert german.headers["Content-Language"] == "de"
    assert not set(german.get_json()["paragraphs"]) & set(rules["paragraphs"])
    for media in ("text/plain", "text/markdown"):
        reply = api.get(address, accept=media)
        assert reply.headers["Content-Type"] == f"{media}; charset=utf-8"
        text = reply.get_data(as_text=True)
        assert text.startswith(f"# {ruleset.title}\n")
        assert all(paragraph in text for paragraph in rules["paragraphs"])
        assert all(f"- {tile.code} {tile.name}: {tile.text}" in text for tile in ruleset.tiles.values())
    translated = api.get(address, accept="text/plain", accept_language="de")
    assert translated.headers["Content-Language"] == "de"
    assert translated.headers["ETag"] != api.get(address, accept="text/plain").headers["ETag"]
    assert all(told in translated.get_data(as_text=True) for told in german.get_json()["paragraphs"])


def test_rules_tell_what_chip_cards_pay(api: ApiClient) -> None:
    """C7; the form has less room and says only that they do."""
    told = api.get("/v1/editions/cards/rules").get_json()["options"]["chip_cards"]
    assert "$10,000, $30,000, $60,000, $100,000 or $150,000" in told
    form = api.get("/v1/editions").get_json()["editions"]
    texts = {one["id"]: one["options"]["properties"] for one in form}
    assert texts["cards"]["chip_cards"]["description"] not in ("", told)


def test_an_unknown_edition_has_no_rules(api: ApiClient) -> None:
    refused = api.get("/v1/editions/poker/rules")
    assert refused.status_code == 404
    assert refused.get_json()["detail"] == "There is no such edition. `GET /v1/editions` lists them all."


def test_guides_come_as_markdown_on_request(api: ApiClient) -> None:
    reply = api.get("/docs/rulings", accept="text/markdown")
    assert reply.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert reply.get_data(as_text=True).startswith("# Rulings\n")
    for accept in ("", "*/*", "text/html", "image/png"):
        assert api.get("/docs/rulings", accept=accept).headers["Content-Type"] == "text/html; charset=utf-8"
    assert api.get("/docs/nothing", accept="text/markdown").status_code == 404


def test_the_index_for_models_names_addresses_that_exist(api: ApiClient) -> None:
    reply = api.get("/llms.txt")
    assert reply.headers["Content-Type"] == "text/plain; charset=utf-8"
    text = reply.get_data(as_text=True)
    assert text.startswith("# Croupier\n\n> ")
    addresses = re.findall(r"\]\((/[^)]*)\)", text)
    assert {"/openapi.json", "/v1/editions", "/docs/quickstart"} <= set(addresses)
    assert [address for address in addresses if api.get(address).status_code != 200] == []
