"""The bank: prizes paid exactly, debts collected with change."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import gcd

from events.values import BANK, PURSE
from rules.extension import Members, TableExtension
from rules.ruleset import Exchange, Notes
from rules.scoring import CHIP, total
from rules.state import State
from rules.table import Table
from rules.wording import SMALLEST_PRIZE_IN_NOTES

Sums = Mapping[int, Notes]
Payment = tuple[int, tuple[int, ...], tuple[int, ...]]
# The price, the chips, the number of notes that move, the sum of notes paid, and the change.
Priced = tuple[int, int, int, int, int]


def pay(table: Table, seat: int, amount: int) -> None:
    """Pay an amount in notes as the edition's bank finds them, and the rest in chips (M4, M9)."""
    bank = table.state.notes.get(BANK, ())
    purse = table.state.notes_of(seat)
    handed, given = table.ruleset.find_notes(bank, purse, amount)
    table.move_notes(PURSE[seat], BANK, *handed)
    table.move_notes(BANK, PURSE[seat], *given)
    worth = sum(given) - sum(handed)
    if amount > worth:
        table.pay_chips(seat, (amount - worth) // CHIP)


def without_change(bank: Notes, purse: Notes, amount: int) -> Exchange:
    """The fewest, dearest notes that make the amount, or as much of it as notes make (M4, release 1)."""
    payable = payable_sums(bank, amount)
    return (), payable[max(payable)]


def with_change(bank: Notes, purse: Notes, amount: int) -> Exchange:
    """The best exchange in which the player may hand notes over and get back more (M4, release 2)."""
    if amount < SMALLEST_PRIZE_IN_NOTES:
        return (), ()
    return _best_exchange(_falling(bank), _falling(purse), amount)


@lru_cache(maxsize=1024)
def _best_exchange(bank: Notes, purse: Notes, amount: int) -> Exchange:
    # Every exchange is worth a multiple of what all notes are multiples of.
    unit = gcd(*bank, *purse) or CHIP
    worths = (worth for worth in range(amount, 0, -CHIP) if worth % unit == 0)
    exchanges = (_find_exchange(bank, purse, worth) for worth in worths)
    return next((exchange for exchange in exchanges if exchange is not None), ((), ()))


def _find_exchange(bank: Notes, purse: Notes, worth: int) -> Exchange | None:
    """The fewest notes handed over, then the fewest given, of equals the dearer ones given."""
    for count in range(len(purse) + 1):
        most = sum(bank) - worth
        if sum(purse[len(purse) - count :]) > most:
            break
        payable = _payable_sums(bank, worth + min(most, sum(purse[:count])))
        found = [
            (-len(payable[sum(handed) + worth]), payable[sum(handed) + worth], handed)
            for handed in _handfuls(purse, count)
            if sum(handed) + worth in payable
        ]
        if found:
            _, given, handed = max(found)
            return handed, given
    return None


@lru_cache(maxsize=256)
def _handfuls(falling: Notes, count: int) -> tuple[Notes, ...]:
    """For every sum that `count` notes make, those with the dearest notes."""
    found: list[dict[int, Notes]] = [{0: ()}, *({} for _ in range(count))]
    for note in falling:
        for size in range(count, 0, -1):
            for worth, notes in found[size - 1].items():
                more = (*notes, note)
                found[size][worth + note] = max(more, found[size].get(worth + note, more))
    return tuple(found[count].values())


def payable_sums(notes: Sequence[int], most: int) -> Sums:
    """Every sum up to `most`, with the fewest notes that make it; of equals, the dearer ones."""
    return _payable_sums(_falling(notes), most)


def _falling(notes: Sequence[int]) -> Notes:
    return tuple(sorted(notes, reverse=True))


# A bank changes seldom and is asked often, most of all by bots that try moves.
@lru_cache(maxsize=256)
def _payable_sums(falling: tuple[int, ...], most: int) -> Sums:
    found: dict[int, tuple[int, ...]] = {0: ()}
    for note in falling:
        for worth, made in list(found.items()):
            known = found.get(worth + note)
            if worth + note <= most and (known is None or _is_better(made, note, known)):
                found[worth + note] = (*made, note)
    return found


def _is_better(made: tuple[int, ...], note: int, known: tuple[int, ...]) -> bool:
    """Whether the notes made so far and this one beat the known ones: fewer, or as many and dearer."""
    count = len(made) + 1
    return count < len(known) or (count == len(known) and (*made, note) > known)


def collect(table: Table, seat: int, amount: int) -> None:
    """The seat pays at least the amount, or all it has, and gets change in notes (M6)."""
    chips, notes, change = _payment(table, seat, amount)
    table.move_notes(PURSE[seat], BANK, *notes)
    if chips:
        table.take_chips(seat, chips)
    table.move_notes(BANK, PURSE[seat], *change)


def _payment(table: Table, seat: int, amount: int) -> Payment:
    """The cheapest payment; of equals the one with fewer chips, then the one that moves fewer notes."""
    state = table.state
    owned = state.notes_of(seat)
    chips = state.chips_of(seat)
    over = total(state, seat) - amount
    if over <= 0:
        return chips, owned, ()
    payable = payable_sums(owned, sum(owned))
    changes = payable_sums(state.notes.get(BANK, ()), over)
    offers = list[Priced]()
    for paid in range(chips + 1):
        offers += _offers(payable, changes, paid, amount)
        # This is the lowest price there is, and with more chips it would only be worse.
        if offers and min(offers)[0] == amount:
            break
    _, paid, _, worth, given = min(offers)
    return paid, payable[worth], changes[given]


def _offers(payable: Sums, changes: Sums, paid: int, amount: int) -> list[Priced]:
    """Every way to pay with `paid` chips: the price, the chips, the notes that move, and both sums."""
    steps = sorted(changes)
    return [
        (worth + CHIP * paid - given, paid, len(notes) + len(changes[given]), worth, given)
        for worth, notes in payable.items()
        if worth + CHIP * paid >= amount
        for given in [steps[bisect_right(steps, worth + CHIP * paid - amount) - 1]]
    ]


def show_notes(state: State) -> Members:
    return {"bank": tuple(sorted(state.notes[BANK], reverse=True))} if BANK in state.notes else {}


EXTENSION = TableExtension(table=show_notes)
