"""Plays a game with dice from a seed, and tells it from the first line to the last."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random

from msgspec import Struct

from events.agenda import Ask
from events.commands import Choose, Create
from events.values import SeatPlan
from rules.decide import played
from rules.state import EMPTY, State
from rules.view import view
from service.fair_dice import SEED_BYTES, FairDice, commitment
from tests.playthroughs.lines import SEED_LINE, Lines, Move
from tests.playthroughs.plays import Play
from workers.bots import BOTS


class Story(Struct, frozen=True):
    text: str
    asked: frozenset[str]


def moves(play: Play, seed: int) -> Iterator[Move]:
    """A whole game of the play's bots; seats are named by their number, as the lines name them."""
    secret, rng = seed.to_bytes(SEED_BYTES, "big"), Random(seed)
    seats = tuple(SeatPlan(name=f"seat {seat}") for seat in range(play.players))
    dice = FairDice(secret, play.name, [plan.entropy for plan in seats])
    command: Create | Choose = Create(play.name, play.edition, seats, commitment(secret), dict(play.options))
    state = EMPTY
    while True:
        table = played(state, command, dice)
        yield Move(state, command, tuple(table.events))
        state = table.state
        if state.ask is None:
            return
        command = _answer(play, state, state.ask, rng)


def _answer(play: Play, state: State, ask: Ask, rng: Random) -> Choose:
    seat = rng.choice(ask.awaited)
    return Choose(ask.id, seat, BOTS[play.bots[seat]](view(state, seat), seat, rng))


def story(play: Play, seed: int) -> Story:
    lines, asked = Lines(play, seed), set[str]()
    for move in moves(play, seed):
        ask = move.before.ask
        if ask is not None:
            asked.add(ask.prompt)
        if not lines.add(move):
            break
    return Story("\n".join(lines.lines) + "\n", frozenset(asked))


def found(play: Play) -> Story:
    """The story with the first seed that shows everything the play is there for."""
    for seed in count(1):
        told_with = story(play, seed)
        if complete(play, told_with):
            return told_with
    raise AssertionError("seeds never end")


def complete(play: Play, told_with: Story) -> bool:
    return set(play.asks) <= told_with.asked and all(sight in told_with.text for sight in play.sights)


def seed_in(text: str) -> int:
    """The seed that a told story was played with."""
    line = next(line for line in text.splitlines() if line.startswith(SEED_LINE))
    return int(line.removeprefix(SEED_LINE))
