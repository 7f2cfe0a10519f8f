"""Explains in one sentence why an option is good or bad."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import UNSET

from events.values import GREY, NEUTRAL, OWNER, Owner
from rules import EDITIONS, State, legal
from rules.extension import Standing
from rules.legal import prompt_of
from rules.lookahead import standing_of
from rules.prompt import Casino, Option
from rules.wording import dollars, quantity
from service.analysis.results import WeighedOption
from workers.bots.protocol import FINEST, Candidate

Standings = Sequence[Standing]
_RANKS = ("first", "second", "third", "fourth", "fifth", "sixth")
_IMAGINARY = {NEUTRAL: "the neutral dice", GREY: "the grey dice"}


def describe_outcome(view: State, seat: int, option: Option) -> Iterator[str]:
    """Yield what an option changes at its casino, for the seat and for others.

    Yields nothing if the option concerns no casino, or if others choose unseen at the same time.
    """
    casino = find_casino(view, seat, option)
    if casino is None or option.standing is UNSET:
        return
    before = standing_of(view, EDITIONS.of(view), casino)
    after = option.standing
    own = OWNER[seat]
    yield _describe_own(own, before, after, "the bandit" if casino == "bandit" else f"casino {casino}")
    yield from _describe_others(own, before, after)


def find_casino(view: State, seat: int, option: Option) -> Casino | None:
    """Return the casino that the option's `standing` describes; None if it concerns none."""
    ask = view.ask
    return (
        None if ask is None else prompt_of(view, ask).details(view, ask, seat, option.choice).changed_casino
    )


def _describe_own(own: Owner, before: Standings, after: Standings, place: str) -> str:
    """Return what the option changes for the seat itself."""
    was = _find(before, own)
    mine = _find(after, own)
    if mine.tied:
        return _describe_tie(was, mine, after, place)
    if not mine.notes:
        return _describe_nothing(was, mine, place)
    if mine.notes == was.notes:
        return _describe_kept(was, mine, place)
    return _describe_paid(was, mine, _RANKS[after.index(mine)], place)


def _find(standings: Standings, owner: Owner) -> Standing:
    """Return the owner's standing; one of weight 0 if it has no dice there."""
    return next((one for one in standings if one.owner == owner), Standing(owner, 0, False, ()))


def _describe_tie(was: Standing, mine: Standing, after: Standings, place: str) -> str:
    """Return the text for a seat that would be tied."""
    level = _name(one.owner for one in after if one.weight == mine.weight and one is not mine)
    if was.notes:
        return f"costs you your {_money(was)} at {place}: you would tie with {level}"
    still = was.tied and was.weight == mine.weight
    return f"{'leaves you tied' if still else 'ties you'}, for nothing, with {level} at {place}"


def _describe_nothing(was: Standing, mine: Standing, place: str) -> str:
    """Return the text for a seat that would be paid nothing."""
    if was.notes:
        return f"costs you your {_money(was)} at {place}"
    if not mine.weight:
        return f"leaves you without dice at {place}"
    wins = "wins nothing yet" if mine.weight > was.weight else "still wins you nothing"
    return f"{wins} at {place}"


def _describe_kept(was: Standing, mine: Standing, place: str) -> str:
    """Return the text for a seat that would be paid the same notes as before.

    What the others' dice may do there later is not considered.
    """
    if mine.weight == was.weight:
        return f"leaves you your {_money(mine)} at {place}"
    return f"makes your {_money(mine)} at {place} {'safer' if mine.weight > was.weight else 'less safe'}"


def _describe_paid(was: Standing, mine: Standing, rank: str, place: str) -> str:
    """Return the text for a seat that would be paid other notes than before."""
    loss = sum(was.notes) - sum(mine.notes)
    if loss > 0:
        return f"costs you {dollars(loss)} at {place}, where you would be {rank} for {_money(mine)}"
    instead = f" instead of {_money(was)}" if was.notes else ""
    return f"makes you {rank} at {place} for {_money(mine)}{instead}"


def _money(standing: Standing) -> str:
    """Return the sum of the standing's notes as text."""
    return dollars(sum(standing.notes))


def _describe_others(own: Owner, before: Standings, after: Standings) -> Iterator[str]:
    """Yield what other owners would lose at this casino, and what they would gain."""
    others = {one.owner for one in (*before, *after)} - {own}
    changes = {other: sum(_find(after, other).notes) - sum(_find(before, other).notes) for other in others}
    losses = {other: -change for other, change in changes.items() if change < 0}
    gains = {other: change for other, change in changes.items() if change > 0}
    if losses:
        yield f"takes {dollars(sum(losses.values()))} there from {_name(losses)}"
    if gains:
        yield f"gives {_name(gains)} {dollars(sum(gains.values()))} there"


