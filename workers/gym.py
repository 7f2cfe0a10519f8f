"""Offers every edition as a PettingZoo environment (extra `train`). `make_env` makes one.

An agent is a seat: it sees what its seat sees, and acts when the table asks it. The reward is what it won of
the game: 1, 0, or its part of a shared victory.
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
# Common choices have fixed action numbers; all other options follow in the order in which they are offered.
WORDS = (*(f"place-{face}" for face in FACES), *(f"bandit-{face}" for face in FACES), "pass")
ACTIONS = len(WORDS) + 64
CASINOS = len(CASINO_NUMBERS) + 1
OWNERS = (*OWNER, NEUTRAL, GREY)


def number_options(options: Sequence[str]) -> dict[int, str]:
    """Return the legal options by action number. Options beyond ACTIONS are left out."""
    numbered = {WORDS.index(option): option for option in options if option in WORDS}
    others = [option for option in options if option not in WORDS]
    return numbered | dict(enumerate(others[: ACTIONS - len(WORDS)], len(WORDS)))


def observe(seen: State, seat: int) -> NDArray[numpy.float32]:
    """Return what a seat sees as numbers: its own seat first, then the others in the order of play.

    Money is in tens of thousands of dollars.
    """
    table = render_table(seen, seat, 0)
    players = len(seen.seats)
    order = [(seat + place) % players for place in range(players)]
    numbers = [table.round / table.rounds, float(players), float(seen.turn == seat)]
    for place in range(MOST_SEATS):
        numbers += _seat_features(table.seats[order[place]]) if place < players else [0.0] * SEAT_FEATURES
    for place in range(CASINOS):
        found = table.casinos[place : place + 1]
        numbers += _casino_features(found[0], order) if found else [0.0] * CASINO_FEATURES
    numbers += [*_roll_features(seen), *_hand_features(table.seats[seat])]
    return numpy.array(numbers, numpy.float32)


def _seat_features(seat: SeatShown) -> list[float]:
    """Return the numbers that describe a seat; -1 for a total that is hidden."""
    total = -1.0 if seat.total is None else seat.total / NOTE
    return [float(seat.dice), float(seat.big), float(seat.neutral_dice), float(seat.chips), total]


def _casino_features(casino: CasinoShown, order: Sequence[int]) -> list[float]:
    """Return the numbers that describe a casino: notes, dice by owner, and whether it is closed."""
    notes = [note / NOTE for note in casino.notes[:MOST_NOTES]]
    weights = Counter[str]()
    for lot in casino.dice:
        weights[lot.owner] += lot.weight
    seats = [weights[OWNER[seat]] for seat in order] + [0] * (MOST_SEATS - len(order))
    dice = [float(weight) for weight in (*seats, weights[NEUTRAL], weights[GREY])]
    return [*notes, *[0.0] * (MOST_NOTES - len(notes)), *dice, float(casino.closed)]


def _roll_features(seen: State) -> Iterator[float]:
    """Yield how many dice of the roll show each face: own, big and neutral ones."""
    roll = seen.roll
    own = roll.own if roll else ()
    big = roll.big if roll else None
    neutral = roll.neutral if roll else ()
    yield from (float(own.count(face)) for face in FACES)
    yield from (float(big == face) for face in FACES)
    yield from (float(neutral.count(face)) for face in FACES)


def _hand_features(seat: SeatShown) -> list[float]:
    """Return how many cards of each kind the seat holds; zeros if the hand is hidden."""
    held = Counter(seat.hand) if isinstance(seat.hand, tuple) else Counter[str]()
    return [float(held[card]) for card in CARDS]


SEAT_FEATURES = 5
CASINO_FEATURES = MOST_NOTES + MOST_SEATS + 3
FEATURES = 3 + MOST_SEATS * SEAT_FEATURES + CASINOS * CASINO_FEATURES + 3 * len(FACES) + len(CARDS)


GAME = "environment"


class TableEnv(AECEnv[str, dict[str, NDArray[Any]], int]):  # type: ignore[misc]
    """Plays one game as a PettingZoo environment. `info["options"]` has the text of every legal action."""

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
        """Return the space of observations, which is the same for all agents."""
        return self._spaces

    def action_space(self, agent: str) -> Discrete:
        """Return the space of actions, which is the same for all agents."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game. Equal seeds give equal dice."""
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
        """Create the game with this secret seed."""
        players = len(self.possible_agents)
        self._dice = FairDice(secret, GAME, ("",) * players)
        seats = tuple(SeatPlan(bot="random") for _ in range(players))
        create = Create(GAME, self._edition, seats, commitment(secret), self._options)
        self._state = run_command(EMPTY, create, self._dice).state

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return the agent's observation, and the mask of its legal actions."""
        seat = self.possible_agents.index(agent)
        seen = view(self._state, seat)
        mask = numpy.zeros(ACTIONS, numpy.int8)
        mask[list(self._legal(seen, seat))] = 1
        return {"observation": observe(seen, seat), "action_mask": mask}

    def _legal(self, seen: State, seat: int) -> dict[int, str]:
        """Return the seat's legal options by action number; empty if it is not asked."""
        ask = seen.ask
        return number_options(choices(seen, seat)) if ask is not None and seat in ask.awaited else {}

    def step(self, action: int | None) -> None:
        """Take the action of the agent whose turn it is. Raises ValueError if the action is not legal."""
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
        """Turn to the agent that is asked next.

        If the game is over, end it for all agents and set the rewards.
        """
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
        """Return the agent's legal options as text, by action number."""
        seat = self.possible_agents.index(agent)
        return {"options": self._legal(view(self._state, seat), seat)}

    def render(self) -> str:
        """Return the round and the question as a line of text."""
        state = self._state
        asked = f"{self.agent_selection} is asked {state.ask.prompt}" if state.ask else "the game is over"
        return f"round {state.round}: {asked}"

    def close(self) -> None:
        """Do nothing: the environment holds no resources."""


def make_env(edition: str = "classic", players: int = 4, **options: OptionValue) -> TableEnv:
    """Return an environment, for example `make_env("royale", 3, tiles=6)`.

    The options are those of `POST /v1/games`.
    """
    return TableEnv(edition, players, options)
