"""Rounds end, whatever the players want (T13)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from msgspec import Struct

from events.types import ChipsMoved, DiceMoved, DiceRolled, Event
from events.values import BANK, CASINO, SUPPLY, seat_of, spot
from rules.evolve import evolve
from rules.state import State
from tests.support.game_loop import Move, Plan, Player, choose_at_random, choose_to_linger, play_moves

BAR, GOLD = spot("E2", "bar"), spot("H2", "gold")
PICTURES = 4
TILES = (
    ("D2", "H2", "F2", "E2", "A1", "B2"),
    ("D2", "H2", "F2", "E1", "G2", "C1"),
    ("H2", "F2", "E2"),
    ("D2", "H2"),
    ("D2", "E2"),
)


class Turn(Struct):
    """A turn as its first event found the table; `excused` tells why as many dice may be left after it."""

    round: int
    to_play: int
    excused: bool = False


def to_play(state: State) -> int:
    """Dice in hand, and those that may get there from the bar and the gold space."""
    heaps = [state.heap(place) for place in (*SUPPLY, BAR, GOLD)]
    return sum(dice.count for heap in heaps for owner, dice in heap.items() if seat_of(owner) is not None)


def turns(game: list[Move]) -> Iterator[Turn]:
    turn = None
    for move in game:
        state = move.before
        for event in move.events:
            if event in move.turns:
                if turn is not None:
                    yield turn
                turn = Turn(state.round, to_play(state))
            if turn is not None:
                turn.excused = turn.excused or excuses(state, event)
            state = evolve(state, event)


def excuses(state: State, event: Event) -> bool:
    """A die taken back, a chip paid, or a roll of closed numbers only (D7)."""
    if isinstance(event, DiceRolled):
        faces = {*event.own, *([] if event.big is None else [event.big])}
        return event.seat is not None and faces <= set(state.closed)
    return taken_back(event) or paid_chip(event)


def taken_back(event: Event) -> bool:
    return isinstance(event, DiceMoved) and event.source in CASINO and event.target in SUPPLY


def paid_chip(event: Event) -> bool:
    return isinstance(event, ChipsMoved) and event.target == BANK


@pytest.mark.parametrize("player", [choose_to_linger, choose_at_random])
@pytest.mark.parametrize("codes", TILES)
def test_no_turn_leaves_more_dice_to_play_than_it_found(codes: tuple[str, ...], player: Player) -> None:
    """T13: and as many only by luck, for a chip, or with one of HANDICAP's four pictures."""
    for players in (2, 3, 5):
        game = list(play_moves(Plan("royale", {"tile_codes": codes}, players), players, player))
        taken = list(turns(game))
        for before, after in pairwise(taken):
            if before.round == after.round:
                assert after.to_play <= before.to_play
                assert after.to_play < before.to_play or before.excused
        assert game[-1].after.status == "over"


@pytest.mark.parametrize("players", [2, 5])
def test_dice_come_back_by_four_pictures_a_round_or_by_a_thrown_five(players: int) -> None:
    """T13: no other way leads from a casino into a hand, and each takes one die."""
    for seed in range(3):
        back: dict[tuple[int, str], int] = {}
        for move in play_moves(Plan("royale", {"tile_codes": TILES[1]}, players), seed, choose_to_linger):
            ways = [event for event in move.events if taken_back(event)]
            if ways and move.before.ask is not None:
                assert len(ways) == 1
                key = move.before.round, move.before.ask.prompt
                back[key] = back.get(key, 0) + 1
        assert {prompt for _, prompt in back} == {"F2.die", "H2.die"}
        assert all(times <= PICTURES for (_, prompt), times in back.items() if prompt == "F2.die")
