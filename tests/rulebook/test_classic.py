"""The first Las Vegas, book 001: set-up and turns."""

from __future__ import annotations

from collections import Counter

import pytest

from events.commands import Create, Sit
from events.types import DicePlaced, DiceRolled, GameStarted, RoundStarted, SeatTaken
from events.values import CASINO, CASINO_NUMBERS, Dice, SeatPlan
from rules.decide import run_command
from rules.editions import EDITIONS
from rules.errors import Reason, Rejected
from rules.legal import choices, legal
from rules.state import EMPTY, State
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DENNY,
    ScriptedChance,
    answer,
    new_game,
    play,
    roll_dice,
    table_at,
)

ONE_OF_EACH = (1, 2, 3, 4, 5, 6, 1, 1)


def picks_of(*notes: int) -> list[int]:
    """What chance has to say for these notes to be turned over, in this order."""
    unseen, picks = list(EDITIONS.newest["classic"].notes), list[int]()
    for note in notes:
        picks.append(unseen.index(note))
        unseen.remove(note)
    return picks


# Set-up


def test_each_player_has_eight_dice() -> None:
    """001, game components and set-up."""
    state = new_game("classic", 5)
    assert [state.supply_of(seat) for seat in range(5)] == [Dice(8)] * 5


def test_fifty_four_notes_of_nine_values() -> None:
    """001, game components; M1."""
    state = new_game("classic", 2)
    notes = Counter(note // 1_000 for lying in state.notes.values() for note in lying)
    assert notes == {10: 6, 20: 8, 30: 8, 40: 6, 50: 6, 60: 5, 70: 5, 80: 5, 90: 5}


def test_the_casinos_lie_in_the_order_of_their_numbers() -> None:
    """001, game set-up, figure."""
    names = ("Golden Nugget", "Caesar's Palace", "The Mirage", "Sahara", "Luxor", "Circus Circus")
    assert EDITIONS.newest["classic"].casinos == names


def test_a_casino_gets_notes_until_they_are_worth_at_least_fifty_thousand() -> None:
    """001, game set-up; M1: exactly $50,000 is enough, and a last note may go far beyond."""
    laid = [(50_000,), (40_000, 10_000), (40_000, 90_000), (30_000, 10_000, 20_000), (90_000,), (60_000,)]
    order = picks_of(*(note for lying in laid for note in lying))
    state = new_game("classic", 2, {"start_seat": ANNA}, ScriptedChance(picks=order))
    assert [state.notes_at(number) for number in CASINO_NUMBERS] == laid


def test_cheap_notes_come_by_the_handful() -> None:
    """001, game set-up; M1: the cheapest notes of the pile first."""
    state = new_game("classic", 2)
    thousands = [tuple(note // 1_000 for note in state.notes_at(number)) for number in CASINO_NUMBERS]
    assert thousands == [(10,) * 5, (10, 20, 20), (20,) * 3, (20,) * 3, (30, 30), (30, 30)]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_two_to_five_players_sit_down(players: int) -> None:
    """001, game components: five colours; P1."""
    assert new_game("classic", players).status == "playing"


@pytest.mark.parametrize("players", [1, 6])
def test_one_player_or_six_are_refused(players: int) -> None:
    """001, game components: five colours; P1."""
    with pytest.raises(Rejected) as refusal:
        new_game("classic", players)
    assert (refusal.value.reason, refusal.value.rule) == (Reason.BAD_SEATS, "P1")


def test_chance_picks_the_first_starter() -> None:
    """001, game set-up: the oldest, whom nobody knows here; P2."""
    state = new_game("classic", 5, chance=ScriptedChance(picks=[3]))
    assert (state.starter, state.turn) == (DENNY, DENNY)


def test_a_named_seat_starts_without_a_draw() -> None:
    """P2."""
    state = new_game("classic", 3, {"start_seat": CARLA}, ScriptedChance(picks=[0]))
    assert (state.starter, state.turn) == (CARLA, CARLA)


# A table that is not full yet


def lobby(*seats: SeatPlan) -> State:
    return run_command(EMPTY, Create("g_1", "classic", seats, "c0" * 32, {}), ScriptedChance()).state


def test_the_game_waits_while_a_seat_is_open() -> None:
    """P7."""
    table = run_command(lobby(SeatPlan(), SeatPlan("Ben"), SeatPlan()), Sit(2, "Carla"), ScriptedChance())
    assert table.events == [SeatTaken(2, "Carla")]
    assert (table.state.status, table.state.ask) == ("lobby", None)


def test_seats_keep_the_order_of_the_list_whoever_sits_down_first() -> None:
    """P7."""
    state = run_command(
        lobby(SeatPlan(), SeatPlan("Ben"), SeatPlan()), Sit(2, "Carla"), ScriptedChance()
    ).state
    state = run_command(state, Sit(0, "Anna"), ScriptedChance()).state
    assert [seat.name for seat in state.seats] == ["Anna", "Ben", "Carla"]


def test_the_starter_is_drawn_after_the_last_player_sat_down() -> None:
    """P7, P2."""
    table = run_command(lobby(SeatPlan("Anna"), SeatPlan()), Sit(1, "Ben"), ScriptedChance(picks=[1]))
    taken, started, first_round = table.events[:3]
    assert taken == SeatTaken(1, "Ben")
    assert isinstance(started, GameStarted)
    assert first_round == RoundStarted(1, BEN, chance=0)


# Turns


def test_a_turn_opens_with_the_roll_of_all_dice_left() -> None:
    """001, gameplay; D1: the ask already shows the roll."""
    state = roll_dice(new_game("classic", 2), ANNA, *ONE_OF_EACH)
    table = answer(state, ANNA, "place-1", ScriptedChance([(6, 5, 5, 4, 3, 2, 2, 2)]))
    assert DiceRolled(state.drawn, BEN, (2, 2, 2, 3, 4, 5, 5, 6)) in table.events
    assert table.state.ask is not None
    assert (table.state.ask.seats, choices(table.state, BEN)) == (
        (BEN,),
        ("place-2", "place-3", "place-4", "place-5", "place-6"),
    )


def test_fewer_dice_are_rolled_as_the_round_goes_on() -> None:
    """001, gameplay."""
    state = roll_dice(table_at("classic", 2, dice={1: {BEN: 5}}), ANNA, *ONE_OF_EACH)
    state = play(state, ANNA, "place-2", ScriptedChance([(4, 4, 6)]))
    assert state.roll is not None
    assert state.roll.own == (4, 4, 6)


def test_all_dice_of_the_chosen_number_go_to_its_casino() -> None:
    """001, gameplay, example: Benno's four 3s and a 5."""
    state = roll_dice(table_at("classic", 3, dice={1: {BEN: 3}}), BEN, 3, 3, 3, 3, 5)
    assert [(option.choice, option.label) for option in legal(state, BEN)] == [
        ("place-3", "Place four dice on casino 3"),
        ("place-5", "Place one die on casino 5"),
    ]
    table = answer(state, BEN, "place-3")
    assert table.events[0] == DicePlaced(BEN, 3, CASINO[3], 4)
    assert table.state.own_dice(BEN, 3) == Dice(4)
    assert table.state.supply_of(BEN) == Dice(1)


def test_the_last_die_is_rolled_and_asked_for_although_there_is_one_answer() -> None:
    """001, gameplay, example: Benno's next turn; S3."""
    state = roll_dice(table_at("classic", 3, dice={1: {BEN: 7}}), BEN, 4)
    assert choices(state, BEN) == ("place-4",)
    assert not state.own_dice(BEN, 4).count
    assert play(state, BEN, "place-4").own_dice(BEN, 4) == Dice(1)


@pytest.mark.parametrize("choice", ["place-2", "place-3-1", "pass", ""])
def test_exactly_one_rolled_number_must_be_chosen(choice: str) -> None:
    """001, gameplay: no number that was not rolled, no part of one, no pass."""
    state = roll_dice(table_at("classic", 3, dice={1: {BEN: 3}}), BEN, 3, 3, 3, 3, 5)
    with pytest.raises(Rejected) as refusal:
        play(state, BEN, choice)
    assert refusal.value.reason is Reason.ILLEGAL_CHOICE


def test_dice_may_join_dice_that_lie_there_already() -> None:
    """001, gameplay: own ones and those of others."""
    state = roll_dice(table_at("classic", 2, dice={6: {ANNA: 2, BEN: 1}}), ANNA, 6, 6, 6, 1, 1, 1)
    state = play(state, ANNA, "place-6")
    assert (state.own_dice(ANNA, 6), state.own_dice(BEN, 6)) == (Dice(5), Dice(1))


def test_play_goes_on_clockwise() -> None:
    """001, gameplay; P3: to the next higher seat, after the last one to seat 0."""
    state = new_game("classic", 3, {"start_seat": BEN}, ScriptedChance([ONE_OF_EACH]))
    order = [state.turn]
    for seat in (BEN, CARLA, ANNA):
        dice = state.supply_of(state.left_of(seat)).count
        state = play(state, seat, "place-6", ScriptedChance([ONE_OF_EACH[:dice]]))
        order.append(state.turn)
    assert order == [BEN, CARLA, ANNA, BEN]


@pytest.mark.parametrize(("first", "order"), [(0, (0, 1, 2, 3)), (2, (2, 3, 0, 1)), (4, (0, 1, 2, 3))])
def test_clockwise_ends_at_the_last_seat_and_goes_on_at_seat_0(first: int, order: tuple[int, ...]) -> None:
    """P3."""
    assert new_game("classic", 4).clockwise(first) == order


def test_players_out_of_dice_pass() -> None:
    """001, gameplay."""
    state = roll_dice(table_at("classic", 4, dice={1: {BEN: 8, CARLA: 8}}), ANNA, *ONE_OF_EACH)
    assert play(state, ANNA, "place-6").turn == DENNY


def test_the_only_player_with_dice_takes_several_turns_in_a_row() -> None:
    """001, gameplay."""
    state = roll_dice(table_at("classic", 3, dice={1: {ANNA: 8, CARLA: 8, BEN: 5}}), BEN, 2, 3, 4)
    for choice, roll in (("place-2", (3, 5)), ("place-5", (6,))):
        state = play(state, BEN, choice, ScriptedChance([roll]))
        assert (state.turn, state.round, choices(state, BEN)[0]) == (BEN, 1, f"place-{roll[0]}")
    assert play(state, BEN, "place-6").round == 2


def test_the_round_is_paid_out_when_all_dice_are_placed() -> None:
    """001, gameplay: not before the last player has placed the last die."""
    state = table_at("classic", 2, notes={4: (60_000,)}, dice={4: {ANNA: 8}, 1: {BEN: 6}})
    state = play(roll_dice(state, BEN, 1, 2), BEN, "place-1", ScriptedChance([(2,)]))
    assert (state.round, state.notes_of(ANNA)) == (1, ())
    state = play(state, BEN, "place-2")
    assert (state.round, state.notes_of(ANNA)) == (2, (60_000,))
