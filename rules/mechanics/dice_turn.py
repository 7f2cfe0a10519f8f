"""A turn with dice: roll everything, choose one number, place all of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from events.agenda import Ask, Step
from events.text import Text, listed
from events.values import CASINO, SUPPLY, Place
from rules.choice import read_choice, write_choices
from rules.prompt import DiceToPlace, OptionDetails, Path, PathContext, PathStep, Prompt, Target, at_casino
from rules.ruleset import Offer
from rules.state import State
from rules.table import Table
from rules.wording import quantity

HOW_TO_PLAY = (
    "On your turn you roll all dice that you have left. Choose one of the numbers rolled, and put all dice "
    "that show it on the casino of that number. A player without dice has no turn; the round ends when "
    "no player has any."
)

_PLACE = write_choices("place", range(7))
PLACE_DICE = Text("Place dice")
TURNS = Step("turns")
PAYOUT = Step("payout")


def next_seat(state: State) -> int | None:
    """The next seat in order that has dice left, own or neutral (D5); None when all are placed."""
    dice = state.dice
    for seat in state.order:
        if dice.get(SUPPLY[seat]):
            return seat
    return None


def start_turn(table: Table, step: Step) -> None:
    seat = next_seat(table.state)
    if seat is None:
        table.agenda.append(PAYOUT)
        return
    table.agenda.append(step)
    if not table.state.tiles or not _let_tile_ask(table, seat):
        roll(table, seat)


def _let_tile_ask(table: Table, seat: int) -> bool:
    """Let a tile ask in place of the roll; return whether one did."""
    return any(tile.before_roll(table, seat) for _, tile in table.tiles() if tile.before_roll is not None)


def roll(table: Table, seat: int) -> None:
    """Roll and ask what to do with the roll; where nothing can be placed the turn passes (D7)."""
    table.roll(seat)
    if not table.state.closed or place_choices(table.state, seat):
        table.ask("turn.place", seat)


def place_choices(state: State, seat: int) -> tuple[str, ...]:
    rolled = state.roll
    if rolled is None:
        return ()
    return _numbers_shown(rolled.own, rolled.big, rolled.neutral, state.closed)


@lru_cache(4096)
def _numbers_shown(
    own: tuple[int, ...], big: int | None, neutral: tuple[int, ...], closed: tuple[int, ...]
) -> tuple[str, ...]:
    """The choices for a roll. Cached, because there are few different sorted rolls."""
    shown = {*own, *neutral, big or 0}.difference((0, *closed))
    return tuple(_PLACE[face] for face in sorted(shown))


def place_label(state: State, seat: int, choice: str) -> str:
    number = read_choice(choice).number
    return Text("Place {dice} on casino {number}", dice=dice_in_words(state, number), number=number)


def dice_in_words(state: State, number: int) -> str:
    """The rolled dice that show a number, such as `two dice (weight 3) and one neutral die`."""
    small, big, neutral = rolled_dice(state, number)
    parts: list[str] = []
    if small or big:
        own = quantity(small + big, "die", "dice") if small else Text("the big die")
        parts.append(Text("{dice} (weight {weight})", dice=own, weight=small + 2 * big) if big else own)
    if neutral:
        parts.append(quantity(neutral, "neutral die", "neutral dice"))
    return listed(parts)


def rolled_dice(state: State, number: int) -> tuple[int, int, int]:
    """Own small, own big and neutral dice that show the number."""
    rolled = state.roll
    if rolled is None:
        return 0, 0, 0
    return rolled.own.count(number), int(rolled.big == number), rolled.neutral.count(number)


def put(table: Table, seat: int, number: int, target: Place) -> None:
    """Place all rolled dice of a number at one place."""
    small, big, neutral = rolled_dice(table.state, number)
    table.place_dice(seat, number, target, small=small, big=big, neutral=neutral)


def place(table: Table, seat: int, choice: str) -> None:
    number = read_choice(choice).number
    small, big, neutral = rolled_dice(table.state, number)
    table.place_dice(seat, number, CASINO[number], small=small, big=big, neutral=neutral)
    table.activate(seat, number, small, big=big)


def place_details(state: State, seat: int, choice: str) -> OptionDetails:
    number = read_choice(choice).number
    return at_casino(number, DiceToPlace(*rolled_dice(state, number)))


PLACE = Offer(place_choices, place_label, place, details=place_details, numbered=True)


def turn_prompt(rule: str, offers: Mapping[str, Offer]) -> Prompt:
    """What may be done with a roll; the first word of a choice names its offer."""

    first, *more = offers.values()
    takes = {verb: offer.take for verb, offer in offers.items()}

    def choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
        found = first.choices(state, seat)
        for offer in more:
            found += offer.choices(state, seat)
        return found

    def label(state: State, ask: Ask, seat: int, choice: str) -> str:
        return offers[read_choice(choice).verb].label(state, seat, choice)

    def answered(table: Table, ask: Ask, choices: Mapping[int, str]) -> None:
        for seat, choice in choices.items():
            takes[read_choice(choice).verb](table, seat, choice)

    def details(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
        return offers[read_choice(choice).verb].details(state, seat, choice)

    many_places = sum(offer.numbered for offer in offers.values()) > 1

    def find_path(context: PathContext, choice: str) -> Path:
        """Where dice can go to several places, their number and then the place; else whether they go."""
        chosen = read_choice(choice)
        offer = offers[chosen.verb]
        if not offer.numbered:
            return (PathStep(None, offer.label(context.state, context.seat, choice)),)
        casino = offer.casino or chosen.number
        dice = dice_in_words(context.state, chosen.number)
        if many_places:
            rolled = Text("The {number}: {dice}", number=chosen.number, dice=dice)
            return PathStep(Target(face=chosen.number), rolled), context.at_casino(casino)
        named = Text("{casino}: {dice}", casino=context.casinos[casino], dice=dice)
        return PathStep(None, PLACE_DICE), PathStep(Target(casino=casino), named)

    verbs = {verb: offer.rule for verb, offer in offers.items()}
    text = "Choose what to do with the roll"
    return Prompt(
        choices, label, answered, rule=rule, text=text, verbs=verbs, details=details, path=find_path
    )


def prompts(rule: str, offers: Mapping[str, Offer]) -> dict[str, Prompt]:
    return {"turn.place": turn_prompt(rule, offers)}


STEPS = {"turns": start_turn}
