"""MY CHOICE, tile H2."""

from __future__ import annotations

import pytest

from events.types import CasinoClosed, DiceMoved, Event
from events.values import BOX, CASINO, GREY, OWNER, SUPPLY, Dice, spot
from rules.legal import choices, legal
from rules.state import Roll, State
from rules.tiles.f1_block_it import CLUSTERS
from rules.tiles.f2_handicap import LAID_OUT
from rules.tiles.h2_my_choice import MY_CHOICE
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DiceLaid,
    ScriptedChance,
    answer,
    apply_events,
    gains,
    pay_out,
    place_number,
    play,
    roll_dice,
    tile_table,
    with_bank,
)

GOLD, BAR = spot("H2", "gold"), spot("E2", "bar")
MARK = " (nothing would happen now)"


def thrown(*black: int, dice: DiceLaid | None = None, codes: tuple[str, ...] = (), players: int = 3) -> State:
    """Anna has placed one small die and the black dice show these faces."""
    state = with_bank(tile_table("H2", *codes, dice=dice, players=players), 30_000, 60_000)
    first, second = black
    return place_number(state, ANNA, 1, black=[(first, second)]).state


def next_prompt(state: State) -> str:
    assert state.ask is not None
    return state.ask.prompt


def test_one_of_the_two_results_is_chosen() -> None:
    """000 MY CHOICE."""
    assert choices(thrown(5, 2), ANNA) == ("use-2", "use-5")


def test_everybody_sees_the_two_results_until_one_is_used() -> None:
    """000 MY CHOICE."""
    state = thrown(5, 2, codes=("D1",))
    assert MY_CHOICE.shows(state) == {"gold": None, "gold_die": None, "thrown": [5, 2]}
    assert MY_CHOICE.shows(play(state, ANNA, "use-5"))["thrown"] is None


def test_a_double_leaves_one_result() -> None:
    """S3: it is asked all the same."""
    assert choices(thrown(3, 3), ANNA) == ("use-3",)


@pytest.mark.parametrize(("face", "notes", "chips"), [(1, (), 1), (2, (), 2), (3, (30_000,), 0)])
def test_one_two_and_three_pay(face: int, notes: tuple[int, ...], chips: int) -> None:
    """000 MY CHOICE."""
    state = thrown(face, 6)
    assert gains(state, play(state, ANNA, f"use-{face}"), ANNA) == (notes, chips)


def test_labels_say_what_a_result_does() -> None:
    """000 MY CHOICE."""
    labels = [legal(thrown(face, face), ANNA)[0].label for face in range(1, 7)]
    assert labels == [
        "Use the 1: take one chip",
        "Use the 2: take two chips",
        "Use the 3: take $30,000",
        "Use the 4: activate another tile (nothing to do it with now)",
        "Use the 5: place a die in hand on any open casino, or take one of your dice back",
        "Use the 6: put a die in hand on the gold space, worth $60,000 in the payout",
    ]


# The fourth result


def test_four_activates_another_tile() -> None:
    """000 MY CHOICE: PAY DAY, as if dice had just been placed there."""
    state = play(thrown(4, 4, codes=("D1", "A2")), ANNA, "use-4")
    assert choices(state, ANNA) == ("activate-2", "activate-3")
    assert [option.label for option in legal(state, ANNA)] == [
        "Activate Pay Day at casino 2",
        "Activate Jackpot at casino 3",
    ]
    assert gains(state, play(state, ANNA, "activate-2"), ANNA) == ((), 1)


def test_four_says_where_nothing_would_happen() -> None:
    """000 MY CHOICE, result 4 (T8): tiles of the payout, and those that have nothing for Anna now."""
    dice: DiceLaid = {3: {BEN: 1}}
    state = play(thrown(4, 4, dice=dice, codes=("C1", "D2", "G2", "B1", "A2")), ANNA, "use-4")
    assert [option.label for option in legal(state, ANNA)] == [
        "Activate High Five at casino 2" + MARK,
        "Activate Power Play at casino 3" + MARK,
        "Activate Double Down at casino 4" + MARK,
        "Activate Prime Time at casino 5" + MARK,
        "Activate Jackpot at casino 6",
    ]


