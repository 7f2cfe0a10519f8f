"""Works on a decision: repeats a bot's thinking from the log and the seed."""

from __future__ import annotations

import msgspec

from events.commands import Choose
from rules import view
from service.analysis.results import DecisionOrder, ThoughtAgain, encode_result
from service.fairness.dice import luck_of_bot
from service.fairness.replay import find_seed
from workers.analysis.advice import is_exact, name_rivals
from workers.analysis.reasons import weigh_options
from workers.analysis.steps import TaskContext, TaskStep, final_step
from workers.bots import BOTS
from workers.bots.asking import BotRequest
from workers.bots.fallback import hash_view

NO_BOT = ThoughtAgain("", "", "", ())


def step(context: TaskContext, order: bytes, memory: bytes) -> TaskStep:
    """Repeat the bot's decision; that is one step."""
    wanted = msgspec.json.decode(order, type=DecisionOrder)
    return final_step(encode_result(think_again(context, wanted)))


def think_again(context: TaskContext, wanted: DecisionOrder) -> ThoughtAgain:
    """Ask the bot again with the view and the random seed that it had, and return what it answers now.

    The seed is that of the build that answered then, so that a newer build draws the same numbers. Returns
    NO_BOT if the commit is not a bot's choice. Raises BotFailed.
    """
    commit, *later = context.games.commits(wanted.game, wanted.version - 1)
    level = BOTS.get(commit.bot.name) if commit.bot else None
    if level is None or commit.bot is None or not isinstance(commit.command, Choose):
        return NO_BOT
    seat = commit.command.seat
    note = commit.bot
    seen = view(context.games.snapshot(wanted.game, wanted.version - 1).state, seat)
    # What a fork inherited was drawn in the game that it comes from.
    seed = find_seed(later, context.games.snapshot(wanted.game).state.seed)
    luck = luck_of_bot(bytes.fromhex(seed), seen, wanted.version - 1, seat, note.build)
    decision = context.ask(level, BotRequest(level.name, seen, seat, luck, note.budget, thorough=True))
    return ThoughtAgain(
        build=level.build,
        view=hash_view(seen),
        choice=decision.choice,
        options=weigh_options(seen, seat, decision.candidates),
        exact=is_exact(decision.candidates),
        rivals=name_rivals(decision.candidates),
    )
