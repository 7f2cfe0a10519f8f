"""Works on advice: asks the bot several times and averages its figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from statistics import fmean

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from events.text import Joined, Text, restore_text, store_text
from rules import State
from rules.state import EMPTY
from service.analysis.results import Advice, AdviceOrder, encode_result
from workers.analysis.reasons import weigh_options
from workers.analysis.steps import TaskContext, TaskStep, final_step
from workers.bots import BOTS
from workers.bots.asking import BotAbsent, BotFailed, BotRequest, rank
from workers.bots.fallback import hash_view
from workers.bots.protocol import RIVALS, Candidate, Level, merit

Ranked = tuple[Candidate, ...]


def average(rankings: Sequence[Ranked]) -> list[Candidate]:
    """Return the options with the means of their figures over all runs, best first.

    If the bot did not order them by figures in some run, the option that it chose most often comes first.
    """
    if len(rankings) == 1:
        return list(rankings[0])
    every = [one for ranked in rankings for one in ranked]
    means = [
        _average_candidate([one for one in every if one.choice == first.choice]) for first in rankings[0]
    ]
    if all(_is_ranked_by_merit(ranked) for ranked in rankings):
        return sorted(means, key=merit, reverse=True)
    chosen = Counter(ranked[0].choice for ranked in rankings)
    return list(rank(means, chosen.most_common(1)[0][0]))


def _is_ranked_by_merit(ranked: Ranked) -> bool:
    """Return whether the options are ordered by their figures."""
    return list(ranked) == sorted(ranked, key=merit, reverse=True)


def _average_candidate(ones: Sequence[Candidate]) -> Candidate:
    """Return one candidate with the means of the figures; those that are None are left out."""
    win = [one.win for one in ones if one.win is not None]
    parts = {
        name: [part for one in ones if (part := getattr(one, name)) is not None]
        for name in ("money", "gain", "harm", "hand")
    }
    means = {name: round(fmean(known)) if known else None for name, known in parts.items()}
    return replace(Candidate(ones[0].choice, win=fmean(win) if win else None), **means)


# The fields of a state that a choice may depend on; `strip` adds the notes.
ON_THE_TABLE = (
    "edition",
    "release",
    "round",
    "starter",
    "turn",
    "turns",
    "roll",
    "agenda",
    "outfit",
    "dice",
    "chips",
    "chip_cards",
    "hands",
    "glasses",
    "tiles",
    "tokens",
    "counters",
    "closed",
)


class AdviceProgress(Struct, frozen=True):
    """Stores what the bot answered in each run so far.

    `bot` is the lower level that answers because a higher one failed, and `fault` says why that one did.
    `absences` counts the times in a row that there was no process to ask.
    """

    rankings: tuple[Ranked, ...] = ()
    bot: str = ""
    fault: str = ""
    absences: int = 0


# A bot whose process is not up yet has not failed: the step is tried again so many times.
MOST_ABSENCES = 3


def step(context: TaskContext, order: bytes, memory: bytes) -> TaskStep:
    """Run the bot once more; finish with the advice after the last run.

    The budget is split into several runs, so that none takes longer than a choice at the table. If the bot's
    process is not up in time, the next step asks it again. If the bot fails, the next step begins anew with
    the next lower level. Raises BotFailed if the lowest one fails.
    """
    wanted = msgspec.json.decode(order, type=AdviceOrder)
    progress = msgspec.json.decode(memory, type=AdviceProgress) if memory else AdviceProgress()
    level = BOTS[progress.bot or wanted.bot]
    runs = count_runs(level, wanted.budget)
    try:
        rankings = (*progress.rankings, _ask(context, level, wanted, len(progress.rankings)))
    except BotFailed as fault:
        if isinstance(fault, BotAbsent) and progress.absences < MOST_ABSENCES:
            waiting = replace(progress, absences=progress.absences + 1)
            return TaskStep(len(progress.rankings), runs, msgspec.json.encode(waiting))
        return TaskStep(0, runs, msgspec.json.encode(_go_lower(level, progress.fault, fault)))
    if len(rankings) < runs and not is_exact(rankings[0]):
        return TaskStep(
            len(rankings), runs, msgspec.json.encode(AdviceProgress(rankings, progress.bot, progress.fault))
        )
    return final_step(encode_result(_make_advice(wanted, level, rankings, progress.fault)), runs)


def _go_lower(level: Level, before: str, fault: BotFailed) -> AdviceProgress:
    """Return the progress with which the next lower level begins anew. Raises BotFailed if there is none.

    The first fault is kept: it says why the wanted level did not answer.
    """
    below = list(BOTS)[: list(BOTS).index(level.name)]
    if not below:
        raise fault
    return AdviceProgress(
        bot=below[-1], fault=before or store_text(Joined((level.name, Text(str(fault))), " "))
    )


def _make_advice(wanted: AdviceOrder, level: Level, rankings: Sequence[Ranked], fault: str) -> Advice:
    """Return the advice from the answers of all runs."""
    options = weigh_options(wanted.view, wanted.seat, average(rankings))
    runs = len(rankings)
    budget = wanted.budget if runs == 1 and wanted.budget else runs * level.budget
    given = "" if level.name == wanted.bot else wanted.bot
    return Advice(
        options=options,
        bot=level.name,
        build=level.build,
        budget=budget,
        instead_of=given,
        fault=restore_text(fault),
        exact=is_exact(rankings[0]),
        rivals=name_rivals(rankings[0]),
    )


def is_exact(ranked: Ranked) -> bool:
    """Return whether the figures come from every throw that can come: another run would give the same."""
    return bool(ranked) and all(one.exact for one in ranked)


def name_rivals(ranked: Ranked) -> str:
    """Return the policy by which rivals play in exact figures; empty if they are not exact."""
    return RIVALS if is_exact(ranked) else ""


def count_runs(level: Level, budget: int) -> int:
    """Return how many runs of the level's own budget make up this budget; at least 1."""
    return max(1, -(-budget // level.budget)) if level.budget else 1


def _ask(context: TaskContext, level: Level, wanted: AdviceOrder, run: int) -> Ranked:
    """Ask the bot and return its options, best first. Raises BotFailed.

    The random seed comes from the table itself, so that equal tables get equal advice.
    """
    luck = sha256(f"{hash_view(strip(wanted.view))}|{wanted.seat}|{level.build}|{run}".encode()).digest()
    budget = min(wanted.budget, level.budget)
    request = BotRequest(level.name, wanted.view, wanted.seat, luck, budget, thorough=True)
    return context.ask(level, request).candidates


def strip(view: State) -> State:
    """Return the view without what does not change the choice: players, options, the order of notes."""
    notes = {place: tuple(sorted(laid)) for place, laid in view.notes.items()}
    return replace(EMPTY, **{name: getattr(view, name) for name in ON_THE_TABLE}, notes=notes)
