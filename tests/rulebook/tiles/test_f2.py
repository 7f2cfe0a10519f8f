"""HANDICAP, tile F2."""

from __future__ import annotations

import pytest

from events.types import CasinoClosed, DiceMoved, TokenMoved
from events.values import BOX, CASINO, CASINO_NUMBERS, GREY, NEUTRAL, PURSE, SUPPLY, UNDER, Dice, spot
from rules.legal import choices, legal
from rules.state import State
from rules.tiles.f2_handicap import HANDICAP, free_pictures
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DiceLaid,
    apply_events,
    gains,
    notes_moved_from,
    pay_out,
    place_number,
    play,
    tile_table,
    with_bank,
)

PAIR = (30_000, 90_000)


def activated(dice: DiceLaid | None = None, *codes: str, players: int = 3) -> State:
    """Anna has placed one small die at casino 1."""
    state = with_bank(tile_table("F2", *codes, dice=dice, players=players), 30_000)
    return place_number(state, ANNA, 1).state


def filled(state: State, picture: str, dice: int) -> State:
    """Dice of the higher casinos cover pictures already."""
    for _ in range(dice):
        number = next(n for n in reversed(CASINO_NUMBERS) if state.dice_of(GREY, CASINO[n]).small)
        state = apply_events(state, DiceMoved(GREY, CASINO[number], spot("F2", picture), 1))
    return state


def prompt(state: State) -> str:
    assert state.ask is not None
    return state.ask.prompt


def test_nine_grey_dice_lie_at_the_casinos() -> None:
    """000 HANDICAP, setup."""
    state = tile_table("F2")
    assert [state.dice_of(GREY, CASINO[n]).small for n in CASINO_NUMBERS] == [1, 1, 1, 2, 2, 2]
    assert state.dice_of(GREY, BOX) == Dice()


def test_one_chooses_casino_and_picture_or_leaves_it() -> None:
    """000 HANDICAP (T-F2)."""
    removals = [f"remove-{n}-{picture}" for n in CASINO_NUMBERS for picture in ("chip", "money", "die")]
    assert choices(activated(), ANNA) == (*removals, "leave")


def test_labels_tell_the_reward() -> None:
    """000 HANDICAP."""
    labels = [option.label for option in legal(activated(), ANNA)]
    assert labels[:3] == [
        "Remove a grey die from casino 1 and win one chip",
        "Remove a grey die from casino 1 and win $30,000",
        "Remove a grey die from casino 1, then place a die in hand on any open casino "
        "or take one of your dice back",
    ]
    assert labels[-1] == "Leave the grey dice where they are"


@pytest.mark.parametrize(("picture", "notes", "chips"), [("chip", (), 1), ("money", (30_000,), 0)])
def test_the_picture_pays(picture: str, notes: tuple[int, ...], chips: int) -> None:
    """000 HANDICAP (T-F2)."""
    state = activated()
    after_it = play(state, ANNA, f"remove-4-{picture}")
    assert gains(state, after_it, ANNA) == (notes, chips)
    assert after_it.dice_of(GREY, CASINO[4]) == Dice(1)
    assert after_it.dice_of(GREY, spot("F2", picture)) == Dice(1)


def test_leaving_changes_nothing() -> None:
    """000 HANDICAP: no reward without a die."""
    state = activated()
    after_it = play(state, ANNA, "leave")
    assert gains(state, after_it, ANNA) == ((), 0)
    assert after_it.dice == state.dice


def test_the_third_reward_sets_a_die_or_takes_one_back() -> None:
    """000 HANDICAP."""
    state = play(activated({5: {ANNA: Dice(1, 1)}}), ANNA, "remove-4-die")
    back = ("take-small-1", "take-small-5", "take-big-5")
    assert choices(state, ANNA) == (*(f"set-small-{n}" for n in CASINO_NUMBERS), *back)


def test_a_set_die_activates_nothing() -> None:
    """000 HANDICAP (T0): PAY DAY at casino 2 stays quiet."""
    state = play(activated(None, "D1"), ANNA, "remove-4-die")
    after_it = play(state, ANNA, "set-big-2")
    assert after_it.own_dice(ANNA, 2) == Dice(0, 1)
    assert gains(state, after_it, ANNA) == ((), 0)
    assert prompt(after_it) == "turn.place"


def test_a_die_taken_back_is_in_hand_again() -> None:
    """000 HANDICAP, the big one too."""
    state = play(activated({5: {ANNA: Dice(0, 1)}}), ANNA, "remove-4-die")
    assert play(state, ANNA, "take-big-5").supply_of(ANNA) == Dice(6, 1)


def test_a_seat_that_takes_its_last_die_back_plays_on() -> None:
    """T4."""
    rest: DiceLaid = {5: {ANNA: Dice(6, 1), BEN: Dice(7, 1), CARLA: Dice(7, 1)}}
    state = play(play(activated(rest), ANNA, "remove-4-die"), ANNA, "take-small-1")
    assert prompt(state) == "turn.place"
    assert state.turn == ANNA


def test_dice_on_tiles_cannot_be_taken_back() -> None:
    """000 HANDICAP: from a casino, not from a tile."""
    state = play(
        activated({spot("G2", "space"): {ANNA: 3}, spot("E2", "bar"): {ANNA: 1}}), ANNA, "remove-4-die"
    )
    assert [choice for choice in choices(state, ANNA) if choice.startswith("take")] == ["take-small-1"]


@pytest.mark.parametrize(("picture", "room"), [("chip", 2), ("money", 3), ("die", 4)])
def test_every_picture_holds_one_die(picture: str, room: int) -> None:
    """000 HANDICAP: two, three and four of a kind."""
    almost, full = filled(tile_table("F2"), picture, room - 1), filled(tile_table("F2"), picture, room)
    assert picture in free_pictures(almost, ANNA)
    assert picture not in free_pictures(full, ANNA)


