"""The first Las Vegas, book 001: later rounds and the end of the game."""

from __future__ import annotations

from collections import Counter

import pytest

from events.commands import Choose
from events.types import GameEnded, NotesMoved, RoundStarted
from events.values import CASINO, CASINO_NUMBERS, PILE, PURSE, UNDER, Dice
from rules.decide import run_command
from rules.editions import EDITIONS
from rules.errors import Reason, Rejected
from rules.legal import choices
from rules.scoring import places
from rules.state import State
from rules.table import Table
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DENNY,
    ScriptedChance,
    answer,
    apply_events,
    new_game,
    pay_out,
    play,
    roll_dice,
    table_at,
)


def played_to_the_end(state: State) -> Table:
    """The rounds that are left, without a die placed in any of them."""
    table = pay_out(state)
    while table.state.status != "over":
        table = pay_out(table.state)
    return table


def with_pile(*pile: int, under: tuple[int, ...] = ()) -> State:
    """Two players, bare casinos; these notes unseen, those below them, all others won by Anna."""
    state = table_at("classic", 2, notes={UNDER: under})
    won = Counter(state.unseen) - Counter(pile)
    return apply_events(state, NotesMoved(PILE, PURSE[ANNA], tuple(won.elements())))


def test_casinos_are_stocked_again_for_the_next_round() -> None:
    """001, the next round; M1."""
    state = pay_out(table_at("classic", 2, notes={}, dice={1: {ANNA: 3}})).state
    assert all(sum(state.notes_at(number)) >= 50_000 for number in CASINO_NUMBERS)
    assert [state.supply_of(seat) for seat in (ANNA, BEN)] == [Dice(8), Dice(8)]


def test_notes_below_the_pile_are_drawn_last_and_in_their_order() -> None:
    """001, payout and the next round; M1."""
    state = pay_out(
        with_pile(40_000, under=(90_000, 20_000, 60_000, 50_000)), ScriptedChance(picks=[0])
    ).state
    assert [state.notes_at(number) for number in (1, 2, 3)] == [
        (40_000, 90_000),
        (20_000, 60_000),
        (50_000,),
    ]


def test_stocking_ends_with_the_last_note() -> None:
    """M1: should notes ever run short."""
    state = pay_out(with_pile(30_000, under=(30_000, 10_000))).state
    assert [state.notes_at(number) for number in CASINO_NUMBERS] == [(30_000, 30_000), (10_000,), *[()] * 4]
    assert state.notes[UNDER] == state.unseen == ()


def test_the_pile_suffices_for_four_rounds_even_if_the_cheapest_notes_come_first_and_all_are_won() -> None:
    """M1."""
    state, stocked = new_game("classic", 2), 0
    while state.status != "over":
        laid = [state.notes_at(number) for number in CASINO_NUMBERS]
        stocked += sum(sum(lying) >= 50_000 for lying in laid)
        won = [NotesMoved(CASINO[number], PURSE[BEN], laid[number - 1]) for number in CASINO_NUMBERS]
        state = pay_out(apply_events(state, *won)).state
    assert stocked == 24
    assert state.unseen


def test_no_order_of_the_notes_can_exhaust_the_pile() -> None:
    """M1: a note of $50,000 or more stocks a casino by itself, and there are more of those than casinos."""
    edition = EDITIONS.newest["classic"]
    assert sum(note >= 50_000 for note in edition.notes) > edition.rounds * len(CASINO_NUMBERS)


def test_the_start_moves_to_the_left_over_four_rounds() -> None:
    """001, the next round and game end; P5, P3."""
    state = new_game("classic", 3, {"start_seat": CARLA})
    starters = []
    while state.status != "over":
        starters.append((state.round, state.starter, state.turn))
        state = pay_out(state).state
    assert starters == [(1, CARLA, CARLA), (2, ANNA, ANNA), (3, BEN, BEN), (4, CARLA, CARLA)]


def test_the_start_moves_left_whoever_rolled_last() -> None:
    """001, the next round; P5."""
    state = table_at("classic", 3, dice={1: {ANNA: 8, BEN: 8, CARLA: 7}})
    table = answer(roll_dice(state, CARLA, 4), CARLA, "place-4")
    assert [event for event in table.events if isinstance(event, RoundStarted)] == [RoundStarted(2, BEN)]
    assert table.state.turn == BEN


def test_most_money_wins() -> None:
    """001, game end; P6: one dear note beats many cheap ones."""
    state = table_at("classic", 3, purses={ANNA: (20_000, 10_000, 30_000), BEN: (70_000,)})
    table = played_to_the_end(state)
    assert table.events[-2] == GameEnded((BEN,), (60_000, 70_000, 0), ScriptedChance().seed())
    assert (table.state.winners, table.state.turn, table.state.ask) == ((BEN,), None, None)


def test_no_dice_lie_in_the_arena_when_the_game_is_over() -> None:
    """001, game end: the roll that lay there is back in the supply."""
    state = new_game("classic", 2)
    assert state.roll is not None
    assert played_to_the_end(state).state.roll is None


def test_most_notes_win_when_money_is_level() -> None:
    """001, game end; P6."""
    purses = {ANNA: (60_000,), BEN: (50_000, 10_000), CARLA: (60_000,)}
    assert played_to_the_end(table_at("classic", 3, purses=purses)).state.winners == (BEN,)


def test_several_win_when_money_and_notes_are_level() -> None:
    """001, game end; P6."""
    purses = {ANNA: (60_000, 10_000), BEN: (70_000,), DENNY: (50_000, 20_000)}
    assert played_to_the_end(table_at("classic", 4, purses=purses)).state.winners == (ANNA, DENNY)


def test_places_below_the_winner_follow_money_and_then_notes() -> None:
    """001, game end; P6: level money is decided by notes at every place, and equals share one."""
    purses = {ANNA: (90_000,), BEN: (60_000,), CARLA: (50_000, 10_000), DENNY: (60_000,)}
    assert places(table_at("classic", 4, purses=purses)) == (1, 3, 2, 3)


def test_a_whole_game_in_which_all_dice_tie() -> None:
    """001, from set-up to game end: eight dice each at casino 1, four rounds, nobody wins a note."""
    state, turns = new_game("classic", 2), 0
    while state.turn is not None:
        state, turns = play(state, state.turn, "place-1"), turns + 1
    assert (turns, state.status, state.winners) == (8, "over", (ANNA, BEN))
    assert not any(state.notes.get(purse) for purse in PURSE)
    assert sum(len(lying) for lying in state.notes.values()) == 54
    assert [state.supply_of(seat) for seat in (ANNA, BEN)] == [Dice(8), Dice(8)]


def test_after_the_fourth_round_nothing_may_be_played() -> None:
    """001, game end."""
    state = new_game("classic", 2)
    over = played_to_the_end(state).state
    assert (choices(state, ANNA), choices(over, ANNA)) == (("place-1",), ())
    with pytest.raises(Rejected) as refusal:
        run_command(over, Choose(over.asked, ANNA, "place-1"), ScriptedChance())
    assert refusal.value.reason is Reason.GAME_OVER
