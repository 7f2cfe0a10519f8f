"""Shares playouts among options: the best ones get most of them, and the others soon get no more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import sqrt

from msgspec import Struct
from msgspec.structs import replace

from workers.bots.protocol import Candidate, Question, merit

# An option is dropped if it is behind the best one by more than FURTHEST / √playouts. On the same luck, two
# options differ by some 0.4 of a game in a playout: this is more than twice what chance brings about.
FURTHEST = 1.0


class Stage(Struct, frozen=True):
    """Says how many options are still played out, and how many times each."""

    options: int
    playouts: int


def scale(stages: Sequence[Stage], budget: int, enough: int) -> tuple[Stage, ...]:
    """Return the stages for this budget, if they are for one of `enough`."""
    return tuple(Stage(stage.options, max(1, stage.playouts * budget // enough)) for stage in stages)


# Plays out the options of a question so many times each.
Play = Callable[[Question, int], tuple[Candidate, ...]]


class Dropped(Struct, frozen=True):
    """Holds an option that was dropped, and the judgement of every option that was in the race until then."""

    candidate: Candidate
    others: dict[str, Candidate]


def race(question: Question, stages: Sequence[Stage], play: Play) -> tuple[Candidate, ...]:
    """Return each option with its figures. The first stage is for all options."""
    played = play(question, stages[0].playouts)
    done = stages[0].playouts
    dropped = list[Dropped]()
    for stage in stages[1:]:
        judged = {one.choice: one for one in played}
        kept = _list_kept(judged.values(), stage.options, done)
        dropped += [Dropped(judged[one.choice], judged) for one in played if one.choice not in kept]
        played = tuple(one for one in played if one.choice in kept)
        if len(played) == 1:
            break
        options = tuple(one.choice for one in played)
        more = play(replace(question, options=options), stage.playouts)
        played = tuple(_join(*pair, done, stage.playouts) for pair in zip(played, more, strict=True))
        done += stage.playouts
    judged = {one.choice: one for one in played}
    best = max(judged.values(), key=merit)
    judged |= {one.candidate.choice: _compare(one, best) for one in dropped}
    return tuple(judged[option] for option in question.options)


def _list_kept(judged: Iterable[Candidate], options: int, playouts: int) -> set[str]:
    """Return the options that are still in the race after so many playouts."""
    ranked = sorted(judged, key=merit, reverse=True)[:options]
    least = (ranked[0].win or 0) - FURTHEST / sqrt(playouts)
    return {one.choice for one in ranked if (one.win or 0) >= least}


def _join(one: Candidate, other: Candidate, playouts: int, more: int) -> Candidate:
    """Return the candidate with the means over both numbers of playouts."""
    win = ((one.win or 0) * playouts + (other.win or 0) * more) / (playouts + more)
    money = ((one.money or 0) * playouts + (other.money or 0) * more) // (playouts + more)
    return replace(one, win=win, money=money)


def _compare(dropped: Dropped, best: Candidate) -> Candidate:
    """Return a dropped option as far behind the best one as it was on the same luck."""
    behind = (dropped.candidate.win or 0) - (dropped.others[best.choice].win or 0)
    return replace(dropped.candidate, win=min(1.0, max(0.0, (best.win or 0) + behind)))
