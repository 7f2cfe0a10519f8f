"""Explains in one sentence why an option is good or bad."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import UNSET

from events.text import Joined, Sentence, Text, listed, percent, points
from events.values import GREY, NEUTRAL, OWNER, Owner
from rules import EDITIONS, State, legal
from rules.explain.english import RANKS
from rules.extension import Standing
from rules.legal import prompt_of
from rules.lookahead import standing_of
from rules.prompt import Casino, Option
from rules.wording import dollars, quantity
from service.analysis.results import WeighedOption
from workers.bots.protocol import FINEST, Candidate

Standings = Sequence[Standing]
_IMAGINARY = {NEUTRAL: Text("the neutral dice"), GREY: Text("the grey dice")}


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
    yield _describe_own(
        own,
        before,
        after,
        Text("the bandit") if casino == "bandit" else Text("casino {number}", number=casino),
    )
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
    return _describe_paid(was, mine, RANKS[after.index(mine)], place)


def _find(standings: Standings, owner: Owner) -> Standing:
    """Return the owner's standing; one of weight 0 if it has no dice there."""
    return next((one for one in standings if one.owner == owner), Standing(owner, 0, False, ()))


def _describe_tie(was: Standing, mine: Standing, after: Standings, place: str) -> str:
    """Return the text for a seat that would be tied."""
    level = _name(one.owner for one in after if one.weight == mine.weight and one is not mine)
    if was.notes:
        return Text(
            "costs you your {money} at {place}: you would tie with {level}",
            money=_money(was),
            place=place,
            level=level,
        )
    still = was.tied and was.weight == mine.weight
    if still:
        return Text("leaves you tied, for nothing, with {level} at {place}", level=level, place=place)
    return Text("ties you, for nothing, with {level} at {place}", level=level, place=place)


def _describe_nothing(was: Standing, mine: Standing, place: str) -> str:
    """Return the text for a seat that would be paid nothing."""
    if was.notes:
        return Text("costs you your {money} at {place}", money=_money(was), place=place)
    if not mine.weight:
        return Text("leaves you without dice at {place}", place=place)
    if mine.weight > was.weight:
        return Text("wins nothing yet at {place}", place=place)
    return Text("still wins you nothing at {place}", place=place)


def _describe_kept(was: Standing, mine: Standing, place: str) -> str:
    """Return the text for a seat that would be paid the same notes as before.

    What the others' dice may do there later is not considered.
    """
    if mine.weight == was.weight:
        return Text("leaves you your {money} at {place}", money=_money(mine), place=place)
    if mine.weight > was.weight:
        return Text("makes your {money} at {place} safer", money=_money(mine), place=place)
    return Text("makes your {money} at {place} less safe", money=_money(mine), place=place)


def _describe_paid(was: Standing, mine: Standing, rank: str, place: str) -> str:
    """Return the text for a seat that would be paid other notes than before."""
    loss = sum(was.notes) - sum(mine.notes)
    if loss > 0:
        return Text(
            "costs you {loss} at {place}, where you would be {rank} for {money}",
            loss=dollars(loss),
            place=place,
            rank=rank,
            money=_money(mine),
        )
    made = Text("makes you {rank} at {place} for {money}", rank=rank, place=place, money=_money(mine))
    return Text("{made} instead of {money}", made=made, money=_money(was)) if was.notes else made


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
        yield Text(
            "takes {money} there from {others}", money=dollars(sum(losses.values())), others=_name(losses)
        )
    if gains:
        yield Text("gives {others} {money} there", others=_name(gains), money=dollars(sum(gains.values())))


def _name(owners: Iterable[Owner]) -> str:
    """Return the names of the owners: rivals are counted, neutral and grey dice are named.

    Only a seat is a rival, because neutral and grey dice belong to no player.
    """
    named = set(owners)
    rivals = len(named.intersection(OWNER))
    people = [Text("a rival") if rivals == 1 else quantity(rivals, "rival")] * bool(rivals)
    return listed([*people, *(dice for owner, dice in _IMAGINARY.items() if owner in named)])


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
    if _hides(view):
        told[0] = Joined((told[0], Text("It is drawn, so that nobody can guess it.")), " ")
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
        return Text("It takes this one.") if candidate is taken else Text("It sees no more in this one.")
    return Sentence(Joined(parts, "; "))


def _reasons(candidate: Candidate, taken: Candidate, best: int) -> Iterator[str]:
    """Yield the bot's own reasons, then the results of playouts if there are any."""
    yield from _at_once(candidate)
    if candidate.win is not None:
        first = candidate.win if taken.win is None else taken.win
        yield Joined(_chances(_hundredths(candidate.win), _hundredths(first), best))
    if candidate.money is not None:
        yield Text("brings about {money} this round", money=dollars(round(candidate.money, -3)))


def _at_once(candidate: Candidate) -> Iterator[str]:
    """Yield what the option changes if the casinos paid now."""
    if candidate.gain is not None:
        yield _gain(candidate.gain)
    if candidate.harm:
        harm = candidate.harm
        told = "the others together would be {money} worse off"
        yield Text(
            told if harm > 0 else "the others together would be {money} better off", money=dollars(abs(harm))
        )
    if candidate.hand:
        yield _hand(candidate.hand)


def _chances(own: int, taken: int, best: int) -> Iterator[str]:
    """Yield the chance to win, and how it compares with the best option and with the bot's choice."""
    yield Text("wins {share} of the games from here", share=percent(own / FINEST))
    if own < best:
        yield _compare(best - own, "as good as the best", "{points} points less than the best")
    if own > taken:
        yield _compare(
            own - taken,
            "as good as the one that the bot takes",
            "{points} points more than the one that the bot takes",
        )


def _compare(hundredths: int, equal: str, different: str) -> str:
    """Return the difference of two chances in words."""
    return Text(equal) if hundredths < SLIGHT else Text(different, points=points(hundredths / 100))


def _gain(gain: int) -> str:
    """Return what the option changes for the seat if the casinos paid now."""
    if gain == 0:
        return Text("changes nothing for you if the casinos paid now")
    if gain > 0:
        return Text("you would be {money} better off if the casinos paid now", money=dollars(gain))
    return Text("you would be {money} worse off if the casinos paid now", money=dollars(-gain))


def _hand(change: int) -> str:
    """Return how the bot prices the change of what is in hand."""
    if change < 0:
        return Text("the bot takes off {money} for what leaves your hand", money=dollars(-change))
    return Text("the bot adds {money} for what comes to your hand", money=dollars(change))
