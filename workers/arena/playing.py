"""A game of the arena, to its end; equal seeds give equal games."""

from __future__ import annotations

from collections.abc import Sequence

from events.commands import Choose, Create
from events.values import SeatPlan
from rules.decide import run_command
from rules.editions import EDITIONS
from rules.releases import Editions
from rules.scoring import score
from rules.state import EMPTY, State
from service.fairness.dice import SEED_BYTES, FairDice, commitment, luck_of_bot
from workers.arena.contestants import Position, find_contestant
from workers.arena.settings import Setting

GAME = "arena"


def play(setting: Setting, bots: Sequence[str], seed: int, editions: Editions = EDITIONS) -> State:
    """Whoever plays, the same dice lie ready: a seed is one set of rolls for all seatings."""
    secret, version = seed.to_bytes(SEED_BYTES, "big"), 1
    dice = FairDice(secret, GAME, ("",) * len(bots))
    seats = tuple(SeatPlan(bot="random") for _ in bots)
    create = Create(GAME, setting.edition, seats, commitment(secret), setting.options)
    state = run_command(EMPTY, create, dice, editions).state
    players = [find_contestant(bot) for bot in bots]
    while (ask := state.ask) is not None:
        bot = players[seat := ask.awaited[0]]
        luck = luck_of_bot(secret, GAME, version, seat, bot.build)
        choice = bot.answer(Position(state, seat, version), luck)
        state, version = run_command(state, Choose(ask.id, seat, choice), dice).state, version + 1
    return state


def parts_won(state: State) -> tuple[float, ...]:
    """What each seat won of the game: all of it, nothing, or its part of a shared victory."""
    winners = state.winners or ()
    return tuple((seat in winners) / len(winners) for seat in range(len(state.seats)))


def place_of(state: State, seat: int, humble: bool) -> int:
    """From 1 on; who is `humble` stands behind those who did as well."""
    scores = [score(state, other) for other in range(len(state.seats))]
    own = scores[seat]
    return 1 + sum(other > own for other in scores) + humble * (scores.count(own) - 1)
