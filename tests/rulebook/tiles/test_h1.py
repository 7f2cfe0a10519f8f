"""NICE DICE, tile H1."""

from __future__ import annotations

import pytest

from events.types import CasinoClosed, TokenMoved, TurnStarted
from events.values import CASINO, GREY, NEUTRAL, OWNER, PURSE, SUPPLY, UNDER, Dice, Place, spot
from rules.errors import Rejected
from rules.legal import choices, legal
from rules.mechanics.dice_turn import TURNS
from rules.state import State
from rules.tiles.h1_nice_dice import NICE_DICE
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DiceLaid,
    answer,
    apply_events,
    gains,
    notes_moved_from,
    pay_out,
    place_number,
    play,
    roll_dice,
    tile_table,
    with_bank,
    work_agenda,
)

PAIR = (30_000, 90_000)


def space(number: int) -> Place:
    return spot("H1", number)


def owners(state: State) -> list[object]:
    spaces = NICE_DICE.shows(state)["spaces"]
    assert isinstance(spaces, list)
    return [entry["seat"] for entry in spaces]


def placed(*faces: int, big: int | None = None, dice: DiceLaid | None = None) -> State:
    """Anna holds these dice only, rolls them and places the ones at casino 1."""
    small, large = 7 - len(faces), int(big is None)
    held: DiceLaid = {5: {ANNA: Dice(small, large)}} if small or large else {}
    state = tile_table("H1", dice={**held, **(dice or {})})
    return play(roll_dice(state, ANNA, *faces, big=big), ANNA, "place-1")


def test_a_die_left_from_the_roll_or_one_just_placed_may_go_to_the_tile() -> None:
    """000 NICE DICE (T-H1): on the space of its face, one option a face and size."""
    state = placed(1, 1, 4, 4, 6, big=4)
    assert choices(state, ANNA) == ("put-small-4", "put-small-6", "put-big-4", "shift-small-1", "leave")


def test_labels_tell_the_worth() -> None:
    """000 NICE DICE."""
    assert [option.label for option in legal(placed(1, 4), ANNA)] == [
        "Put the small 4 you rolled on space 4, worth $40,000 in the payout",
        "Put a small die you just placed on space 1, worth one chip in the payout",
        "Put no die on the tile",
    ]


def test_a_die_left_from_the_roll_leaves_the_hand() -> None:
    """000 NICE DICE."""
    state = play(placed(1, 4, 4), ANNA, "put-small-4")
    assert owners(state)[3] == ANNA
    assert state.supply_of(ANNA) == Dice(1)
    assert state.own_dice(ANNA, 1) == Dice(1)


def test_a_die_just_placed_leaves_the_casino() -> None:
    """000 NICE DICE: the big one as well."""
    state = play(placed(1, 4, big=1), ANNA, "shift-big-1")
    assert state.heap(space(1)) == {OWNER[ANNA]: Dice(0, 1)}
    assert state.own_dice(ANNA, 1) == Dice(1)


def test_nobody_has_to_put_a_die_there() -> None:
    """000 NICE DICE."""
    state = play(placed(1, 4), ANNA, "leave")
    assert owners(state) == [None] * 6
    assert state.supply_of(ANNA) == Dice(1)


def test_dice_placed_in_earlier_turns_stay() -> None:
    """T-H1: just now; the big die here came before."""
    state = placed(1, dice={1: {ANNA: Dice(0, 1)}, 5: {ANNA: 6}})
    assert choices(state, ANNA) == ("shift-small-1", "leave")


@pytest.mark.parametrize(("before", "away"), [(ANNA, Dice(5)), (BEN, Dice(5, 1))])
def test_a_die_already_there_moves_to_the_casino_of_its_number(before: int, away: Dice) -> None:
    """000 NICE DICE: an opponent's or one's own."""
    state = placed(1, 4, dice={space(4): {before: Dice(0, 1)}, 5: {ANNA: away}})
    assert "; the big die of " in legal(state, ANNA)[0].label
    state = play(state, ANNA, "put-small-4")
    assert state.heap(space(4)) == {OWNER[ANNA]: Dice(1)}
    assert state.own_dice(before, 4) == Dice(0, 1)


