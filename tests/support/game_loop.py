"""Games played to the end by made-up players, move by move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from msgspec import Struct

from events.commands import Choose, Command, Create, Sit
from events.types import DiceRolled, Event, TurnStarted
from events.values import SeatPlan
from rules.chance import Below
from rules.decide import run_command
from rules.legal import choices
from rules.ruleset import Options
from rules.state import EMPTY, State

NAMES = ("Anna", "Ben", "Carla", "Denny", "Emily", "Fred")
# Far more answers than the longest game ever seen needs.
MOST_ANSWERS = 5_000

Player = Callable[[State, int, Random], str]


class SeededChance:
    """Chance from a small number: every running number has a generator of its own.

    `used` tells what was asked for, in order.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.used: list[tuple[str, int]] = []

    def _at(self, purpose: str, number: int) -> Random:
        self.used.append((purpose, number))
        return Random(self._seed * 1_000_003 + number)

    def dice(self, number: int, count: int) -> tuple[int, ...]:
        return tuple(self._at("dice", number).choices(range(1, 7), k=count))

    def draw(self, number: int) -> Below:
        source = self._at("draw", number)
        return lambda bound: source.randrange(bound)

    def salt(self, number: int) -> str:
        return self._at("salt", number).randbytes(16).hex()

    def seed(self) -> str:
        return f"{self._seed:064x}"


class Plan(Struct, frozen=True):
    """What is played, and by how many; the late seats are open at first and taken in this order."""

    edition: str
    options: Options
    players: int
    late: tuple[int, ...] = ()

    @property
    def commands(self) -> tuple[Command, ...]:
        """What it takes until everybody sits."""
        seats = [SeatPlan(None if seat in self.late else NAMES[seat]) for seat in range(self.players)]
        create = Create("g_1", self.edition, tuple(seats), "c0" * 32, dict(self.options))
        return (create, *(Sit(seat, NAMES[seat], f"entropy of {seat}") for seat in self.late))


class Move(Struct, frozen=True):
    """One commit: what was asked and answered, the facts it caused, the table after them."""

    before: State
    command: Command
    events: tuple[Event, ...]
    after: State

    @property
    def turns(self) -> tuple[Event, ...]:
        """The events that begin a turn; a roll that POWER PLAY's owner asked for goes on with one."""
        rolled_after_all = isinstance(self.command, Choose) and self.command.choice == "roll"
        events = self.events[1:] if rolled_after_all else self.events
        starts = [event for event in events if isinstance(event, (DiceRolled, TurnStarted))]
        return tuple(event for event in starts if event.seat is not None)


def choose_at_random(state: State, seat: int, random: Random) -> str:
    return random.choice(choices(state, seat))


def play_moves(
    plan: Plan, seed: int, player: Player = choose_at_random, chance: SeededChance | None = None
) -> Iterator[Move]:
    """A whole game, from its creation on."""
    chance, random, state = chance or SeededChance(seed), Random(seed), EMPTY
    for command in plan.commands:
        move = make_move(state, command, chance)
        yield move
        state = move.after
    for _ in range(MOST_ANSWERS):
        ask = state.ask
        if ask is None:
            return
        seat = random.choice(ask.awaited)
        move = make_move(state, Choose(ask.id, seat, player(state, seat, random)), chance)
        yield move
        state = move.after
    raise AssertionError(f"no end: {plan}, seed {seed}")


def make_move(state: State, command: Command, chance: SeededChance) -> Move:
    table = run_command(state, command, chance)
    return Move(state, command, tuple(table.events), table.state)
