"""What an option does to the casino that it is about, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import UNSET

from events.values import GREY, NEUTRAL, OWNER, Owner
from rules.about import Casino, Option
from rules.editions import EDITIONS
from rules.legal import prompt_of
from rules.shown import Standing
from rules.standings import standing_of
from rules.state import State
from rules.wording import dollars, quantity

Standings = Sequence[Standing]
_RANKS = ("first", "second", "third", "fourth", "fifth", "sixth")
_IMAGINARY = {NEUTRAL: "the neutral dice", GREY: "the grey dice"}


def tell_outcome(view: State, seat: int, option: Option) -> Iterator[str]:
    """Nothing where it is about no casino, or where others choose unseen."""
    casino = find_casino(view, seat, option)
    if casino is None or option.standing is UNSET:
        return
    before, after, own = standing_of(view, EDITIONS.of(view), casino), option.standing, OWNER[seat]
    yield _tell_own(own, before, after, "the bandit" if casino == "bandit" else f"casino {casino}")
    yield from _tell_others(own, before, after)


def find_casino(view: State, seat: int, option: Option) -> Casino | None:
    """Where its `standing` is."""
    ask = view.ask
    return None if ask is None else prompt_of(view, ask).about(view, ask, seat, option.choice).weighs


def _tell_own(own: Owner, before: Standings, after: Standings, place: str) -> str:
    was, mine = _find(before, own), _find(after, own)
    if mine.tied:
        return _tell_tie(was, mine, after, place)
    if not mine.notes:
        return _tell_nothing(was, mine, place)
    if mine.notes == was.notes:
        return _tell_kept(was, mine, place)
    return _tell_paid(was, mine, _RANKS[after.index(mine)], place)


def _find(standings: Standings, owner: Owner) -> Standing:
    """Whoever has no dice there weighs nothing."""
    return next((one for one in standings if one.owner == owner), Standing(owner, 0, False, ()))


def _tell_tie(was: Standing, mine: Standing, after: Standings, place: str) -> str:
    level = _name(one.owner for one in after if one.weight == mine.weight and one is not mine)
    if was.notes:
        return f"costs you your {_money(was)} at {place}: you would tie with {level}"
    still = was.tied and was.weight == mine.weight
    return f"{'leaves you tied' if still else 'ties you'}, for nothing, with {level} at {place}"


def _tell_nothing(was: Standing, mine: Standing, place: str) -> str:
    if was.notes:
        return f"costs you your {_money(was)} at {place}"
    if not mine.weight:
        return f"leaves you without dice at {place}"
    wins = "wins nothing yet" if mine.weight > was.weight else "still wins you nothing"
    return f"{wins} at {place}"


def _tell_kept(was: Standing, mine: Standing, place: str) -> str:
    """What dice of others do there may make it safer or not: that is not foreseen."""
    if mine.weight == was.weight:
        return f"leaves you your {_money(mine)} at {place}"
    return f"makes your {_money(mine)} at {place} {'safer' if mine.weight > was.weight else 'less safe'}"


def _tell_paid(was: Standing, mine: Standing, rank: str, place: str) -> str:
    loss = sum(was.notes) - sum(mine.notes)
    if loss > 0:
        return f"costs you {dollars(loss)} at {place}, where you would be {rank} for {_money(mine)}"
    instead = f" instead of {_money(was)}" if was.notes else ""
    return f"makes you {rank} at {place} for {_money(mine)}{instead}"


def _money(standing: Standing) -> str:
    return dollars(sum(standing.notes))


def _tell_others(own: Owner, before: Standings, after: Standings) -> Iterator[str]:
    """What they would have less of this casino, and more."""
    others = {one.owner for one in (*before, *after)} - {own}
    changes = {other: sum(_find(after, other).notes) - sum(_find(before, other).notes) for other in others}
    losses = {other: -change for other, change in changes.items() if change < 0}
    gains = {other: change for other, change in changes.items() if change > 0}
    if losses:
        yield f"takes {dollars(sum(losses.values()))} there from {_name(losses)}"
    if gains:
        yield f"gives {_name(gains)} {dollars(sum(gains.values()))} there"


def _name(owners: Iterable[Owner]) -> str:
    """Only a seat is a rival: nobody plays the neutral and the grey dice."""
    named = set(owners)
    rivals = len(named.intersection(OWNER))
    people = ["a rival" if rivals == 1 else quantity(rivals, "rival")] * bool(rivals)
    *names, last = (*people, *(dice for owner, dice in _IMAGINARY.items() if owner in named))
    return f"{', '.join(names)} and {last}" if names else last