def test_the_table_shows_the_pictures() -> None:
    """000 HANDICAP."""
    assert HANDICAP.shows(filled(filled(tile_table("F2"), "chip", 1), "die", 4))["pictures"] == [
        {"picture": "chip", "filled": 1, "room": 2},
        {"picture": "money", "filled": 0, "room": 3},
        {"picture": "die", "filled": 4, "room": 4},
    ]


def test_a_reward_that_cannot_be_used_is_not_on_offer() -> None:
    """T-F2: no die in hand, and the only ones placed behind a closed door."""
    state = apply_events(tile_table("F2", dice={4: {ANNA: Dice(7, 1)}}), CasinoClosed(4))
    assert free_pictures(state, ANNA) == ("chip", "money")
    assert free_pictures(state, BEN) == ("chip", "money", "die")


def test_without_grey_dice_nothing_is_asked() -> None:
    """T-F2, S3: all nine cover pictures."""
    state = filled(filled(filled(tile_table("F2"), "chip", 2), "money", 3), "die", 4)
    assert prompt(place_number(state, ANNA, 1).state) == "turn.place"


def test_grey_dice_behind_a_closed_door_stay() -> None:
    """T-E1: nor can own dice be set or fetched there."""
    state = apply_events(tile_table("F2", dice={4: {ANNA: 1}}), CasinoClosed(4))
    state = place_number(state, ANNA, 1).state
    assert not any(choice.startswith("remove-4") for choice in choices(state, ANNA))
    state = play(state, ANNA, "remove-6-die")
    assert not any(choice.endswith("-4") for choice in choices(state, ANNA))


def test_grey_dice_win_and_tie_like_a_player() -> None:
    """000 HANDICAP, payout (D3): two at casino 5 beat one, and tie with a big die (D2)."""
    beaten = tile_table("F2", dice={5: {BEN: 1}}, notes={5: PAIR})
    assert notes_moved_from(pay_out(beaten), 5) == {UNDER: (90_000,), PURSE[BEN]: (30_000,)}
    tied = tile_table("F2", dice={5: {BEN: Dice(0, 1), CARLA: 1}}, notes={5: PAIR})
    assert notes_moved_from(pay_out(tied), 5) == {PURSE[CARLA]: (90_000,), UNDER: (30_000,)}


def test_a_removed_die_no_longer_ties() -> None:
    """000 HANDICAP, payout."""
    state = tile_table("F2", dice={5: {BEN: 2}}, notes={5: PAIR})
    state = play(place_number(state, ANNA, 1).state, ANNA, "remove-5-chip")
    assert notes_moved_from(pay_out(state), 5) == {PURSE[BEN]: (90_000,), UNDER: (30_000,)}


def test_neutral_and_grey_dice_are_two_players() -> None:
    """000 HANDICAP, two players: two each at casino 4 tie, so one own die wins."""
    state = tile_table("F2", players=2, neutral=(4, 4, 6, 6, 6, 6, 6, 6), dice={4: {BEN: 1}}, notes={4: PAIR})
    assert state.dice_of(NEUTRAL, CASINO[4]) == state.dice_of(GREY, CASINO[4]) == Dice(2)
    assert notes_moved_from(pay_out(state), 4) == {PURSE[BEN]: (90_000,), UNDER: (30_000,)}


def test_neutral_dice_cannot_be_removed() -> None:
    """000 HANDICAP, two players: blank dice only."""
    state = activated(players=2)
    after_it = play(state, ANNA, "remove-6-chip")
    assert after_it.dice_of(NEUTRAL, CASINO[6]) == Dice(7, 1)


def test_a_die_taken_back_can_cost_power_play() -> None:
    """T-D2: the instant the lead is gone; T3: the grey die there counts."""
    state = tile_table("F2", "D2", dice={2: {ANNA: 2}})
    state = apply_events(state, TokenMoved("D2", SUPPLY[ANNA]))
    state = play(play(place_number(state, ANNA, 1).state, ANNA, "remove-4-die"), ANNA, "take-small-2")
    assert state.tokens["D2"] == spot("D2", "token")


def test_several_dice_with_the_big_one_remove_one_grey_die() -> None:
    """T0."""
    state = place_number(tile_table("F2"), ANNA, 1, small=3, big=True).state
    assert prompt(play(state, ANNA, "remove-4-chip")) == "turn.place"


def test_the_grey_dice_lie_out_again_in_the_next_round() -> None:
    """000 HANDICAP, setup (D8)."""
    state = pay_out(play(activated(), ANNA, "remove-1-money")).state
    assert state.round == 2
    assert state.dice_of(GREY, CASINO[1]) == Dice(1)
    assert state.dice_of(GREY, spot("F2", "money")) == Dice()


def test_my_choice_can_set_it_off() -> None:
    """000 MY CHOICE, result 4."""
    state = tile_table("F2", "H2")
    state = play(place_number(state, ANNA, 2, black=[(4, 4)]).state, ANNA, "use-4")
    after_it = play(play(state, ANNA, "activate-1"), ANNA, "remove-2-chip")
    assert gains(state, after_it, ANNA) == ((), 1)


def test_the_picture_of_a_die_promises_only_what_can_be_done() -> None:
    """T-F2: whoever has no die in hand takes one back."""
    labels = {option.choice: option.label for option in legal(activated({5: {ANNA: Dice(6, 1)}}), ANNA)}
    assert labels["remove-4-die"] == "Remove a grey die from casino 4, then take one of your dice back"
