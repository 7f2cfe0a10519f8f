"""An analysis: the expert looks at every choice of a finished game, with what the seat saw then."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from events.commands import Choose
from events.commit import Commit
from events.secrecy import Secret
from rules.legal import choices
from rules.state import State
from rules.view import view
from service.fairness.dice import luck_of_bot
from service.tasks.analysis import AnalysisOrder, ChoiceSeen
from workers.bots import BOTS
from workers.bots.asking import BotFailed, Request
from workers.bots.decision import Candidate
from workers.slices import last_for
from workers.tasks.lessons import sum_up
from workers.tasks.steps import Desk, Step, finish

EXPERT = BOTS["expert"]
# Nobody waits at a table: with four times the playouts chance is not taken for a fault of who chose.
JUDGE = replace(EXPERT, budget=4 * EXPERT.budget)
SLICE_SECONDS = 0.05
Ranked = Sequence[Candidate]


class Looked(Struct, frozen=True):
    """Up to which version the game was looked at, what was seen, and how often the bot gave no answer."""

    version: int = 0
    seen: tuple[ChoiceSeen, ...] = ()
    unjudged: int = 0


def step(desk: Desk, order: bytes, memory: bytes) -> Step:
    """A slice of the game: at least one choice."""
    wanted = msgspec.json.decode(order, type=AnalysisOrder)
    looked = msgspec.json.decode(memory, type=Looked) if memory else Looked()
    is_over, end = last_for(SLICE_SECONDS), desk.games.snapshot(wanted.game, wanted.version).state
    for commit in desk.games.commits(wanted.game, looked.version, wanted.version - looked.version):
        looked = _look_on(desk, commit, end, looked)
        if is_over():
            break
    if looked.version < wanted.version:
        return Step(looked.version, wanted.version, msgspec.json.encode(looked))
    found = sum_up(JUDGE, looked.seen, end, looked.unjudged)
    return finish(msgspec.json.encode(found), wanted.version)


def _look_on(desk: Desk, commit: Commit, end: State, looked: Looked) -> Looked:
    """One choice that a bot fails over must not cost the whole analysis."""
    try:
        more = _look(desk, commit, end, looked.seen)
    except BotFailed:
        return Looked(commit.version, looked.seen, looked.unjudged + 1)
    return Looked(commit.version, (*looked.seen, *more), looked.unjudged)


def _look(desk: Desk, commit: Commit, end: State, seen: Sequence[ChoiceSeen]) -> tuple[ChoiceSeen, ...]:
    """Nothing where there was nothing to choose, or where the bot does not say how good an option is."""
    answer = commit.command
    if not isinstance(answer, Choose):
        return ()
    table = view(desk.games.snapshot(end.game, commit.version - 1).state, answer.seat)
    if len(choices(table, answer.seat)) < 2:
        return ()
    ranked = _rank(desk, commit.version - 1, table, answer.seat, end)
    return _compare(commit.version, answer, ranked, _expect(seen, answer.seat, len(end.seats)))


def _rank(desk: Desk, version: int, table: State, seat: int, end: State) -> Ranked:
    luck = luck_of_bot(bytes.fromhex(end.seed), end.game, version, seat, JUDGE.build)
    return desk.ask(JUDGE, Request(JUDGE.name, table, seat, luck, JUDGE.budget)).candidates


class Expected(Struct, frozen=True):
    """A seat's chance after its last choice, and what others have given it since."""

    last: float
    others: float


def _expect(seen: Sequence[ChoiceSeen], seat: int, players: int) -> Expected:
    others = 0.0
    for one in reversed(seen):
        if one.seat == seat:
            return Expected(one.after, others)
        others += one.loss / (players - 1)
    return Expected(1 / players, others)


def _compare(version: int, answer: Choose, ranked: Ranked, known: Expected) -> tuple[ChoiceSeen, ...]:
    choice = answer.choice.contents if isinstance(answer.choice, Secret) else answer.choice
    best, made = ranked[0], next((one for one in ranked if one.choice == choice), None)
    if made is None or made.win is None or best.win is None:
        return ()
    before = max(one.win or 0 for one in ranked)
    money = None if best.money is None or made.money is None else best.money - made.money
    luck, others = round(before - known.last - known.others, 4), round(known.others, 4)
    figures = (round(before, 4), round(made.win, 4), round(before - made.win, 4), luck, others)
    return (ChoiceSeen(version, answer.seat, choice, best.choice, *figures, money),)
