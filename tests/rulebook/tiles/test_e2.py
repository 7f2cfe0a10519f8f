"""KNOCKOUT?, tile E2."""

from __future__ import annotations

from events.types import CasinoClosed, DiceMoved
from events.values import BOX, CASINO, GREY, NEUTRAL, OWNER, PURSE, SUPPLY, Dice, spot
from rules.legal import choices, legal
from rules.mechanics.dice_turn import next_seat
from rules.state import Roll, State
from rules.tiles.e2_knockout import KNOCKOUT
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DiceLaid,
    apply_events,
    notes_moved_from,
    pay_out,
    place_number,
    play,
    tile_table,
)

BAR = spot("E2", "bar")
ALL_SMALL: DiceLaid = {5: {seat: Dice(0, 1) for seat in range(3)}}


def asked(state: State) -> tuple[str, tuple[int, ...]]:
    assert state.ask is not None
    return state.ask.prompt, state.ask.seats


def in_bar(state: State, seat: int) -> Dice:
    return state.dice_of(OWNER[seat], BAR)


def test_each_opponent_puts_one_die_in_the_bar() -> None:
    """000 KNOCKOUT?"""
    state = place_number(tile_table("E2", dice=ALL_SMALL), ANNA, 1).state
    assert in_bar(state, BEN) == in_bar(state, CARLA) == Dice(1)
    assert state.supply_of(BEN) == state.supply_of(CARLA) == Dice(6)
    assert in_bar(state, ANNA) == Dice()


def test_who_holds_both_sizes_is_asked_which() -> None:
    """T-E2: in clockwise order."""
    state = place_number(tile_table("E2"), ANNA, 1).state
    assert asked(state) == ("E2.give", (BEN,))
    assert choices(state, BEN) == ("give-small", "give-big")
    assert [option.label for option in legal(state, BEN)] == [
        f"Give {die} to the bar of Knockout?: it is out of play until you activate that tile, at casino 1, "
        "or the round ends"
        for die in ("a small die of yours", "your big die")
    ]
    state = play(state, BEN, "give-big")
    assert in_bar(state, BEN) == Dice(0, 1)
    assert asked(state) == ("E2.give", (CARLA,))
    state = play(state, CARLA, "give-small")
    assert in_bar(state, CARLA) == Dice(1)
    assert asked(state) == ("turn.place", (BEN,))


def test_a_gift_leaves_the_roll_of_the_active_seat_alone() -> None:
    """T-E2: Anna's six other dice lie in the arena until all have given, whatever Ben gives."""
    before = place_number(tile_table("E2"), ANNA, 1).state
    assert before.roll == Roll(ANNA, (6,) * 6, 6, ())
    for gift in ("give-small", "give-big"):
        state = play(before, BEN, gift)
        assert (asked(state), state.roll) == (("E2.give", (CARLA,)), before.roll)


def test_the_order_goes_round_the_table() -> None:
    """T-E2 (P3): after the last seat comes the first."""
    state = place_number(tile_table("E2"), BEN, 1).state
    assert asked(state) == ("E2.give", (CARLA,))
    assert asked(play(state, CARLA, "give-small")) == ("E2.give", (ANNA,))


def test_who_holds_one_size_is_not_asked() -> None:
    """T-E2, against S3: Ben has only the big die, Carla only small ones."""
    state = tile_table("E2", dice={5: {BEN: 7, CARLA: Dice(0, 1)}})
    state = place_number(state, ANNA, 1).state
    assert in_bar(state, BEN) == Dice(0, 1)
    assert in_bar(state, CARLA) == Dice(1)


def test_two_dice_in_the_bar_are_enough() -> None:
    """000 KNOCKOUT? (T-E2)."""
    state = tile_table("E2", dice={BAR: {BEN: 2, CARLA: 1}, 5: {CARLA: Dice(0, 1)}})
    state = place_number(state, ANNA, 1).state
    assert in_bar(state, BEN) == in_bar(state, CARLA) == Dice(2)


def test_the_big_die_takes_one_place_in_the_bar() -> None:
    """000 KNOCKOUT? (D2)."""
    state = tile_table("E2", dice={BAR: {BEN: Dice(0, 1), CARLA: Dice(1, 1)}})
    state = place_number(state, ANNA, 1).state
    assert in_bar(state, BEN) == Dice(1, 1)
    assert in_bar(state, CARLA) == Dice(1, 1)


def test_who_has_no_dice_in_hand_gives_nothing() -> None:
    """T-E2."""
    state = tile_table("E2", dice={5: {BEN: Dice(7, 1), CARLA: Dice(0, 1)}})
    state = place_number(state, ANNA, 1).state
    assert in_bar(state, BEN) == Dice()


def test_own_dice_come_back_first_and_take_part_in_later_rolls() -> None:
    """000 KNOCKOUT? (T-E2): regained dice are in hand, not in this roll."""
    state = tile_table("E2", dice={BAR: {ANNA: Dice(1, 1)}, 5: {BEN: Dice(0, 1), CARLA: Dice(0, 1)}})
    table = place_number(state, ANNA, 1)
    moves = [event for event in table.events if isinstance(event, DiceMoved)]
    assert moves[0] == DiceMoved(OWNER[ANNA], BAR, SUPPLY[ANNA], 1, 1)
    assert [move.owner for move in moves[1:]] == [OWNER[BEN], OWNER[CARLA]]
    assert table.state.supply_of(ANNA) == Dice(6, 1)
    assert in_bar(table.state, ANNA) == Dice()


