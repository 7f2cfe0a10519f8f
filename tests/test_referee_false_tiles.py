"""The referee is awake at every tile: one thing in a log is made false, and it whistles."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests.referee.books import Foul
from tests.referee.game import judge
from tests.support.json_logs import Log, asks, events_in, first, random_log

Falsify = Callable[[Log], None]


def telling(kind: str, name: str, false: Callable[[Any], Any], **where: str) -> Falsify:
    """An event like this one says something else."""

    def falsify(game: Log) -> None:
        alike = (
            event
            for event in events_in(game, kind)
            if name in event and all(str(event.get(key)).startswith(start) for key, start in where.items())
        )
        event = first(alike)
        event[name] = false(event[name])

    return falsify


def answering(prompt: str, false: Callable[[str], str]) -> Falsify:
    """The choice was another one, and what came of it stays."""

    def falsify(game: Log) -> None:
        asked = {ask["id"] for ask in asks(game, prompt)}
        commands = (commit["command"] for commit in game if commit["command"].get("ask") in asked)
        command = first(command for command in commands if false(command["choice"]) != command["choice"])
        command["choice"] = false(command["choice"])

    return falsify


def offering(prompt: str, *more: str) -> Falsify:
    """An option too many, where it has not been on offer."""

    def falsify(game: Log) -> None:
        ask = first(ask for ask in asks(game, prompt) if not {*more} & {*ask["options"]})
        ask["options"] += more

    return falsify


def asking_another(prompt: str) -> Falsify:
    def falsify(game: Log) -> None:
        ask = first(asks(game, prompt))
        ask["seats"] = [(ask["seats"][0] + 1) % 3]

    return falsify


def guessing_right(game: Log) -> None:
    """A fist that was paid for has been guessed."""
    starts = ((commit["command"], commit["events"][:2]) for commit in game)
    due = ["revealed", "notes_moved"]
    command, (shown, _) = first(start for start in starts if [event["type"] for event in start[1]] == due)
    command["choice"] = shown["value"].replace("hide", "guess")


def another(place: str) -> str:
    """A place of the same kind."""
    return f"{place[:-1]}{1 if place.endswith('0') else 0}"


def next_casino(place: str) -> str:
    return f"casino-{int(place[-1]) % 6 + 1}"


def dearer(notes: list[int]) -> list[int]:
    return [*notes[:-1], notes[-1] + 10_000]


def more(count: int) -> int:
    return count + 1


def other_luck(faces: list[int]) -> list[int]:
    """A seven where there was neither that nor a double, and the other way round."""
    return [1, 2] if sum(faces) == 7 or faces[0] == faces[1] else [3, 4]


def swapped(*pair: str) -> Callable[[str], str]:
    return lambda choice: dict(zip(pair, reversed(pair), strict=True)).get(choice, choice)


PRIZE = (telling("notes_moved", "notes", dearer, source="bank", target="purse"), "payout: expected")

FALSE: dict[str, dict[str, tuple[Falsify, str]]] = {
    "A1": {
        "a dearer prize": PRIZE,
        "another neighbour": (asking_another("A1.guess"), "should be asked"),
        "another fist": (
            telling("revealed", "value", lambda fist: f"hide-{int(fist[-1]) % 3 + 1}"),
            "had covered",
        ),
        "paid though guessed": (guessing_right, "this was the time for"),
        "a fourth token": (offering("A1.hide", "hide-4"), "expected .* offered"),
    },
    "A2": {
        "a dearer prize": PRIZE,
        "other dice": (telling("dice_rolled", "black", other_luck), "this was the time for"),
        "a leap": (telling("counter_moved", "value", more, counter="A2"), "counter_moved: expected"),
    },
    "B1": {
        "lent to another": (telling("dice_moved", "turned", another), "dice: expected"),
        "to another casino": (telling("dice_moved", "target", next_casino, owner="black"), "dice: expected"),
        "a die less": (telling("dice_rolled", "black", lambda faces: faces[:1]), "black dice showing"),
        "another winner": (asking_another("B1.place"), "should be asked"),
    },
    "B2": {
        "a dearer prize": PRIZE,
        "another bet": (
            answering("B2.bet", swapped("bet-high", "bet-low")),
            "expected|this was the time for",
        ),
        "a leap": (telling("counter_moved", "value", more, counter="B2"), "counter_moved: expected"),
    },
    "C1": {
        "a dearer prize": PRIZE,
        "another's token": (
            telling("token_moved", "target", another, target="purse"),
            "token_moved: expected",
        ),
    },
    "C2": {
        "another debtor": (telling("counter_moved", "counter", another), "counter_moved: expected"),
        "a dearer debt": (
            telling("notes_moved", "notes", lambda notes: [*notes, 30_000], source="purse"),
            "debt|paid",
        ),
        "too much change": (
            telling("notes_moved", "notes", dearer, source="bank", target="purse"),
            "debt of seat",
        ),
    },
    "D1": {
        "a dearer prize": PRIZE,
        "a chip more": (telling("chips_moved", "chips", lambda chips: 3 - chips, source="bank"), "chips"),
    },
    "D2": {
        "another's token": (
            telling("token_moved", "target", another, token="D2", target="supply"),
            "token_moved",
        ),
        "a token kept": (
            telling("token_moved", "target", lambda place: "supply-0", token="D2", target="D2"),
            "token_moved: expected",
        ),
        "a pass without a roll": (offering("D2.turn", "pass"), "expected .* offered"),
        "another number": (answering("D2.turn", swapped("set-small-5", "set-small-6")), "dice: expected"),
    },
    "E1": {
        "a dearer prize": PRIZE,
        "another casino": (telling("casino_closed", "number", more), "casino_closed: expected"),
        "a leap": (telling("counter_moved", "value", more, counter="E1"), "counter_moved: expected"),
        "its own casino": (offering("E1.close", "close-1"), "expected .* offered"),
    },
    "E2": {
        "another's die": (telling("dice_moved", "owner", another, target="E2-bar"), "dice: expected"),
        "two dice": (telling("dice_moved", "small", more, target="E2-bar"), "dice: expected"),
        "another size": (answering("E2.give", swapped("give-small", "give-big")), "dice: expected"),
        "a die kept in the bar": (
            telling("dice_moved", "target", lambda place: "box", source="E2"),
            "dice: expected",
        ),
    },
    "F1": {
        "a smaller cluster": (
            telling("dice_moved", "small", lambda count: count - 1, source="F1"),
            "dice: expected",
        ),
        "to another casino": (telling("dice_moved", "target", next_casino, source="F1"), "dice: expected"),
        "a tenth die": (telling("dice_moved", "small", more, target="F1-5"), "dice: expected"),
        "no block": (offering("F1.block", "leave"), "expected .* offered"),
    },
    "F2": {
        "a dearer prize": PRIZE,
        "another picture": (
            telling("dice_moved", "target", lambda place: "F2-box", target="F2"),
            "dice: expected",
        ),
        "two dice": (telling("dice_moved", "small", more, source="casino", owner="grey"), "dice: expected"),
        "a tenth die": (telling("dice_moved", "small", more, source="box"), "dice: expected"),
        "another's die": (telling("dice_moved", "owner", another, owner="seat"), "dice: expected"),
    },
    "G1": {
        "a dearer prize": PRIZE,
        "another neighbour": (asking_another("G1.part"), "should be asked"),
        "other piles": (telling("revealed", "value", lambda pile: "part-0-0-0"), "had covered"),
        "the other pile": (
            answering("G1.take", swapped("take-1", "take-2")),
            "expected|this was the time for",
        ),
        "a pile of six": (offering("G1.part", "part-60-20-20-0-0-0"), "expected .* offered"),
    },
    "G2": {
        "a dearer prize": PRIZE,
        "more dice": (telling("dice_moved", "small", more, target="G2"), "dice: expected"),
        "too many dice": (offering("G2.move", "move-7-1"), "expected .* offered"),
    },
    "H1": {
        "a dearer prize": PRIZE,
        "another space": (
            telling("dice_moved", "target", lambda place: "H1-0", target="H1"),
            "dice: expected",
        ),
        "another face": (telling("dice_moved", "face", lambda face: face % 6 + 1), "cannot go to"),
        "to another casino": (telling("dice_moved", "target", next_casino, source="H1"), "dice: expected"),
        "a die not rolled": (offering("H1.put", "put-small-0"), "expected .* offered"),
    },
    "H2": {
        "a dearer prize": PRIZE,
        "another result": (telling("dice_rolled", "black", lambda faces: [faces[0] % 6 + 1] * 2), "offered"),
        "itself once more": (offering("H2.tile", "activate-1"), "expected .* offered"),
        "another's die": (telling("dice_moved", "owner", another, target="H2-gold"), "dice: expected"),
        "a guest who stays": (
            telling("dice_moved", "target", lambda place: "box", source="H2"),
            "dice: expected",
        ),
    },
}
BESIDE = {"H2": ("A2",)}
CASES = [(code, what) for code, cases in FALSE.items() for what in cases]


@pytest.mark.parametrize(("code", "what"), CASES, ids=map(": ".join, CASES))
def test_the_referee_sees_a_falsified_tile(code: str, what: str) -> None:
    """In the first game that offers something to falsify."""
    falsify, foul = FALSE[code][what]
    false = first(filter(None, (falsified(code, falsify, seed) for seed in range(30))))
    with pytest.raises(Foul, match=foul):
        judge(false)


@cache
def played(code: str, seed: int) -> str:
    return json.dumps(random_log("royale", {"tile_codes": (code, *BESIDE.get(code, ()))}, 3, seed))


def falsified(code: str, falsify: Falsify, seed: int) -> Log | None:
    game: Log = json.loads(played(code, seed))
    try:
        falsify(game)
    except LookupError:
        return None
    return game
