"""Both verifiers on games of every kind: true ones hold, and of a lie each names the place."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from service.fairness.export_file import WAYS_TO_VERIFY, read_export
from service.fairness.verify import verify
from service.fairness.verify_files import main as croupier_verify
from service.fairness.verify_files import verify_file
from tests.exchange_games import count_refused
from tests.support.finished_games import KINDS, evening_file, evening_game
from tests.support.forgeries import Raws, reseal
from tests.support.second_opinion import second_opinion
from verifier.verify import WAYS_TO_VERIFY as KNOWN_WAYS
from verifier.verify import main, parse, verify_lines


def both_on_file(file: bytes) -> tuple[bool | None, bool]:
    first, *lines = file.splitlines()
    commits = read_export(io.BytesIO(file))
    return verify_file(commits, commits.header).ok, verify_lines(parse(first), lines)[0]


def places(raws: Raws) -> tuple[int | None, int | None]:
    """The commit that each of them names, once the chain fits again; both have to refuse."""
    ours, (holds, said) = verify(reseal(raws)), second_opinion(reseal(raws))
    assert (ours.ok, holds) == (False, False), (ours, said)
    found = re.match(r"NOT verified: commit (\d+): ", said)
    return ours.version, int(found[1]) if found else None


@pytest.mark.parametrize("kind", KINDS)
def test_true_games_of_every_kind_hold_for_both(kind: str) -> None:
    assert both_on_file(evening_file(kind)) == (True, True)


@pytest.mark.parametrize("kind", ["remote", "remote with tiles", "remote in a fork"])
def test_programs_that_were_late_are_in_games_that_hold(kind: str) -> None:
    """W13."""
    late = [raw for raw in evening_game(kind) if raw["by"] == "clock"]
    assert len(late) > 10
    assert {raw["command"]["bot"] for raw in late} == {"greedy"}


# Ends that nobody made


def end_early(raws: Raws, reason: str, by: str = "clock", keep: int = 8) -> int:
    """Cut off, and closed with the true seed."""
    (seed,) = (event["seed"] for event in raws[-1]["events"] if "seed" in event)
    del raws[keep:]
    closed = {"type": "game_closed", "reason": reason, "seed": seed}
    last = {**raws[-1], "by": by, "command": {"type": "close", "reason": reason}, "events": [closed]}
    last.pop("bot", None)
    raws.append(last)
    return len(raws)


@pytest.mark.parametrize("reason", ["voided", "cancelled", "not_filled", "luck", ""])
@pytest.mark.parametrize("kind", ["people", "cards", "tiles", "remote"])
def test_nobody_ends_a_game_that_the_rules_do_not_end(kind: str, reason: str) -> None:
    raws = evening_game(kind)
    place = end_early(raws, reason)
    assert places(raws) == (place, place)


def test_a_game_is_abandoned_by_the_clock_while_it_waits_for_a_person() -> None:
    """W3."""
    raws = evening_game("people")
    assert places(raws[: end_early(raws, "abandoned", "seat-0")]) == (9, 9)
    raws = evening_game("takeover")
    away = next(number for number, raw in enumerate(raws) if raw["by"] == "bot:greedy")
    place = end_early(raws, "abandoned", keep=away)
    assert places(raws) == (place, place)
    raws = evening_game("people")
    end_early(raws, "abandoned")
    assert verify(reseal(raws)).ok, "a server may do so, and the log shows when"


@pytest.mark.parametrize("reason", ["abandoned", "cancelled", "voided", "luck"])
def test_a_table_that_has_not_filled_is_closed_as_that(reason: str) -> None:
    """W2."""
    raws = evening_game("not filled")
    raws[-1]["command"]["reason"] = raws[-1]["events"][0]["reason"] = reason
    assert places(raws) == (2, 2)


def test_a_game_is_void_with_the_consent_of_all() -> None:
    """W7."""
    raws = evening_game("voided")
    closed = raws[-1]["events"].pop()
    del raws[-1]
    raws[-1]["events"].append(closed)
    assert places(raws) == (len(raws), len(raws))


# What the seed decides


@pytest.mark.parametrize("kind", ["round_started", "tiles_laid", "dice_rolled"])
def test_with_tiles_what_is_drawn_has_its_number(kind: str) -> None:
    raws = evening_game("tiles")
    at = next(at for at, raw in enumerate(raws, 1) if any(one["type"] == kind for one in raw["events"]))
    del next(event for event in raws[at - 1]["events"] if event["type"] == kind)["chance"]
    assert places(raws) == (at, at)


# Who it was


def find(raws: Raws, fits: Callable[[dict[str, Any]], bool]) -> int:
    return next(number for number, raw in enumerate(raws) if fits(raw))


def by_bot(raw: dict[str, Any]) -> bool:
    return "bot" in raw and raw["by"].startswith("seat-")


def by_person(raw: dict[str, Any]) -> bool:
    return raw["command"]["type"] == "choose" and "bot" not in raw


def by_clock(raw: dict[str, Any]) -> bool:
    return bool(raw["by"] == "clock")


def by_stand_in(raw: dict[str, Any]) -> bool:
    return bool(raw["by"].startswith("bot:"))


Change = Callable[[dict[str, Any]], Any]
NOTE = {"name": "greedy", "build": "1", "budget": 0, "view": "ab" * 32}
SIGNED: dict[str, tuple[str, Callable[[dict[str, Any]], bool], Change]] = {
    "another seat": ("people", by_person, lambda raw: raw.update(by="seat-5")),
    "nobody": ("people", by_person, lambda raw: raw.update(by="")),
    "the clock, of its own accord": ("people", by_person, lambda raw: raw.update(by="clock")),
    "another creator": ("people", lambda raw: True, lambda raw: raw.update(by="seat-0")),
    "a note of nobody": ("people", by_person, lambda raw: raw.update(bot=NOTE)),
    "a note of the creation": ("people", lambda raw: True, lambda raw: raw.update(bot=NOTE)),
    "no note": ("bots", by_bot, lambda raw: raw.pop("bot")),
    "another bot": ("bots", by_bot, lambda raw: raw["bot"].update(name="expert")),
    "an excuse": ("bots", by_bot, lambda raw: raw["bot"].update(instead_of="expert", fault="tired")),
    "half an excuse": ("bots", by_bot, lambda raw: raw["bot"].update(fault="tired")),
    "an odd note": ("bots", by_bot, lambda raw: raw["bot"].update(luck=1)),
    "an odd budget": ("bots", by_bot, lambda raw: raw["bot"].update(budget=-1)),
    "a bot as the clock": ("bots", by_bot, lambda raw: raw.update(by="clock")),
    "a stand-in without a reason": ("bots", by_bot, lambda raw: raw["command"].update(bot="greedy")),
    "a timeout by the seat": ("timeouts", by_clock, lambda raw: raw.update(by="seat-0")),
    "a timeout without a note": ("timeouts", by_clock, lambda raw: raw.pop("bot")),
    "a timeout without a reason": ("timeouts", by_clock, lambda raw: raw["command"].pop("why")),
    "a timeout without a bot": ("timeouts", by_clock, lambda raw: raw["command"].pop("bot")),
    "a timeout that says nothing": (
        "timeouts",
        by_clock,
        lambda raw: [raw["command"].pop(name) for name in ("why", "bot")] + [raw.pop("bot")],
    ),
    "a timeout for another reason": ("timeouts", by_clock, lambda raw: raw["command"].update(why="fun")),
    "a program's timeout by another": ("remote", by_clock, lambda raw: raw["command"].update(bot="random")),
    "no answer of a bot": (
        "people",
        by_person,
        lambda raw: (raw["command"].update(bot="greedy"), raw.update(by="", bot=NOTE)),
    ),
    "a stand-in by the seat": ("departures", by_stand_in, lambda raw: raw.update(by="seat-1")),
    "a stand-in by another": ("departures", by_stand_in, lambda raw: raw.update(by="bot:random")),
    "a stand-in on time": ("takeover", by_stand_in, lambda raw: raw["command"].update(why="timeout")),
    "a vote of another": (
        "voided",
        lambda raw: raw["command"]["type"] == "void",
        lambda raw: raw.update(by="seat-1"),
    ),
    "a leave for another bot": (
        "departures",
        lambda raw: raw["command"]["type"] == "leave",
        lambda raw: (raw["command"].update(bot="expert"), raw["events"][0].update(bot="expert")),
    ),
    "a fork by a seat": (
        "forks",
        lambda raw: raw["command"]["type"] == "fork",
        lambda raw: raw.update(by="seat-0"),
    ),
    "a closing by a seat": ("not filled", by_clock, lambda raw: raw.update(by="seat-0")),
}


@pytest.mark.parametrize("what", SIGNED)
def test_by_whom_a_commit_was_made_follows_from_the_table(what: str) -> None:
    kind, fits, change = SIGNED[what]
    raws = evening_game(kind)
    place = find(raws, fits)
    change(raws[place])
    assert places(raws) == (place + 1, place + 1)


@pytest.mark.parametrize("kind", ["timeouts", "remote", "remote with tiles", "takeover", "remote in a fork"])
def test_the_clock_answers_for_nobody_before_their_time_is_over(kind: str) -> None:
    raws = evening_game(kind)
    place = find(raws, by_clock)
    raws[place]["at"] = raws[place - 1]["at"]
    assert places(raws) == (place + 1, place + 1)


def test_games_from_before_the_log_told_it_hold_without() -> None:
    """Such games name no `on_timeout`; their clock and their bots answer without a note."""
    raws = evening_game("timeouts")
    for name in ("on_timeout", "advice"):
        del raws[0]["events"][0]["options"][name]
    assert verify(reseal(deepcopy(raws))).ok
    for raw in raws:
        if raw.pop("bot", None):
            del raw["command"]["bot"], raw["command"]["why"]
    assert verify(reseal(raws)).ok
    assert second_opinion(raws)[0]


# Times, plans and options


@pytest.mark.parametrize("at", ["9999-12-31T23:59:59.999Z", "2201-01-01T00:00:00.000Z"])
@pytest.mark.parametrize("kind", ["people", "remote", "abandoned"])
def test_no_game_is_played_at_the_end_of_time(kind: str, at: str) -> None:
    raws = evening_game(kind)
    raws[-1]["at"] = at
    assert places(raws) == (len(raws), len(raws))


@pytest.mark.parametrize(
    "plan",
    [{"seconds": 10**18}, {"seconds": -1}, {"fallback": ""}, {"seconds": 86_401}, {"seconds": True}],
)
def test_a_seat_of_a_program_has_a_deadline_that_can_be_kept(plan: dict[str, Any]) -> None:
    raws = evening_game("remote")
    for told in (raws[0]["command"], raws[0]["events"][0]):
        told["seats"][0] |= plan
    assert places(raws) == (1, 1)


ODD_OPTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    *(("people", {"turn_seconds": odd}) for odd in (-5, "x", 86_401, True, None)),
    *(("people", {"total_seconds": odd}) for odd in (-1, "x", 10**8)),
    *(("people", {"on_timeout": odd}) for odd in ("", "Greedy", "takeover:", 7)),
    *(("people", {"increment_seconds": 5}), ("people", {"advice": 1}), ("people", {"luck": 1})),
    *(("tiles", {"tiles": odd}) for odd in (8, -1, "6", True)),
    *(("hidden tiles", {"tile_codes": odd}) for odd in (["A1", "A2"], ["Z1", "B1"], "A1", [["A1"]])),
    ("hidden tiles", {"tile_codes": ["A1", "G1"], "tiles": 5}),
    ("people", {"start_seat": 2}),
)


@pytest.mark.parametrize(("kind", "odd"), ODD_OPTIONS, ids=lambda part: json.dumps(part))
def test_an_option_out_of_its_range_is_refused(kind: str, odd: dict[str, Any]) -> None:
    raws = evening_game(kind)
    raws[0]["command"].setdefault("options", {}).update(odd)
    raws[0]["events"][0]["options"].update(odd)
    ours = verify(reseal(raws))
    assert not ours.ok
    assert not second_opinion(raws)[0]


# Headers


def lies_of_headers(true: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {**true, "remark": None}
    yield {**true, "commits": float(true["commits"])}
    yield {**true, "seats": True}
    yield {**true, "verify": "trust me"}
    yield {**true, "verify": None}
    yield {**true, "fork": None}
    result = {**true["result"], "winners": [bool(seat) for seat in true["result"]["winners"]]}
    yield {**true, "result": result}
    yield from ({name: part for name, part in true.items() if name != left_out} for left_out in true)


def test_a_header_says_what_the_commits_say_to_the_letter(tmp_path: Path) -> None:
    first, rest = evening_file("people").split(b"\n", 1)
    path = tmp_path / "game"
    for lie in lies_of_headers(json.loads(first)):
        path.write_bytes(json.dumps(lie).encode() + b"\n" + rest)
        assert (croupier_verify([str(path)]), main([str(path)])) == (1, 1), lie


def test_both_know_the_same_ways_to_verify() -> None:
    assert WAYS_TO_VERIFY == KNOWN_WAYS


# Whatever else


@pytest.mark.parametrize(
    "kind",
    [
        "people",
        *(pytest.param(kind, marks=pytest.mark.long) for kind in ("hidden tiles", "remote", "voided")),
    ],
)
def test_some_of_all_mutations_are_refused_by_both(kind: str) -> None:
    """python -m tests.exchange_games tries them at every commit of every kind of game."""
    assert count_refused(evening_game(kind), range(0, 400, 9)) > 40
