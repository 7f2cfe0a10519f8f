"""Neutral dice: an imaginary player whose dice the others place."""

from __future__ import annotations

from collections.abc import Callable

from events.types import DiceRolled
from events.values import BOX, CASINO, CASINO_NUMBERS, NEUTRAL, SUPPLY
from rules.ruleset import OptionSpec
from rules.table import Table

OPTION = OptionSpec(
    "neutral_dice",
    "flag",
    "Two to four players also roll dice of an imaginary player.",
    how="You also roll white dice of an imaginary player and place them with your own of the same number. "
    "At the payout that player wins and ties like all others, but its winnings go to no player.",
    default=False,
    players=(2, 4),
    rule="P1",
)


def deal(each: Callable[[int], int]) -> Callable[[Table], None]:
    """Every seat gets neutral dice; spare ones are rolled and placed at once (D4)."""

    def deal_neutral(table: Table) -> None:
        if not OPTION.value_in(table.state.options):
            return
        players = len(table.state.seats)
        for seat in range(players):
            table.move_dice(NEUTRAL, BOX, SUPPLY[seat], small=each(players))
        scatter(table)

    return deal_neutral


def scatter(table: Table) -> None:
    """All neutral dice still in the box are rolled and go to the casinos they show."""
    spare = table.state.dice_of(NEUTRAL, BOX)
    if not spare.count:
        return
    number = table.state.drawn
    faces = table.chance.dice(number, spare.count)
    small = tuple(sorted(faces[: spare.small]))
    big = faces[spare.small :]
    table.record(DiceRolled(number, None, big=big[0] if big else None, neutral=small))
    for face in CASINO_NUMBERS:
        if face in faces:
            table.move_dice(NEUTRAL, BOX, CASINO[face], small=small.count(face), big=big.count(face))
