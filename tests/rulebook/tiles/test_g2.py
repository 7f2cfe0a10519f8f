"""DOUBLE DOWN, tile G2."""

from __future__ import annotations

from events.types import CasinoClosed
from events.values import BOX, CASINO, GREY, NEUTRAL, OWNER, PURSE, UNDER, Dice, spot
from rules.legal import choices, legal
from rules.state import State
from rules.tiles.g2_double_down import DOUBLE_DOWN
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
    tile_table,
    with_bank,
)

SPACE = spot("G2", "space")
PAIR = (30_000, 90_000)


def prompt(state: State) -> str:
    assert state.ask is not None
    return state.ask.prompt


def paid(dice: DiceLaid, players: int = 3) -> list[tuple[tuple[int, ...], int]]:
    """What each seat gets in the payout, the two chips of the next round aside."""
    state = with_bank(tile_table("G2", dice=dice, players=players), 30_000, 60_000)
    after_it = pay_out(state).state
    won = [gains(state, after_it, seat) for seat in range(players)]
    return [(notes, chips - 2) for notes, chips in won]


def test_any_number_of_own_dice_may_move_to_the_tile() -> None:
    """000 DOUBLE DOWN (T-G2): those just placed and those placed before."""
    state = place_number(tile_table("G2", dice={1: {ANNA: Dice(1, 1), BEN: 2}}), ANNA, 1).state
    moves = ("move-0-1", "move-1-0", "move-1-1", "move-2-0", "move-2-1")
    assert choices(state, ANNA) == (*moves, "leave")
    table = answer(state, ANNA, "move-2-1")
    assert table.state.dice_of(OWNER[ANNA], SPACE) == Dice(2, 1)
    assert table.state.own_dice(ANNA, 1) == Dice()
    assert table.state.own_dice(BEN, 1) == Dice(2)


def test_labels_name_the_dice() -> None:
    """000 DOUBLE DOWN."""
    state = place_number(tile_table("G2", dice={1: {ANNA: Dice(1, 1)}}), ANNA, 1).state
    labels = [option.label for option in legal(state, ANNA)]
    pays = ", which pays $60,000 for most dice there and $30,000 for second most"
    assert labels[0] == "Move the big die from casino 1 to the tile" + pays
    assert labels[-2] == "Move two small dice and the big die from casino 1 to the tile" + pays
    assert labels[-1] == "Leave all your dice in the casino"


def test_nobody_has_to_move_dice() -> None:
    """000 DOUBLE DOWN."""
    state = place_number(tile_table("G2"), ANNA, 1).state
    after_it = play(state, ANNA, "leave")
    assert after_it.own_dice(ANNA, 1) == Dice(1)
    assert DOUBLE_DOWN.shows(after_it) == {"dice": []}


def test_the_tile_pays_sixty_and_thirty_thousand() -> None:
    """000 DOUBLE DOWN, payout."""
    assert paid({SPACE: {ANNA: 1, BEN: 3, CARLA: 2}}) == [((), 0), ((60_000,), 0), ((30_000,), 0)]
    assert paid({SPACE: {ANNA: 1}}) == [((60_000,), 0), ((), 0), ((), 0)]


def test_ties_leave_the_tile_first() -> None:
    """000 DOUBLE DOWN, payout (T-G2)."""
    assert paid({SPACE: {ANNA: 1, BEN: 2, CARLA: 2}}) == [((60_000,), 0), ((), 0), ((), 0)]
    assert paid({SPACE: {ANNA: 2, BEN: 2}}) == [((), 0), ((), 0), ((), 0)]


def test_the_big_die_is_two_there() -> None:
    """D2."""
    assert paid({SPACE: {ANNA: Dice(0, 1), BEN: 1}})[:2] == [((60_000,), 0), ((30_000,), 0)]
    assert paid({SPACE: {ANNA: Dice(0, 1), BEN: 2, CARLA: 1}}) == [((), 0), ((), 0), ((60_000,), 0)]


def test_dice_on_the_tile_are_missing_in_the_casino() -> None:
    """000 DOUBLE DOWN: two that stayed beat one that stayed."""
    table = pay_out(tile_table("G2", dice={SPACE: {ANNA: 4}, 1: {ANNA: 1, BEN: 2}}, notes={1: PAIR}))
    assert notes_moved_from(table, 1) == {PURSE[BEN]: (90_000,), PURSE[ANNA]: (30_000,)}


