"""Works on a decision: repeats a bot's thinking from the log and the seed."""

from __future__ import annotations

import msgspec

from events.commands import Choose
from rules import view
from service.analysis.results import DecisionOrder, ThoughtAgain
from service.fairness.dice import luck_of_bot
from service.fairness.replay import find_seed
from workers.analysis.reasons import weigh_options
from workers.analysis.steps import TaskContext, TaskStep, finish
from workers.bots import BOTS
from workers.bots.asking import BotRequest
from workers.bots.fallback import hash_view

NOBODY = ThoughtAgain("", "", "", ())


def step(desk: TaskContext, order: bytes, memory: bytes) -> TaskStep:
    wanted = msgspec.json.decode(order, type=DecisionOrder)
    return finish(msgspec.json.encode(think_again(desk, wanted)))


def think_again(desk: TaskContext, wanted: DecisionOrder) -> ThoughtAgain:
    """Luck is that of the build that answered then, so that another build at least draws the same."""
    commit, *later = desk.games.commits(wanted.game, wanted.version - 1)
    level = BOTS.get(commit.bot.name) if commit.bot else None
    if level is None or commit.bot is None or not isinstance(commit.command, Choose):
        return NOBODY
    seat = commit.command.seat
    note = commit.bot
    seen = view(desk.games.snapshot(wanted.game, wanted.version - 1).state, seat)
    # What a fork inherited was drawn in the game that it comes from.
    seed = find_seed(later, desk.games.snapshot(wanted.game).state.seed)
    luck = luck_of_bot(bytes.fromhex(seed), seen.game, wanted.version - 1, seat, note.build)
    decision = desk.ask(level, BotRequest(level.name, seen, seat, luck, note.budget, thorough=True))
    options = weigh_options(seen, seat, decision.candidates)
    return ThoughtAgain(level.build, hash_view(seen), decision.choice, options)
