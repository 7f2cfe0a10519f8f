"""Looks ahead: where an answer leads, what a round would pay, and who would win what at a casino."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Literal

from msgspec import UNSET

from events.agenda import Ask, Step, require
from events.secrecy import SALT_BYTES, Sealed
from events.types import AgendaChanged, ChipsMoved, Chosen, DiceRolled, Event, NotesMoved
from rules.chance import Below, Chance
from rules.editions import EDITIONS
from rules.extension import Standing
from rules.mechanics.dice_turn import PAYOUT
from rules.prompt import Casino, Gain, Preview, Standings, TilePreview
from rules.releases import Editions
from rules.ruleset import Ruleset
from rules.scoring import total
from rules.state import State
from rules.table import Table

ROUND_END = "round.end"
# The step in which the tile of a casino acts.
ACTIVATION = "tile"
Uncertain = Literal["dice", "answer", "secret"] | None

# What a view hides cannot be opened: there looking ahead ends, and what has happened until then counts.
AS_FAR_AS_SEEN = suppress(Sealed)


def try_answer(view: State, seat: int, choice: str, chance: Chance, editions: Editions = EDITIONS) -> Table:
    """Return the table after one seat's answer, at the end of its move, as if no other seat were asked."""
    ask = view.ask
    if ask is None:
        raise ValueError("nothing is asked")
    ruleset = editions.of(view)
    table = Table(view, ruleset, chance)
    prompt = ruleset.prompts[ask.prompt]
    if prompt.secret:
        number, sealed = table.seal(choice, seat)
        table.record(Chosen(ask.id, seat, sealed, chance=number))
    table.agenda.pop()
    with AS_FAR_AS_SEEN:
        prompt.answered(table, ask, {seat: choice})
        _finish_move(table)
    return table


def _finish_move(table: Table) -> None:
    """Run the steps of the move: not the next turn, the payout of the round or the next round."""
    steps = table.ruleset.steps
    agenda = table.agenda
    ends = (table.ruleset.turns, ROUND_END)
    while agenda and type(step := agenda[-1]) is Step and step.name not in ends:
        agenda.pop()
        steps[step.name](table, step)
    table.record(AgendaChanged(tuple(agenda)))


def begin_turn(state: State, chance: Chance, editions: Editions = EDITIONS) -> State:
    """Return the state at the next question of the round, or where its payout would begin."""
    table = Table(state, editions.of(state), chance)
    agenda = table.agenda
    steps = table.ruleset.steps
    ends = (PAYOUT.name, ROUND_END)
    with AS_FAR_AS_SEEN:
        while agenda and type(step := agenda[-1]) is Step and step.name not in ends:
            agenda.pop()
            steps[step.name](table, step)
    table.record(AgendaChanged(tuple(agenda)))
    return table.state


def pay_out_now(state: State, chance: Chance, editions: Editions = EDITIONS) -> State:
    """Return the state if the round ended now and every casino paid, tiles and bandit included."""
    table = Table(state, editions.of(state), chance)
    table.agenda = list(unfinished_payout(state) or (PAYOUT,))
    with AS_FAR_AS_SEEN:
        _pay(table)
    return table.state


def unfinished_payout(state: State) -> tuple[Step, ...]:
    """The steps that are left of a payout that has begun; empty while none has."""
    steps = tuple(item for item in state.agenda if isinstance(item, Step))
    return steps if any(step.name == ROUND_END for step in steps) else ()


def what_pays(state: State) -> tuple[Any, ...]:
    """All that a payout depends on: states that are equal in it pay the same."""
    things = (state.dice, state.notes, state.chips, state.tokens, state.counters, state.chip_cards)
    return (*things, unfinished_payout(state))


def _pay(table: Table) -> None:
    """Run the steps of the payout and skip its questions, which no player answers here."""
    while table.agenda:
        item = table.agenda.pop()
        if isinstance(item, Step):
            if item.name == ROUND_END:
                return
            table.ruleset.steps[item.name](table, item)


def has_thrown(events: Sequence[Event]) -> bool:
    """Whether dice that belong to no seat decided part of the move."""
    return any(isinstance(event, DiceRolled) and event.seat is None for event in events)