def test_the_next_activation_may_add_to_them() -> None:
    """T-G2: while it is being activated, by oneself."""
    state = play(place_number(tile_table("G2"), ANNA, 1).state, ANNA, "move-1-0")
    state = play(place_number(state, ANNA, 1, small=2).state, ANNA, "move-1-0")
    assert state.dice_of(OWNER[ANNA], SPACE) == Dice(2)
    assert state.own_dice(ANNA, 1) == Dice(1)


def test_nothing_else_takes_dice_off_the_tile() -> None:
    """000 DOUBLE DOWN: MY CHOICE's fifth result sees the casinos only."""
    state = tile_table("G2", "H2", dice={SPACE: {ANNA: 3}})
    state = play(place_number(state, ANNA, 2, black=[(5, 5)]).state, ANNA, "use-5")
    assert [choice for choice in choices(state, ANNA) if choice.startswith("take")] == ["take-small-2"]


def test_imaginary_players_have_no_dice_there() -> None:
    """T3, two players: neutral and grey dice in the casino stay out of it."""
    state = tile_table("G2", players=2, neutral=(1,) * 8, dice={1: {GREY: 2}})
    state = play(place_number(state, ANNA, 1).state, ANNA, "move-1-0")
    assert state.heap(SPACE) == {OWNER[ANNA]: Dice(1)}
    assert state.dice_of(NEUTRAL, CASINO[1]) == Dice(7, 1)
    assert paid({SPACE: {BEN: 1}}, players=2) == [((), 0), ((60_000,), 0)]


def test_neutral_and_grey_dice_tie_in_the_casino_while_the_tile_pays() -> None:
    """000 BLOCK IT!: two imaginary players (D3)."""
    dice: DiceLaid = {1: {GREY: 2, BEN: 1}, SPACE: {ANNA: 1}}
    state = tile_table("G2", players=2, neutral=(1, 1, 6, 6, 6, 6, 6, 6), dice=dice, notes={1: PAIR})
    assert notes_moved_from(pay_out(state), 1) == {PURSE[BEN]: (90_000,), UNDER: (30_000,)}


def test_the_tile_of_a_closed_casino_pays() -> None:
    """T7."""
    state = apply_events(with_bank(tile_table("G2", dice={SPACE: {BEN: 1}}), 60_000), CasinoClosed(1))
    assert gains(state, pay_out(state).state, BEN) == ((60_000,), 2)


def test_behind_a_closed_door_no_dice_move_there() -> None:
    """T-E1."""
    state = apply_events(tile_table("G2", "H2", "D1", dice={1: {ANNA: 2}}), CasinoClosed(1))
    state = play(place_number(state, ANNA, 2, black=[(4, 4)]).state, ANNA, "use-4")
    assert choices(state, ANNA) == ("activate-3",)


def test_it_is_paid_straight_after_its_own_casino() -> None:
    """D8: the notes of casino 2 come later."""
    state = tile_table(
        "G2", dice={SPACE: {ANNA: 1}, 1: {ANNA: 1}, 2: {ANNA: 1}}, notes={1: (30_000, 40_000), 2: PAIR}
    )
    assert pay_out(with_bank(state, 60_000)).state.notes_of(ANNA) == (40_000, 60_000, 90_000)


def test_dice_on_the_tile_go_home_at_the_end_of_the_round() -> None:
    """D8."""
    state = pay_out(tile_table("G2", dice={SPACE: {ANNA: Dice(3, 1)}})).state
    assert state.supply_of(ANNA) == Dice(7, 1)
    assert DOUBLE_DOWN.shows(state) == {"dice": []}
    assert state.dice_of(GREY, BOX) == Dice(9)


def test_my_choice_moves_dice_placed_before() -> None:
    """000 MY CHOICE, result 4."""
    state = tile_table("G2", "H2", dice={1: {ANNA: 2}})
    state = play(place_number(state, ANNA, 2, black=[(4, 4)]).state, ANNA, "use-4")
    state = play(state, ANNA, "activate-1")
    assert choices(state, ANNA) == ("move-1-0", "move-2-0", "leave")


def test_my_choice_without_dice_there_does_nothing() -> None:
    """T8, S3: it will not always trigger an action."""
    state = tile_table("G2", "H2", dice={1: {BEN: 2, CARLA: 1}})
    state = play(place_number(state, ANNA, 2, black=[(4, 4)]).state, ANNA, "use-4")
    assert prompt(play(state, ANNA, "activate-1")) == "turn.place"


def test_the_table_shows_the_dice_on_the_tile() -> None:
    """000 DOUBLE DOWN."""
    state = tile_table("G2", dice={SPACE: {BEN: Dice(1, 1)}})
    assert DOUBLE_DOWN.shows(state) == {"dice": [{"owner": "seat-1", "seat": 1, "small": 1, "big": 1}]}
