"""Why an option is good or bad, in a sentence; and options as people read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rules.legal import legal, prompt_of
from rules.state import State
from rules.wording import dollars
from service.tasks.decisions import WeighedOption
from workers.bots.decision import Candidate
from workers.tasks.outcomes import tell_outcome

# Points of a chance to win that round to none.
SLIGHT = 0.05


def weigh_options(view: State, seat: int, candidates: Sequence[Candidate]) -> tuple[WeighedOption, ...]:
    """The best one first, as the bot has them."""
    offered = {option.choice: option for option in legal(view, seat)}
    best, mixed = candidates[0], " It is drawn, so that nobody can guess it." * _hides(view)
    return tuple(
        WeighedOption(
            *(one.choice, offered[one.choice].label, one.money, _share(one.win)),
            explain(one, best, tell_outcome(view, seat, offered[one.choice])) + mixed * (one is best),
        )
        for one in candidates
    )


def _hides(view: State) -> bool:
    """Where one seat hides something for another to guess; cards are selected by figures."""
    ask = view.ask
    if ask is None or len(ask.seats) > 1 or len(ask.options) == 1:
        return False
    prompt = prompt_of(view, ask)
    return prompt.secret and not prompt.private


def _share(win: float | None) -> float | None:
    return None if win is None else round(win, 4)


def explain(candidate: Candidate, best: Candidate, outcome: Iterable[str] = ()) -> str:
    """What it does first, then what that comes to."""
    parts = [*outcome, *_reasons(candidate, best)]
    if not parts:
        return "It takes this one." if candidate is best else "It sees no more in this one."
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _reasons(candidate: Candidate, best: Candidate) -> Iterator[str]:
    """The bot's own reasons, then how it goes on where that was played out."""
    if candidate.gain is not None:
        yield _gain(candidate.gain)
    if candidate.harm:
        yield f"the others would be {_off(-candidate.harm)}"
    if candidate.win is not None:
        yield f"wins {candidate.win:.0%} of the games from here{_behind(candidate, best)}"
    if candidate.money is not None:
        yield f"brings about {dollars(candidate.money)} this round"


def _behind(candidate: Candidate, best: Candidate) -> str:
    if candidate is best or candidate.win is None or best.win is None or best.win <= candidate.win:
        return ""
    points = (best.win - candidate.win) * 100
    return ", as good as the best" if points < SLIGHT else f", {points:.1f} points less than the best"


def _gain(gain: int) -> str:
    if gain == 0:
        return "changes nothing for you if the casinos paid now"
    return f"you would be {_off(gain)} if the casinos paid now"


def _off(change: int) -> str:
    return f"{dollars(abs(change))} {'better' if change > 0 else 'worse'} off"
