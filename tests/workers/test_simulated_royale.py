"""The fast twin of Royale: casinos, dice and chips as in the rules, and tiles as far as a move goes."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.commands import Choose
from events.values import CASINO_NUMBERS, OWNER
from rules.choice import read_choice
from rules.editions import EDITIONS
from rules.legal import choices
from rules.lookahead import pay_out_now, unfinished_payout
from rules.scoring import totals
from rules.state import State, view
from tests.support.game_loop import Move, Plan, play_moves
from tests.support.profiles import examples
from workers.bots.protocol import Question
from workers.bots.valuation import SOME_THROWS, SampledChance
from workers.simulation import royale, royale_net
from workers.simulation.net import NetInputs
from workers.simulation.royale import Leaf, know_tiles, read_table
from workers.simulation.royale_lanes import Ints, RoyaleLanes
from workers.simulation.royale_net import RoyaleRound, compute_inputs, roll_for, stand, take_move
from workers.simulation.winning import THOUSAND

some = examples(5, long=60)
games = given(seed=st.integers(0, 2**20), players=st.integers(2, 5))
each_count = pytest.mark.parametrize("tiles", [0, 3, 6])


def moves(tiles: int, players: int, seed: int) -> list[Move]:
    played = play_moves(Plan("royale", {"tiles": tiles}, players), seed)
    return [move for move in played if isinstance(move.command, Choose)]


def lanes_of(state: State) -> RoyaleLanes:
    return royale.stack_lanes([read_table(Leaf(state, 1, 0), 0)])


def rolled(state: State) -> tuple[Ints, Ints]:
    """One lane, by face."""
    roll = state.roll
    assert roll is not None
    small = [[roll.own.count(face) for face in CASINO_NUMBERS]]
    return np.array(small, np.int32), np.array([[int(roll.big == face) for face in CASINO_NUMBERS]], np.int32)


@each_count
@some
@games
def test_casinos_pay_what_the_rules_say(tiles: int, seed: int, players: int) -> None:
    for move in moves(tiles, players, seed):
        state, paid = move.after, lanes_of(move.after).paid[0]
        if unfinished_payout(state):
            continue
        for number in CASINO_NUMBERS:
            standing = {lot.owner: sum(lot.notes) for lot in EDITIONS.of(state).standing(state, number)}
            for seat in range(players):
                assert THOUSAND * paid[seat, number - 1] == standing.get(OWNER[seat], 0)


@some
@games
def test_turns_and_rounds_go_as_in_the_rules(seed: int, players: int) -> None:
    for move in moves(0, players, seed):
        command, lanes, seat = move.command, lanes_of(move.before), move.before.turn
        assert isinstance(command, Choose)
        assert isinstance(command.choice, str)
        assert seat is not None
        choice, (small, big) = read_choice(command.choice), rolled(move.before)
        legal, paid = lanes.offers(seat, small, big)
        found = {f"place-{number}" for number in CASINO_NUMBERS if legal[0, number - 1]}
        assert found | ({"pass"} if lanes.chips[0, seat] else set()) == set(choices(move.before, seat))
        if choice.verb == "pass":
            lanes.pass_turn(seat, np.array([0]))
        else:
            lanes.place(seat, np.array([0]), np.array([choice.number - 1]), small, big, paid)
        hold_to_rules(lanes, move)


def hold_to_rules(lanes: RoyaleLanes, move: Move) -> None:
    if move.after.round == move.before.round and move.after.status == "playing":
        rules = lanes_of(move.after)
        for name, theirs in vars(rules).items():
            np.testing.assert_array_equal(getattr(lanes, name), theirs)
        return
    sums = lanes.won() + np.array([read_table(Leaf(move.before, 1, 0), 0).extra], np.int32)
    # With the next round each seat has got two more chips.
    given = 0 if move.after.status == "over" else 20
    assert [THOUSAND * (int(total) + given) for total in sums[0]] == list(totals(move.after))


@each_count
@some
@games
def test_what_is_not_played_out_is_what_a_payout_now_brings(tiles: int, seed: int, players: int) -> None:
    """So a round that ends with the move is weighed by the rules alone."""
    for move in moves(tiles, players, seed)[::7]:
        table = read_table(Leaf(move.after, 1, 0), 0)
        sums = royale.stack_lanes([table]).won() + np.array([table.extra], np.int32)
        paid = totals(pay_out_now(move.after, SampledChance(0)))
        assert [THOUSAND * int(total) for total in sums[0]] == list(paid)


@each_count
@some
@games
def test_every_option_of_every_question_is_weighed(tiles: int, seed: int, players: int) -> None:
    random = Random(seed)
    for move in random.sample(moves(tiles, players, seed), 4):
        state = move.before
        seat = state.ask.awaited[0] if state.ask else 0
        seen = view(state, seat)
        question = Question(seen, seat, choices(seen, seat), random.choice((3, royale.FEWEST)), random)
        if royale.claims(question):
            found = royale.weigh(question)
            assert [candidate.choice for candidate in found] == list(question.options)
            assert all(0 <= (candidate.win or 0) <= 1 for candidate in found)


@pytest.mark.parametrize("tiles", [3, 6])
@some
@games
def test_fines_and_races_are_those_of_the_rules(tiles: int, seed: int, players: int) -> None:
    """A payout now brings what it does by the rules, but for what the winner of a casino gets on average."""
    for move in moves(tiles, players, seed)[::7]:
        state = move.after
        if unfinished_payout(state):
            continue
        table = know_tiles(read_table(Leaf(state, 1, 0), 0), state)
        lanes = royale.stack_lanes([replace(table, notes=read_table(Leaf(state, 1, 0), 0).notes)])
        sums = np.maximum(lanes.won() + np.array([table.extra], np.int32), 0)
        assert [THOUSAND * int(total) for total in sums[0]] == list(
            totals(pay_out_now(state, SampledChance(0)))
        )
        taken = "C1" in state.tiles and state.tokens["C1"].startswith("purse")
        assert any(table.races) == ("C1" in state.tiles and not taken)


@some
@games
def test_a_table_after_a_move_looks_as_if_the_move_was_made(seed: int, players: int) -> None:
    """So the net judges an option before it is taken as it does after."""
    random = np.random.Generator(np.random.PCG64(seed))
    for move in moves(6, players, seed)[::9]:
        if move.before.roll is None or unfinished_payout(move.before):
            continue
        tables = [know_tiles(read_table(Leaf(move.before, 1, 0), 0), move.before)]
        round_ = royale.make_round(tables, 1)
        seat = move.before.turn or 0
        offered = roll_for(round_, seat, *rolled(move.before))
        options = np.flatnonzero(offered.legal[0])
        if not len(options):
            continue
        pair = np.array([0]), random.choice(options, 1)
        seen = compute_inputs(royale_net.move(round_, seat, offered, pair), seat)
        take_move(round_, seat, offered, *pair)
        assert_same_inputs(seen, round_, seat)


def assert_same_inputs(seen: NetInputs, round_: RoyaleRound, seat: int) -> None:
    after = compute_inputs(stand(round_), seat)
    for name in NetInputs.__struct_fields__:
        np.testing.assert_array_equal(getattr(seen, name), getattr(after, name))


def test_playouts_go_on_from_each_throw_as_often_as_it_comes() -> None:
    leaves = [Leaf(State(), throw.often, 0) for throw in SOME_THROWS]
    shared = royale.share_playouts(leaves, 36)
    assert [shared.count(number) for number in range(len(leaves))] == [throw.often for throw in SOME_THROWS]
    assert royale.share_playouts(leaves[:1], 4) == [0] * 4
