"""A turn with cards: select from the hand, lay the cards, draw, and put the rest under the glass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations

from msgspec.structs import replace

from events.agenda import Ask, Item, Step, require
from events.secrecy import Secret
from events.text import Joined, Text
from events.types import CardsDealt, CardsPlayed, Revealed, TurnStarted
from events.values import CASINO_NUMBERS
from rules.choice import read_choice, write_choice
from rules.extension import Members, TableExtension, show_secret
from rules.mechanics import chip_cards
from rules.mechanics.dice_turn import PAYOUT
from rules.prompt import Asked, OptionDetails, Path, PathContext, PathStep, Prompt, Target
from rules.ruleset import OptionSpec
from rules.state import State
from rules.table import Table
from rules.wording import quantity

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
    """Draw five new cards for a seat that plays on."""
    if not plays_on(table.state, seat):
        return
    number, below = table.pick()
    pile = list(unseen_cards(table.state, seat))
    hand = list[str]()
    while len(hand) < HAND:
        hand.append(pile.pop(below(len(pile))))
    _, sealed = table.seal(tuple(sorted(hand)), seat)
    table.record(CardsDealt(seat, sealed, number))


def deal(table: Table) -> None:
    for seat in range(len(table.state.seats)):
        draw_hand(table, seat)


def to_come(state: State, seat: int) -> int:
    """How many cards the seat may still lay this round, counted from zero down (C4)."""
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


EXTENSION = TableExtension(
    table=show_turns,
    seat=show_seat,
    briefs={
        "turn_number": "turn {value}",
        "hand": "hand {value}",
        "glass": "under the glass {value}",
        "placed": "cards placed {value}",
        "out": "out of this round",
    },
)


ANY_CARDS = 2
TURNS = Step("card_turns")
SEQUENTIAL = OptionSpec(
    "sequential",
    "flag",
    "Play one after the other instead of all at once.",
    how="You play one after the other, see what the others have placed, and draw new cards at the end of "
    "your turn. Each player has six turns.",
    default=False,
    rule="C6",
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
    parts = [_in_words(card, count) for card, count in Counter(cards_in(choice)).items()]
    return Text("Play {cards}", cards=Joined(parts, " and "))


def details(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    return OptionDetails(tuple(Target(card=card) for card in cards_in(choice)))


def details_in_turn(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    """The details of a choice in sequence, where no other seat lays at the same time."""
    numbers = {number_on(card) for card in cards_in(choice)}
    changed = numbers.pop() if len(numbers) == 1 else None
    return replace(details(state, ask, seat, choice), changed_casino=changed)


def _in_words(card: str, count: int) -> str:
    return quantity(count, "{card}", card=_named(card))


def _named(card: str) -> str:
    return Text("double {number}", number=number_on(card)) if dice_on(card) > 1 else card


def find_path(context: PathContext, choice: str) -> Path:
    """The cards in rising order, and the end where more of them could follow."""
    cards = cards_in(choice)
    steps = [
        PathStep(Target(card=card), _next_card(card, before))
        for before, card in zip((None, *cards), cards, strict=False)
    ]
    if not _could_follow(context, cards):
        return tuple(steps)
    end = Text("Play this card alone") if len(cards) == 1 else Text("Play these cards")
    return (*steps, PathStep(None, end))


def _next_card(card: str, before: str | None) -> str:
    named = _named(card)
    if before is None:
        return Text("Take the {card}", card=named)
    if before == card:
        return Text("Another {card}", card=named)
    return Text("And the {card}", card=named)


def _could_follow(context: PathContext, cards: tuple[str, ...]) -> bool:
    """Whether more cards than these could be played, these first."""
    every = choices(context.state, context.ask, context.seat)
    return any(cards_in(other)[: len(cards)] == cards for other in every if len(cards_in(other)) > len(cards))


def lay(table: Table, seat: int, cards: tuple[str, ...]) -> None:
    """Lay the selected cards at their casinos, and the rest of the hand under the glass."""
    rest = Counter(table.state.hands[seat].contents) - Counter(cards)
    number, sealed = table.seal(tuple(sorted(rest.elements())), seat)
    table.record(CardsPlayed(seat, cards, sealed, chance=number))


def selected(table: Table, ask: Ask, choices: Mapping[int, str]) -> None:
    """Reveal all selections, lay them, then draw new hands (C2)."""
    reveal(table)
    for seat in sorted(choices):
        lay(table, seat, cards_in(choices[seat]))
    for seat in sorted(choices):
        draw_hand(table, seat)


def reveal(table: Table) -> None:
    """Record salt and value of every sealed answer."""
    answers = table.state.ask.answers if table.state.ask else ()
    for answer in sorted(answers, key=lambda answer: answer.seat):
        sealed = answer.choice
        if isinstance(sealed, Secret) and sealed.salt is not None:
            table.record(Revealed(sealed.hidden, answer.seat, sealed.contents, salt=sealed.salt))


def laid_in_turn(table: Table, ask: Ask, choices: Mapping[int, str]) -> None:
    """Lay the cards, then offer chip cards, then refill the hand (C6)."""
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
    """The agenda below the question for a chip card, which comes between laying and drawing (C6)."""
    return (TURNS, Step("card_turns.draw", seat=asked.seat))


STEPS = {"card_turns": start_turn, "card_turns.draw": draw}
PROMPTS = {
    "cards.select": Prompt(
        choices,
        label,
        selected,
        rule="C3",
        text="Select cards, all at once",
        secret=True,
        private=True,
        details=details,
        path=find_path,
    ),
    "cards.lay": Prompt(
        choices,
        label,
        laid_in_turn,
        rule="C3",
        text="Lay cards, one after the other",
        private=True,
        details=details_in_turn,
        path=find_path,
    ),
}
