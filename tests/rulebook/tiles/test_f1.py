"""BLOCK IT!, tile F1."""

from __future__ import annotations

import pytest

from events.types import CasinoClosed, DiceMoved
from events.values import BOX, CASINO, GREY, NEUTRAL, PURSE, UNDER, Dice
from rules.legal import choices, legal
from rules.state import State
from rules.tiles.f1_block_it import BLOCK_IT
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

PAIR = (30_000, 90_000)


def left(state: State) -> object:
    return BLOCK_IT.shows(state)["clusters"]


def blocked(size: int, number: int, dice: DiceLaid | None = None, players: int = 3) -> State:
    """Anna has put a cluster on a casino; both pairs of notes are alike."""
    state = tile_table("F1", dice=dice, players=players, notes={2: PAIR})
    return play(place_number(state, ANNA, 1).state, ANNA, f"block-{size}-{number}")


def test_nine_grey_dice_lie_in_five_clusters() -> None:
    """000 BLOCK IT!, setup."""
    state = tile_table("F1")
    assert left(state) == [1, 1, 2, 2, 3]
    assert state.dice_of(GREY, BOX) == Dice()


def test_one_cluster_goes_to_one_casino() -> None:
    """000 BLOCK IT! (T-F1, T10): any size, any casino, its own too; equal clusters are one option."""
    state = place_number(tile_table("F1"), ANNA, 1).state
    assert choices(state, ANNA) == tuple(
        f"block-{size}-{number}" for size in (1, 2, 3) for number in range(1, 7)
    )
    assert legal(state, ANNA)[0].label == "Put one grey die on casino 1"
    assert legal(state, ANNA)[-1].label == "Put three grey dice on casino 6"


@pytest.mark.parametrize(("size", "rest"), [(1, [1, 2, 2, 3]), (2, [1, 1, 2, 3]), (3, [1, 1, 2, 2])])
def test_all_dice_of_the_cluster_go(size: int, rest: list[int]) -> None:
    """000 BLOCK IT!"""
    state = blocked(size, 4)
    assert state.dice_of(GREY, CASINO[4]) == Dice(size)
    assert left(state) == rest


def test_a_used_cluster_is_gone_for_the_round() -> None:
    """000 BLOCK IT! (T10): after the three, only ones and twos."""
    state = place_number(blocked(3, 4), BEN, 1).state
    assert {choice[:8] for choice in choices(state, BEN)} == {"block-1-", "block-2-"}


def test_one_cannot_decline() -> None:
    """T-F1."""
    assert all(
        choice.startswith("block-") for choice in choices(place_number(tile_table("F1"), ANNA, 1).state, ANNA)
    )


def test_without_clusters_nothing_is_asked() -> None:
    """T-F1: while a cluster is left."""
    state = tile_table("F1")
    spots = [place for place in state.dice if place.startswith("F1-")]
    state = apply_events(
        state, *(DiceMoved(GREY, place, CASINO[6], state.dice_of(GREY, place).small) for place in spots)
    )
    state = place_number(state, ANNA, 1).state
    assert left(state) == []
    assert state.ask is not None
    assert state.ask.prompt == "turn.place"


def test_grey_dice_win_for_nobody() -> None:
    """000 BLOCK IT! (D3): an imaginary player takes the higher card."""
    table = pay_out(blocked(3, 2, dice={2: {BEN: 2}}))
    assert notes_moved_from(table, 2) == {UNDER: (90_000,), PURSE[BEN]: (30_000,)}


def test_grey_dice_tie_like_a_player() -> None:
    """000 and 003 BLOCK IT!, example: one, one and two dice, and two grey ones; nobody wins."""
    table = pay_out(blocked(2, 2, dice={2: {ANNA: 1, BEN: 1, CARLA: 2}}))
    assert notes_moved_from(table, 2) == {UNDER: (90_000, 30_000)}


def test_two_grey_dice_tie_with_a_big_die() -> None:
    """D2."""
    table = pay_out(blocked(2, 2, dice={2: {BEN: Dice(0, 1), CARLA: 1}}))
    assert notes_moved_from(table, 2) == {PURSE[CARLA]: (90_000,), UNDER: (30_000,)}


def test_clusters_at_one_casino_add_up() -> None:
    """000 BLOCK IT!: all blank dice are one player's."""
    state = play(place_number(blocked(1, 2, dice={2: {CARLA: 2}}), BEN, 1).state, BEN, "block-1-2")
    assert notes_moved_from(pay_out(state), 2) == {UNDER: (90_000, 30_000)}


def test_neutral_and_grey_dice_are_two_players() -> None:
    """000 BLOCK IT!, two players (D3): two each tie and leave, so one own die wins."""
    state = tile_table("F1", players=2, neutral=(2, 2, 6, 6, 6, 6, 6, 6), dice={2: {BEN: 1}}, notes={2: PAIR})
    state = play(place_number(state, ANNA, 1).state, ANNA, "block-2-2")
    assert state.dice_of(NEUTRAL, CASINO[2]) == state.dice_of(GREY, CASINO[2]) == Dice(2)
    assert notes_moved_from(pay_out(state), 2) == {PURSE[BEN]: (90_000,), UNDER: (30_000,)}


def test_a_closed_casino_cannot_be_blocked() -> None:
    """T-E1."""
    state = place_number(apply_events(tile_table("F1"), CasinoClosed(4)), ANNA, 1).state
    assert not any(choice.endswith("-4") for choice in choices(state, ANNA))


def test_grey_dice_activate_nothing() -> None:
    """T3: PAY DAY at casino 2 stays quiet."""
    state = place_number(tile_table("F1", "D1"), ANNA, 1).state
    after_it = play(state, ANNA, "block-3-2")
    assert after_it.chips == state.chips


def test_several_dice_with_the_big_one_move_one_cluster() -> None:
    """T0."""
    state = play(place_number(tile_table("F1"), ANNA, 1, small=3, big=True).state, ANNA, "block-1-6")
    assert state.ask is not None
    assert state.ask.prompt == "turn.place"


def test_the_clusters_are_full_again_in_the_next_round() -> None:
    """000 BLOCK IT!, setup (D8)."""
    state = pay_out(blocked(3, 4)).state
    assert state.round == 2
    assert left(state) == [1, 1, 2, 2, 3]
    assert state.dice_of(GREY, CASINO[4]) == Dice()


def test_my_choice_can_set_it_off() -> None:
    """000 MY CHOICE, result 4."""
    state = play(place_number(tile_table("F1", "H2"), ANNA, 2, black=[(4, 4)]).state, ANNA, "use-4")
    state = play(play(state, ANNA, "activate-1"), ANNA, "block-3-5")
    assert state.dice_of(GREY, CASINO[5]) == Dice(3)
