"""What an option does to the casino that it is about, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from events.values import NEUTRAL, OWNER
from rules.about import Casino, Option
from rules.editions import EDITIONS
from rules.legal import prompt_of
from rules.shown import Standing
from rules.standings import standing_of
from rules.state import State
from rules.wording import dollars

Standings = Sequence[Standing]
_RANKS = ("first", "second", "third", "fourth", "fifth")


def tell_outcome(view: State, seat: int, option: Option) -> Iterator[str]:
    """Nothing where it is about no casino, or where others choose unseen."""
    casino = find_casino(view, seat, option)
    if casino is None or option.standing is UNSET:
        return
    before, after, own = standing_of(view, EDITIONS.of(view), casino), option.standing, OWNER[seat]
    yield _tell_own(own, before, after, "the bandit" if casino == "bandit" else f"casino {casino}")
    yield from _tell_rivals(own, before, after)


def find_casino(view: State, seat: int, option: Option) -> Casino | None:
    """Where its `standing` is."""
    ask = view.ask
    return None if ask is None else prompt_of(view, ask).about(view, ask, seat, option.choice).weighs


def _tell_own(own: str, before: Standings, after: Standings, place: str) -> str:
    had, mine = _sum(before, own), next((one for one in after if one.owner == own), None)
    if mine is None or mine.tied or not mine.notes:
        return f"{_tell_nothing(mine, after)} at {place}"
    if sum(mine.notes) == had:
        return f"makes the {dollars(had)} safer that are yours at {place}"
    return f"makes you {_rank(mine, after)} at {place} for {dollars(sum(mine.notes))}"


def _tell_nothing(mine: Standing | None, after: Standings) -> str:
    if mine is None:
        return "puts no dice of yours"
    return f"ties you, for nothing, with {_name_tied(mine, after)}" if mine.tied else "wins nothing yet"


def _rank(mine: Standing, after: Standings) -> str:
    return _RANKS[sum(other.weight > mine.weight and not other.tied for other in after)]


def _name_tied(mine: Standing, after: Standings) -> str:
    tied = [other.owner for other in after if other.weight == mine.weight and other is not mine]
    return "the neutral dice" if tied == [NEUTRAL] else _some(len(tied))


def _tell_rivals(own: str, before: Standings, after: Standings) -> Iterator[str]:
    """What they would have less of this casino, and more."""
    owners = {one.owner for one in (*before, *after)} - {own, NEUTRAL}
    changes = [_sum(after, owner) - _sum(before, owner) for owner in owners]
    lost, won = -sum(change for change in changes if change < 0), sum(max(0, change) for change in changes)
    if lost:
        yield f"takes {dollars(lost)} there from {_some(sum(change < 0 for change in changes))}"
    if won:
        yield f"gives {_some(sum(change > 0 for change in changes))} {dollars(won)} there"


def _some(number: int) -> str:
    return "a rival" if number == 1 else "rivals"


def _sum(standings: Standings, owner: str) -> int:
    return sum(sum(one.notes) for one in standings if one.owner == owner)
