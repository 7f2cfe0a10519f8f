"""Finds what is impossible in a described table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from events.text import Text
from events.values import CASINO_NUMBERS, GREY, NEUTRAL, OWNER, Dice
from rules.position.model import Position, PositionCasino, PositionFault, PositionRoll, PositionSeat
from rules.position.pieces import EXTRA_CASINO, stock_of
from rules.restore import is_paying
from rules.ruleset import Ruleset
from rules.scoring import total
from rules.state import State


def find_faults(position: Position, seat: int, ruleset: Ruleset) -> Iterator[PositionFault]:
    """Find faults that show before a state is built."""
    if not 1 <= position.round <= ruleset.rounds:
        yield PositionFault(
            "/round", Text("{edition} has rounds 1 to {rounds}", edition=ruleset.id, rounds=ruleset.rounds)
        )
    for name, number in (("starter", position.starter), ("turn", position.turn)):
        if number is not None and not 0 <= number < len(position.seats):
            yield PositionFault(f"/{name}", Text("there are seats 0 to {last}", last=len(position.seats) - 1))
    yield from _find_casino_faults(position)
    yield from _find_extra_faults(position, ruleset)
    yield from _find_owner_faults(position)
    yield from _find_note_faults(position, ruleset)
    yield from _find_seat_faults(position, ruleset)
    yield from _find_chip_card_faults(position, ruleset)
    if position.roll is not None:
        yield from _find_roll_faults(position, position.roll, seat, ruleset)


def _find_casino_faults(position: Position) -> Iterator[PositionFault]:
    numbers = [casino.number for casino in position.casinos]
    for number in CASINO_NUMBERS:
        if numbers.count(number) != 1:
            said = Text("is missing") if number not in numbers else Text("is there twice")
            yield PositionFault("/casinos", Text("casino {number} {said}", number=number, said=said))
    for place, casino in enumerate(position.casinos):
        if casino.number not in (*CASINO_NUMBERS, EXTRA_CASINO):
            yield PositionFault(f"/casinos/{place}/number", "must be a number from 1 to 6, or bandit")


def _find_extra_faults(position: Position, ruleset: Ruleset) -> Iterator[PositionFault]:
    """Check that the bandit is there once if it was agreed on, and else not."""
    wanted = bool(ruleset.bandit and position.options.get(EXTRA_CASINO))
    found = [place for place, casino in enumerate(position.casinos) if casino.number == EXTRA_CASINO]
    if wanted and not found:
        yield PositionFault("/casinos", "the bandit is missing")
    too_many = found[1:] if wanted else found
    for place in too_many:
        said = Text("is there twice") if wanted else Text("is not agreed on: see /options/bandit")
        yield PositionFault(f"/casinos/{place}/number", Text("the bandit {said}", said=said))
    for place in found:
        yield from _find_faults_on_bandit(position.casinos[place], f"/casinos/{place}")


def _find_faults_on_bandit(bandit: PositionCasino, pointer: str) -> Iterator[PositionFault]:
    if bandit.closed:
        yield PositionFault(f"{pointer}/closed", "must be false: the bandit is always open")
    brought = Counter[tuple[int, bool]]()
    for at, lot in enumerate(bandit.dice):
        if lot.face is None or not 1 <= lot.face <= 6:
            yield PositionFault(
                f"{pointer}/dice/{at}/face", "must be between 1 and 6: dice keep their numbers there"
            )
            continue
        brought[lot.face, lot.owner in OWNER] += 1
        if brought[lot.face, lot.owner in OWNER] > 1:
            yield PositionFault(f"{pointer}/dice/{at}/face", "each number can be brought there once a round")


def _find_owner_faults(position: Position) -> Iterator[PositionFault]:
    owners = {*OWNER[: len(position.seats)], NEUTRAL, GREY}
    detail = Text("there are {every}", every=", ".join(sorted(owners)))
    for place, casino in enumerate(position.casinos):
        for at, lot in enumerate(casino.dice):
            pointer = f"/casinos/{place}/dice/{at}"
            if lot.owner not in owners:
                yield PositionFault(
                    f"{pointer}/owner",
                    Text("must be a known owner, not {owner}; {instead}", owner=lot.owner, instead=detail),
                )
            if lot.small < 0 or lot.big < 0:
                yield PositionFault(pointer, "must not have a negative number of dice")


def _find_note_faults(position: Position, ruleset: Ruleset) -> Iterator[PositionFault]:
    """Find notes that the edition does not have, and notes of which there are too many."""
    known = Counter(ruleset.notes)
    here = sum(len(notes) for _, notes in _list_notes(position))
    if here > known.total():
        yield PositionFault(
            "",
            Text(
                "{edition} has {total} notes, and here are {here}",
                edition=ruleset.id,
                total=known.total(),
                here=here,
            ),
        )
        return
    seen = Counter[int]()
    for pointer, notes in _list_notes(position):
        for place, note in enumerate(notes):
            seen[note] += 1
            if note not in known:
                yield PositionFault(
                    f"{pointer}/{place}",
                    Text("{edition} has no note of {note}", edition=ruleset.id, note=note),
                )
            elif seen[note] == known[note] + 1:
                detail = Text(
                    "there are only {count} notes of {note} in the game", count=known[note], note=note
                )
                yield PositionFault(f"{pointer}/{place}", detail)
    left = known.total() - seen.total()
    if position.pile is not None and position.pile > left:
        yield PositionFault("/pile", Text("only {left} notes lie nowhere else", left=left))


def _list_notes(position: Position) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield from ((f"/casinos/{place}/notes", casino.notes) for place, casino in enumerate(position.casinos))
    yield from ((f"/seats/{place}/notes", seat.notes or ()) for place, seat in enumerate(position.seats))
    yield "/under", position.under
    yield "/bank", position.bank or ()


def _find_seat_faults(position: Position, ruleset: Ruleset) -> Iterator[PositionFault]:
    for place, seat in enumerate(position.seats):
        if seat.dice < seat.big:
            yield PositionFault(f"/seats/{place}/dice", "the big die in hand is one of them")
        if seat.chips and not has_chips(ruleset):
            yield PositionFault(f"/seats/{place}/chips", Text("{edition} has no chips", edition=ruleset.id))
    if position.bank is not None and not position.codes:
        yield PositionFault("/bank", "a bank is there only beside tiles")


def has_chips(ruleset: Ruleset) -> bool:
    """Whether the edition has chips: a turn may be passed for one."""
    return "pass" in ruleset.prompts["turn.place"].verbs if "turn.place" in ruleset.prompts else False


def _find_chip_card_faults(position: Position, ruleset: Ruleset) -> Iterator[PositionFault]:
    known = Counter(ruleset.chip_cards(position.options))
    seen = Counter[str]()
    for pointer, cards in _list_chip_cards(position):
        for place, colour in enumerate(cards):
            seen[colour] += 1
            if not known:
                yield PositionFault(
                    f"{pointer}/{place}", "no chip cards were agreed on: see /options/chip_cards"
                )
            elif seen[colour] > known[colour]:
                detail = Text(
                    "there are {count} chip cards of {colour} in the game",
                    count=known[colour],
                    colour=Text(colour),
                )
                yield PositionFault(f"{pointer}/{place}", detail)
    if known and seen.total() > position.round * len(CASINO_NUMBERS):
        yield PositionFault(
            "/casinos", Text("by round {round} fewer chip cards have been laid out", round=position.round)
        )


def _list_chip_cards(position: Position) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield from (
        (f"/casinos/{place}/chip_cards", casino.chip_cards) for place, casino in enumerate(position.casinos)
    )
    yield from ((f"/seats/{place}/chip_cards", seat.chip_cards) for place, seat in enumerate(position.seats))


def _find_roll_faults(
    position: Position, roll: PositionRoll, seat: int, ruleset: Ruleset
) -> Iterator[PositionFault]:
    """Check that the seat with the turn has rolled all dice in hand; later in the turn it may be fewer."""
    places = position.ask.prompt in (None, "turn.place")
    turn = seat if places or position.turn is None else position.turn
    roller = turn if roll.seat is None else roll.seat
    if "turn.place" not in ruleset.prompts:
        yield PositionFault("/roll", Text("in {edition} nothing is rolled", edition=ruleset.id))
    elif not 0 <= roller < len(position.seats) or (places and roller != seat):
        yield PositionFault("/roll/seat", Text("seat {seat} is asked what to do with its roll", seat=seat))
    else:
        yield from _compare_with_hand(position, roll, roller, places)


def _compare_with_hand(
    position: Position, roll: PositionRoll, roller: int, exactly: bool
) -> Iterator[PositionFault]:
    hand = position.seats[roller]
    held = hand.dice - hand.big, hand.neutral_dice
    for name, faces, most in zip(("own", "neutral"), (roll.own, roll.neutral), held, strict=True):
        if len(faces) > most or (exactly and len(faces) != most):
            detail = Text(
                "seat {roller} has {most} such dice in hand, and here are {count}",
                roller=roller,
                most=most,
                count=len(faces),
            )
            yield PositionFault(f"/roll/{name}", detail)
    if roll.big is not None and not hand.big:
        yield PositionFault("/roll/big", "the big die is rolled but not in hand")
    if exactly and roll.big is None and hand.big:
        yield PositionFault("/roll/big", "the big die is in hand but not rolled")


def find_sum_faults(position: Position, ruleset: Ruleset) -> Iterator[PositionFault]:
    """Find sums and counts that do not fit what they count."""
    if position.rounds not in (None, ruleset.rounds):
        yield PositionFault(
            "/rounds", Text("{edition} has {rounds} rounds", edition=ruleset.id, rounds=ruleset.rounds)
        )
    if position.winners is not None:
        yield PositionFault("/winners", "nobody has won yet where something is to be chosen")
    for place, seat in enumerate(position.seats):
        yield from _find_sum_faults_of_seats(seat, place)
    yield from _find_weight_faults(position)
    yield from _find_early_notes(position)


def _find_sum_faults_of_seats(seat: PositionSeat, place: int) -> Iterator[PositionFault]:
    pointer = f"/seats/{place}"
    if seat.seat not in (None, place):
        yield PositionFault(
            f"{pointer}/seat", Text("seats are told in their order, and this is seat {place}", place=place)
        )
    if seat.notes is None:
        return
    if seat.note_count not in (None, len(seat.notes)):
        detail = Text("here are {count} notes; of hidden ones `notes` is null", count=len(seat.notes))
        yield PositionFault(f"{pointer}/note_count", detail)
    if seat.money not in (None, sum(seat.notes)):
        yield PositionFault(
            f"{pointer}/money", Text("the notes of this seat sum to {sum}", sum=sum(seat.notes))
        )


def _find_weight_faults(position: Position) -> Iterator[PositionFault]:
    for place, casino in enumerate(position.casinos):
        for at, lot in enumerate(casino.dice):
            weight = Dice(lot.small, lot.big).weight
            if lot.weight not in (None, weight):
                yield PositionFault(
                    f"/casinos/{place}/dice/{at}/weight", Text("these dice count as {weight}", weight=weight)
                )


def _find_early_notes(position: Position) -> Iterator[PositionFault]:
    """Find notes of seats in round 1, where no tile could have paid them."""
    if position.round > 1 or position.codes:
        return
    for place, seat in enumerate(position.seats):
        if seat.notes or (seat.notes is None and seat.note_count):
            member = "note_count" if seat.notes is None else "notes"
            yield PositionFault(f"/seats/{place}/{member}", "nobody has notes before the end of round 1")


def find_total_faults(position: Position, state: State) -> Iterator[PositionFault]:
    for place, seat in enumerate(position.seats):
        if seat.notes is not None and seat.total not in (None, total(state, place)):
            detail = Text("what this seat has is worth {total}", total=total(state, place))
            yield PositionFault(f"/seats/{place}/total", detail)


def find_stock_faults(position: Position, state: State, ruleset: Ruleset) -> Iterator[PositionFault]:
    """Before the payout, check that every casino has notes as they are laid out."""
    if is_paying(state):
        return
    left = len(state.unseen) + len(position.under)
    for place, casino in enumerate(position.casinos):
        detail = ruleset.stock_fault(state.notes[stock_of(casino)], left)
        if detail:
            yield PositionFault(f"/casinos/{place}/notes", detail)
