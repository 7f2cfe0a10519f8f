"""Tables that somebody describes: what the service shows is understood, and what cannot be is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from rules.editions import EDITIONS
from rules.legal import choices, legal
from rules.position.build import build_state
from rules.position.model import Position, PositionFaults
from rules.state import State
from tests.support.sent_tables import EVERY_TABLE, sent_tables, show, wooden_table
from workers.bots.valuation import SampledChance

# What only the service knows, and what follows from that.
ITS_OWN = {"id", "options", "seats", "asks"}


def read(table: dict[str, Any], seat: int) -> State:
    told = {name: value for name, value in table.items() if value is not None}
    return build_state(msgspec.convert(told, Position), seat, SampledChance(1))


@pytest.mark.parametrize(("edition", "options", "players"), EVERY_TABLE, ids=str)
def test_what_is_shown_to_a_seat_is_a_table_that_it_can_send(
    edition: str, options: dict[str, Any], players: int
) -> None:
    """Whatever it is asked, in every edition, with every tile: it stands so again, and asks the same."""
    asked = 0
    for sent in sent_tables(edition, options, players, 2):
        again, asked = read(sent.table, sent.seat), asked + 1
        assert choices(again, sent.seat) == choices(sent.state, sent.seat)
        told = show(again, sent.seat)
        assert {name for name in sent.table if sent.table[name] != told.get(name)} <= ITS_OWN
        assert told["seats"][sent.seat] == sent.table["seats"][sent.seat]
        assert hidden_things(again) == hidden_things(sent.state)
    assert asked > 10


def hidden_things(state: State) -> list[object]:
    """What no table shows, but what goes on depends on."""
    ask = state.ask
    assert ask is not None
    pending = [item for item in state.agenda[:-1] if getattr(item, "name", "") != "chip_cards.offer"]
    return [pending, ask.prompt, ask.tile, ask.data, ask.awaited, state.turn, state.tokens, state.counters]


@pytest.mark.long
def test_every_question_is_among_those_that_were_read_back() -> None:
    prompts = {name for ruleset in EDITIONS.newest.values() for name in ruleset.prompts}
    met = {
        sent.state.ask.prompt
        for seed in range(3)
        for table in EVERY_TABLE
        for sent in sent_tables(*table, seed)
        if sent.state.ask is not None
    }
    assert met == prompts


def test_a_tile_that_says_nothing_is_as_it_was_laid() -> None:
    """Of what the rest of the table cannot tell, the member is named that is missing."""
    table = describe_tile_table("A2", "E1", "F1")
    state = read(table, 0)
    assert (state.counters, state.closed) == ({"A2": 0, "E1": 0}, ())
    table["casinos"][5]["closed"] = True
    assert faults_of(table) == {"/casinos/1/tile/shows/space"}
    table["casinos"][1]["tile"]["shows"] = {"space": 3}
    assert read(table, 0).closed == (6,)
    table["casinos"][3]["dice"] = [{"owner": "grey", "small": 4}]
    assert [heap for place, heap in read(table, 0).dice.items() if place.startswith("F1")].count({}) > 0


def describe_tile_table(*codes: str) -> dict[str, Any]:
    """As API.md has it: a tile's code and name, and no more."""
    casinos = [
        {
            "number": number,
            "notes": [60_000, 30_000],
            "tile": {"code": code, "name": "…"} if code else None,
            "dice": [],
        }
        for number, code in enumerate((*codes, *[""] * 6)[:6], 1)
    ]
    seats = [{"dice": 8, "big": True, "chips": 2, "notes": []} for _ in range(3)]
    roll = {"own": [1, 2, 2, 3, 4, 5, 6], "big": 3}
    return {"edition": "royale", "options": {}, "seats": seats, "casinos": casinos, "roll": roll}


def faults_of(table: dict[str, Any], seat: int = 0) -> set[str]:
    with pytest.raises(PositionFaults) as refused:
        read(table, seat)
    return {fault.pointer for fault in refused.value.faults}


def test_people_are_called_as_they_are_told_to_be() -> None:
    table = describe_tile_table("A1") | {"asks": [{"prompt": "A1.hide"}], "roll": None}
    assert all("if seat 1 guesses wrong" in option.label for option in legal(read(table, 0), 0))
    table["seats"][1]["name"] = "Ben"
    assert all("if Ben guesses wrong" in option.label for option in legal(read(table, 0), 0))


def test_where_no_tile_is_told_none_lies() -> None:
    state = read(describe_tile_table(), 0)
    assert (state.tiles, state.options["tiles"]) == ((), 0)
    table = describe_tile_table() | {"options": {"tiles": 3}}
    assert faults_of(table) == {"/options/tiles"}