def seat_asked_within_move(table: Table, first: Ask | None) -> int | None:
    """The seat that is asked after the first question and before dice are rolled for the next, if any."""
    ask = table.state.ask
    rolled = any(isinstance(event, DiceRolled) and event.seat is not None for event in table.events)
    return None if ask is None or ask == first or rolled else ask.awaited[0]


_SALT = "00" * SALT_BYTES
_NOTHING_ROLLED = "an answer that is only tried rolls and draws nothing"


class Undecided(LookupError):
    """Says that a roll or a draw would have to decide what comes next."""


class _NoChance:
    """A chance for trying an answer that neither rolls nor draws; its salts are thrown away."""

    def dice(self, number: int, count: int) -> tuple[int, ...]:
        raise Undecided(_NOTHING_ROLLED)

    def draw(self, number: int) -> Below:
        raise Undecided(_NOTHING_ROLLED)

    def salt(self, number: int) -> str:
        return _SALT

    def seed(self) -> str:
        raise Undecided(_NOTHING_ROLLED)


_NO_CHANCE = _NoChance()


def standing_of(state: State, ruleset: Ruleset, casino: Casino) -> tuple[Standing, ...]:
    if isinstance(casino, int):
        return ruleset.standing(state, casino)
    extra = {found.number: found for extension in ruleset.extensions for found in extension.casinos(state)}
    return extra[casino].standing


def look_ahead(
    state: State, ruleset: Ruleset, ask: Ask, seat: int, choice: str, casino: Casino | None
) -> tuple[Standings, Preview]:
    """The standing at a casino right after the answer, before any tile acts on it, and what the tile does.

    Nothing is rolled, drawn or opened: where that would decide, the preview ends.
    """
    table = Table(state, ruleset, _NO_CHANCE)
    prompt = ruleset.prompts[ask.prompt]
    if prompt.secret:
        number, sealed = table.seal(choice, seat)
        table.record(Chosen(ask.id, seat, sealed, chance=number))
    table.agenda.pop()
    uncertain: Uncertain = None
    try:
        prompt.answered(table, ask, {seat: choice})
    except Undecided:
        uncertain = "dice"
    except Sealed:
        uncertain = "secret"
    standing: Standings = UNSET if casino is None else standing_of(table.state, ruleset, casino)
    return standing, _preview_tile(table, state, ask, uncertain)


def _preview_tile(table: Table, before: State, ask: Ask, uncertain: Uncertain) -> Preview:
    """What the tile does that was just activated, or that has asked; UNSET where no tile does anything."""
    code = ask.tile
    acts = True
    top = table.agenda[-1] if table.agenda else None
    if isinstance(top, Step) and top.name == ACTIVATION:
        number = require(top.number)
        code = table.state.tiles[number - 1]
        acts = table.ruleset.tiles[code].responds(table.state, require(top.seat), number)
    if not code:
        return UNSET
    if acts and uncertain is None:
        uncertain = _run_move(table)
    top = table.agenda[-1] if table.agenda else None
    asked = top if isinstance(top, Ask) and uncertain is None else None
    return TilePreview(
        tile=code,
        acts=acts,
        shows=table.ruleset.tiles[code].shows(table.state),
        gains=_find_gains(table, before),
        uncertain="answer" if asked else uncertain,
        prompt=asked.prompt if asked else UNSET,
        seat=asked.seats[0] if asked else UNSET,
    )


def _run_move(table: Table) -> Uncertain:
    """Run the steps of the move as far as they are certain, and return what would decide the rest."""
    try:
        _finish_move(table)
    except Undecided:
        return "dice"
    except Sealed:
        return "secret"
    return None


def _find_gains(table: Table, before: State) -> tuple[Gain, ...]:
    """What each seat has more or less than before; most moves bring nothing at once."""
    if not any(isinstance(event, (NotesMoved, ChipsMoved)) for event in table.events):
        return ()
    changes = ((seat, total(table.state, seat) - total(before, seat)) for seat in range(len(before.seats)))
    return tuple(Gain(seat, money) for seat, money in changes if money)
