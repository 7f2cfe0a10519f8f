"""Every edition as a PettingZoo environment (extra `train`).

An agent is a seat, sees what its seat sees, and is asked when the table asks it. The reward is what it won of
the game: 1, 0, or its part of a shared victory. `make_env` is what researchers call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv

from events.commands import Choose, Create
from events.types import OptionValue
from events.values import CASINO_NUMBERS, GREY, MOST_SEATS, NEUTRAL, OWNER, SeatPlan
from rules import State, view
from rules.decide import run_command
from rules.legal import choices
from rules.state import EMPTY
from service.fairness.dice import SEED_BYTES, FairDice, commitment
from service.games.table_view import CasinoShown, SeatShown, render_table

MOST_NOTES = 8
NOTE = 10_000
FACES = range(1, 7)
CARDS = tuple(f"{face}{kind}" for face in FACES for kind in ("", "d"))
# Common choices have a number of their own; whatever else is asked comes behind them in its order.
WORDS = (*(f"place-{face}" for face in FACES), *(f"bandit-{face}" for face in FACES), "pass")
ACTIONS = len(WORDS) + 64
CASINOS = len(CASINO_NUMBERS) + 1
OWNERS = (*OWNER, NEUTRAL, GREY)


def number_options(options: Sequence[str]) -> dict[int, str]:
    """The options by their numbers."""
    numbered = {WORDS.index(option): option for option in options if option in WORDS}
    others = [option for option in options if option not in WORDS]
    return numbered | dict(enumerate(others[: ACTIONS - len(WORDS)], len(WORDS)))


def observe(seen: State, seat: int) -> NDArray[numpy.float32]:
    """The own seat first, the others in the order of play; money in tens of thousands."""
    table = render_table(seen, seat, 0)
    players = len(seen.seats)
    order = [(seat + place) % players for place in range(players)]
    numbers = [table.round / table.rounds, float(players), float(seen.turn == seat)]
    for place in range(MOST_SEATS):
        numbers += _seat(table.seats[order[place]]) if place < players else [0.0] * SEAT_FEATURES
    for place in range(CASINOS):
        found = table.casinos[place : place + 1]
        numbers += _casino(found[0], order) if found else [0.0] * CASINO_FEATURES
    numbers += [*_roll(seen), *_hand(table.seats[seat])]
    return numpy.array(numbers, numpy.float32)


def _seat(seat: SeatShown) -> list[float]:
    total = -1.0 if seat.total is None else seat.total / NOTE
    return [float(seat.dice), float(seat.big), float(seat.neutral_dice), float(seat.chips), total]


def _casino(casino: CasinoShown, order: Sequence[int]) -> list[float]:
    notes = [note / NOTE for note in casino.notes[:MOST_NOTES]]
    weights = Counter[str]()
    for lot in casino.dice:
        weights[lot.owner] += lot.weight
    seats = [weights[OWNER[seat]] for seat in order] + [0] * (MOST_SEATS - len(order))
    dice = [float(weight) for weight in (*seats, weights[NEUTRAL], weights[GREY])]
    return [*notes, *[0.0] * (MOST_NOTES - len(notes)), *dice, float(casino.closed)]


def _roll(seen: State) -> Iterator[float]:
    own, big, neutral = (seen.roll.own, seen.roll.big, seen.roll.neutral) if seen.roll else ((), None, ())
    yield from (float(own.count(face)) for face in FACES)
    yield from (float(big == face) for face in FACES)
    yield from (float(neutral.count(face)) for face in FACES)


def _hand(seat: SeatShown) -> list[float]:
    held = Counter(seat.hand) if isinstance(seat.hand, tuple) else Counter[str]()
    return [float(held[card]) for card in CARDS]


SEAT_FEATURES = 5
CASINO_FEATURES = MOST_NOTES + MOST_SEATS + 3
FEATURES = 3 + MOST_SEATS * SEAT_FEATURES + CASINOS * CASINO_FEATURES + 3 * len(FACES) + len(CARDS)


GAME = "environment"


class TableEnv(AECEnv[str, dict[str, NDArray[Any]], int]):  # type: ignore[misc]
    """`info["options"]` has the text of every action that is legal now."""

    metadata = {"name": "croupier_v0", "render_modes": ["ansi"], "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, edition: str, players: int, options: dict[str, OptionValue]) -> None:
        super().__init__()
        self._edition = edition
        self._options = options
        self.render_mode = "ansi"
        self.possible_agents = [f"seat_{seat}" for seat in range(players)]
        self._spaces = Dict(
            {
                "observation": Box(-1.0, 1e3, (FEATURES,), numpy.float32),
                "action_mask": Box(0, 1, (ACTIONS,), numpy.int8),
            }
        )
        self._actions = {agent: Discrete(ACTIONS) for agent in self.possible_agents}
        self._seeds = numpy.random.default_rng()
        self._state = EMPTY

    def observation_space(self, agent: str) -> Dict:
        return self._spaces

    def action_space(self, agent: str) -> Discrete:
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Equal seeds give equal dice."""
        if seed is not None:
            self._seeds = numpy.random.default_rng(seed)
        self._begin(self._seeds.bytes(SEED_BYTES))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._turn_to_next()

    def _begin(self, secret: bytes) -> None:
        players = len(self.possible_agents)
        self._dice = FairDice(secret, GAME, ("",) * players)
        seats = tuple(SeatPlan(bot="random") for _ in range(players))
        create = Create(GAME, self._edition, seats, commitment(secret), self._options)
        self._state = run_command(EMPTY, create, self._dice).state

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        seat = self.possible_agents.index(agent)
        seen = view(self._state, seat)
        mask = numpy.zeros(ACTIONS, numpy.int8)
        mask[list(self._legal(seen, seat))] = 1
        return {"observation": observe(seen, seat), "action_mask": mask}

    def _legal(self, seen: State, seat: int) -> dict[int, str]:
        ask = seen.ask
        return number_options(choices(seen, seat)) if ask is not None and seat in ask.awaited else {}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        seat = self.possible_agents.index(agent)
        ask = self._state.ask
        legal = self._legal(view(self._state, seat), seat)
        if ask is None or action is None or int(action) not in legal:
            raise ValueError(f"{action} is none of the legal actions {sorted(legal)}")
        self._cumulative_rewards[agent] = 0.0
        command = Choose(ask.id, seat, legal[int(action)])
        self._state = run_command(self._state, command, self._dice).state
        self._turn_to_next()
        self._accumulate_rewards()

    def _turn_to_next(self) -> None:
        """To the seat that is asked, or to all, who hear how the game ended."""
        ask = self._state.ask
        winners = self._state.winners or ()
        if ask is not None:
            self.agent_selection = self.possible_agents[ask.awaited[0]]
        else:
            self.agent_selection = self.agents[0]
            self.terminations = dict.fromkeys(self.agents, True)
            parts = [(seat in winners) / len(winners) for seat in range(len(self.possible_agents))]
            self.rewards = dict(zip(self.possible_agents, parts, strict=True))
        self.infos = {agent: self._info(agent) for agent in self.agents}

    def _info(self, agent: str) -> dict[str, Any]:
        seat = self.possible_agents.index(agent)
        return {"options": self._legal(view(self._state, seat), seat)}

    def render(self) -> str:
        state = self._state
        asked = f"{self.agent_selection} is asked {state.ask.prompt}" if state.ask else "the game is over"
        return f"round {state.round}: {asked}"

    def close(self) -> None:
        """Nothing is open."""


def make_env(edition: str = "classic", players: int = 4, **options: OptionValue) -> TableEnv:
    """`make_env("royale", 3, tiles=6)`; options are those of `POST /v1/games`."""
    return TableEnv(edition, players, options)
