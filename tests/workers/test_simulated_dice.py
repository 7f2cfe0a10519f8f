"""The lanes are the rules: on the same dice the same tables, options and money."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from msgspec import Struct, structs
from numpy.typing import NDArray

from events.commands import Choose
from rules.choice import write_choice
from rules.decide import run_command
from rules.lookahead import pay_out_now
from rules.scoring import totals
from rules.state import State
from tests.support.lane_positions import GivenDice, ask_at, moments
from tests.support.profiles import examples
from workers.bots.protocol import Question
from workers.bots.valuation import SampledChance
from workers.simulation.dice import (
    FEWEST,
    WHIM,
    claims,
    lay_roll,
    open_lanes,
    play_out,
    read_question,
    sensible,
    take_options,
    weigh,
)
from workers.simulation.lanes import Ints, Lanes, Offers
from workers.simulation.position import COLOURS

THOUSAND = 1_000


def answer(state: State, choice: str, chance: SampledChance) -> State:
    assert state.ask is not None
    return run_command(state, Choose(state.ask.id, state.ask.awaited[0], choice), chance).state


def take_best_card(state: State, chance: SampledChance) -> State:
    """As lanes do: the colour that adds most, of equals the first."""
    if state.ask is None or state.ask.prompt != "chip_cards.take":
        return state
    seat = state.ask.awaited[0]
    held = state.chip_cards.get(f"purse-{seat}", ())
    colours = [colour for colour in COLOURS if write_choice("take", colour) in state.ask.options]
    return answer(state, write_choice("take", max(colours, key=held.count)), chance)


def lane_of(lanes: Lanes, lane: int) -> tuple[list[object], ...]:
    """All that lies on that table."""
    arrays: list[NDArray[Any] | None] = [lanes.codes, lanes.small, lanes.big, lanes.white, lanes.paid]
    if lanes.bandit is not None:
        arrays += [lanes.bandit.merits, lanes.bandit.taken]
    if lanes.chips is not None:
        arrays += [lanes.chips.lying, lanes.chips.held]
    return tuple([] if array is None or not array[lane].any() else array[lane].tolist() for array in arrays)


def money_now(state: State) -> list[int]:
    """Of each seat, in thousands, if every casino paid now."""
    return [money // THOUSAND for money in totals(pay_out_now(state, SampledChance(0)))]


def money_in(question: Question, lanes: Lanes, lane: int) -> list[int]:
    return [int(money) for money in lanes.won()[lane] + np.array(read_question(question).cash)]


@given(moments())
@examples(25)
def test_every_option_leads_to_the_table_that_the_rules_lead_to(state: State) -> None:
    question = ask_at(state, 1)
    assert claims(question)
    lanes = take_options(question, read_question(question))
    for lane, option in enumerate(question.options):
        after = take_best_card(answer(state, option, SampledChance(1)), SampledChance(1))
        if after.round == state.round and after.ask is not None:
            assert lane_of(lanes, lane) == lane_of(open_lanes(read_question(ask_at(after, 1)), 1), 0)
            assert money_in(question, lanes, lane) == money_now(after)
        else:
            assert money_in(question, lanes, lane) == [money // THOUSAND for money in totals(after)]


@given(moments())
@examples(25)
def test_a_roll_offers_what_the_rules_offer(state: State) -> None:
    question = ask_at(state, 1)
    if state.roll is not None and state.ask is not None and state.ask.prompt == "turn.place":
        offers = open_lanes(read_question(question), 1).offers(question.seat, lay_roll(state.roll, 1))
        there = [write_choice(verb, face) for verb in ("place", "bandit") for face in range(1, 7)]
        legal = zip(there, offers.legal[0], strict=False)
        assert {choice for choice, allowed in legal if allowed} == set(question.options)


class Move(Struct):
    seat: int
    throw: tuple[int, ...]
    choice: str


class Chronicle:
    """Plays like the lanes and takes down what happens in the only one."""

    def __init__(self) -> None:
        self.moves: list[Move] = []

    def choose(self, lanes: Lanes, seat: int, offers: Offers, whims: Ints) -> Ints:
        worth = np.where(offers.legal, sensible(lanes, seat, offers, whims), -(10**8))
        chosen, rolled = int(worth[0].argmax()), offers.rolled
        throw = [face for dice in (rolled.small, rolled.big, rolled.white) for face in _faces(dice)]
        choice = write_choice("bandit" if chosen >= 6 else "place", chosen % 6 + 1)
        self.moves.append(Move(seat, tuple(throw), choice))
        return worth


def _faces(dice: Ints | None) -> list[int]:
    counts = [] if dice is None else dice[0].tolist()
    return [face for face, count in enumerate(counts, 1) for _ in range(count)]


@given(moments())
@examples(25)
def test_a_round_that_is_played_out_ends_as_by_the_rules(state: State) -> None:
    """With whose turn it is, what is rolled and what is paid."""
    question, chronicle = ask_at(state, 3), Chronicle()
    question = structs.replace(question, options=question.options[:1])
    lanes = take_options(question, read_question(question))
    play_out(lanes, question.seat + 1, 1, Random(5), chronicle.choose, WHIM)
    chance = GivenDice(iter([move.throw for move in chronicle.moves]))
    played = take_best_card(answer(state, question.options[0], chance), chance)
    for move in chronicle.moves:
        assert played.ask is not None
        assert played.ask.awaited == (move.seat,)
        played = take_best_card(answer(played, move.choice, chance), chance)
    assert played.round > state.round or played.status == "over"
    assert money_in(question, lanes, 0) == [money // THOUSAND for money in totals(played)]


@pytest.mark.parametrize("budget", [FEWEST - 1, FEWEST])
@given(state=moments())
@examples(15, long=100)
def test_every_option_is_weighed_and_the_same_again(budget: int, state: State) -> None:
    """On a small budget by playouts alone, on a larger one also by what was learned."""
    weighed = weigh(ask_at(state, 7, budget))
    assert [candidate.choice for candidate in weighed] == list(ask_at(state, 7).options)
    assert all(candidate.money is not None and candidate.money >= 0 for candidate in weighed)
    assert all(candidate.win is not None and 0 <= candidate.win <= 1 for candidate in weighed)
    assert weigh(ask_at(state, 7, budget)) == weighed