def test_a_casino_that_no_tile_closes_cannot_be_closed() -> None:
    table = describe_tile_table("A2")
    table["casinos"][2]["closed"] = True
    assert faults_of(table) == {"/casinos/2/closed"}


def test_a_tile_stays_where_it_is_told_to_lie() -> None:
    table = describe_tile_table("A2", "", "B2")
    assert faults_of(table) == {"/casinos/1/tile"}


TILE_FAULTS: dict[str, tuple[tuple[str, ...], dict[str, Any], str]] = {
    "unknown": (("Q9",), {}, "/casinos/0/tile/code"),
    "both sides": (("A1", "A2"), {}, "/casinos/1/tile/code"),
    "jackpot": (("A2",), {"jackpot": 35_000}, "/casinos/0/tile/shows/jackpot"),
    "shape": (("A2",), {"jackpot": "much"}, "/casinos/0/tile/shows/jackpot"),
    "token": (("C1",), {"token": 3}, "/casinos/0/tile/shows/token"),
    "no lead": (("D2",), {"token": 1}, "/casinos/0/tile/shows/token"),
    "own door": (("E1",), {"closed": 1, "space": 1}, "/casinos/0/tile/shows/closed"),
    "bar": (
        ("E2",),
        {"bar": [{"owner": "seat-1", "small": 3, "big": 0}]},
        "/casinos/0/tile/shows/bar",
    ),
    "no such dice": (("G2",), {"dice": [{"owner": "seat-1", "small": 1, "big": 0}]}, "/seats/1"),
    "clusters": (("F1",), {"clusters": [3, 3]}, "/casinos/0/tile/shows/clusters"),
    "grey dice": (("F2",), {}, "/casinos/0/tile/shows/pictures"),
    "space": (
        ("H1",),
        {"spaces": [{"number": 7, "seat": 0, "die": "small"}]},
        "/casinos/0/tile/shows/spaces",
    ),
    "gold": (("H2",), {"gold": 1}, "/casinos/0/tile/shows/gold_die"),
}


@pytest.mark.parametrize("wrong", TILE_FAULTS)
def test_what_a_tile_cannot_show_is_refused(wrong: str) -> None:
    codes, shows, pointer = TILE_FAULTS[wrong]
    table = describe_tile_table(*codes)
    table["casinos"][0]["tile"]["shows"] = shows
    assert pointer in faults_of(table)


ASKS: dict[str, tuple[str, dict[str, Any], str]] = {
    "no such": ("A1", {"prompt": "Q9.ask"}, "/asks/0/prompt"),
    "not here": ("A1", {"prompt": "E1.close"}, "/asks/0/prompt"),
    "elsewhere": ("E1", {"prompt": "E1.close", "casino": 2}, "/asks/0/casino"),
    "whose turn": ("A1", {"prompt": "A1.guess"}, "/turn"),
    "thrown": ("H2", {"prompt": "H2.result"}, "/casinos/0/tile/shows/thrown"),
    "sum": ("B2", {"prompt": "B2.bet"}, "/casinos/0/tile/shows/sum"),
    "placed": ("H1", {"prompt": "H1.put"}, "/casinos/0/tile/shows/placed"),
    "piles": ("G1", {"prompt": "G1.take"}, "/casinos/0/tile/shows/piles"),
    "owner": ("D2", {"prompt": "D2.turn"}, "/casinos/0/tile/shows/token"),
    "other seat": ("A1", {"prompt": "A1.hide", "seats": [1]}, "/asks/0/seats"),
    "other edition": ("A1", {"prompt": "cards.select"}, "/asks/0/prompt"),
}


@pytest.mark.parametrize("wrong", ASKS)
def test_a_question_that_lacks_something_is_refused_naming_it(wrong: str) -> None:
    code, ask, pointer = ASKS[wrong]
    table = describe_tile_table(code) | {"asks": [ask], "roll": None}
    assert pointer in faults_of(table)