def test_four_stores_no_words() -> None:
    """ADR 0002: labels are worded from the state, so what is stored names no tile."""
    ask = play(thrown(4, 4, codes=("D1", "C1")), ANNA, "use-4").ask
    assert ask is not None
    assert (ask.prompt, ask.data) == ("H2.tile", ())


def vain(*codes: str, dice: DiceLaid | None = None, events: tuple[Event, ...] = ()) -> list[str]:
    """The tiles of which the fourth result says that nothing would happen."""
    table = apply_events(tile_table("H2", *codes, dice=dice), *events)
    state = play(place_number(table, ANNA, 1, black=[(4, 4)]).state, ANNA, "use-4")
    marked = [option.choice for option in legal(state, ANNA) if option.label.endswith(MARK)]
    for choice in marked:
        end = play(state, ANNA, choice)
        assert (end.dice, end.tokens, end.chips) == (state.dice, state.tokens, state.chips)
    return [codes[int(choice[9:]) - 2] for choice in marked]


def test_four_marks_a_bar_that_nobody_would_fill_or_leave() -> None:
    """T-E2: Ben has no die in hand, Carla two in the bar; one of Anna's there would come back."""
    ben: DiceLaid = {6: {BEN: Dice(7)}, 5: {BEN: Dice(0, 1)}}
    carla: DiceLaid = {BAR: {CARLA: 2}}
    anna: DiceLaid = {BAR: {CARLA: 2, ANNA: 1}}
    assert vain("E2") == vain("E2", dice=ben) == vain("E2", dice=carla) == []
    assert vain("E2", dice={**ben, **carla}) == ["E2"]
    assert vain("E2", dice={**ben, **anna}) == []


def test_four_marks_tiles_that_have_run_out() -> None:
    """T-F1, T-F2: no cluster is left; no grey die lies at an open casino."""
    spent = tuple(DiceMoved(GREY, place, BOX, dice) for place, dice in CLUSTERS.items())
    assert (vain("F1"), vain("F1", events=spent)) == ([], ["F1"])
    gone = tuple(DiceMoved(GREY, CASINO[number], BOX, dice) for number, dice in LAID_OUT.items())
    assert (vain("F2"), vain("F2", events=gone)) == ([], ["F2"])


def test_four_marks_what_only_the_payout_wakes() -> None:
    """T8: BAD LUCK and BLACK BOX may be named, and stay as they are."""
    assert vain("C2", "G1", "E1", "D1") == ["C2", "G1"]


def test_four_never_activates_itself() -> None:
    """T8: alone on the table it does nothing."""
    state = play(thrown(4, 4), ANNA, "use-4")
    assert next_prompt(state) == "turn.place"
    assert state.turn == BEN


def test_four_reaches_no_closed_casino() -> None:
    """T-E1 and T8."""
    state = apply_events(tile_table("H2", "D1", "A2"), CasinoClosed(2))
    state = play(place_number(state, ANNA, 1, black=[(4, 4)]).state, ANNA, "use-4")
    assert choices(state, ANNA) == ("activate-3",)


# The fifth result


def test_five_sets_a_die_without_activating() -> None:
    """000 MY CHOICE: PAY DAY at casino 2 does not react (T0)."""
    before = play(thrown(5, 5, codes=("D1",)), ANNA, "use-5")
    state = play(before, ANNA, "set-small-2")
    assert state.own_dice(ANNA, 2) == Dice(1)
    assert gains(before, state, ANNA) == ((), 0)


def test_five_sets_the_big_die_too() -> None:
    """T-H2."""
    state = play(play(thrown(5, 5), ANNA, "use-5"), ANNA, "set-big-4")
    assert state.own_dice(ANNA, 4) == Dice(0, 1)


@pytest.mark.parametrize(
    ("choice", "gone", "left"),
    [
        ("set-small-4", DiceMoved(OWNER[ANNA], SUPPLY[ANNA], CASINO[4], 1, face=2), ((3, 5, 5, 6), 3)),
        (
            "set-big-4",
            DiceMoved(OWNER[ANNA], SUPPLY[ANNA], CASINO[4], big=1, face=3),
            ((2, 3, 5, 5, 6), None),
        ),
    ],
)
def test_five_takes_the_die_out_of_the_arena(
    choice: str, gone: DiceMoved, left: tuple[tuple[int, ...], int | None]
) -> None:
    """T-H2: of the small dice the lowest goes, and all others still lie there."""
    before = roll_dice(tile_table("H2"), ANNA, 1, 1, 2, 3, 5, 5, 6, big=3)
    before = play(play(before, ANNA, "place-1", ScriptedChance([(5, 5)])), ANNA, "use-5")
    assert gone in answer(before, ANNA, choice).events
    assert apply_events(before, gone).roll == Roll(ANNA, *left, ())


