"""Plays games on the rules alone, over every plan that can be agreed on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random

from hypothesis import strategies as st
from msgspec import Struct

from events.commands import Choose, Command, Create, Sit
from events.types import DiceRolled, Event, OptionValue, TurnStarted
from events.values import SeatPlan
from rules.chance import Below, Chance
from rules.decide import run_command
from rules.editions import EDITIONS
from rules.legal import choices
from rules.options import implied_options
from rules.releases import Editions
from rules.ruleset import Options, OptionSpec, Ruleset
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


seeds = st.integers(0, 2**32 - 1)


@st.composite
def plans(draw: st.DrawFn, ruleset: Ruleset) -> Plan:
    players = draw(st.integers(*ruleset.seats))
    chosen = {
        spec.name: draw(option_values(spec, players)) for spec in ruleset.options if draw(st.booleans())
    }
    late = draw(st.lists(st.integers(0, players - 1), unique=True))
    return Plan(ruleset.id, fit_options(ruleset, players, chosen), players, tuple(late))


def option_values(spec: OptionSpec, players: int) -> st.SearchStrategy[OptionValue]:
    match spec.kind:
        case "flag":
            return st.booleans()
        case "number":
            return st.integers(spec.least, spec.most)
        case "seat":
            return st.none() | st.integers(0, players - 1)
        case "policy":
            return st.sampled_from(("random", "greedy", "takeover:random", "takeover:greedy"))
        case "codes":
            return st.lists(st.sampled_from(spec.codes), max_size=spec.most, unique=True).map(tuple)


def fit_options(ruleset: Ruleset, players: int, chosen: dict[str, OptionValue]) -> dict[str, OptionValue]:
    """Without what this table may not choose; of codes, those that go with the ones before them."""
    fits: dict[str, OptionValue] = {}
    for spec in ruleset.options:
        value = chosen.get(spec.name)
        if isinstance(value, tuple):
            value = compatible_codes(spec, value)
        apart = spec.players and not spec.players[0] <= players <= spec.players[1]
        alone = spec.needs and not chosen.get(spec.needs)
        if spec.name in chosen and not (value and (apart or alone)):
            fits[spec.name] = value
    return without_contradictions(ruleset, fits)


def without_contradictions(ruleset: Ruleset, chosen: dict[str, OptionValue]) -> dict[str, OptionValue]:
    """Without what another option settles."""
    follow = [name for spec in ruleset.options for name in implied_options(spec, chosen.get(spec.name))]
    return {name: value for name, value in chosen.items() if name not in follow}


def compatible_codes(spec: OptionSpec, codes: tuple[str, ...]) -> tuple[str, ...]:
    kept: tuple[str, ...] = ()
    for code in codes:
        beside = any(code in group and set(group) & set(kept) for group in spec.either)
        kept = kept if beside else (*kept, code)
    return kept


# Dice back before chips, chips before dice, and dice one at a time; what says nothing of dice comes last.
ORDER = ("take-", "use-5", "pass", "use-4", "activate-", "remove-", "set-", "place-", "leave")
# Tiles that may bring dice back, the most generous first.
GENEROUS = ("H2", "F2", "E2")


def choose_to_linger(state: State, seat: int, random: Random) -> str:
    options = choices(state, seat)
    return min(options, key=lambda choice: (_rank(state, choice), random.random()))


def _rank(state: State, choice: str) -> tuple[int, int, int]:
    way = next((place for place, word in enumerate(ORDER) if choice.startswith(word)), len(ORDER))
    return way, _tile(state, choice), _dice(state, choice)


def _tile(state: State, choice: str) -> int:
    """How much good the tile does whose casino a choice goes to; of HANDICAP's pictures the die is wanted."""
    last = choice.split("-")[-1]
    if choice.startswith("remove-"):
        return int(last != "die")
    if not last.isdigit() or not 1 <= int(last) <= len(state.tiles):
        return len(GENEROUS)
    code = state.tiles[int(last) - 1]
    return GENEROUS.index(code) if code in GENEROUS else len(GENEROUS)


def _dice(state: State, choice: str) -> int:
    if state.roll is None or not choice.startswith("place-"):
        return 0
    number = int(choice[6:])
    return state.roll.own.count(number) + (state.roll.big == number)
