"""Hands and laid cards of a described table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from events.secrecy import Secret, seal
from events.text import Text
from events.values import OWNER
from rules.mechanics.card_turn import ENOUGH_CARDS, HAND, MOST_TURNS
from rules.position.model import Position, PositionFault, PositionSeat
from rules.state import State

Cards = Secret[tuple[str, ...]]
NO_SALT = "00" * 16
DRAWS_LATER = "chip_cards.take"

HOLDS_FIVE = "{owner} plays on, so it holds five cards"
HOLDS_NONE = "{owner} is out, so it holds no cards"


def count_turn(position: Position, seat: int) -> int:
    """Which of the six turns it is: as described, or one more than the glass shows."""
    if position.turn_number is not None:
        return position.turn_number
    return len(position.seats[seat].glass or ()) + (not has_laid(position))


def has_laid(position: Position) -> bool:
    """Whether the seat that is asked is between laying and drawing."""
    return position.ask.prompt == DRAWS_LATER


def count_turns_taken(position: Position, seat: int, new_game: State, other: int) -> int:
    """How many turns a seat has had: as its glass shows, else as many as the seat that is asked.

    In sequence, seats before that one have had one more.
    """
    said = position.seats[other].glass
    if said is not None:
        return len(said)
    has_had = has_laid(position) if other == seat else _comes_before(position, seat, new_game, other)
    return count_turn(position, seat) - (not has_had)


def _comes_before(position: Position, seat: int, new_game: State, other: int) -> bool:
    starter = seat if position.starter is None else position.starter
    players = len(position.seats)
    return new_game.turn is not None and (other - starter) % players < (seat - starter) % players


def laid_by(position: Position, seat: int) -> list[str]:
    """The seat's cards at the casinos: a single card lies like a die, a double card like a big one."""
    found = list[str]()
    for casino in position.casinos:
        for lot in casino.dice:
            if lot.owner == OWNER[seat]:
                found += [f"{casino.number}"] * lot.small + [f"{casino.number}d"] * lot.big
    return found


def plays_on(position: Position, seat: int, new_game: State, other: int) -> bool:
    taken = count_turns_taken(position, seat, new_game, other)
    return taken < MOST_TURNS and len(laid_by(position, other)) < ENOUGH_CARDS


def hide_hands(position: Position, seat: int, new_game: State) -> dict[int, Cards]:
    """Seal a hand of five cards for each seat that plays on; a seat that has just laid has not drawn yet."""
    if not new_game.decks:
        return new_game.hands
    return {
        other: _hide(described.hand if other == seat else None, other, "hand")
        for other, described in enumerate(position.seats)
        if (not has_laid(position) if other == seat else plays_on(position, seat, new_game, other))
    }


def hide_glasses(position: Position, seat: int, new_game: State) -> dict[int, tuple[Cards, ...]]:
    if not new_game.decks:
        return new_game.glasses
    found = {other: _glass(position, seat, new_game, other) for other in range(len(position.seats))}
    return {other: glass for other, glass in found.items() if glass}


def _glass(position: Position, seat: int, new_game: State, other: int) -> tuple[Cards, ...]:
    taken = count_turns_taken(position, seat, new_game, other)
    known: Sequence[Any] = (position.seats[other].glass or ()) if other == seat else (None,) * taken
    return tuple(_hide(rest, other, f"glass {turn}") for turn, rest in enumerate(known))


def _hide(cards: Any, seat: int, what: str) -> Cards:
    """Seal known cards for their seat; unknown cards become a commitment that cannot be opened."""
    if isinstance(cards, (list, tuple)):
        return seal(tuple(sorted(map(str, cards))), NO_SALT, (seat,))
    return Secret(sha256(f"{what} of seat {seat}".encode()).hexdigest())


def find_card_faults(position: Position, seat: int, new_game: State) -> Iterator[PositionFault]:
    if not new_game.decks:
        yield from _find_no_cards(position)
    elif position.turn_number is not None and not 1 <= position.turn_number <= MOST_TURNS:
        yield PositionFault("/turn_number", Text("must be between 1 and {most_turns}", most_turns=MOST_TURNS))
    else:
        faults = [*_find_laid_faults(position, new_game)]
        yield from faults
        if faults:
            # The other faults are counted from the cards that lie there.
            return
        yield from _find_own_faults(position, seat, new_game)
        for other in range(len(position.seats)):
            yield from _find_turn_faults(position, seat, new_game, other)
            yield from _find_hand_faults(position, seat, new_game, other)


