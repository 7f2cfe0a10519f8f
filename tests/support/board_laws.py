"""What must hold for the options of an ask, as a board shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import UNSET, to_builtins

from events.commands import Choose
from events.types import DiceMoved, DicePlaced, Event, RoundEnded
from events.values import BANDIT, BANDIT_STACK, CASINO, CASINO_NUMBERS, GREY, LENT, OWNER
from rules.chance import Chance
from rules.decide import run_command
from rules.legal import legal
from rules.prompt import DiceToPlace, Option, Target
from rules.state import State
from tests.support.move_laws import awaited_seats


def check_options(state: State, chance: Chance) -> None:
    """Of every seat that is asked."""
    for seat in awaited_seats(state):
        for option in legal(state, seat):
            targets = list_targets(option)
            assert all(exists(state, seat, target) for target in targets)
            events = run_command(state, Choose(state.asked, seat, option.choice), chance).events
            assert dice_told(option) == dice_moved(events, seat, targets), option


def list_targets(option: Option) -> tuple[Target, ...]:
    """One in `target`, several in `targets`, and never both."""
    if option.targets is UNSET:
        return () if option.target is None else (option.target,)
    assert option.target is None
    assert len(option.targets) > 1
    return option.targets


def exists(state: State, seat: int, target: Target) -> bool:
    ((kind, thing),) = to_builtins(target).items()
    match kind:
        case "casino":
            return thing in CASINO_NUMBERS or (thing == "bandit" and BANDIT in state.notes)
        case "tile":
            return thing in state.tiles
        case "seat":
            return thing != seat and thing in range(len(state.seats))
        case _:
            return thing in state.hands[seat].contents


def dice_told(option: Option) -> dict[str, int]:
    """What the option says, by owner and size."""
    dice = DiceToPlace(0, 0) if option.dice is UNSET else option.dice
    owner = "own" if dice.owner is UNSET else dice.owner
    counts = {f"{owner} small": dice.small, f"{owner} big": dice.big, "neutral": dice.neutral}
    return {name: count for name, count in counts.items() if count}


def dice_moved(events: Iterable[Event], seat: int, targets: tuple[Target, ...]) -> dict[str, int]:
    """What came of it there, before the round ends; dice of others that follow are not the option's."""
    counts: dict[str, int] = {}
    for event in until_round_ends(events):
        match event:
            case DicePlaced(small=small, big=big, neutral=neutral) if lies_at(event.target, targets):
                found = {"own small": small, "own big": big, "neutral": neutral}
            case DiceMoved(owner=owner, small=small, big=big) if lies_at(event.target, targets):
                whose = "own" if owner == OWNER[seat] or event.turned == LENT[seat] else owner
                found = {f"{whose} small": small, f"{whose} big": big} if whose in ("own", GREY) else {}
            case _:
                found = {}
        for name, count in found.items():
            counts[name] = counts.get(name, 0) + count
    return {name: count for name, count in counts.items() if count}


def until_round_ends(events: Iterable[Event]) -> Iterator[Event]:
    for event in events:
        if isinstance(event, RoundEnded):
            return
        yield event


def lies_at(place: str, targets: tuple[Target, ...]) -> bool:
    return any(place in places_of(target) or place.startswith(f"{target.tile}-") for target in targets)


def places_of(target: Target) -> tuple[str, ...]:
    if target.casino is UNSET:
        return ()
    return BANDIT_STACK if isinstance(target.casino, str) else (CASINO[target.casino],)
