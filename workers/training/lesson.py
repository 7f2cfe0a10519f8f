"""Holds what can be learned from a batch of rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from msgspec import Struct

from workers.simulation.lanes import Ints
from workers.simulation.net import MONEY_UNIT, Floats, Net, NetInputs

NAMES = NetInputs.__struct_fields__


class Seen(Struct, frozen=True):
    """Holds the inputs that one seat had right after its moves of one turn, and the lanes of them."""

    seat: int
    lanes: Ints
    inputs: NetInputs


class Lesson(Struct, frozen=True):
    """Holds the inputs of the net from a batch of rounds, and what came of each."""

    inputs: NetInputs
    win: Floats
    money: Floats


def make_lesson(seen: Sequence[Seen], chances: Floats, won: Ints) -> Lesson:
    """Return the lesson from what the learner saw and how the rounds ended."""
    inputs = [np.concatenate([getattr(one.inputs, name) for one in seen]) for name in NAMES]
    win, money = (
        np.concatenate([what[one.lanes, one.seat] for one in seen]).astype(np.float32)
        for what in (chances, won / MONEY_UNIT)
    )
    return Lesson(NetInputs(*inputs), win, money)


class Course(Protocol):
    """Gives the lessons of one kind of table, and tries what was learned; a net has so many `inputs`."""

    @property
    def inputs(self) -> tuple[int, int, int]:
        """Return the number of inputs of each kind."""

    def take_lesson(self, net: Net, whim: float, batch: int) -> Lesson:
        """Return what can be learned from a batch of rounds that the net plays."""

    def share_won(self, net: Net) -> float:
        """Return what the net wins alone against fixed policies."""
