"""An analysis: the expert looks at every choice of a finished game, with what the seat saw then."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from events.commands import Choose
from events.commit import Commit
from events.secrecy import Secret
from rules.legal import choices
from rules.state import State
from rules.view import view
from service.fairness.dice import luck_of_bot
from service.tasks.analysis import AnalysisOrder, ChoiceSeen
from workers.bots import BOTS
from workers.bots.asking import Request
from workers.bots.decision import Candidate
from workers.slices import last_for
from workers.tasks.lessons import sum_up
from workers.tasks.steps import Desk, Step, finish

EXPERT = "expert"
SLICE_SECONDS = 0.05
Ranked = Sequence[Candidate]


class Looked(Struct, frozen=True):
    """Up to which version the game was looked at, and what was seen."""

    version: int = 0
    seen: tuple[ChoiceSeen, ...] = ()


def step(desk: Desk, order: bytes, memory: bytes) -> Step:
    """A slice of the game: at least one choice."""
    wanted = msgspec.json.decode(order, type=AnalysisOrder)
    looked = msgspec.json.decode(memory, type=Looked) if memory else Looked()
    is_over, end = last_for(SLICE_SECONDS), desk.games.snapshot(wanted.game, wanted.version).state
    for commit in desk.games.commits(wanted.game, looked.version, wanted.version - looked.version):
        looked = Looked(commit.version, (*looked.seen, *_look(desk, commit, end, looked.seen)))
        if is_over():
            break
    if looked.version < wanted.version:
        return Step(looked.version, wanted.version, msgspec.json.encode(looked))
    return finish(msgspec.json.encode(sum_up(BOTS[EXPERT], looked.seen, end)), wanted.version)


def _look(desk: Desk, commit: Commit, end: State, seen: Sequence[ChoiceSeen]) -> tuple[ChoiceSeen, ...]:
    """Nothing where there was nothing to choose, or where the bot does not say how good an option is."""
    answer = commit.command
    if not isinstance(answer, Choose):
        return ()
    table = view(desk.games.snapshot(end.game, commit.version - 1).state, answer.seat)
    if len(choices(table, answer.seat)) < 2:
        return ()
    before = _last_chance(seen, answer.seat, 1 / len(end.seats))
    return _compare(commit.version, answer, _rank(desk, commit.version - 1, table, answer.seat, end), before)


def _rank(desk: Desk, version: int, table: State, seat: int, end: State) -> Ranked:
    level = BOTS[EXPERT]
    luck = luck_of_bot(bytes.fromhex(end.seed), end.game, version, seat, level.build)
    return desk.ask(level, Request(level.name, table, seat, luck)).candidates


def _last_chance(seen: Sequence[ChoiceSeen], seat: int, even: float) -> float:
    return next((one.after for one in reversed(seen) if one.seat == seat), even)


def _compare(version: int, answer: Choose, ranked: Ranked, last: float) -> tuple[ChoiceSeen, ...]:
    choice = answer.choice.contents if isinstance(answer.choice, Secret) else answer.choice
    best, made = ranked[0], next((one for one in ranked if one.choice == choice), None)
    if made is None or made.win is None or best.win is None:
        return ()
    before = max(one.win or 0 for one in ranked)
    money = None if best.money is None or made.money is None else best.money - made.money
    figures = (round(before, 4), round(made.win, 4), round(before - made.win, 4), round(before - last, 4))
    return (ChoiceSeen(version, answer.seat, choice, best.choice, *figures, money),)
