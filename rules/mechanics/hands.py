"""Hands of the card game: what a seat has laid, what its pile still holds, five new cards."""

from __future__ import annotations

from collections import Counter

from events.types import CardsDealt
from events.values import CASINO_NUMBERS
from rules.shown import Members, Shows, show_secret
from rules.state import State
from rules.table import Table

HAND = 5
ENOUGH_CARDS = 8
MOST_TURNS = 6


def number_on(card: str) -> int:
    return int(card[0])


def dice_on(card: str) -> int:
    return 2 if card.endswith("d") else 1


def laid_cards(state: State, seat: int) -> tuple[str, ...]:
    """The seat's cards at the casinos."""
    found: list[str] = []
    for number in CASINO_NUMBERS:
        lot = state.own_dice(seat, number)
        found += [f"{number}"] * lot.small + [f"{number}d"] * lot.big
    return tuple(found)


def unseen_cards(state: State, seat: int) -> tuple[str, ...]:
    """What is still in the seat's pile: the deck without hand, glass and laid cards."""
    gone = Counter(laid_cards(state, seat))
    for known in (*state.glasses.get(seat, ()), *filter(None, (state.hands.get(seat),))):
        gone.update(known.contents)
    return tuple((Counter(state.decks[seat]) - gone).elements())


def plays_on(state: State, seat: int) -> bool:
    """Eight placed cards or six turns end a seat's round (C4)."""
    taken = len(state.glasses.get(seat, ()))
    return taken < MOST_TURNS and len(laid_cards(state, seat)) < ENOUGH_CARDS


def turn_number(state: State) -> int:
    """Which of the six turns is being played; in sequence every seat counts its own (C6)."""
    if state.turn is None:
        return state.turns
    return len(state.glasses.get(state.turn, ())) + (state.turn in state.hands)


def draw_hand(table: Table, seat: int) -> None:
    """Five new cards for a seat that plays on."""
    if not plays_on(table.state, seat):
        return
    number, below = table.pick()
    pile, hand = list(unseen_cards(table.state, seat)), list[str]()
    while len(hand) < HAND:
        hand.append(pile.pop(below(len(pile))))
    _, sealed = table.seal(tuple(sorted(hand)), seat)
    table.record(CardsDealt(seat, sealed, number))


def deal(table: Table) -> None:
    for seat in range(len(table.state.seats)):
        draw_hand(table, seat)


def to_come(state: State, seat: int) -> int:
    """So many cards may be laid in a round; each that lies is one less, whatever it shows (C4)."""
    return -len(laid_cards(state, seat))


def show_turns(state: State) -> Members:
    """Turns are numbered, six at most in a round (C4)."""
    if state.status != "playing":
        return {}
    return {"turn_number": turn_number(state), "most_turns": MOST_TURNS}


def show_seat(state: State, seat: int) -> Members:
    if state.status == "lobby":
        return {}
    return {
        "hand": show_secret(state.hands[seat]) if seat in state.hands else (),
        "glass": tuple(show_secret(rest) for rest in state.glasses.get(seat, ())),
        "placed": len(laid_cards(state, seat)),
        "out": not plays_on(state, seat),
    }


SHOWS = Shows(table=show_turns, seat=show_seat)
