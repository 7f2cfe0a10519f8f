"""What a bot says of the same options in several runs, put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from workers.bots.decision import Candidate, merit
from workers.bots.figures import rank

Ranked = tuple[Candidate, ...]


def average(rankings: Sequence[Ranked]) -> list[Candidate]:
    """The best first: by their figures, after what was chosen most often where the bot goes by none."""
    if len(rankings) == 1:
        return list(rankings[0])
    every = [one for ranked in rankings for one in ranked]
    means = [_mean([one for one in every if one.choice == first.choice]) for first in rankings[0]]
    if all(_goes_by_merit(ranked) for ranked in rankings):
        return sorted(means, key=merit, reverse=True)
    chosen = Counter(ranked[0].choice for ranked in rankings)
    return list(rank(means, chosen.most_common(1)[0][0]))


def _goes_by_merit(ranked: Ranked) -> bool:
    return list(ranked) == sorted(ranked, key=merit, reverse=True)


def _mean(ones: Sequence[Candidate]) -> Candidate:
    win = [one.win for one in ones if one.win is not None]
    parts = {
        name: [part for one in ones if (part := getattr(one, name)) is not None]
        for name in ("money", "gain", "harm", "hand")
    }
    means = {name: round(fmean(known)) if known else None for name, known in parts.items()}
    return Candidate(ones[0].choice, win=fmean(win) if win else None, **means)
