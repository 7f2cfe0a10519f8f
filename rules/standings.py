"""Who would get what at a casino: as the table stands, and as it would stand after an answer."""

from __future__ import annotations

from events.agenda import Ask
from events.secrecy import SALT_BYTES
from rules.about import Casino
from rules.chance import Below
from rules.ruleset import Ruleset
from rules.shown import Standing
from rules.state import State
from rules.table import Table

_SALT = "00" * SALT_BYTES
_NOTHING_ROLLED = "an answer that is only tried rolls and draws nothing"


class _NoChance:
    """What an answer does to the dice at one casino is nobody's luck; seals are thrown away with the rest."""

    def dice(self, number: int, count: int) -> tuple[int, ...]:
        raise LookupError(_NOTHING_ROLLED)

    def draw(self, number: int) -> Below:
        raise LookupError(_NOTHING_ROLLED)

    def salt(self, number: int) -> str:
        return _SALT

    def seed(self) -> str:
        raise LookupError(_NOTHING_ROLLED)


_NO_CHANCE = _NoChance()


def standing_of(state: State, ruleset: Ruleset, casino: Casino) -> tuple[Standing, ...]:
    if isinstance(casino, int):
        return ruleset.standing(state, casino)
    extra = {found.number: found for shows in ruleset.shows for found in shows.casinos(state)}
    return extra[casino].standing


def standing_after(
    state: State, ruleset: Ruleset, ask: Ask, seat: int, choice: str, casino: Casino
) -> tuple[Standing, ...]:
    """Once the answer is carried out; what tiles make of it comes later."""
    table = Table(state, ruleset, _NO_CHANCE)
    table.agenda.pop()
    ruleset.prompts[ask.prompt].answered(table, ask, {seat: choice})
    return standing_of(table.state, ruleset, casino)
