"""Payout: ties go, then each casino pays its notes in descending order (D8)."""

from __future__ import annotations

from events.agenda import Item, Step, require
from events.types import NotesMoved
from events.values import CASINO, CASINO_NUMBERS, PURSE, Owner, Place, plays_for, seat_of
from rules.mechanics.ranking import ranking, share_out, tied_players
from rules.prompt import Asked, StepWork
from rules.state import State
from rules.table import Table

HOW_TO_PLAY = (
    "Then each casino pays. Players with the same number of dice at a casino are tied and get nothing "
    "there. Of the others, the one with the most dice gets the highest note, the next one the second "
    "highest, and so on."
)

_STEPS = (
    Step("round.end"),
    Step("payout.after"),
    *(Step("payout.casino", number=number) for number in reversed(CASINO_NUMBERS)),
    Step("payout.ties"),
    Step("payout.before"),
)


def pay_out(table: Table, step: Step) -> None:
    table.push(*_STEPS)


def prepare_tiles(table: Table, step: Step) -> None:
    for number, tile in table.tiles():
        if tile.before_payout is not None:
            tile.before_payout(table, number)


def record_counts(table: Table, step: Step) -> None:
    """Let tiles record how many dice lie there now."""
    for number, tile in table.tiles():
        if tile.record_counts is not None:
            tile.record_counts(table, number)


def remove_ties(table: Table, step: Step) -> None:
    """Tied players take all their dice back, imaginary ones too (D3)."""
    for number in CASINO_NUMBERS:
        place = CASINO[number]
        heap = table.state.heap(place)
        players = tied_players(heap)
        if players:
            table.return_dice(place, tuple(owner for owner in heap if plays_for(owner) in players))


def pay_casino(table: Table, step: Step) -> None:
    number = require(step.number)
    order = ranking(table.state, CASINO[number])
    hand_out(table, CASINO[number], order)
    if table.ruleset.paid is not None:
        table.ruleset.paid(table, number, order)
    if number <= len(table.state.tiles):
        _pay_tile(table, number, order)


def hand_out(table: Table, place: Place, order: tuple[Owner, ...]) -> None:
    """Pay each player in order; notes that no player wins are left over."""
    won, left = share_out(table.state.notes.get(place, ()), order)
    leftovers = table.ruleset.leftovers
    for owner, note in won.items():
        seat = seat_of(owner)
        if seat is None:
            # An imaginary player has no purse; what it won lies with the left-overs (D3).
            table.record(NotesMoved(place, leftovers, (note,), winner=owner))
        else:
            table.move_notes(place, PURSE[seat], note)
    table.move_notes(place, leftovers, *left)


def _pay_tile(table: Table, number: int, order: tuple[Owner, ...]) -> None:
    tile = table.ruleset.tiles[table.state.tiles[number - 1]]
    if tile.payout is not None:
        tile.payout(table, number, order)


def finish(table: Table, step: Step) -> None:
    """Let tiles and the edition pay after all casinos."""
    for number, tile in table.tiles():
        if tile.after_payout is not None:
            tile.after_payout(table, number)
    for pay in table.ruleset.after_payout:
        pay(table)


def still_to_pay_all(state: State, asked: Asked) -> tuple[Item, ...]:
    """The steps that are left of the payout when a tile asks before the ties leave."""
    return _STEPS[:-1]


def still_to_pay(state: State, asked: Asked) -> tuple[Item, ...]:
    """The steps that are left of the payout when a tile asks after its casino has paid."""
    paid = require(asked.number)
    return tuple(step for step in _STEPS[:-2] if step.number is None or step.number > paid)


def winner(state: State, number: int) -> Owner | None:
    """The owner of the most dice at a casino, ties removed; None where there is none."""
    order = ranking(state, CASINO[number])
    return order[0] if order else None


def in_turn(*works: StepWork) -> StepWork:
    """Make one step of several."""

    def run_all(table: Table, step: Step) -> None:
        for work in works:
            work(table, step)

    return run_all


STEPS: dict[str, StepWork] = {
    "payout": pay_out,
    "payout.before": in_turn(record_counts, prepare_tiles),
    "payout.ties": remove_ties,
    "payout.casino": pay_casino,
    "payout.after": finish,
}
# Tiles count dice that come before the payout, too (D8 in release 1).
STEPS_COUNTING_LATE: dict[str, StepWork] = {
    **STEPS,
    "payout.before": prepare_tiles,
    "payout.ties": in_turn(record_counts, remove_ties),
}
