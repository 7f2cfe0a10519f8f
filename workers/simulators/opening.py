"""Lanes in which each option of a question was taken, as often as there are playouts of it."""

from __future__ import annotations

import numpy as np

from rules.state import Roll
from workers.simulators.bandit_lanes import BanditLanes, merit
from workers.simulators.chip_lanes import ChipLanes
from workers.simulators.lanes import Lanes, Rolled
from workers.simulators.position import Bandit, Chips, Position
from workers.simulators.ranks import Ints, place_values


def open_lanes(position: Position, lanes: int) -> Lanes:
    """The same table so many times."""
    codes = np.array(position.weights, np.int32) @ place_values(position.owners)
    small, big, white = (_repeat(hand, lanes) for hand in (position.small, position.big, position.white))
    hands = small, big if big.any() else None, white if white.any() else None
    found = Lanes(position.players, _repeat(codes, lanes), hands, _note_rows(position.notes, position.owners))
    if position.bandit is not None:
        found.add_bandit(_open_bandit(position.bandit, lanes))
    if position.chips is not None:
        found.chips = _open_chips(position.chips, lanes)
    return found


def _repeat(row: object, lanes: int) -> Ints:
    return np.repeat(np.array(row, np.int32)[None], lanes, axis=0)


def _note_rows(notes: tuple[tuple[int, ...], ...], owners: int) -> Ints:
    """As many ranks as can be paid, and one that gets nothing."""
    rows = np.zeros((1, len(notes), owners + 1), np.int32)
    for row, falling in zip(rows[0], notes, strict=True):
        paid = falling[:owners]
        row[: len(paid)] = paid
    return rows


def _open_bandit(bandit: Bandit, lanes: int) -> BanditLanes:
    merits = [_merit(dice) for dice in bandit.dice]
    taken = np.array(bandit.dice, np.int32).sum(axis=0) > 0
    notes = np.array([(*bandit.notes, 0, 0)[:2]], np.int32)
    return BanditLanes(_repeat(merits, lanes), np.repeat(taken[None], lanes, axis=0), notes)


def _merit(dice: tuple[int, ...]) -> int:
    pips = sum(face * weight for face, weight in enumerate(dice, 1))
    return merit(sum(dice), pips, max((face for face, weight in enumerate(dice, 1) if weight), default=0))


def _open_chips(chips: Chips, lanes: int) -> ChipLanes:
    return ChipLanes(_repeat(chips.lying, lanes), _repeat(chips.held, lanes), chips.white_counts)


def lay_roll(roll: Roll, lanes: int) -> Rolled:
    """The roll that lies on the table, in every lane."""
    small, white = (_repeat(_count(dice), lanes) for dice in (roll.own, roll.neutral))
    big = None if roll.big is None else _repeat(_count((roll.big,)), lanes)
    weight = small if big is None else small + 2 * big
    return Rolled(small, big, white if roll.neutral else None, weight)


def _count(dice: tuple[int, ...]) -> list[int]:
    return [dice.count(face) for face in range(1, 7)]
