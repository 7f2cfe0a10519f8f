"""Rounds to learn from: dealt by the rules, played in lanes."""

from __future__ import annotations

from random import Random

import numpy as np
from msgspec import Struct

from events.commands import Create
from events.types import OptionValue
from events.values import SeatPlan
from rules.decide import run_command
from rules.editions import EDITIONS
from rules.state import EMPTY
from workers.bots.sampled_chance import SampledChance
from workers.simulators.bandit_lanes import BanditLanes
from workers.simulators.lanes import Lanes
from workers.simulators.net_inputs import Stakes
from workers.simulators.opening import open_lanes
from workers.simulators.position import Position, read_position
from workers.simulators.ranks import Ints

# A first guess at what a round brings all seats together, before any was played.
_GUESS = 250
_REMEMBERED = 4_000


class Variant(Struct, frozen=True):
    """What one net is for: games with each of these sets of options in turn, so many batches of them."""

    edition: str
    players: int
    batches: int
    options: tuple[tuple[str, ...], ...] = ((),)

    @property
    def name(self) -> str:
        return f"{self.edition}-{self.players}"

    @property
    def rounds(self) -> int:
        return EDITIONS.newest[self.edition].rounds


def deal(variant: Variant, chosen: tuple[str, ...], count: int, seed: int) -> list[Position]:
    """First rounds of games that begin at seat 0."""
    plan = tuple(SeatPlan(bot="random") for _ in range(variant.players))
    options: dict[str, OptionValue] = {"start_seat": 0, **dict.fromkeys(chosen, True)}
    create = Create("training", variant.edition, plan, "", options)
    tables = (run_command(EMPTY, create, SampledChance(seed + number)).state for number in range(count))
    return [read_position(table, 0, "neutral_dice" in chosen, True) for table in tables]


class Dealer:
    """Lays rounds out of boxes of dealt ones, with standings like those that rounds have led to."""

    def __init__(self, variant: Variant, seed: int, dealt: int) -> None:
        self._variant, self._laid = variant, 0
        self._boxes = [
            [open_lanes(position, 1) for position in deal(variant, chosen, dealt, seed)]
            for chosen in variant.options
        ]
        self._random = np.random.Generator(np.random.PCG64(seed))
        most = 2 * _GUESS // (10 * variant.players)
        self._wins = 10 * self._random.integers(0, most, (_REMEMBERED, variant.players), np.int32)

    def lay(self, lanes: int) -> tuple[Lanes, Stakes]:
        box = self._boxes[self._laid % len(self._boxes)]
        self._laid += 1
        tables = [box[number] for number in self._random.integers(0, len(box), lanes)]
        left = self._random.integers(0, self._variant.rounds, lanes).astype(np.int32)
        return join(tables), Stakes(self._standings(lanes, left), left)

    def _standings(self, lanes: int, left: Ints) -> Ints:
        cash = np.zeros((lanes, self._variant.players), np.int32)
        for over in range(1, self._variant.rounds):
            won = self._wins[self._random.integers(0, len(self._wins), lanes)]
            cash += np.where((left < self._variant.rounds - over)[:, None], won, 0).astype(np.int32)
        return cash

    def remember(self, won: Ints) -> None:
        """What rounds brought lately, to whichever seat."""
        shuffled = self._random.permuted(won, axis=1)
        self._wins = np.concatenate([self._wins, shuffled])[-_REMEMBERED:]

    def luck(self) -> Random:
        return Random(int(self._random.integers(1 << 62)))


def join(tables: list[Lanes]) -> Lanes:
    """One lane for each table."""
    big, white = (_join([getattr(table, kind) for table in tables]) for kind in ("big", "white"))
    codes, small, notes = (
        np.concatenate([getattr(table, name) for table in tables]) for name in ("codes", "small", "notes")
    )
    found = Lanes(tables[0].players, codes, (small, big, white), notes)
    bandits = [table.bandit for table in tables if table.bandit is not None]
    if bandits:
        found.add_bandit(BanditLanes.join(bandits))
    return found


def _join(hands: list[Ints | None]) -> Ints | None:
    there = [hand for hand in hands if hand is not None]
    return np.concatenate(there) if there else None
