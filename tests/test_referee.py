"""A referee who knows the books and not the rules: it agrees with what is played, and with nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from rules.ruleset import Options
from tests.referee.__main__ import main
from tests.referee.books import Foul, Unwatched
from tests.referee.game import judge
from tests.support.json_logs import Event, Log, change, drop, events_in, random_log

GAMES_EACH = 6
NEUTRAL, CHIP_CARDS, BANDIT = {"neutral_dice": True}, {"chip_cards": True}, {"bandit": True}
SEQUENTIAL: Options = {"sequential": True}
TABLES: list[tuple[str, Options, range]] = [
    ("classic", {}, range(2, 6)),
    ("classic", NEUTRAL, range(2, 5)),
    ("classic", CHIP_CARDS, range(2, 6)),
    ("classic", NEUTRAL | CHIP_CARDS, range(2, 5)),
    ("modern", {}, range(2, 7)),
    ("modern", NEUTRAL, range(2, 5)),
    ("modern", BANDIT, range(5, 7)),
    ("royale", {"tiles": 0}, range(2, 6)),
    ("cards", {}, range(2, 6)),
    ("cards", SEQUENTIAL, range(2, 6)),
    ("cards", {**SEQUENTIAL, **CHIP_CARDS}, range(2, 6)),
]


def by_table(tables: list[tuple[str, Options, int]]) -> pytest.MarkDecorator:
    names = ["-".join((edition, str(players), *options)) for edition, options, players in tables]
    return pytest.mark.parametrize(("edition", "options", "players"), tables, ids=names)


PLAYED = [(edition, options, players) for edition, options, counts in TABLES for players in counts]
SOME: list[tuple[str, Options, int]] = [
    ("classic", NEUTRAL, 3),
    ("modern", BANDIT, 5),
    ("royale", {"tiles": 0}, 2),
    ("cards", {}, 3),
]


@by_table(PLAYED)
def test_the_referee_agrees_with_every_payout(edition: str, options: Options, players: int) -> None:
    """Every edition without tiles, with every number of players."""
    for seed in range(GAMES_EACH):
        assert judge(random_log(edition, options, players, seed)).over


def payouts(log: Log) -> list[Event]:
    sources = ("casino", "bandit")
    return [event for event in events_in(log, "notes_moved") if event["source"].startswith(sources)]


def to_another(payout: Event) -> None:
    payout["target"] = "purse-1" if payout["target"] == "purse-0" else "purse-0"


def another_note(payout: Event) -> None:
    payout["notes"] = [*payout["notes"][:-1], payout["notes"][-1] + 10_000]


@pytest.mark.parametrize("falsify", [to_another, another_note])
@by_table(SOME)
def test_the_referee_sees_every_falsified_payout(
    edition: str, options: Options, players: int, falsify: Callable[[Event], None]
) -> None:
    game = random_log(edition, options, players, seed=7)
    for payout in payouts(game):
        true = dict(payout)
        falsify(payout)
        with pytest.raises(Foul, match="payout: expected"):
            judge(game)
        payout.update(true)


def _swap_payouts(log: Log) -> None:
    first, second = payouts(log)[:2]
    first["notes"], second["notes"] = second["notes"], first["notes"]


def _swap_pairs(log: Log) -> None:
    low, high = (
        next(event for event in events_in(log, "notes_moved") if event["target"] == place)
        for place in ("casino-1", "casino-6")
    )
    low["target"], high["target"] = high["target"], low["target"]


Falsified = dict[str, tuple[Callable[[Log], None], str]]

FALSE_DICE: Falsified = {
    "total": (change("game_ended", "totals", lambda totals: [*totals[:-1], 0]), "totals: expected"),
    "winner": (change("game_ended", "winners", lambda winners: [0, 1, 2]), "winners: expected"),
    "starter": (change("round_started", "starter", lambda seat: 1 - seat), "should start"),
    "faces": (change("dice_rolled", "own", lambda own: [face % 6 + 1 for face in own]), "did not place all"),
    "a die less": (change("dice_rolled", "own", lambda own: own[1:]), "did not roll all"),
    "a die kept back": (change("dice_placed", "small", lambda small: small - 1), "did not place all"),
    "another casino": (change("dice_placed", "target", lambda place: "casino-0"), "went to casino-0"),
    "another seat": (change("dice_rolled", "seat", lambda seat: 1 - seat), "was next"),
    "half a tie": (change("dice_returned", "owners", lambda owners: owners[:1]), "ties: expected"),
    "no tie": (drop("dice_returned"), "ties: expected"),
    "no chips": (drop("chips_moved"), "chips were not handed out"),
    "no neutral dice": (drop("dice_moved"), "spare dice are missing"),
    "swapped payouts": (_swap_payouts, "payout: expected"),
    "a win told as a left-over": (change("notes_moved", "winner", lambda owner: None), "payout: expected"),
    "a note too many": (
        change("game_started", "notes", lambda notes: [*notes, 90_000]),
        "notes of the book",
    ),
    "pairs out of order": (_swap_pairs, "not in order"),
}


@pytest.mark.parametrize("what", FALSE_DICE)
def test_the_referee_sees_a_falsified_game_of_dice(what: str) -> None:
    false, (falsify, foul) = random_log("royale", {"tiles": 0}, 2, seed=3), FALSE_DICE[what]
    falsify(false)
    with pytest.raises(Foul, match=foul):
        judge(false)


FALSE_CARDS: Falsified = {
    "a card too many": (change("cards_played", "cards", lambda cards: ["1", "2", "3"]), "together"),
    "a card not held": (
        change("cards_played", "rest", lambda rest: {**rest, "value": []}),
        "under the glass",
    ),
    "a small hand": (
        change("cards_dealt", "cards", lambda hand: {**hand, "value": ["1"]}),
        "not in its pile",
    ),
    "another turn": (change("turn_started", "seat", lambda seat: (seat + 1) % 3), "is not next"),
    "a card not earned": (change("chip_cards_moved", "target", lambda purse: "purse-9"), "has not earned"),
    "a card not there": (change("chip_cards_moved", "cards", lambda cards: ["grey"]), "no such chip card"),
    "no chip cards": (drop("chip_cards_moved"), "chip cards were not laid out"),
}


@pytest.mark.parametrize("what", FALSE_CARDS)
def test_the_referee_sees_a_falsified_game_of_cards(what: str) -> None:
    options = {**SEQUENTIAL, **CHIP_CARDS}
    false, (falsify, foul) = random_log("cards", options, 3, seed=3), FALSE_CARDS[what]
    falsify(false)
    with pytest.raises(Foul, match=foul):
        judge(false)


def test_the_referee_holds_seats_to_what_they_selected() -> None:
    false = random_log("cards", {}, 3, seed=3)
    change("revealed", "value", lambda selected: "play-1-2")(false)
    with pytest.raises(Foul, match="other cards than it had selected"):
        judge(false)


def test_the_referee_shares_nothing_with_what_it_judges() -> None:
    for path in (Path(__file__).parent / "referee").rglob("*.py"):
        imports = re.findall(r"^\s*(?:from|import) (\w+)", path.read_text(), re.MULTILINE)
        assert not {"events", "rules", "service", "workers"} & set(imports)


def test_the_referee_judges_no_game_without_a_book() -> None:
    strange = random_log("classic", {}, 2, seed=1)
    change("game_created", "edition", lambda edition: "poker")(strange)
    with pytest.raises(Unwatched):
        judge(strange)


def test_the_referee_judges_exported_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NDJSON, a list, a page of /events, and a game that is not over yet."""
    commits = random_log("modern", {}, 3, seed=1)
    texts = {
        "lines": "\n".join(map(json.dumps, commits)),
        "list": json.dumps(commits),
        "page": json.dumps({"commits": commits}),
        "half": json.dumps(commits[: len(commits) // 2]),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    assert main([str(tmp_path / name) for name in texts]) == 0
    assert capsys.readouterr().out.count("fair to its end") == 3


def test_the_referee_whistles_at_an_exported_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commits = random_log("modern", {}, 3, seed=1)
    to_another(payouts(commits)[0])
    (tmp_path / "false").write_text(json.dumps(commits))
    assert main([str(tmp_path / "false")]) == 1
    assert "FOUL at version" in capsys.readouterr().out
