"""Why an option is good or bad, in one sentence."""

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
    """Nothing where it is about no casino, or where others choose unseen."""
    casino = find_casino(view, seat, option)
    if casino is None or option.standing is UNSET:
        return
    before = standing_of(view, EDITIONS.of(view), casino)
    after = option.standing
    own = OWNER[seat]
    yield _describe_own(own, before, after, "the bandit" if casino == "bandit" else f"casino {casino}")
    yield from _describe_others(own, before, after)


def find_casino(view: State, seat: int, option: Option) -> Casino | None:
    """Where its `standing` is."""
    ask = view.ask
    return (
        None if ask is None else prompt_of(view, ask).details(view, ask, seat, option.choice).changed_casino
    )


def _describe_own(own: Owner, before: Standings, after: Standings, place: str) -> str:
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
    """Whoever has no dice there weighs nothing."""
    return next((one for one in standings if one.owner == owner), Standing(owner, 0, False, ()))


def _describe_tie(was: Standing, mine: Standing, after: Standings, place: str) -> str:
    level = _name(one.owner for one in after if one.weight == mine.weight and one is not mine)
    if was.notes:
        return f"costs you your {_money(was)} at {place}: you would tie with {level}"
    still = was.tied and was.weight == mine.weight
    return f"{'leaves you tied' if still else 'ties you'}, for nothing, with {level} at {place}"


def _describe_nothing(was: Standing, mine: Standing, place: str) -> str:
    if was.notes:
        return f"costs you your {_money(was)} at {place}"
    if not mine.weight:
        return f"leaves you without dice at {place}"
    wins = "wins nothing yet" if mine.weight > was.weight else "still wins you nothing"
    return f"{wins} at {place}"


def _describe_kept(was: Standing, mine: Standing, place: str) -> str:
    """What dice of others do there may make it safer or not: that is not foreseen."""
    if mine.weight == was.weight:
        return f"leaves you your {_money(mine)} at {place}"
    return f"makes your {_money(mine)} at {place} {'safer' if mine.weight > was.weight else 'less safe'}"


def _describe_paid(was: Standing, mine: Standing, rank: str, place: str) -> str:
    loss = sum(was.notes) - sum(mine.notes)
    if loss > 0:
        return f"costs you {dollars(loss)} at {place}, where you would be {rank} for {_money(mine)}"
    instead = f" instead of {_money(was)}" if was.notes else ""
    return f"makes you {rank} at {place} for {_money(mine)}{instead}"


def _money(standing: Standing) -> str:
    return dollars(sum(standing.notes))


def _describe_others(own: Owner, before: Standings, after: Standings) -> Iterator[str]:
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


# Of a chance to win, in hundredths of a point as replies have it: less rounds to no tenth of a point.
SLIGHT = 5


def weigh_options(view: State, seat: int, candidates: Sequence[Candidate]) -> tuple[WeighedOption, ...]:
    """What the bot takes first, as it has them: another may have the better chance."""
    offered = {option.choice: option for option in legal(view, seat)}
    taken = candidates[0]
    best = max(_hundredths(one.win or 0) for one in candidates)
    told = [
        explain(one, taken, best, describe_outcome(view, seat, offered[one.choice])) for one in candidates
    ]
    told[0] += " It is drawn, so that nobody can guess it." * _hides(view)
    return tuple(
        WeighedOption(one.choice, offered[one.choice].label, one.money, _share(one.win), why)
        for one, why in zip(candidates, told, strict=True)
    )


def _hides(view: State) -> bool:
    """Where one seat hides something for another to guess; cards are selected by figures."""
    ask = view.ask
    if ask is None or len(ask.seats) > 1 or len(ask.options) == 1:
        return False
    prompt = prompt_of(view, ask)
    return prompt.secret and not prompt.private


def _share(win: float | None) -> float | None:
    return None if win is None else _hundredths(win) / FINEST


def _hundredths(win: float) -> int:
    """Of a point."""
    return round(FINEST * win)


def explain(candidate: Candidate, taken: Candidate, best: int, outcome: Iterable[str]) -> str:
    """What it does first, then what that comes to; `best` is the best chance of all."""
    parts = [*outcome, *_reasons(candidate, taken, best)]
    if not parts:
        return "It takes this one." if candidate is taken else "It sees no more in this one."
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _reasons(candidate: Candidate, taken: Candidate, best: int) -> Iterator[str]:
    """The bot's own reasons, then how it goes on where that was played out."""
    yield from _at_once(candidate)
    if candidate.win is not None:
        first = candidate.win if taken.win is None else taken.win
        yield ", ".join(_chances(_hundredths(candidate.win), _hundredths(first), best))
    if candidate.money is not None:
        yield f"brings about {dollars(candidate.money)} this round"


def _at_once(candidate: Candidate) -> Iterator[str]:
    if candidate.gain is not None:
        yield _gain(candidate.gain)
    if candidate.harm:
        yield f"the others together would be {_off(-candidate.harm)}"
    if candidate.hand:
        yield _hand(candidate.hand)


def _chances(own: int, taken: int, best: int) -> Iterator[str]:
    yield f"wins {own / FINEST:.0%} of the games from here"
    if own < best:
        yield _points(best - own, "less", "the best")
    if own > taken:
        yield _points(own - taken, "more", "the one that the bot takes")


def _points(hundredths: int, more: str, other: str) -> str:
    if hundredths < SLIGHT:
        return f"as good as {other}"
    return f"{hundredths / 100:.1f} points {more} than {other}"


def _gain(gain: int) -> str:
    if gain == 0:
        return "changes nothing for you if the casinos paid now"
    return f"you would be {_off(gain)} if the casinos paid now"


def _hand(change: int) -> str:
    if change < 0:
        return f"the bot takes off {dollars(-change)} for what leaves your hand"
    return f"the bot adds {dollars(change)} for what comes to your hand"


def _off(change: int) -> str:
    return f"{dollars(abs(change))} {'better' if change > 0 else 'worse'} off"
