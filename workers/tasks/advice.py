"""Advice on what a seat sees: the bot is asked as often as the budget allows, and what it says averaged."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from statistics import fmean

import msgspec
from msgspec import Struct

from service.tasks.advice import Advice, AdviceOrder
from workers.bots import BOTS
from workers.bots.asking import Request
from workers.bots.decision import Candidate, Level
from workers.bots.foresight import merit
from workers.ladder import hash_view
from workers.tasks.reasons import weigh_options
from workers.tasks.steps import Desk, Step, finish

Ranked = tuple[Candidate, ...]


class Heard(Struct, frozen=True):
    """What the bot said each time."""

    rankings: tuple[Ranked, ...] = ()


def step(desk: Desk, order: bytes, memory: bytes) -> Step:
    """One more of the runs that the budget is split into: none is longer than a choice of the bot."""
    wanted = msgspec.json.decode(order, type=AdviceOrder)
    heard = msgspec.json.decode(memory, type=Heard) if memory else Heard()
    level, runs = BOTS[wanted.bot], count_runs(BOTS[wanted.bot], wanted.budget)
    rankings = (*heard.rankings, _ask(desk, level, wanted, len(heard.rankings)))
    if len(rankings) < runs:
        return Step(len(rankings), runs, msgspec.json.encode(Heard(rankings)))
    options = weigh_options(wanted.view, wanted.seat, average(rankings))
    budget = wanted.budget if runs == 1 and wanted.budget else runs * level.budget
    return finish(msgspec.json.encode(Advice(options, level.name, level.build, budget)), runs)


def count_runs(level: Level, budget: int) -> int:
    return max(1, -(-budget // level.budget)) if level.budget else 1


def _ask(desk: Desk, level: Level, wanted: AdviceOrder, run: int) -> Ranked:
    """Equal views get equal advice: what is left to chance comes from the view."""
    luck = sha256(f"{hash_view(wanted.view)}|{wanted.seat}|{level.build}|{run}".encode()).digest()
    budget = min(wanted.budget, level.budget)
    return desk.ask(level, Request(level.name, wanted.view, wanted.seat, luck, budget)).candidates


def average(rankings: Sequence[Ranked]) -> list[Candidate]:
    """The best first: by what is known of them, else by where they stood."""
    if len(rankings) == 1:
        return list(rankings[0])
    every = [one for ranked in rankings for one in ranked]
    means = [_mean([one for one in every if one.choice == first.choice]) for first in rankings[0]]
    if any(one.win is None for one in means):
        return sorted(means, key=lambda one: _mean_place(one.choice, rankings))
    return sorted(means, key=merit, reverse=True)


def _mean_place(choice: str, rankings: Sequence[Ranked]) -> float:
    return fmean([one.choice for one in ranked].index(choice) for ranked in rankings)


def _mean(ones: Sequence[Candidate]) -> Candidate:
    win = [one.win for one in ones if one.win is not None]
    parts = {
        name: [part for one in ones if (part := getattr(one, name)) is not None]
        for name in ("money", "gain", "harm", "kept")
    }
    means = {name: round(fmean(known)) if known else None for name, known in parts.items()}
    return Candidate(ones[0].choice, win=fmean(win) if win else None, **means)