def test_five_takes_one_own_die_back() -> None:
    """000 MY CHOICE: the one just placed, or another."""
    state = play(thrown(5, 5, dice={3: {ANNA: Dice(1, 1)}}), ANNA, "use-5")
    assert {"take-small-1", "take-small-3", "take-big-3"} <= set(choices(state, ANNA))
    state = play(state, ANNA, "take-big-3")
    assert state.own_dice(ANNA, 3) == Dice(1)
    assert state.supply_of(ANNA) == Dice(5, 1)


def test_five_neither_enters_nor_leaves_a_closed_casino() -> None:
    """T-E1."""
    state = apply_events(tile_table("H2", dice={3: {ANNA: 1}}), CasinoClosed(3))
    state = play(place_number(state, ANNA, 1, black=[(5, 5)]).state, ANNA, "use-5")
    assert not [choice for choice in choices(state, ANNA) if choice.endswith("-3")]


def test_five_takes_no_die_from_a_tile() -> None:
    """000 HANDICAP, note: from a casino, not from a tile."""
    state = play(thrown(5, 5, dice={GOLD: {ANNA: 1}}), ANNA, "use-5")
    back = [choice for choice in choices(state, ANNA) if choice.startswith("take")]
    assert back == ["take-small-1"]


def test_who_gets_a_die_back_has_turns_again() -> None:
    """T4: Anna's last die was placed and comes back."""
    dice: DiceLaid = {2: {ANNA: Dice(6, 1)}, 3: {BEN: Dice(7, 1)}, 4: {CARLA: Dice(7, 1)}}
    state = play(thrown(5, 5, dice=dice), ANNA, "use-5")
    state = play(state, ANNA, "take-small-1")
    assert state.round == 1
    assert state.turn == ANNA


# The sixth result


def test_six_puts_a_die_on_the_gold_space() -> None:
    """003 MY CHOICE, the result that 000 lacks."""
    state = play(thrown(6, 6), ANNA, "use-6")
    assert choices(state, ANNA) == ("gold-small", "gold-big")
    state = play(state, ANNA, "gold-big")
    assert state.heap(GOLD) == {"seat-0": Dice(0, 1)}
    assert MY_CHOICE.shows(state) == {"gold": ANNA, "gold_die": "big", "thrown": None}


def test_six_sends_the_die_there_home() -> None:
    """003 MY CHOICE."""
    small = play(thrown(6, 6, dice={GOLD: {BEN: 1}}), ANNA, "use-6")
    assert legal(small, ANNA)[0].label == "Put a small die on the gold space, sending Ben's die home"
    state = play(thrown(6, 6, dice={GOLD: {BEN: Dice(0, 1)}}), ANNA, "use-6")
    assert [option.label for option in legal(state, ANNA)] == [
        "Put a small die on the gold space, sending Ben's big die home",
        "Put your big die on the gold space, sending Ben's big die home",
    ]
    state = play(state, ANNA, "gold-small")
    assert state.supply_of(BEN) == Dice(7, 1)
    assert state.heap(GOLD) == {"seat-0": Dice(1)}


def test_six_without_a_die_in_hand_does_nothing() -> None:
    """T-H2: it may be picked all the same."""
    dice: DiceLaid = {2: {ANNA: Dice(6, 1)}}
    state = thrown(6, 6, dice=dice)
    assert legal(state, ANNA)[0].label.endswith("(nothing to do it with now)")
    assert next_prompt(play(state, ANNA, "use-6")) == "turn.place"


def test_the_gold_space_pays_sixty_thousand() -> None:
    """003 MY CHOICE: in the payout, right after its casino (D8)."""
    state = with_bank(tile_table("H2", dice={GOLD: {BEN: 1}}), 60_000)
    assert gains(state, pay_out(state).state, BEN) == ((60_000,), 2)