WRONG: dict[str, tuple[Callable[[dict[str, Any]], object], str, str]] = {
    "edition": (
        lambda table: table.update(edition="poker"),
        "/edition",
        "must be a known edition, not poker",
    ),
    "option": (
        lambda table: table.update(options={"tiles": 3}),
        "/options/tiles",
        "is not an option of classic",
    ),
    "round": (lambda table: table.update(round=5), "/round", "rounds 1 to 4"),
    "starter": (lambda table: table.update(starter=3), "/starter", "seats 0 to 2"),
    "casino": (lambda table: table["casinos"].pop(), "/casinos", "casino 6 is missing"),
    "twice": (lambda table: table["casinos"][1].update(number=1), "/casinos", "casino 1 is there twice"),
    "owner": (
        lambda table: table["casinos"][0]["dice"][0].update(owner="seat-7"),
        "/casinos/0/dice/0/owner",
        "must be a known owner, not seat-7",
    ),
    "note": (
        lambda table: table["casinos"][2].update(notes=(55_000,)),
        "/casinos/2/notes/0",
        "no note of 55000",
    ),
    "many": (lambda table: table["seats"][0].update(notes=(90_000,) * 6), "/seats/0/notes/4", "only 5 notes"),
    "dice": (
        lambda table: table["seats"][1].update(dice=7),
        "/seats/1",
        "seat-1 has 8 small dice in the game, and in hand, at casinos and on tiles are 9 small dice",
    ),
    "roll": (
        lambda table: table["roll"].update(own=(1, 2)),
        "/roll/own",
        "6 such dice in hand, and here are 2",
    ),
    "big": (lambda table: table["roll"].update(big=4), "/roll/big", "is rolled but not in hand"),
    "nothing": (lambda table: table.update(roll=None), "/roll", "nothing to choose"),
    "too little": (
        lambda table: table["casinos"][0].update(notes=(40_000,)),
        "/casinos/0/notes",
        "until they are worth 50000, and these sum to 40000",
    ),
    "too much": (
        lambda table: table["casinos"][0].update(notes=(60_000, 50_000)),
        "/casinos/0/notes",
        "more than that takes",
    ),
    "early": (lambda table: table.update(round=1), "/seats/1/notes", "before the end of round 1"),
    "early and hidden": (
        lambda table: (table.update(round=1), table["seats"][2].update(notes=None, note_count=1)),
        "/seats/2/note_count",
        "before the end of round 1",
    ),
    "same seat": (lambda table: table["seats"][1].update(seat=0), "/seats/1/seat", "this is seat 1"),
    "total": (lambda table: table["seats"][0].update(total=1), "/seats/0/total", "is worth 130000"),
    "money": (lambda table: table["seats"][0].update(money=1), "/seats/0/money", "sum to 130000"),
    "count": (
        lambda table: table["seats"][2].update(note_count=1),
        "/seats/2/note_count",
        "here are 0 notes",
    ),
    "weight": (
        lambda table: table["casinos"][0]["dice"][0].update(weight=3),
        "/casinos/0/dice/0/weight",
        "count as 2",
    ),
    "rounds": (lambda table: table.update(rounds=3), "/rounds", "classic has 4 rounds"),
    "winners": (lambda table: table.update(winners=(0,)), "/winners", "nobody has won yet"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_an_impossible_table_is_refused_with_what_is_wrong(wrong: str) -> None:
    change, pointer, detail = WRONG[wrong]
    table = wooden_table()
    change(table)
    with pytest.raises(PositionFaults) as refused:
        read(table, 0)
    assert any(fault.pointer == pointer and detail in fault.detail for fault in refused.value.faults), (
        refused.value.faults
    )


def test_a_casino_has_less_where_no_notes_are_left() -> None:
    """The last casino of a pile that ran out (M1)."""
    table = wooden_table()
    table["casinos"][5]["notes"] = [40_000]
    assert faults_of(table) == {"/casinos/5/notes"}
    assert read(table | {"pile": 0}, 0).notes_at(6) == (40_000,)
    assert faults_of(table | {"pile": 0, "under": [10_000]}) == {"/casinos/5/notes"}


@pytest.mark.parametrize("notes", [[], [60_000], [60_000, 30_000, 30_000]], ids=len)
def test_as_many_notes_lie_at_a_casino_as_the_edition_lays_there(notes: list[int]) -> None:
    """The bandit included. What is asked in a payout, when some have paid, is among the tables above."""
    for table in (describe_tile_table("A1"), bandit_table(), card_table(*HAND)):
        table["casinos"][-1]["notes"] = notes
        assert faults_of(table) == {f"/casinos/{len(table['casinos']) - 1}/notes"}


def test_all_that_is_wrong_is_told_at_once() -> None:
    table = wooden_table() | {"round": 9, "starter": 5}
    with pytest.raises(PositionFaults) as refused:
        read(table, 0)
    assert [fault.pointer for fault in refused.value.faults] == ["/round", "/starter"]


def bandit_table() -> dict[str, Any]:
    """Five players of the new edition before the first placement."""
    seats = [{"dice": 7, "big": True} for _ in range(5)]
    casinos: list[dict[str, Any]] = [
        {"number": number, "notes": [60_000, 30_000] if number < 4 else [50_000, 40_000], "dice": []}
        for number in range(1, 7)
    ]
    casinos.append({"number": "bandit", "notes": [90_000, 20_000], "dice": []})
    roll = {"own": [1, 2, 2, 3, 4, 5], "big": 3}
    options = {"bandit": True}
    return {"edition": "modern", "options": options, "seats": seats, "casinos": casinos, "roll": roll}


ON_THE_BANDIT: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "closed": (lambda table: table["casinos"][6].update(closed=True), "/casinos/6/closed"),
    "not agreed on": (lambda table: table.update(options={}), "/casinos/6/number"),
    "missing": (lambda table: table["casinos"].pop(), "/casinos"),
    "twice": (lambda table: table["casinos"].append(table["casinos"][6]), "/casinos/7/number"),
    "no face": (
        lambda table: table["casinos"][6].update(dice=[{"owner": "seat-1", "small": 1}]),
        "/casinos/6/dice/0/face",
    ),
    "one face twice": (
        lambda table: table["casinos"][6].update(
            dice=[{"owner": f"seat-{seat}", "small": 1, "face": 2} for seat in (1, 2)]
        ),
        "/casinos/6/dice/1/face",
    ),
    "chips": (lambda table: table["seats"][1].update(chips=1), "/seats/1/chips"),
    "chip cards": (lambda table: table["seats"][1].update(chip_cards=["gold"]), "/seats/1/chip_cards/0"),
    "cards": (lambda table: table["seats"][1].update(hand=["1"]), "/seats/1/hand"),
    "bank": (lambda table: table.update(bank=[10_000]), "/bank"),
    "pile": (lambda table: table.update(pile=49), "/pile"),
    "roller": (lambda table: table["roll"].update(seat=1), "/roll/seat"),
    "turn": (lambda table: table.update(turn=1), "/turn"),
    "big die": (lambda table: table["seats"][1].update(dice=0), "/seats/1/dice"),
}


@pytest.mark.parametrize("wrong", ON_THE_BANDIT)
def test_what_the_edition_or_its_options_do_not_have_is_refused(wrong: str) -> None:
    change, pointer = ON_THE_BANDIT[wrong]
    assert read(bandit_table(), 0).ask is not None
    table = bandit_table()
    change(table)
    assert pointer in faults_of(table)


def card_table(*hand: str) -> dict[str, Any]:
    """Three players in the second turn of a round."""
    table = wooden_table() | {"edition": "cards", "roll": None, "turn_number": 2}
    for casino in table["casinos"]:
        casino.update(notes=[60_000, 50_000])
    for seat in table["seats"]:
        seat.update(dice=0, notes=[])
    table["seats"][0].update(hand=hand, glass=[["1", "2", "4"]])
    return table


HAND = ("1", "2", "3", "4", "5")


def test_of_cards_the_own_are_needed_and_nothing_of_others() -> None:
    """Whoever plays on holds five, whatever is said of them."""
    table = card_table(*HAND)
    table["seats"][1].update(hand={"hidden": "…"}, glass=[{"hidden": "…"}])
    state = read(table, 0)
    assert [hand.value for hand in state.hands.values()] == [HAND, None, None]
    assert [len(glass) for glass in state.glasses.values()] == [1, 1, 1]


CARD_FAULTS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "deck": (lambda table: table["seats"][0].update(hand=["1", "1d", "1d", "2", "3"]), "/seats/0/hand/2"),
    "no card": (lambda table: table["seats"][0].update(hand=["1", "2", "3", "4", "7"]), "/seats/0/hand/4"),
    "four": (lambda table: table["seats"][0].update(hand=["1", "2", "3", "4"]), "/seats/0/hand"),
    "no hand": (lambda table: table["seats"][0].pop("hand"), "/seats/0/hand"),
    "no glass": (lambda table: table["seats"][0].pop("glass"), "/seats/0/glass"),
    "glass": (lambda table: table["seats"][0].update(glass=[["1"]]), "/seats/0/glass"),
    "turn": (lambda table: table.update(turn_number=7), "/turn_number"),
    "glass and turn": (lambda table: table.update(turn_number=3), "/seats/0/glass"),
    "laid": (lambda table: table["casinos"][0]["dice"][0].update(small=5), "/casinos/0/dice/0/small"),
    "imaginary": (
        lambda table: table["casinos"][0]["dice"][0].update(owner="neutral"),
        "/casinos/0/dice/0/owner",
    ),
    "nothing laid": (lambda table: table["casinos"][0].update(dice=[]), "/seats/1/glass"),
    "empty hand": (lambda table: table["seats"][1].update(hand=[]), "/seats/1/hand"),
    "roll": (lambda table: table.update(roll={"own": [1]}), "/roll"),
    "in sequence": (lambda table: table.update(asks=[{"prompt": "cards.lay"}]), "/asks/0/prompt"),
    "nobody's": (lambda table: table.update(asks=[{"seats": [0, 7]}]), "/asks/0/seats"),
}


@pytest.mark.parametrize("wrong", CARD_FAULTS)
def test_cards_that_cannot_lie_so_are_refused(wrong: str) -> None:
    change, pointer = CARD_FAULTS[wrong]
    table = card_table(*HAND)
    change(table)
    assert pointer in faults_of(table)
