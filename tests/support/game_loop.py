"""The one loop that plays a game on the rules alone, move by move, and players made up for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random

from msgspec import Struct

from events.commands import Choose, Command, Create, Sit
from events.types import DiceRolled, Event, TurnStarted
from events.values import SeatPlan
from rules.chance import Below, Chance
from rules.decide import run_command
from rules.editions import EDITIONS
from rules.legal import choices
from rules.releases import Editions
from rules.ruleset import Options
from rules.state import EMPTY, State

NAMES = ("Anna", "Ben", "Carla", "Denny", "Emily", "Fred")
# Far more answers than the longest game ever seen needs.
MOST_ANSWERS = 5_000

# What a seat that is asked answers.
Player = Callable[[State, int, Random], str]
# Who answers next, and what.
Answer = Callable[[State], tuple[int, str]]


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
    """What is run_command, and by how many; the late seats are open at first and taken in this order."""

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
    plan: Plan, seed: int, player: Player = choose_at_random, chance: Chance | None = None
) -> Iterator[Move]:
    """A whole game, from its creation on; of several that are asked, anybody answers next."""
    random = Random(seed)

    def answer(state: State) -> tuple[int, str]:
        seat = random.choice(state.ask.awaited if state.ask else ())
        return seat, player(state, seat, random)

    return play_commands(plan.commands, answer, chance or SeededChance(seed))


def play_commands(
    commands: Iterable[Command], answer: Answer, chance: Chance, editions: Editions = EDITIONS
) -> Iterator[Move]:
    """These commands, and then answers to the end of the game."""
    state = EMPTY
    for command in commands:
        move = make_move(state, command, chance, editions)
        yield move
        state = move.after
    for _ in range(MOST_ANSWERS):
        if state.ask is None:
            return
        move = make_move(state, Choose(state.ask.id, *answer(state)), chance, editions)
        yield move
        state = move.after
    raise AssertionError(f"no end of {state.edition} with {state.options}")


def make_move(state: State, command: Command, chance: Chance, editions: Editions = EDITIONS) -> Move:
    table = run_command(state, command, chance, editions)
    return Move(state, command, tuple(table.events), table.state)
