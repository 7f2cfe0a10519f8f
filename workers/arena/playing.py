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
from workers.arena.contestants import Position, find_contestant, label_of
from workers.arena.settings import Setting
from workers.bots import BOTS

GAME = "arena"


def play(setting: Setting, bots: Sequence[str], seed: int, editions: Editions = EDITIONS) -> State:
    """Whoever plays, the same dice lie ready: a seed is one set of rolls for all seatings."""
    secret, version = seed.to_bytes(SEED_BYTES, "big"), 1
    dice = FairDice(secret, GAME, ("",) * len(bots))
    create = Create(GAME, setting.edition, plan_seats(bots), commitment(secret), setting.options)
    state = run_command(EMPTY, create, dice, editions).state
    players = [find_contestant(bot) for bot in bots]
    while (ask := state.ask) is not None:
        bot = players[seat := ask.awaited[0]]
        luck = luck_of_bot(secret, GAME, version, seat, bot.build)
        choice = bot.answer(Position(state, seat, version), luck)
        state, version = run_command(state, Choose(ask.id, seat, choice), dice).state, version + 1
    return state


def plan_seats(bots: Sequence[str]) -> tuple[SeatPlan, ...]:
    """Whoever looks at the table sees who sits there; a bot from elsewhere is no level of ours."""
    return tuple(SeatPlan(bot=bot) if bot in BOTS else SeatPlan(name=label_of(bot)) for bot in bots)


def parts_won(state: State) -> tuple[float, ...]:
    """What each seat won of the game: all of it, nothing, or its part of a shared victory."""
    winners = state.winners or ()
    return tuple((seat in winners) / len(winners) for seat in range(len(state.seats)))


def place_of(state: State, seat: int, humble: bool) -> int:
    """From 1 on; who is `humble` stands behind those who did as well."""
    scores = [score(state, other) for other in range(len(state.seats))]
    own = scores[seat]
    return 1 + sum(other > own for other in scores) + humble * (scores.count(own) - 1)
