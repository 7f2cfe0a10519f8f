"""What a client learns about the bots before it seats one."""

from rules.editions import EDITIONS
from service.play.bot_levels import BOT_LEVELS
from service.play.bot_strength import read_findings
from tests.support.api_client import ApiClient
from tests.support.contract import contract


def test_every_level_says_how_strong_it_was_measured_in_every_edition(api: ApiClient) -> None:
    """The client holds the reply against the contract, member by member."""
    bots = api.get("/v1/bots").get_json()["bots"]
    assert [(bot["name"], bot["text"]) for bot in bots] == [(level.name, level.text) for level in BOT_LEVELS]
    for bot in bots:
        assert {row["edition"] for row in bot["strength"]} == set(EDITIONS.newest)
        assert all(row["low"] <= row["share"] <= row["high"] for row in bot["strength"])


def test_the_reply_says_how_to_measure_again(api: ApiClient) -> None:
    measured = api.get("/v1/bots").get_json()["measured"]
    assert measured == {"rules": read_findings().rules, "first_seed": read_findings().first_seed}


def test_the_reply_is_compact(api: ApiClient) -> None:
    rows = sum(map(len, read_findings().levels.values()))
    assert len(api.get("/v1/bots").data) < 250 * rows


def test_the_contract_explains_the_figures() -> None:
    figures = contract()["components"]["schemas"]["Strength"]["properties"]
    for name in ("against", "share", "low", "high", "even", "money", "rivals_money"):
        assert figures[name]["description"]