def test_a_seat_without_dice_that_regains_some_has_turns_again() -> None:
    """T4: Anna placed her last die on KNOCKOUT?"""
    state = tile_table("E2", dice={BAR: {ANNA: 2}, 5: {ANNA: Dice(4, 1), BEN: Dice(7, 1), CARLA: Dice(7, 1)}})
    state = place_number(state, ANNA, 1).state
    assert asked(state) == ("turn.place", (ANNA,))
    assert state.supply_of(ANNA) == Dice(2)


def test_the_last_die_in_the_bar_ends_a_seats_turns() -> None:
    """000 KNOCKOUT? (T4): dice in the bar are not in hand."""
    state = tile_table("E2", dice={5: {BEN: 7, CARLA: Dice(7, 1)}})
    state = place_number(state, ANNA, 1).state
    assert in_bar(state, BEN) == Dice(0, 1)
    assert asked(state) == ("turn.place", (ANNA,))
    assert next_seat(state) == ANNA


def test_a_round_ends_with_dice_in_the_bar() -> None:
    """T4: over when no seat has dice in hand; the bar gives its dice home."""
    dice: DiceLaid = {BAR: {BEN: Dice(1, 1)}, 5: {ANNA: Dice(6, 1), BEN: 6, CARLA: Dice(7, 1)}}
    state = place_number(tile_table("E2", dice=dice), ANNA, 1).state
    assert state.round == 2
    assert state.supply_of(BEN) == Dice(7, 1)
    assert KNOCKOUT.shows(state) == {"bar": []}


def test_dice_in_the_bar_do_not_count_in_the_payout() -> None:
    """000 KNOCKOUT?: neither for rank nor for a tie."""
    dice: DiceLaid = {BAR: {ANNA: 1, BEN: Dice(0, 1)}, 1: {ANNA: 1}}
    table = pay_out(tile_table("E2", dice=dice, notes={1: (30_000, 90_000)}))
    assert notes_moved_from(table, 1)[PURSE[ANNA]] == (90_000,)
    assert PURSE[BEN] not in notes_moved_from(table, 1)


def test_several_dice_knock_out_once() -> None:
    """T0."""
    state = place_number(
        tile_table("E2", dice={5: {BEN: Dice(0, 1), CARLA: Dice(0, 1)}}), ANNA, 1, small=3, big=True
    ).state
    assert in_bar(state, BEN) == Dice(1)


def test_imaginary_players_have_nothing_to_knock_out() -> None:
    """T3, two players: one opponent; neutral and grey dice stay where they are."""
    state = tile_table("E2", players=2, dice={5: {BEN: Dice(0, 1), GREY: 2}})
    state = place_number(state, ANNA, 1).state
    assert state.heap(BAR) == {OWNER[BEN]: Dice(1)}
    assert state.dice_of(NEUTRAL, CASINO[6]) == Dice(7, 1)
    assert state.dice_of(GREY, CASINO[5]) == Dice(2)
    assert state.dice_of(GREY, BOX) == Dice(7)


def test_a_tie_at_its_casino_does_not_matter() -> None:
    """000 KNOCKOUT?: it is for the activation."""
    state = place_number(
        tile_table("E2", dice={1: {BEN: Dice(1, 1)}, 5: {CARLA: Dice(0, 1)}}), ANNA, 1, small=3
    ).state
    assert in_bar(state, BEN) == in_bar(state, CARLA) == Dice(1)


def test_a_closed_casino_elsewhere_does_not_protect_the_hand() -> None:
    """T-E1: the bar is no casino."""
    state = apply_events(tile_table("E2", dice=ALL_SMALL), CasinoClosed(5))
    assert in_bar(place_number(state, ANNA, 1).state, BEN) == Dice(1)


def test_behind_a_closed_door_the_bar_stays_as_it_is() -> None:
    """T-E1: MY CHOICE cannot name the tile of a closed casino."""
    state = apply_events(tile_table("E2", "H2", "D1"), CasinoClosed(1))
    state = play(place_number(state, ANNA, 2, black=[(4, 4)]).state, ANNA, "use-4")
    assert choices(state, ANNA) == ("activate-3",)


def test_my_choice_can_set_it_off() -> None:
    """000 MY CHOICE, result 4: own dice back, one from each opponent."""
    state = tile_table("E2", "H2", dice={BAR: {ANNA: 1}, **ALL_SMALL})
    state = play(place_number(state, ANNA, 2, black=[(4, 4)]).state, ANNA, "use-4")
    state = play(state, ANNA, "activate-1")
    assert in_bar(state, ANNA) == Dice()
    assert in_bar(state, BEN) == in_bar(state, CARLA) == Dice(1)


def test_the_table_shows_the_bar() -> None:
    """000 KNOCKOUT?"""
    state = tile_table("E2", dice={BAR: {BEN: Dice(1, 1)}})
    assert KNOCKOUT.shows(state) == {"bar": [{"owner": "seat-1", "seat": 1, "small": 1, "big": 1}]}
