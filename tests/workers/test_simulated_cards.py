"""The fast twin of the card game does what the rules do, and sees no more than its seat."""

from __future__ import annotations

from collections import Counter
from itertools import count
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.agenda import Ask
from events.commands import Choose
from events.secrecy import Secret
from events.types import CardsPlayed
from rules.editions import EDITIONS
from rules.legal import choices
from rules.mechanics import card_turn
from rules.mechanics.card_turn import HAND, unseen_cards
from rules.scoring import money, totals
from rules.state import State, view
from tests.support.game_loop import Move, Plan, play_moves
from tests.support.profiles import examples
from workers.bots.protocol import Question
from workers.simulation import card_net, cards
from workers.simulation.card_lanes import CASINOS, MOST_TURNS, CardLanes, Hand, Selection
from workers.simulation.card_net import (
    CardPlayer,
    CasinoNet,
    Mood,
    Outlook,
    compute_inputs,
    count_inputs,
    round_weights,
)
from workers.simulation.cards import (
    CARDS,
    FEWEST,
    answer,
    cards_to_come,
    count_stocks,
    deal,
    read_selection,
    read_table,
    select,
)
from workers.simulation.winning import THOUSAND, chance_to_win

VARIANTS: tuple[dict[str, bool], ...] = ({}, {"sequential": True}, {"sequential": True, "chip_cards": True})
each_variant = pytest.mark.parametrize(
    "options", VARIANTS, ids=lambda options: "-".join(options) or "at-once"
)
some = examples(5, long=60)
games = given(seed=st.integers(0, 2**20), players=st.integers(2, 5))


def moves(options: dict[str, bool], players: int, seed: int) -> list[Move]:
    """Of seats that answer what they are asked."""
    played = play_moves(Plan("cards", options, players), seed)
    return [move for move in played if isinstance(move.command, Choose) and move.before.ask is not None]


def laid_in(move: Move) -> CardLanes:
    """What the twin makes of a move: of several who select at once, the last brings all of them."""
    lanes, ask, command = read_table(move.before), move.before.ask, move.command
    assert isinstance(command, Choose)
    assert ask is not None
    if len(ask.seats) == 1:
        assert isinstance(command.choice, str)
        return answer(move.before, ask, command.seat, [command.choice])
    for event in move.events:
        if isinstance(event, CardsPlayed):
            dice, count = read_selection("-".join(("play", *event.cards)))
            lanes.lay(event.seat, np.array([dice], np.int16), np.array([count], np.int16))
    return lanes


def ends_round(move: Move) -> bool:
    return move.after.round != move.before.round or move.after.status == "over"


@each_variant
@some
@games
def test_every_move_leads_to_the_table_of_the_rules(
    options: dict[str, bool], seed: int, players: int
) -> None:
    for move in moves(options, players, seed):
        if not ends_round(move):
            ours, rules = laid_in(move), read_table(move.after)
            for mine, theirs in zip(vars(ours).values(), vars(rules).values(), strict=True):
                np.testing.assert_array_equal(mine, theirs)
            out = [seat for seat in range(players) if not ours.plays_on(seat)]
            assert not set(out) & set(move.after.hands)


@each_variant
@some
@games
def test_every_round_pays_what_the_rules_pay(options: dict[str, bool], seed: int, players: int) -> None:
    for move in filter(ends_round, moves(options, players, seed)):
        won, notes = laid_in(move).pay_out()
        for seat in range(players):
            gained = money(move.after, seat) - money(move.before, seat)
            assert THOUSAND * int(won[0, seat]) == gained
            assert notes[0, seat] == len(move.after.notes_of(seat)) - len(move.before.notes_of(seat))