def _find_no_cards(position: Position) -> Iterator[PositionFault]:
    for place, seat in enumerate(position.seats):
        for name, cards in (("hand", seat.hand), ("glass", seat.glass)):
            if cards:
                yield PositionFault(f"/seats/{place}/{name}", "must be left out: this edition has no cards")


def _find_laid_faults(position: Position, new_game: State) -> Iterator[PositionFault]:
    decks = {OWNER[seat]: Counter(deck) for seat, deck in enumerate(new_game.decks)}
    for place, casino in enumerate(position.casinos):
        laid = Counter[tuple[str, str]]()
        for at, lot in enumerate(casino.dice):
            pointer = f"/casinos/{place}/dice/{at}"
            if lot.owner not in OWNER:
                yield PositionFault(f"{pointer}/owner", "must be a seat: only players lay cards")
                continue
            for size, count, card in (
                ("small", lot.small, f"{casino.number}"),
                ("big", lot.big, f"{casino.number}d"),
            ):
                laid[lot.owner, card] += count
                most = decks[lot.owner][card]
                if laid[lot.owner, card] > most:
                    yield PositionFault(
                        f"{pointer}/{size}",
                        Text("a deck has only {most} of the card {card}", most=most, card=card),
                    )


def _find_own_faults(position: Position, seat: int, new_game: State) -> Iterator[PositionFault]:
    """Check that the cards of the asked seat are described, and come from its deck."""
    own = position.seats[seat]
    expected = 0 if has_laid(position) else HAND
    deck = Counter(new_game.decks[seat])
    deck.subtract(laid_by(position, seat))
    if len(own.hand if isinstance(own.hand, (list, tuple)) else ()) != expected:
        yield PositionFault(
            f"/seats/{seat}/hand", Text("must have {expected} cards where this is asked", expected=expected)
        )
    for pointer, cards in _list_cards(own):
        where = f"/seats/{seat}/{pointer}"
        if cards and not isinstance(cards, (list, tuple)):
            yield PositionFault(where, "must have the cards of the seat that is asked")
            continue
        for place, card in enumerate(cards or ()):
            deck[card] -= 1
            if deck[card] < 0:
                yield PositionFault(
                    f"{where}/{place}", Text("its deck has no such card {card}, or no more", card=card)
                )


def _list_cards(seat: PositionSeat) -> Iterator[tuple[str, Any]]:
    yield "hand", seat.hand
    yield from ((f"glass/{turn}", rest) for turn, rest in enumerate(seat.glass or ()))


def _find_turn_faults(position: Position, seat: int, new_game: State, other: int) -> Iterator[PositionFault]:
    """Each turn lays one to five cards and puts the rest of five under the glass (C2)."""
    taken = count_turns_taken(position, seat, new_game, other)
    laid = len(laid_by(position, other))
    glass = position.seats[other].glass
    where = "/turn_number" if glass is None and position.turn_number is None else f"/seats/{other}/glass"
    expected = count_turn(position, seat) - (not has_laid(position))
    if other == seat and (glass is None or len(glass) != expected) and expected:
        yield PositionFault(
            where, Text("must have what {expected} turns put under the glass", expected=expected)
        )
        return
    if taken > MOST_TURNS or not taken <= laid <= HAND * taken:
        yield PositionFault(
            where,
            Text(
                "{owner} has had {taken} turns, and of its cards lie {laid}",
                owner=OWNER[other],
                taken=taken,
                laid=laid,
            ),
        )
    elif other == seat and laid + sum(map(len, glass or ())) != HAND * taken:
        yield PositionFault(
            where,
            Text("of {taken} turns {hand} cards are under the glass", taken=taken, hand=HAND * taken - laid),
        )
    elif new_game.turn is None and glass is not None and laid < ENOUGH_CARDS and taken != expected:
        yield PositionFault(
            where,
            Text(
                "{owner} plays on, and all have had {expected} turns", owner=OWNER[other], expected=expected
            ),
        )


def _find_hand_faults(position: Position, seat: int, new_game: State, other: int) -> Iterator[PositionFault]:
    plays = plays_on(position, seat, new_game, other)
    hand = position.seats[other].hand
    if other != seat and hand is not None and bool(hand) != plays:
        said = HOLDS_FIVE if plays else HOLDS_NONE
        yield PositionFault(f"/seats/{other}/hand", Text(said, owner=OWNER[other]))
