"""A turn with cards: select from the hand, lay the cards at their casinos, the rest goes under the glass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations

from events.agenda import Ask, Step
from events.secrecy import Secret
from events.types import CardsDealt, CardsPlayed, Revealed, TurnStarted
from events.values import CASINO_NUMBERS
from rules import chip_cards
from rules.dice_turn import PAYOUT
from rules.money import counted
from rules.prompt import Prompt
from rules.state import State
from rules.table import Table

HAND = 5
ANY_CARDS = 2
ENOUGH_CARDS = 8
MOST_TURNS = 6
TURNS = Step("card_turns")


def number_on(card: str) -> int:
    return int(card[0])


def dice_on(card: str) -> int:
    return 2 if card.endswith("d") else 1


# Who is in, and with which cards


def laid(state: State, seat: int) -> tuple[str, ...]:
    """The seat's cards at the casinos."""
    found: list[str] = []
    for number in CASINO_NUMBERS:
        lot = state.own_dice(seat, number)
        found += [f"{number}"] * lot.small + [f"{number}d"] * lot.big
    return tuple(found)


def unseen(state: State, seat: int) -> tuple[str, ...]:
    """What is still in the seat's pile: the deck without hand, glass and laid cards."""
    gone = Counter(laid(state, seat))
    for known in (*state.glasses.get(seat, ()), *filter(None, (state.hands.get(seat),))):
        gone.update(known.opened)
    return tuple((Counter(state.decks[seat]) - gone).elements())


def plays_on(state: State, seat: int) -> bool:
    """Eight placed cards or six turns end a seat's round (C4)."""
    taken = len(state.glasses.get(seat, ()))
    return taken < MOST_TURNS and len(laid(state, seat)) < ENOUGH_CARDS


def draw_hand(table: Table, seat: int) -> None:
    """Five new cards for a seat that plays on."""
    if not plays_on(table.state, seat):
        return
    number, below = table.pick()
    pile, hand = list(unseen(table.state, seat)), list[str]()
    while len(hand) < HAND:
        hand.append(pile.pop(below(len(pile))))
    _, sealed = table.seal(tuple(sorted(hand)), seat)
    table.record(CardsDealt(seat, sealed, number))


def deal(table: Table) -> None:
    for seat in range(len(table.state.seats)):
        draw_hand(table, seat)


# The turn


def turns(table: Table, step: Step) -> None:
    if not table.state.hands:
        table.push(PAYOUT)
        return
    table.push(TURNS)
    if table.state.options["sequential"]:
        seat = next_seat(table.state)
        table.record(TurnStarted(seat))
        table.ask("cards.lay", seat)
    else:
        table.record(TurnStarted())
        table.ask("cards.select", *sorted(table.state.hands))


def next_seat(state: State) -> int:
    """The next seat in order that still has a hand."""
    players = len(state.seats)
    start = (state.starter or 0) if state.turn is None else state.turn + 1
    order = [seat % players for seat in range(start, start + players)]
    return next(seat for seat in order if seat in state.hands)


def choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    """One card, any two, or more of one number (C3); nothing for those who do not see the hand."""
    hand = state.hands.get(seat)
    if hand is None or hand.value is None:
        return ()
    found = dict[tuple[str, ...], None]()
    for count in range(1, HAND + 1):
        found.update(dict.fromkeys(filter(_selectable, combinations(sorted(hand.value), count))))
    return tuple("-".join(("play", *cards)) for cards in found)


def _selectable(cards: tuple[str, ...]) -> bool:
    return len(cards) <= ANY_CARDS or len(set(map(number_on, cards))) == 1


def cards_in(choice: str) -> tuple[str, ...]:
    return tuple(choice.split("-")[1:])


def label(state: State, ask: Ask, seat: int, choice: str) -> str:
    return "Play " + " and ".join(_in_words(card, count) for card, count in Counter(cards_in(choice)).items())


def _in_words(card: str, count: int) -> str:
    return counted(count, f"double {card[0]}" if dice_on(card) > 1 else card)


def lay(table: Table, seat: int, cards: tuple[str, ...]) -> None:
    """The selection goes to its casinos, what is left of the hand under the glass."""
    rest = Counter(table.state.hands[seat].opened) - Counter(cards)
    number, sealed = table.seal(tuple(sorted(rest.elements())), seat)
    table.record(CardsPlayed(seat, cards, sealed, number))


def selected(table: Table, ask: Ask, choices: Mapping[int, str]) -> None:
    """The last selection is in: all are revealed, then laid, then new hands are drawn (C2)."""
    reveal(table)
    for seat in sorted(choices):
        lay(table, seat, cards_in(choices[seat]))
    for seat in sorted(choices):
        draw_hand(table, seat)


def reveal(table: Table) -> None:
    """Salt and value of every sealed answer."""
    answers = table.state.ask.answers if table.state.ask else ()
    for answer in sorted(answers, key=lambda answer: answer.seat):
        sealed = answer.choice
        if isinstance(sealed, Secret) and sealed.salt is not None:
            table.record(Revealed(sealed.hidden, answer.seat, sealed.opened, sealed.salt))


def laid_in_turn(table: Table, ask: Ask, choices: Mapping[int, str]) -> None:
    """In sequence the hand is refilled as the last thing of the own turn (C6)."""
    for seat, choice in choices.items():
        cards = cards_in(choice)
        lay(table, seat, cards)
        table.push(Step("card_turns.draw", seat=seat))
        chip_cards.offer(table, seat, _earned(cards))


def _earned(cards: tuple[str, ...]) -> list[int]:
    """The casinos that got two dice or more; a double card is enough."""
    brought = Counter[int]()
    for card in cards:
        brought[number_on(card)] += dice_on(card)
    return [number for number, dice in brought.items() if dice >= chip_cards.ENOUGH_DICE]


def draw(table: Table, step: Step) -> None:
    if step.seat is not None:
        draw_hand(table, step.seat)


STEPS = {"card_turns": turns, "card_turns.draw": draw}
PROMPTS = {
    "cards.select": Prompt(choices, label, selected, secret=True, private=True),
    "cards.lay": Prompt(choices, label, laid_in_turn, private=True),
}