@each_variant
@some
@games
def test_the_last_round_is_won_as_the_rules_say(options: dict[str, bool], seed: int, players: int) -> None:
    last = moves(options, players, seed)[-1].after
    sums = np.array([[total // THOUSAND for total in totals(last)]], np.int16)
    counts = np.array([[len(last.notes_of(seat)) for seat in range(players)]], np.int16)
    assert last.winners is not None
    for seat in range(players):
        part = chance_to_win(sums, counts, seat, rounds=0)[0]
        assert part == pytest.approx((seat in last.winners) / len(last.winners))
    sets = sum(read_table(last).sets()[0].tolist())
    assert THOUSAND * sets == sum(totals(last)) - sum(money(last, seat) for seat in range(players))


def asked(options: dict[str, bool], players: int, seed: int) -> tuple[State, int]:
    """Some moment of a game, and a seat that has to answer."""
    random = Random(seed)
    state = random.choice(moves(options, players, seed)).before
    return state, random.choice(state.ask.awaited if state.ask else ())


@each_variant
@some
@games
def test_what_may_come_is_the_own_pile_and_all_that_others_hide(
    options: dict[str, bool], seed: int, players: int
) -> None:
    state, seat = asked(options, players, seed)
    seen = view(state, seat)
    for other in range(players):
        hidden = Counter(cards_to_come(seen, other))
        if other == seat:
            assert hidden == Counter(unseen_cards(state, seat))
        else:
            assert hidden >= Counter(unseen_cards(state, other)) + Counter(
                state.hands[other].contents if other in state.hands else ()
            )


@each_variant
@some
@games
def test_playouts_select_what_the_rules_allow(options: dict[str, bool], seed: int, players: int) -> None:
    state, seat = asked(options, players, seed)
    lanes, chance = 5, Random(seed)
    for other in range(players):
        dealt = deal(view(state, seat), other, lanes, chance)
        taken = len(state.glasses.get(other, ()))
        assert len(dealt) + taken <= MOST_TURNS
        for turn, hand in enumerate(dealt):
            table = read_table(state).repeat(lanes)
            mood = np.zeros((lanes, 6), np.int16)
            check_legal(
                select(table, other, hand, len(dealt) - turn - 1, mood, style=seed % 2), table, other, hand
            )


def check_legal(selection: Selection, table: CardLanes, seat: int, hand: Hand) -> None:
    for lane in range(len(table.dice)):
        found = (selection.dice[lane].tolist(), int(selection.cards[lane]))
        out = not table.plays_on(seat)[lane]
        assert found == ([0] * 6, 0) if out else found in allowed(hand, lane)


def draw_net(players: int, seed: int) -> CasinoNet:
    random = np.random.Generator(np.random.PCG64(seed))
    shapes = (count_inputs(players), 8), (8,), (8, 2), (2,)
    return CasinoNet(*(round_weights(random.normal(0, 1, shape)) for shape in shapes))


def no_mood(lanes: int) -> Mood:
    return Mood(np.zeros((lanes, CASINOS), np.float32), np.zeros(lanes, np.float32))


@each_variant
@some
@games
def test_the_net_plays_the_selection_that_it_values_most(
    options: dict[str, bool], seed: int, players: int
) -> None:
    """All legal selections are valued one by one, each with all its inputs, chip cards left out."""
    state, seat = asked(options, players, seed)
    lanes = 3
    net = draw_net(players, seed)
    worth = np.array([1.0, -card_net.RIVALS_WEIGHT[players]])
    dealt = deal(view(state, seat), seat, lanes, Random(seed))
    for turn, (hand, stock) in enumerate(zip(dealt, count_stocks(dealt), strict=True)):
        table = without_chips(read_table(state).repeat(lanes))
        to_come = len(dealt) - turn - 1
        outlook = Outlook(tuple(to_come + (other != seat) for other in range(players)), stock)
        selection = CardPlayer(net, players).select(table, seat, hand, outlook, no_mood(lanes))
        check_legal(selection, table, seat, hand)
        for lane in range(lanes if table.plays_on(seat)[0] else 0):
            values = {}
            for dice, laid_now in allowed(hand, lane):
                laid = Selection(
                    np.tile(np.array(dice, np.int16), (lanes, 1)), np.full(lanes, laid_now, np.int16)
                )
                inputs = compute_inputs(table, seat, laid, outlook, np.array([lane]))
                pay = net.layers(inputs)[0].astype(float) @ round_weights(net.out @ worth).astype(float)
                values[(*dice, laid_now)] = float(pay.sum())
            chosen = (*selection.dice[lane].tolist(), int(selection.cards[lane]))
            assert values[chosen] == pytest.approx(max(values.values()), abs=1e-3)


def without_chips(table: CardLanes) -> CardLanes:
    return CardLanes(table.dice, table.laid, table.notes, np.zeros_like(table.lying), table.owned)


@some
@games
def test_seats_that_select_at_once_do_not_see_the_answer(seed: int, players: int) -> None:
    """In the last turn the rivals lay the same in all lanes of a playout, whatever the answer is."""
    state, seat = next(
        (move.before, move.command.seat)
        for start in count(seed)
        for move in moves({}, players, start)
        if isinstance(move.command, Choose)
        and all(len(move.before.glasses.get(other, ())) == MOST_TURNS - 1 for other in move.before.hands)
    )
    seen = view(state, seat)
    options = choices(seen, seat)
    table = cards.play_out(Question(seen, seat, options, FEWEST, Random(seed)), lanes=4)
    others = [other for other in range(players) if other != seat]
    laid = table.dice[:, others].reshape(len(options), 4, len(others), CASINOS)
    assert (laid == laid[0]).all()


def allowed(hand: Hand, lane: int) -> list[tuple[list[int], int]]:
    kinds = np.stack((hand.singles[lane], hand.doubles[lane]), axis=1).reshape(-1)
    held = [card for card, count in zip(CARDS, kinds.tolist(), strict=True) for _ in range(count)]
    assert len(held) == HAND
    return [read_selection(choice) for choice in selections(tuple(held))]


def selections(held: tuple[str, ...]) -> tuple[str, ...]:
    state = State(hands={0: Secret("", held)})
    return card_turn.choices(state, Ask(1, "cards.select", (0,)), 0)


@each_variant
@some
@given(seed=st.integers(0, 2**20), players=st.integers(2, 5), budget=st.sampled_from((3, FEWEST)))
def test_every_option_of_every_question_is_weighed(
    options: dict[str, bool], seed: int, players: int, budget: int
) -> None:
    state, seat = asked(options, players, seed)
    seen = view(state, seat)
    question = Question(seen, seat, choices(seen, seat), budget, Random(seed))
    assert cards.claims(question)
    found = cards.weigh(question)
    assert [candidate.choice for candidate in found] == list(question.options)
    best = sum(sorted(EDITIONS.of(state).notes)[-12:])
    assert all(0 <= (candidate.money or 0) <= best for candidate in found)
    assert all(0 <= (candidate.win or 0) <= 1 for candidate in found)
