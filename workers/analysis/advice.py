"""Works on advice: asks the bot several times and averages what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from statistics import fmean

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rules import State
from rules.state import EMPTY
from service.analysis.results import Advice, AdviceOrder
from workers.analysis.reasons import weigh_options
from workers.analysis.steps import TaskContext, TaskStep, finish
from workers.bots import BOTS
from workers.bots.asking import BotFailed, BotRequest, rank
from workers.bots.fallback import hash_view
from workers.bots.protocol import Candidate, Level, merit

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


# Of a state, what a choice may depend on; the notes are there, too.
ON_THE_TABLE = (
    *("edition", "release", "round", "starter", "turn", "turns", "roll", "agenda", "outfit", "dice", "chips"),
    *("chip_cards", "hands", "glasses", "tiles", "tokens", "counters", "closed"),
)


class Heard(Struct, frozen=True):
    """What the bot said each time; `bot` where a lower level had to answer, and what was wrong."""

    rankings: tuple[Ranked, ...] = ()
    bot: str = ""
    fault: str = ""


def step(desk: TaskContext, order: bytes, memory: bytes) -> TaskStep:
    """One more of the runs that the budget is split into: none is longer than a choice of the bot."""
    wanted = msgspec.json.decode(order, type=AdviceOrder)
    heard = msgspec.json.decode(memory, type=Heard) if memory else Heard()
    level = BOTS[heard.bot or wanted.bot]
    runs = count_runs(level, wanted.budget)
    try:
        rankings = (*heard.rankings, _ask(desk, level, wanted, len(heard.rankings)))
    except BotFailed as fault:
        return TaskStep(0, runs, msgspec.json.encode(_go_lower(level, heard.fault, fault)))
    if len(rankings) < runs:
        return TaskStep(len(rankings), runs, msgspec.json.encode(Heard(rankings, heard.bot, heard.fault)))
    return finish(msgspec.json.encode(_advise(wanted, level, rankings, heard.fault)), runs)


def _go_lower(level: Level, before: str, fault: BotFailed) -> Heard:
    """The next lower level begins anew; told is what was wrong first. Raises BotFailed where none is left."""
    below = list(BOTS)[: list(BOTS).index(level.name)]
    if not below:
        raise fault
    return Heard(bot=below[-1], fault=before or f"{level.name} {fault}")


def _advise(wanted: AdviceOrder, level: Level, rankings: Sequence[Ranked], fault: str) -> Advice:
    options = weigh_options(wanted.view, wanted.seat, average(rankings))
    runs = len(rankings)
    budget = wanted.budget if runs == 1 and wanted.budget else runs * level.budget
    given = "" if level.name == wanted.bot else wanted.bot
    return Advice(options, level.name, level.build, budget, given, fault)


def count_runs(level: Level, budget: int) -> int:
    return max(1, -(-budget // level.budget)) if level.budget else 1


def _ask(desk: TaskContext, level: Level, wanted: AdviceOrder, run: int) -> Ranked:
    """Equal tables get equal advice: what is left to chance comes from what lies there."""
    luck = sha256(f"{hash_view(strip(wanted.view))}|{wanted.seat}|{level.build}|{run}".encode()).digest()
    budget = min(wanted.budget, level.budget)
    request = BotRequest(level.name, wanted.view, wanted.seat, luck, budget, thorough=True)
    return desk.ask(level, request).candidates


def strip(view: State) -> State:
    """Without what changes nothing about the choice: who sits there, what was agreed on, how notes lie."""
    notes = {place: tuple(sorted(laid)) for place, laid in view.notes.items()}
    return replace(EMPTY, **{name: getattr(view, name) for name in ON_THE_TABLE}, notes=notes)
