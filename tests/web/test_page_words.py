"""What the page says of an option, a round, an adviser and a trouble, from what the service says of them."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from playwright.sync_api import Browser, Route

from events.types import DiceRolled, RoundEnded, TurnStarted
from rules.evolve import evolve
from rules.scoring import total
from rules.state import State
from service.http.problems import PROBLEM_TEXTS
from tests.support.browser import PageModules, open_modules
from tests.support.games import export_game, make_games, play_game

# Every state of a page in a real browser takes minutes; `make test` plays the page in test_page_play.
pytestmark = pytest.mark.long

# Only a program that does not keep to the contract meets these.
MISUSE = {
    *("bad_request", "bad_json", "duplicate_key", "lone_surrogate", "bad_header", "weak_key", "cursor_lost"),
    *("method_not_allowed", "not_acceptable", "length_required", "uri_too_long", "unsupported_media_type"),
    *("headers_too_large", "invalid_query", "bad_file", "key_in_browser", "missing_scope"),
    *("unknown_webhook", "too_many_webhooks", "unknown_bot", "bot_closed", "bot_busy", "too_many_bots"),
}
SAY = """async ([language, table, option]) => {
    const {speak} = await import("/app/words.js");
    const {prospect} = await import("/table/prospects.js");
    await speak(language);
    return prospect(table, option);
}"""
ROUND = """async ([commits]) => (await import("/table/round-table.js")).lastRound(commits)"""
ADVICE = """async () => (await import("/app/api.js")).advice("g_1", null, 1).catch((fault) => fault.code)"""
TEXTS = """async () => Object.keys((await import("/texts/en.js")).default)"""
TABLE: dict[str, Any] = {
    "you": 0,
    "seats": [
        {"seat": seat, "name": name, "kind": "human"} for seat, name in enumerate(("Anna", "Ben", "Cleo"))
    ],
    "casinos": [{"number": 3, "name": "Sunset"}],
}


@pytest.fixture(scope="module")
def modules(browser: Browser) -> Iterator[PageModules]:
    with open_modules(browser) as modules:
        yield modules


def stands(owner: int | str, weight: int, notes: Sequence[int] = (), tied: bool = False) -> dict[str, Any]:
    name = owner if isinstance(owner, str) else f"seat-{owner}"
    return {"owner": name, "weight": weight, "tied": tied, "notes": list(notes)}


PROSPECTS = [
    ([stands(0, 3, [60000])], "You would lead at Sunset and win $60,000.", "vorn"),
    (
        [stands(1, 3, [60000]), stands(0, 2, [30000])],
        "You would be second at Sunset and win $30,000.",
        "Platz 2",
    ),
    ([stands(1, 3, [60000]), stands(0, 2)], "You would be second at Sunset and win nothing.", "nichts"),
    ([stands(0, 2)], "You would lead at Sunset, but there is no money left.", "kein Geld"),
    (
        [stands(0, 2, tied=True), stands(1, 2, tied=True)],
        "You would be tied with Ben at Sunset: both out.",
        "du und Ben",
    ),
    (
        [stands(2, 3, [10000]), *(stands(owner, 1, tied=True) for owner in (0, 1, "neutral"))],
        "You would be tied with Ben and the neutral player at Sunset: all of you out.",
        "du, Ben und der neutrale Spieler",
    ),
    (
        [stands("grey", 3, [60000]), stands(1, 2)],
        "The grey player would lead at Sunset and win $60,000.",
        "vorn",
    ),
    ([], "Nobody would win anything at Sunset.", "niemand"),
]


@pytest.mark.parametrize(("standing", "english", "german"), PROSPECTS)
def test_what_an_option_would_bring_is_said_in_words(
    standing: Any, english: str, german: str, modules: PageModules
) -> None:
    option = {"target": {"casino": 3}, "standing": standing}
    assert modules.page.evaluate(SAY, ["en", TABLE, option]) == english
    assert german in modules.page.evaluate(SAY, ["de", TABLE, option])


def test_of_what_the_service_does_not_foretell_nothing_is_said(modules: PageModules) -> None:
    assert modules.page.evaluate(SAY, ["en", TABLE, {"target": {"casino": 3}}]) == ""
    assert modules.page.evaluate(SAY, ["en", TABLE, None]) == ""


@pytest.mark.parametrize(("edition", "options"), [("royale", {"tiles": 6}), ("modern", {"bandit": True})])
def test_the_table_of_a_round_is_what_it_brought_by_the_rules(
    edition: str, options: dict[str, Any], modules: PageModules
) -> None:
    """Chips and what was paid back are part of it, what is handed out before the first turn is not."""
    games = make_games()
    game = play_game(games, edition, options, 5)
    raws, brought = export_game(games, game), list(rounds_of(games.commits(game)))
    assert len(brought) > 2
    for version, seats in brought:
        found = modules.page.evaluate(ROUND, [raws[:version]])
        assert (found["version"], [found["won"].get(str(seat), 0) for seat in range(5)]) == (version, seats)


def rounds_of(commits: Sequence[Any]) -> Iterator[tuple[int, list[int]]]:
    state, before = State(), None
    for commit in commits:
        for event in commit.events:
            if before is None and begins(event):
                before = totals(state)
            if isinstance(event, RoundEnded) and before is not None:
                yield commit.version, [now - then for now, then in zip(totals(state), before, strict=True)]
                before = None
            state = evolve(state, event)


def begins(event: Any) -> bool:
    return isinstance(event, TurnStarted) or (isinstance(event, DiceRolled) and event.seat is not None)


def totals(state: State) -> list[int]:
    return [total(state, seat) for seat in range(len(state.seats))]


WORDS = """async ([table, labels, asks]) => {
    const {speak} = await import("/app/words.js");
    const {wordsOf} = await import("/table/answers.js");
    // Another test may have spoken German last.
    await speak("en");
    const steps = labels.map((label) => ({label, target: null, options: [], option: null}));
    const words = wordsOf(table, steps, asks);
    const said = (step) => [words.of(step).what, words.of(step).then].filter(Boolean).join(" / ");
    return [words.line, steps.map(said)];
}"""
ANSWERS = [
    (
        ["Close casino 3 to all dice: two chips for you", "Close casino 4 to all dice: two chips for you"],
        "Close … to all dice; two chips for you",
        ["Sunset", "Casino 4"],
    ),
    (
        [
            "Stop here and take nothing",
            "Bet that two dice sum up higher than 7",
            "Bet that two dice sum up lower than 7",
        ],
        "Bet that two dice sum up … than 7",
        ["Stop here and take nothing", "Higher", "Lower"],
    ),
    # A noun stays with its adjective.
    (
        ["Gib einen kleinen Würfel an die Bar: Er ruht", "Gib den großen Würfel an die Bar: Er ruht"],
        "Gib … an die Bar; Er ruht",
        ["Einen kleinen Würfel", "Den großen Würfel"],
    ),
    # Behind the question mark of a name begins a sentence.
    (
        [
            "Give a small die of yours to the bar of Knockout?: it rests",
            "Give your big die to the bar of Knockout?: it rests",
        ],
        "Give … to the bar of Knockout? It rests",
        ["A small die of yours", "Your big die"],
    ),
    # What little they have in common is not worth a line of its own.
    (
        ["Hide one token: two chips for you", "Hide two tokens: $30,000 for you"],
        "",
        ["Hide one token / two chips for you", "Hide two tokens / $30,000 for you"],
    ),
    (["Place both black dice on casinos 3 and 4"], "", ["Place both black dice on Sunset and Casino 4"]),
]


@pytest.mark.parametrize(("labels", "line", "answers"), ANSWERS)
def test_what_all_answers_have_in_common_is_told_once(
    labels: Sequence[str], line: str, answers: Sequence[str], modules: PageModules
) -> None:
    assert modules.page.evaluate(WORDS, [TABLE, labels, False]) == [line, answers]


def test_where_a_title_asks_only_what_comes_of_all_answers_is_told_above_them(modules: PageModules) -> None:
    labels = [
        "Close casino 3 to all dice: two chips for you",
        "Close casino 4 to all dice: two chips for you",
    ]
    told = modules.page.evaluate(WORDS, [TABLE, labels, True])
    assert told == ["Two chips for you", ["Sunset", "Casino 4"]]


def test_what_is_true_of_some_answers_is_told_at_these(modules: PageModules) -> None:
    without = " (nothing would happen now)"
    labels = ["Activate Jackpot", f"Activate Bad Luck{without}", f"Activate High Five{without}"]
    line, answers = modules.page.evaluate(WORDS, [TABLE, labels, True])
    assert line == ""
    assert [without.strip() in answer for answer in answers] == [False, True, True]


PAY = """async ([table, event]) => (await import("/table/shown.js")).withFact(table, event).casinos[0]"""


def test_whoever_is_paid_stands_there_as_the_winner(modules: PageModules) -> None:
    """The die that decided it lies there since the same commit, so the service has said nothing of it yet."""
    lots = [{"owner": f"seat-{seat}", "small": seat, "big": 0, "weight": seat} for seat in (1, 2)]
    casino = {
        **TABLE["casinos"][0],
        "notes": [60000, 30000],
        "dice": lots,
        "standing": [stands(1, 1, [60000])],
    }
    event = {"type": "notes_moved", "source": "casino-3", "target": "purse-2", "notes": [60000]}
    seats = [{"seat": seat, "note_count": 0, "money": 0, "total": 0} for seat in range(3)]
    paid = modules.page.evaluate(PAY, [{"seats": seats, "casinos": [casino]}, event])
    assert paid["notes"] == [30000]
    assert paid["standing"][0] == stands(2, 2, [60000])


def test_cards_lie_at_their_casinos_as_soon_as_they_are_shown(modules: PageModules) -> None:
    casino = {**TABLE["casinos"][0], "notes": [60000], "dice": [], "standing": []}
    event = {"type": "cards_played", "seat": 1, "cards": ["3", "3", "3d"]}
    seats = [{"seat": seat, "placed": 0} for seat in range(3)]
    shown = modules.page.evaluate(PAY, [{"seats": seats, "casinos": [casino]}, event])
    assert shown["dice"] == [{"owner": "seat-1", "small": 2, "big": 1, "weight": 4}]


def test_advice_that_never_comes_is_a_trouble_in_words(modules: PageModules) -> None:
    def wait(route: Route) -> None:
        route.fulfill(status=202, json={"id": "t_1", "status": "running"})

    modules.page.route("**/v1/advice", wait)
    assert modules.page.evaluate(ADVICE) == "task_failed"


def test_every_problem_that_a_page_can_meet_has_its_own_words(modules: PageModules) -> None:
    said = {key.removeprefix("error.") for key in modules.page.evaluate(TEXTS) if key.startswith("error.")}
    assert PROBLEM_TEXTS.keys() - said == MISUSE


CANCEL = """async ([table, event]) => (await import("/table/shown.js")).withTies(table, event).casinos[0]"""


def test_dice_that_leave_are_crossed_out_and_no_others(modules: PageModules) -> None:
    """What the service said of ties before the last die of a round may no longer hold."""
    standing = [
        {"owner": "seat-0", "weight": 2, "tied": True, "notes": []},
        {"owner": "seat-1", "weight": 2, "tied": True, "notes": []},
        {"owner": "seat-2", "weight": 3, "tied": False, "notes": [60000]},
    ]
    table = {"casinos": [{"number": 1, "standing": standing}]}
    event = {"place": "casino-1", "owners": ["seat-0", "seat-2"]}
    shown = modules.page.evaluate(CANCEL, [table, event])["standing"]
    assert [(row["tied"], row["notes"]) for row in shown] == [(True, []), (False, []), (True, [])]