def test_the_gold_space_is_no_part_of_the_casino() -> None:
    """003 MY CHOICE: the die there breaks no tie and makes none."""
    dice: DiceLaid = {GOLD: {BEN: 1}, 1: {ANNA: 2, BEN: 2, CARLA: 1}}
    state = with_bank(tile_table("H2", dice=dice, notes={1: (40_000, 50_000)}), 60_000)
    end = pay_out(state).state
    assert gains(state, end, CARLA) == ((50_000,), 2)
    assert gains(state, end, BEN) == ((60_000,), 2)


def test_the_gold_space_pays_at_a_closed_casino() -> None:
    """T7."""
    state = with_bank(tile_table("H2", dice={GOLD: {BEN: 1}}), 60_000)
    assert gains(state, pay_out(apply_events(state, CasinoClosed(1))).state, BEN) == ((60_000,), 2)


def test_the_gold_space_is_empty_in_the_next_round() -> None:
    """D8."""
    state = pay_out(tile_table("H2", dice={GOLD: {BEN: 1}})).state
    assert MY_CHOICE.shows(state) == {"gold": None, "gold_die": None, "thrown": None}
    assert state.supply_of(BEN) == Dice(7, 1)


# Around it


def test_several_dice_throw_once() -> None:
    """T0."""
    state = place_number(tile_table("H2"), ANNA, 1, small=3, big=True, black=[(1, 1)]).state
    assert play(state, ANNA, "use-1").turn == BEN


def test_two_players_share_the_table_with_the_neutral_set() -> None:
    """T3: neutral and grey dice cannot be taken back."""
    state = play(thrown(5, 5, players=2, dice={3: {GREY: 2}}), ANNA, "use-5")
    back = [choice for choice in choices(state, ANNA) if choice.startswith("take")]
    assert back == ["take-small-1"]
    assert state.dice_of("neutral", CASINO[6]) == Dice(7, 1)
    assert state.dice_of(GREY, BOX) == Dice(7)


def test_a_die_set_with_it_says_that_no_tile_reacts() -> None:
    """000 MY CHOICE: placed without activating; the words of POWER PLAY would mislead."""
    labels = {
        option.choice: option.label
        for option in legal(play(thrown(5, 5, codes=("A2",)), ANNA, "use-5"), ANNA)
    }
    there = "Turn a small die in hand to 2 and place it on casino 2, whose tile does not react"
    assert (labels["set-small-2"], labels["set-small-3"]) == (
        there,
        "Turn a small die in hand to 3 and place it on casino 3",
    )


def test_a_tile_that_would_not_react_anyway_is_not_mentioned() -> None:
    """000 PRIME TIME acts in the payout; HIGH FIVE would react to a fifth die only."""
    state = play(thrown(5, 5, codes=("B1", "C1"), dice={3: {ANNA: 3}}), ANNA, "use-5")
    mentioned = [option.choice for option in legal(state, ANNA) if "does not react" in option.label]
    assert mentioned == ["set-small-1", "set-big-1", "set-big-3"]


def test_four_says_when_no_other_tile_has_anything_to_do() -> None:
    """T8: it may be used all the same."""
    assert legal(thrown(4, 4, codes=("B1", "G1")), ANNA)[0].label == "Use the 4: activate another tile" + MARK
    assert legal(thrown(4, 4, codes=("B1", "A2")), ANNA)[0].label == "Use the 4: activate another tile"


def test_five_promises_only_what_can_be_done() -> None:
    """T-H2: without a die in hand one is taken back, with all own dice behind doors one is placed."""
    nothing_in_hand: DiceLaid = {2: {ANNA: Dice(6, 1)}}
    assert legal(thrown(5, 5, dice=nothing_in_hand), ANNA)[0].label == "Use the 5: take one of your dice back"
    behind_doors = apply_events(thrown(5, 5), CasinoClosed(1))
    expected = "Use the 5: place a die in hand on any open casino"
    assert legal(behind_doors, ANNA)[0].label == expected


def test_five_says_when_neither_can_be_done() -> None:
    """T-H2."""
    state = apply_events(thrown(5, 5, dice={BAR: {ANNA: Dice(6, 1)}}), CasinoClosed(1))
    there = "place a die in hand or take one of your dice back (nothing to do it with now)"
    assert legal(state, ANNA)[0].label == f"Use the 5: {there}"
