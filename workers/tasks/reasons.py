"""Why an option is good or bad, in a sentence; and options as people read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rules.legal import legal, prompt_of
from rules.state import State
from rules.wording import dollars
from service.tasks.decisions import WeighedOption
from workers.bots.decision import FINEST, Candidate
from workers.tasks.outcomes import tell_outcome

# Of a chance to win, in hundredths of a point as replies have it: less rounds to no tenth of a point.
SLIGHT = 5


def weigh_options(view: State, seat: int, candidates: Sequence[Candidate]) -> tuple[WeighedOption, ...]:
    """What the bot takes first, as it has them: another may have the better chance."""
    offered = {option.choice: option for option in legal(view, seat)}
    taken, best = candidates[0], max(_hundredths(one.win or 0) for one in candidates)
    told = [explain(one, taken, best, tell_outcome(view, seat, offered[one.choice])) for one in candidates]
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