def _name(owners: Iterable[Owner]) -> str:
    """Return the names of the owners: rivals are counted, neutral and grey dice are named.

    Only a seat is a rival, because neutral and grey dice belong to no player.
    """
    named = set(owners)
    rivals = len(named.intersection(OWNER))
    people = ["a rival" if rivals == 1 else quantity(rivals, "rival")] * bool(rivals)
    *names, last = (*people, *(dice for owner, dice in _IMAGINARY.items() if owner in named))
    return f"{', '.join(names)} and {last}" if names else last


# Differences of a chance to win below this, in hundredths of a point, are called equal.
SLIGHT = 5


def weigh_options(view: State, seat: int, candidates: Sequence[Candidate]) -> tuple[WeighedOption, ...]:
    """Return the options in the bot's order, each with its figures and the reason as a sentence.

    The bot's choice comes first; another option may have a better chance to win.
    """
    offered = {option.choice: option for option in legal(view, seat)}
    taken = candidates[0]
    best = max(_hundredths(one.win or 0) for one in candidates)
    told = [
        explain(one, taken, best, describe_outcome(view, seat, offered[one.choice])) for one in candidates
    ]
    told[0] += " It is drawn, so that nobody can guess it." * _hides(view)
    return tuple(
        WeighedOption(one.choice, offered[one.choice].label, one.money, _round_win(one.win), why)
        for one, why in zip(candidates, told, strict=True)
    )


def _hides(view: State) -> bool:
    """Return whether the seat hides something for another seat to guess; selected cards do not count."""
    ask = view.ask
    if ask is None or len(ask.seats) > 1 or len(ask.options) == 1:
        return False
    prompt = prompt_of(view, ask)
    return prompt.secret and not prompt.private


def _round_win(win: float | None) -> float | None:
    """Return the chance to win rounded as replies show it."""
    return None if win is None else _hundredths(win) / FINEST


def _hundredths(win: float) -> int:
    """Return the chance to win in hundredths of a percentage point."""
    return round(FINEST * win)


def explain(candidate: Candidate, taken: Candidate, best: int, outcome: Iterable[str]) -> str:
    """Return the reason of an option as a sentence: what it changes first, then what that is worth.

    `best` is the best chance to win of all options, in hundredths of a point.
    """
    parts = [*outcome, *_reasons(candidate, taken, best)]
    if not parts:
        return "It takes this one." if candidate is taken else "It sees no more in this one."
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _reasons(candidate: Candidate, taken: Candidate, best: int) -> Iterator[str]:
    """Yield the bot's own reasons, then the results of playouts if there are any."""
    yield from _at_once(candidate)
    if candidate.win is not None:
        first = candidate.win if taken.win is None else taken.win
        yield ", ".join(_chances(_hundredths(candidate.win), _hundredths(first), best))
    if candidate.money is not None:
        yield f"brings about {dollars(candidate.money)} this round"


def _at_once(candidate: Candidate) -> Iterator[str]:
    """Yield what the option changes if the casinos paid now."""
    if candidate.gain is not None:
        yield _gain(candidate.gain)
    if candidate.harm:
        yield f"the others together would be {_off(-candidate.harm)}"
    if candidate.hand:
        yield _hand(candidate.hand)


def _chances(own: int, taken: int, best: int) -> Iterator[str]:
    """Yield the chance to win, and how it compares with the best option and with the bot's choice."""
    yield f"wins {own / FINEST:.0%} of the games from here"
    if own < best:
        yield _points(best - own, "less", "the best")
    if own > taken:
        yield _points(own - taken, "more", "the one that the bot takes")


def _points(hundredths: int, more: str, other: str) -> str:
    """Return the difference of two chances in words."""
    if hundredths < SLIGHT:
        return f"as good as {other}"
    return f"{hundredths / 100:.1f} points {more} than {other}"


def _gain(gain: int) -> str:
    """Return what the option changes for the seat if the casinos paid now."""
    if gain == 0:
        return "changes nothing for you if the casinos paid now"
    return f"you would be {_off(gain)} if the casinos paid now"


def _hand(change: int) -> str:
    """Return how the bot prices the change of what is in hand."""
    if change < 0:
        return f"the bot takes off {dollars(-change)} for what leaves your hand"
    return f"the bot adds {dollars(change)} for what comes to your hand"


def _off(change: int) -> str:
    """Return an amount as "better off" or "worse off"."""
    return f"{dollars(abs(change))} {'better' if change > 0 else 'worse'} off"
