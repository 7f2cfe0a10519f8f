"""A turn with cards: select from the hand, lay the cards at their casinos, the rest goes under the glass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations

from msgspec.structs import replace

from events.agenda import Ask, Item, Step, require
from events.secrecy import Secret
from events.types import CardsPlayed, Revealed, TurnStarted
from rules.about import About, Target
from rules.choice import read_choice, write_choice
from rules.mechanics import chip_cards
from rules.mechanics.dice_turn import PAYOUT
from rules.mechanics.hands import HAND, dice_on, draw_hand, number_on
from rules.prompt import Asked, Prompt
from rules.ruleset import OptionSpec
from rules.state import State
from rules.table import Table
from rules.wording import quantity

ANY_CARDS = 2
TURNS = Step("card_turns")
SEQUENTIAL = OptionSpec(
    "sequential", "flag", "Play one after the other instead of all at once.", False, rule="C6"
)


def start_turn(table: Table, step: Step) -> None:
    if not table.state.hands:
        table.push(PAYOUT)
        return
    table.push(TURNS)
    if SEQUENTIAL.value_in(table.state.options):
        seat = next_seat(table.state)
        table.record(TurnStarted(seat))
        table.ask("cards.lay", seat)
    else:
        table.record(TurnStarted())
        table.ask("cards.select", *sorted(table.state.hands))


def next_seat(state: State) -> int:
    """The next seat in order that still has a hand."""
    return next(seat for seat in state.order if seat in state.hands)


def choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    """One card, any two, or more of one number (C3); nothing for those who do not see the hand."""
    hand = state.hands.get(seat)
    if hand is None or hand.value is None:
        return ()
    found = dict[tuple[str, ...], None]()
    for count in range(1, HAND + 1):
        found.update(dict.fromkeys(filter(_selectable, combinations(sorted(hand.value), count))))
    return tuple(write_choice("play", *cards) for cards in found)


def _selectable(cards: tuple[str, ...]) -> bool:
    return len(cards) <= ANY_CARDS or len(set(map(number_on, cards))) == 1


def cards_in(choice: str) -> tuple[str, ...]:
    return read_choice(choice).words


def label(state: State, ask: Ask, seat: int, choice: str) -> str:
    return "Play " + " and ".join(_in_words(card, count) for card, count in Counter(cards_in(choice)).items())


def about(state: State, ask: Ask, seat: int, choice: str) -> About:
    return About(tuple(Target(card=card) for card in cards_in(choice)))


def about_in_turn(state: State, ask: Ask, seat: int, choice: str) -> About:
    """Who lays alone knows what it changes; what others select at the same time, nobody does."""
    numbers = {number_on(card) for card in cards_in(choice)}
    return replace(about(state, ask, seat, choice), weighs=numbers.pop() if len(numbers) == 1 else None)


def _in_words(card: str, count: int) -> str:
    return quantity(count, f"double {number_on(card)}" if dice_on(card) > 1 else card)


def lay(table: Table, seat: int, cards: tuple[str, ...]) -> None:
    """The selection goes to its casinos, what is left of the hand under the glass."""
    rest = Counter(table.state.hands[seat].contents) - Counter(cards)
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
            table.record(Revealed(sealed.hidden, answer.seat, sealed.contents, sealed.salt))


def laid_in_turn(table: Table, ask: Ask, choices: Mapping[int, str]) -> None:
    """In sequence the hand is refilled as the last thing of the own turn (C6)."""
    for seat, choice in choices.items():
        cards = cards_in(choice)
        lay(table, seat, cards)
        table.push(Step("card_turns.draw", seat=seat))
        chip_cards.offer(table, seat, _casinos_with_enough_dice(cards))


def _casinos_with_enough_dice(cards: tuple[str, ...]) -> list[int]:
    """The casinos that got two dice or more; a double card is enough."""
    brought = Counter[int]()
    for card in cards:
        brought[number_on(card)] += dice_on(card)
    return [number for number, dice in brought.items() if dice >= chip_cards.ENOUGH_DICE]


def draw(table: Table, step: Step) -> None:
    draw_hand(table, require(step.seat))


def still_to_draw(state: State, asked: Asked) -> tuple[Item, ...]:
    """A chip card is taken between laying and drawing (C6)."""
    return (TURNS, Step("card_turns.draw", seat=asked.seat))


STEPS = {"card_turns": start_turn, "card_turns.draw": draw}
PROMPTS = {
    "cards.select": Prompt(
        choices, label, selected, "C3", "Select cards, all at once", secret=True, private=True, about=about
    ),
    "cards.lay": Prompt(
        choices,
        label,
        laid_in_turn,
        "C3",
        "Lay cards, one after the other",
        private=True,
        about=about_in_turn,
    ),
}
