"""What a board is told so that it needs no rules: who stands to win what, and what each option is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.agenda import Ask
from events.types import DiceReturned, Event, NotesMoved, RoundEnded
from events.values import BANDIT, CASINO, CASINO_NUMBERS, PURSE, Owner, Place
from rules.editions import EDITIONS
from rules.evolve import evolve
from rules.lookahead import ROUND_END, unfinished_payout
from rules.mechanics.dice_turn import PAYOUT
from rules.ruleset import Ruleset
from rules.state import State, view
from rules.table import Table
from rules.tiles import TILES
from service.games.table_view import TableShown, render_table
from tests.support.game_loop import Move, Plan, SeededChance, plans, play_moves, seeds
from tests.support.laws import check_options, check_standings
from tests.support.profiles import examples

Won = dict[Owner, tuple[int, ...]]
PLACES: dict[int | str, Place] = {"bandit": BANDIT, **{number: CASINO[number] for number in CASINO_NUMBERS}}

each_edition = pytest.mark.parametrize("ruleset", EDITIONS.newest.values(), ids=lambda ruleset: ruleset.id)
some = examples(3, long=60)
# Both sides of no tile lie out at once, so that all sixteen take a few games.
SIDES = [tuple(tile.code for tile in TILES[start::2][:6]) for start in (0, 1)] + [("G1", "H1"), ("H2", "G2")]
PRACTICE = [
    *(Plan("royale", {"tile_codes": codes}, players) for codes in SIDES for players in (2, 4)),
    Plan("classic", {"chip_cards": True, "neutral_dice": True}, 3),
    Plan("modern", {"bandit": True}, 6),
    Plan("cards", {}, 3),
    Plan("cards", {"sequential": True, "chip_cards": True}, 2),
]
MOVING_DICE = {
    *("turn.place", "cards.lay", "B1.place", "D2.turn", "F1.block", "F2.remove", "F2.die", "H2.die"),
}


def standing_of(table: TableShown) -> dict[Place, Won]:
    """Who would win which notes where, as the table says."""
    return {
        PLACES[casino.number]: {player.owner: player.notes for player in casino.standing if player.notes}
        for casino in table.casinos
    }


def won_in(events: Iterable[Event]) -> dict[Place, Won]:
    """Who won which notes where; imaginary players win without a purse (D3)."""
    won: dict[Place, Won] = {}
    for event in events:
        match event:
            case NotesMoved(source, target, notes, winner=winner) if source in PLACES.values():
                owner = winner or (f"seat-{PURSE.index(target)}" if target in PURSE else None)
                if owner is not None:
                    won.setdefault(source, {})[owner] = notes
    return won


def end_round_now(state: State) -> list[Event]:
    """The facts of a payout, its questions passed over."""
    table = Table(state, EDITIONS.of(state), SeededChance(1))
    table.agenda = list(unfinished_payout(state) or (PAYOUT,))
    while table.agenda:
        step = table.agenda.pop()
        if isinstance(step, Ask):
            continue
        if step.name == ROUND_END:
            break
        table.ruleset.steps[step.name](table, step)
    return table.events


def played(state: State) -> bool:
    return state.status == "playing"


@each_edition
@some
@given(data=st.data(), seed=seeds)
def test_the_standing_is_what_would_be_paid_if_the_round_ended_now(
    ruleset: Ruleset, data: st.DataObject, seed: int
) -> None:
    """D8: at every moment, for every viewer, by the steps of the payout itself."""
    for move in play_moves(data.draw(plans(ruleset)), seed):
        if not played(move.after):
            continue
        won = won_in(end_round_now(move.after))
        for viewer in (None, *range(len(move.after.seats))):
            seen = {place: won for place, won in told(move.after, viewer).items() if won}
            assert seen == won == won_in(end_round_now(view(move.after, viewer)))


def told(state: State, viewer: int | None) -> dict[Place, Won]:
    return standing_of(render_table(state, viewer, 1))


@each_edition
@some
@given(data=st.data(), seed=seeds)
def test_what_is_paid_is_what_stood_there_before(ruleset: Ruleset, data: st.DataObject, seed: int) -> None:
    """D8: just before its ties go or its first note leaves, every casino says who will get what."""
    rounds = rounds_of(play_moves(data.draw(plans(ruleset)), seed))
    assert len(rounds) == ruleset.rounds
    for stood, events in rounds:
        assert {place: notes for place, notes in stood.items() if notes} == won_in(events)


def rounds_of(moves: Iterable[Move]) -> list[tuple[dict[Place, Won], list[Event]]]:
    """What stood at each casino when its payout began, and all facts of that round."""
    rounds, stood, events = [], dict[Place, Won](), list[Event]()
    for state, event in facts_of(moves):
        match event:
            case DiceReturned(place) | NotesMoved(source=place) if place in PLACES.values():
                if place not in stood:
                    stood[place] = told(state, None).get(place, {})
        events.append(event)
        if isinstance(event, RoundEnded):
            rounds.append((stood, events))
            stood, events = {}, []
    return rounds


def facts_of(moves: Iterable[Move]) -> Iterator[tuple[State, Event]]:
    """Every fact, with the table just before it."""
    for move in moves:
        state = move.before
        for event in move.events:
            yield state, event
            state = evolve(state, event)


@each_edition
@some
@given(data=st.data(), seed=seeds)
def test_everybody_with_dice_at_a_casino_stands_there_once(
    ruleset: Ruleset, data: st.DataObject, seed: int
) -> None:
    """The tied come last and get nothing; before them the dearer note is never behind the cheaper."""
    for move in play_moves(data.draw(plans(ruleset)), seed):
        for casino in render_table(move.after, None, 1).casinos:
            weights: dict[Owner, int] = {}
            for lot in casino.dice:
                weights[lot.owner] = weights.get(lot.owner, 0) + lot.weight
            assert {player.owner: player.weight for player in casino.standing} == weights
            assert len(casino.standing) == len(weights)
            tied = [player.tied for player in casino.standing]
            assert tied == sorted(tied)
            shares = [sum(player.notes) for player in casino.standing]
            assert shares == sorted(shares, reverse=True)
            if casino.number in CASINO_NUMBERS:
                level = [player.owner for player in casino.standing if player.tied]
                counts = list(weights.values())
                assert {*level} == {owner for owner in weights if counts.count(weights[owner]) > 1}


@each_edition
@some
@given(data=st.data(), seed=seeds)
def test_every_option_is_about_something_that_is_there_and_tells_the_dice_that_go_there(
    ruleset: Ruleset, data: st.DataObject, seed: int
) -> None:
    for move in play_moves(data.draw(plans(ruleset)), seed):
        check_options(move.after, SeededChance(seed))


@each_edition
@some
@given(data=st.data(), seed=seeds)
def test_an_option_says_how_its_casino_stands_once_it_is_taken(
    ruleset: Ruleset, data: st.DataObject, seed: int
) -> None:
    """As the table after it says, wherever nothing else happens there: no payout, no tile."""
    for move in play_moves(data.draw(plans(ruleset)), seed):
        check_standings(move.after, SeededChance(seed))


def test_the_last_cluster_of_its_size_tells_the_standing_too() -> None:
    """The ask that it answers lists options which are gone before the payout begins."""
    for move in play_moves(Plan("royale", {"tile_codes": ("F1",)}, 2), 1):
        check_standings(move.after, SeededChance(1))


def test_every_prompt_that_moves_dice_tells_the_standing() -> None:
    """The law above has something to look at; what is chosen in secret by all at once stays unsaid."""
    held = set[str]()
    for plan in PRACTICE:
        for move in play_moves(plan, 3):
            if move.after.ask and check_standings(move.after, SeededChance(1)):
                held.add(move.after.ask.prompt)
    assert held == MOVING_DICE


def test_every_prompt_says_what_its_options_are_about() -> None:
    """All sixteen tiles and all editions: no prompt is left out of the law above."""
    seen = set[str]()
    for plan in PRACTICE:
        for move in chain.from_iterable(play_moves(plan, seed) for seed in (1, 2)):
            check_options(move.after, SeededChance(1))
            seen |= {move.after.ask.prompt} if move.after.ask else set()
    assert seen == {name for ruleset in EDITIONS.newest.values() for name in ruleset.prompts}


def test_a_table_says_which_seat_is_yours() -> None:
    for plan in PRACTICE[-1:]:
        for state in states(plan):
            for viewer in (None, 0, 1):
                assert render_table(state, viewer, 1).you == viewer
                assert render_table(state, viewer, 1, everything=True).you == viewer


def states(plan: Plan) -> Iterator[State]:
    return (move.after for move in play_moves(plan, 1))