def test_the_table_tells_whose_die_lies_on_a_space_and_which() -> None:
    """000 NICE DICE (D2): a big die brings its weight to the casino when it is displaced."""
    state = tile_table("H1", dice={space(2): {BEN: Dice(0, 1)}, space(5): {ANNA: 1}})
    lying = {2: (BEN, "big"), 5: (ANNA, "small")}
    spaces = [(number, *lying.get(number, (None, None))) for number in range(1, 7)]
    assert NICE_DICE.shows(state)["spaces"] == [
        {"number": number, "seat": seat, "die": die} for number, seat, die in spaces
    ]


def test_a_die_just_placed_changes_places_with_one_on_the_tile() -> None:
    """000 NICE DICE: Ben's die goes to this very casino."""
    before = placed(1, 4, dice={space(1): {BEN: 1}})
    assert legal(before, ANNA)[1].label.endswith("; the die of Ben there goes to casino 1")
    state = play(before, ANNA, "shift-small-1")
    assert state.heap(space(1)) == {OWNER[ANNA]: Dice(1)}
    assert state.own_dice(BEN, 1) == Dice(1)
    assert state.own_dice(ANNA, 1) == Dice()


def test_the_displaced_die_activates_nothing() -> None:
    """000 NICE DICE (T0): PAY DAY at casino 2 stays quiet, for Ben and for Anna."""
    state = tile_table("H1", "D1", dice={space(2): {BEN: 1}, 5: {ANNA: Dice(5, 1)}})
    state = play(roll_dice(state, ANNA, 1, 2), ANNA, "place-1")
    after_it = play(state, ANNA, "put-small-2")
    assert after_it.own_dice(BEN, 2) == Dice(1)
    assert after_it.chips == state.chips


@pytest.mark.parametrize(
    ("number", "notes", "chips"),
    [(1, (), 1), (2, (), 2), (3, (30_000,), 0), (4, (40_000,), 0), (5, (50_000,), 0), (6, (60_000,), 0)],
)
def test_every_space_pays_its_worth(number: int, notes: tuple[int, ...], chips: int) -> None:
    """000 NICE DICE, payout (T-H1); two chips come with the next round, a big die earns no more (D2)."""
    state = with_bank(
        tile_table("H1", dice={space(number): {BEN: Dice(0, 1)}}), *range(30_000, 70_000, 10_000)
    )
    after_it = pay_out(state).state
    assert gains(state, after_it, BEN) == (notes, chips + 2)
    assert owners(after_it) == [None] * 6
    assert after_it.supply_of(BEN) == Dice(7, 1)


def test_the_spaces_pay_from_one_to_six() -> None:
    """T11: the bank's only notes go to the lower space."""
    state = with_bank(tile_table("H1", dice={space(3): {ANNA: 1}, space(6): {BEN: 1}}), 30_000, 30_000)
    after_it = pay_out(state).state
    assert gains(state, after_it, ANNA) == ((30_000,), 2)
    assert gains(state, after_it, BEN) == ((30_000,), 3 + 2)


def test_one_player_may_own_several_spaces() -> None:
    """000 NICE DICE, payout: there is no tie on the tile."""
    state = with_bank(tile_table("H1", dice={space(3): {ANNA: 1}, space(4): {ANNA: 1}}), 30_000, 40_000)
    assert gains(state, pay_out(state).state, ANNA) == ((30_000, 40_000), 2)


def test_it_is_paid_straight_after_its_own_casino() -> None:
    """D8."""
    notes = {1: (30_000, 50_000), 2: PAIR}
    state = tile_table("H1", dice={space(4): {ANNA: 1}, 1: {ANNA: 1}, 2: {ANNA: 1}}, notes=notes)
    assert pay_out(with_bank(state, 40_000)).state.notes_of(ANNA) == (50_000, 40_000, 90_000)


def test_dice_on_the_tile_are_missing_in_the_casino() -> None:
    """000 NICE DICE: a die just placed no longer ties, or wins."""
    state = tile_table("H1", dice={1: {BEN: 1}, 5: {ANNA: Dice(6, 1)}}, notes={1: PAIR})
    state = play(roll_dice(state, ANNA, 1), ANNA, "place-1")
    shifted = pay_out(play(state, ANNA, "shift-small-1"))
    assert notes_moved_from(shifted, 1) == {PURSE[BEN]: (90_000,), UNDER: (30_000,)}
    assert notes_moved_from(pay_out(play(state, ANNA, "leave")), 1) == {UNDER: (90_000, 30_000)}


