"""What a client learns about the bots before it seats one."""

from typing import Any, get_args

from events.values import MOST_SEATS
from rules.editions import EDITIONS
from service.catalog.bots import BOT_LEVELS, BotLevel, Difficulty, name_difficulty, read_findings
from service.catalog.routes import join_strengths
from tests.support.api_client import ApiClient
from tests.support.contract import contract

DIFFICULTY_WORDS = get_args(Difficulty)


def test_every_measured_level_says_how_strong_it_is_in_every_edition(api: ApiClient) -> None:
    """The client holds the reply against the contract, member by member."""
    bots = api.get("/v1/bots").get_json()["bots"]
    assert [(bot["name"], bot["text"]) for bot in bots] == [(level.name, level.text) for level in BOT_LEVELS]
    measured = read_findings().levels
    assert measured
    for bot in bots:
        editions = set(EDITIONS.newest) if bot["name"] in measured else set()
        assert {row["edition"] for row in bot["strength"]} == editions
        assert all(row["low"] <= row["share"] <= row["high"] for row in bot["strength"])


def test_a_level_that_was_not_measured_yet_shows_no_strength() -> None:
    """Somebody may play against it before `croupier arena --write` has."""
    levels = (BotLevel("newcomer", "Not measured yet."), *BOT_LEVELS)
    strengths = {bot.name: bot.strength for bot in join_strengths(levels, read_findings()).bots}
    assert strengths["newcomer"] == ()
    assert read_findings().levels.items() <= strengths.items()


def test_stronger_levels_are_never_called_easier(api: ApiClient) -> None:
    words = [bot["difficulty"] for bot in api.get("/v1/bots").get_json()["bots"]]
    known = [DIFFICULTY_WORDS.index(word) for word in words if word is not None]
    assert known == sorted(known)
    assert (words[0], words[-1]) == ("easy", "very hard")
    assert name_difficulty(()) is None


def test_the_reply_says_how_to_measure_again(api: ApiClient) -> None:
    measured = api.get("/v1/bots").get_json()["measured"]
    assert measured == {"rules": read_findings().rules, "first_seed": read_findings().first_seed}


def test_the_reply_is_compact(api: ApiClient) -> None:
    rows = sum(map(len, read_findings().levels.values()))
    assert len(api.get("/v1/bots").data) < 330 * rows


def test_the_contract_explains_the_figures() -> None:
    figures = contract()["components"]["schemas"]["Strength"]["properties"]
    for name in ("against", "share", "low", "high", "even", "money", "rivals_money"):
        assert figures[name]["description"]


def example(operation: str) -> Any:
    return contract()["components"]["examples"][operation]["value"]


def test_the_example_shows_levels_as_the_service_does(api: ApiClient) -> None:
    """Figures may be older, and fewer rows and levels will do."""
    live = {bot["name"]: _outline(bot) for bot in api.get("/v1/bots").get_json()["bots"]}
    shown = example("listBots")["bots"]
    assert shown
    assert [_outline(bot) for bot in shown] == [live[bot["name"]] for bot in shown]


def _outline(bot: dict[str, Any]) -> list[object]:
    rows = [[*bot[name][0]] if bot[name] else [] for name in ("strength", "ratings")]
    return [bot["name"], bot["text"], *map(sorted, rows)]


def test_the_examples_of_editions_name_what_the_service_names(api: ApiClient) -> None:
    live = {edition["id"]: edition for edition in api.get("/v1/editions").get_json()["editions"]}
    for shown in example("listEditions")["editions"]:
        for name in ("title", "text", "seats", "rounds", "casinos", "bandit", "bots"):
            known = live[shown["id"]][name]
            # An example has the first of a long list.
            most = len(shown[name]) if isinstance(known, list) else None
            assert shown[name] == (known if most is None else known[: max(1, most)])


def test_bots_have_names_of_their_own_at_the_table_and_in_lists(api: ApiClient) -> None:
    """The same in every reply, and no two bots at a table share one."""
    seats = [{"name": "Anna"}, {"bot": "greedy"}, {"bot": "greedy"}, {"bot": "random"}]
    made = api.post("/v1/games", {"edition": "classic", "seats": seats}).get_json()
    table = api.get(f"/v1/games/{made['id']}").get_json()
    names = [seat["name"] for seat in table["seats"]]
    assert len(set(names)) == 4
    levels = {bot["name"]: bot["seat_names"] for bot in api.get("/v1/bots").get_json()["bots"]}
    assert names[1:] == [levels["greedy"][1], levels["greedy"][2], levels["random"][3]]
    (row,) = api.get(f"/v1/games?game={made['id']}&min_version=1").get_json()["games"]
    assert [seat["name"] for seat in row["seats"]] == names


def test_no_two_levels_share_a_name() -> None:
    names = [name for level in BOT_LEVELS for name in level.seat_names]
    assert len(names) == len(set(names)) == MOST_SEATS * len(BOT_LEVELS)
