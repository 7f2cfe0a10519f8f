"""PRIME TIME, tile B1."""

from __future__ import annotations

import pytest

from events.types import CasinoClosed, ChipsMoved, CounterMoved, DiceRolled, RoundStarted, TokenMoved
from events.values import BANK, BLACK, BOX, CASINO, GREY, NEUTRAL, PURSE, UNDER, Dice
from rules.legal import choices, legal
from rules.state import State
from rules.tiles.b1_prime_time import PRIME_TIME
from rules.tiles.c2_bad_luck import BAD_LUCK
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DiceLaid,
    ScriptedChance,
    answer,
    apply_events,
    notes_moved_from,
    pay_out,
    place_number,
    play,
    tile_table,
    under_release,
)

PAIR = (30_000, 90_000)


def thrown(*black: int, dice: DiceLaid | None = None, codes: tuple[str, ...] = (), players: int = 3) -> State:
    """The round is over, Anna leads casino 1 unless the dice say otherwise."""
    laid: DiceLaid = {1: {ANNA: 2, BEN: 1}, **(dice or {})}
    return ended(tile_table("B1", *codes, dice=laid, players=players, notes={1: PAIR, 2: PAIR}), *black)


def ended(state: State, *black: int) -> State:
    first, second = black
    return pay_out(state, ScriptedChance([(first, second)])).state


def throwing(state: State) -> tuple[int, ...]:
    return state.ask.seats if state.ask is not None and state.ask.prompt == "B1.place" else ()


def test_the_winner_places_none_one_or_both() -> None:
    """000 PRIME TIME: before the payout."""
    state = thrown(5, 2)
    assert throwing(state) == (ANNA,)
    assert choices(state, ANNA) == ("place-2", "place-5", "place-2-5", "place-none")
    assert not any(state.notes_of(seat) for seat in range(3))


def test_everybody_sees_the_black_dice_until_they_are_placed() -> None:
    """000 PRIME TIME."""
    state = thrown(5, 2)
    assert PRIME_TIME.shows(state) == {"thrown": [5, 2]}
    assert PRIME_TIME.shows(play(state, ANNA, "place-none")) == {"thrown": None}


def test_a_double_may_go_there_one_by_one_or_together() -> None:
    """000 PRIME TIME."""
    assert choices(thrown(3, 3), ANNA) == ("place-3", "place-3-3", "place-none")


def test_labels_say_where_the_black_dice_go() -> None:
    """000 PRIME TIME."""
    assert [option.label for option in legal(thrown(5, 2), ANNA)] == [
        "Place the black 2 as your own on casino 2",
        "Place the black 5 as your own on casino 5",
        "Place both black dice as your own on casinos 2 and 5",
        "Place neither of the black dice",
    ]
    assert legal(thrown(3, 3), ANNA)[1].label == "Place both black dice as your own on casino 3"


def test_placed_black_dice_count_as_own_dice() -> None:
    """000 PRIME TIME (T-B1): one small die each."""
    state = thrown(2, 2, dice={2: {ANNA: 1, BEN: 2}})
    assert notes_moved_from(answer(state, ANNA, "place-2-2"), 2) == {
        PURSE[ANNA]: (90_000,),
        PURSE[BEN]: (30_000,),
    }
    assert notes_moved_from(answer(state, ANNA, "place-none"), 2) == {
        PURSE[BEN]: (90_000,),
        PURSE[ANNA]: (30_000,),
    }


def test_a_black_die_can_make_a_tie() -> None:
    """T-B1: every ranking reacts; tied own and black dice leave together."""
    state = thrown(2, 6, dice={2: {ANNA: 1, BEN: 2}})
    assert notes_moved_from(answer(state, ANNA, "place-2"), 2) == {UNDER: (90_000, 30_000)}


def test_black_dice_alone_can_win() -> None:
    """T-B1: wherever they lie."""
    assert notes_moved_from(answer(thrown(2, 6), ANNA, "place-2"), 2)[PURSE[ANNA]] == (90_000,)


@pytest.mark.parametrize("heap", [{}, {ANNA: 2, BEN: 2}])
def test_without_a_winner_nobody_throws(heap: dict[int | str, int | Dice]) -> None:
    """000 PRIME TIME: no dice, or all of them tied."""
    table = pay_out(tile_table("B1", dice={1: heap}))
    assert not any(isinstance(event, DiceRolled) and event.black for event in table.events)


def test_the_winner_is_who_stands_first_when_ties_are_gone() -> None:
    """T-B1."""
    state = tile_table("B1", dice={1: {ANNA: 3, BEN: 3, CARLA: 1}})
    assert throwing(ended(state, 2, 5)) == (CARLA,)


def test_the_big_die_can_make_the_winner() -> None:
    """D2."""
    state = tile_table("B1", dice={1: {ANNA: 1, BEN: Dice(0, 1)}})
    assert throwing(ended(state, 2, 5)) == (BEN,)


@pytest.mark.parametrize("players", [2, 3])
def test_a_grey_winner_does_not_throw(players: int) -> None:
    """T-B1 (D3)."""
    state = tile_table("B1", players=players, dice={1: {ANNA: 1, GREY: 3}})
    assert throwing(pay_out(state).state) == ()