def test_a_displaced_die_can_make_a_tie() -> None:
    """000 NICE DICE."""
    state = tile_table("H1", dice={space(4): {BEN: 1}, 4: {CARLA: 1}, 5: {ANNA: Dice(5, 1)}}, notes={4: PAIR})
    state = play(play(roll_dice(state, ANNA, 1, 4), ANNA, "place-1"), ANNA, "put-small-4")
    assert notes_moved_from(pay_out(state), 4) == {UNDER: (90_000, 30_000)}


def test_a_space_whose_die_cannot_leave_cannot_be_taken() -> None:
    """T-H1: its casino is closed."""
    state = tile_table("H1", dice={space(4): {BEN: 1}, 5: {ANNA: Dice(4, 1)}})
    state = roll_dice(apply_events(state, CasinoClosed(4)), ANNA, 1, 4, 6)
    assert choices(play(state, ANNA, "place-1"), ANNA) == ("put-small-6", "shift-small-1", "leave")


def test_an_empty_space_of_a_closed_casino_can() -> None:
    """T-H1: the tile itself is open."""
    state = roll_dice(
        apply_events(tile_table("H1", dice={5: {ANNA: Dice(5, 1)}}), CasinoClosed(4)), ANNA, 1, 4
    )
    assert choices(play(state, ANNA, "place-1"), ANNA) == ("put-small-4", "shift-small-1", "leave")


def test_it_pays_at_a_closed_casino() -> None:
    """T7."""
    state = apply_events(tile_table("H1", dice={space(2): {BEN: 1}}), CasinoClosed(1))
    assert gains(state, pay_out(state).state, BEN) == ((), 2 + 2)


def test_a_turn_of_power_play_allows_the_die_just_placed_only() -> None:
    """T6: there is no roll; the dice of the roll before are not meant."""
    state = tile_table("H1", "D2", dice={2: {ANNA: 1}})
    state = apply_events(
        roll_dice(state, ANNA, 3, 3, 3, 4, 4, 6, big=6), TokenMoved("D2", SUPPLY[ANNA]), TurnStarted(CARLA)
    )
    state = play(work_agenda(state, TURNS).state, ANNA, "set-big-1")
    assert choices(state, ANNA) == ("shift-big-1", "leave")


def test_two_players_meet_no_imaginary_dice_on_the_tile() -> None:
    """T3: neutral and grey dice stay in their casinos; a displaced die meets them there (D3)."""
    neutral = (4, 4, 6, 6, 6, 6, 6, 6)
    dice: DiceLaid = {space(4): {BEN: 1}, 4: {GREY: 2}, 5: {ANNA: Dice(5, 1)}}
    state = tile_table("H1", players=2, neutral=neutral, dice=dice, notes={4: PAIR})
    state = play(play(roll_dice(state, ANNA, 1, 4), ANNA, "place-1"), ANNA, "put-small-4")
    assert state.dice_of(NEUTRAL, CASINO[4]) == Dice(2)
    assert notes_moved_from(pay_out(state), 4) == {PURSE[BEN]: (90_000,), UNDER: (30_000,)}


def test_several_dice_with_the_big_one_send_one_die() -> None:
    """T0."""
    state = place_number(tile_table("H1"), ANNA, 1, small=3, big=True).state
    after_it = answer(state, ANNA, "shift-big-1").state
    assert after_it.ask is not None
    assert after_it.ask.prompt == "turn.place"


def test_the_last_die_of_the_round_may_still_go_there() -> None:
    """000 NICE DICE: the payout waits for the answer."""
    rest: DiceLaid = {5: {ANNA: Dice(6, 1), BEN: Dice(7, 1), CARLA: Dice(7, 1)}}
    state = placed(1, dice=rest)
    assert choices(state, ANNA) == ("shift-small-1", "leave")
    assert gains(state, play(state, ANNA, "shift-small-1"), ANNA)[1] == 1 + 2


def test_my_choice_is_its_other_side() -> None:
    """000, main game: the fourth result of MY CHOICE can never meet it (T0)."""
    with pytest.raises(Rejected):
        tile_table("H1", "H2")
