"""What an option says of the standing at its casino is what stands there once it is taken."""

from __future__ import annotations

from itertools import takewhile

from msgspec import UNSET

from events.commands import Choose
from events.types import CardsPlayed, DiceMoved, DicePlaced, DiceReturned, Event, NotesMoved, RoundEnded
from events.values import BANDIT, BLACK, CASINO
from rules.chance import Chance
from rules.decide import run_command
from rules.evolve import fold
from rules.legal import legal
from rules.prompt import Casino, Option
from rules.state import State
from service.games.table_view import render_table
from tests.support.board_laws import dice_told, list_targets
from tests.support.move_laws import awaited_seats


def check_standings(state: State, chance: Chance) -> int:
    """Of every seat that is asked; how many options could be held against the table after them."""
    return sum(
        _holds(state, seat, option, chance) for seat in awaited_seats(state) for option in legal(state, seat)
    )


def _holds(state: State, seat: int, option: Option, chance: Chance) -> bool:
    casino = casino_of(option)
    if option.standing is UNSET:
        assert casino is None or not dice_told(option), option
        return False
    assert casino is not None, option
    command = Choose(state.asked, seat, option.choice)
    events = list(takewhile(is_before_payout, run_command(state, command, chance).events))
    there = [event for event in events if touches(event, casino)]
    if not is_all_of_it(there):
        return False
    # Cut off before the payout, the state still has the old ask, whose options may be gone: no seat looks.
    after = render_table(fold(state, events), None, 1)
    found = {shown.number: shown.standing for shown in after.casinos}
    assert option.standing == found[casino], option
    return True


def casino_of(option: Option) -> Casino | None:
    """The one that it is about, by its number or by the cards that go there."""
    casinos = [
        int(target.card[0]) if target.card is not UNSET else target.casino for target in list_targets(option)
    ]
    (casino,) = casinos[:1] if len(set(casinos)) == 1 else (UNSET,)
    return None if casino is UNSET else casino


def is_before_payout(event: Event) -> bool:
    """Ties leave first, then notes; where nothing is won the round just ends."""
    paid = isinstance(event, NotesMoved) and event.source in (BANDIT, *CASINO)
    return not paid and not isinstance(event, DiceReturned | RoundEnded)


def is_all_of_it(there: list[Event]) -> bool:
    """Whether nothing else happened there: a choice moves dice once, or both black ones, each on its own."""
    return len(there) == 1 or all(isinstance(event, DiceMoved) and event.owner == BLACK for event in there)


def touches(event: Event, casino: Casino) -> bool:
    """Whether dice or notes come there or go."""
    match event:
        case DicePlaced(target=target):
            return _lies_at(target, casino)
        case DiceMoved(source=source, target=target) | NotesMoved(source=source, target=target):
            return _lies_at(source, casino) or _lies_at(target, casino)
        case CardsPlayed(cards=cards):
            return any(int(card[0]) == casino for card in cards)
        case _:
            return False


def _lies_at(place: str, casino: Casino) -> bool:
    return place.startswith(BANDIT) if isinstance(casino, str) else place == CASINO[casino]