def test_the_neutral_set_does_not_throw() -> None:
    """T-B1, the variant for two."""
    state = tile_table("B1", players=2, neutral=(1,) * 8, dice={1: {ANNA: 2}})
    assert throwing(pay_out(state).state) == ()


def test_neutral_and_grey_dice_tie_each_other_away() -> None:
    """000 BLOCK IT!: two imaginary players, so the seat behind them throws (D3)."""
    state = tile_table("B1", players=2, neutral=(1, 1, 6, 6, 6, 6, 6, 6), dice={1: {ANNA: 1, GREY: 2}})
    assert state.dice_of(NEUTRAL, CASINO[1]) == Dice(2)
    assert throwing(ended(state, 2, 5)) == (ANNA,)


def test_black_dice_cannot_enter_a_closed_casino() -> None:
    """T7: a casino stays closed through PRIME TIME."""
    state = apply_events(tile_table("B1", dice={1: {ANNA: 1}}), CasinoClosed(2))
    assert choices(ended(state, 2, 5), ANNA) == ("place-5", "place-none")
    assert choices(ended(state, 2, 2), ANNA) == ("place-none",)


def test_a_throw_that_only_shows_the_closed_casino_is_still_asked_about() -> None:
    """S3, its exception: declining is all that is left, but the throw is to be seen."""
    state = tile_table("B1", "E1", dice={1: {ANNA: 2, BEN: 1}}, notes={1: PAIR, 2: PAIR})
    state = ended(apply_events(state, TokenMoved("E1", CASINO[4]), CasinoClosed(4)), 4, 4)
    assert throwing(state) == (ANNA,)
    assert choices(state, ANNA) == ("place-none",)
    assert PRIME_TIME.shows(state) == {"thrown": [4, 4]}


def test_the_winner_of_a_closed_casino_throws() -> None:
    """T7: its payout is not affected."""
    state = apply_events(tile_table("B1", dice={1: {ANNA: 1}}), CasinoClosed(1))
    assert choices(ended(state, 1, 4), ANNA) == ("place-4", "place-none")


def test_no_tile_reacts_to_black_dice() -> None:
    """T-B1: the fifth die at HIGH FIVE is black and takes no token."""
    table = answer(thrown(2, 6, dice={2: {ANNA: 4}}, codes=("C1",)), ANNA, "place-2")
    assert TokenMoved("C1", PURSE[ANNA]) not in table.events


def luckless(release: int) -> State:
    """The round is over, and Anna, who throws black dice, has none at BAD LUCK yet."""
    laid: DiceLaid = {1: {ANNA: 2, BEN: 1}, 2: {BEN: 1, CARLA: 2}}
    return ended(under_release(tile_table("B1", "C2", dice=laid), release), 2, 2)


def test_black_dice_do_not_save_from_bad_luck() -> None:
    """D8: counts are noted before PRIME TIME, whose dice count "during the subsequent payout" (000)."""
    state = luckless(release=2)
    assert BAD_LUCK.shows(state) == {"fewest": [ANNA]}
    table = answer(state, ANNA, "place-2-2")
    assert not [event for event in table.events if isinstance(event, CounterMoved)]
    assert ChipsMoved(PURSE[ANNA], BANK, 2) in table.events


def test_in_release_1_black_dice_save_from_bad_luck() -> None:
    """D8, release 1: PRIME TIME came before BAD LUCK counted."""
    state = luckless(release=1)
    assert BAD_LUCK.shows(state) == {"fewest": [ANNA]}
    events = answer(state, ANNA, "place-2-2").events
    assert [event for event in events if isinstance(event, CounterMoved)] == [CounterMoved("C2-1", 1)]


def test_placing_dice_there_does_nothing_yet() -> None:
    """000 PRIME TIME: not when activated."""
    assert throwing(place_number(tile_table("B1"), ANNA, 1, small=2, big=True).state) == ()


def test_my_choice_sets_nothing_off() -> None:
    """000 MY CHOICE, result 4 (T8): it may be named, and nothing happens."""
    state = play(place_number(tile_table("B1", "H2"), ANNA, 2, black=[(4, 4)]).state, ANNA, "use-4")
    state = play(state, ANNA, "activate-1")
    assert state.ask is not None
    assert state.ask.prompt == "turn.place"


def test_the_black_dice_are_back_in_the_next_round() -> None:
    """D8: dice return, lent ones too, tied away or not."""
    state = thrown(2, 5, dice={2: {BEN: 1}})
    state = play(state, ANNA, "place-2-5")
    assert state.round == 2
    assert state.dice_of(BLACK, BOX) == Dice(2)
    assert not any(owner.startswith("black-") for heap in state.dice.values() for owner in heap)


def test_the_last_round_waits_for_it_too() -> None:
    """D8."""
    state = apply_events(tile_table("B1", dice={1: {ANNA: 1}}), RoundStarted(3, ANNA))
    state = ended(state, 2, 5)
    assert state.status == "playing"
    assert play(state, ANNA, "place-none").status == "over"
