"""An analysis: the expert looks at every choice of a finished game, with what the seat saw then."""

from __future__ import annotations

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from events.commands import Choose
from events.commit import Commit
from rules.legal import choices
from rules.state import State
from rules.view import view
from service.fairness.dice import luck_of_bot
from service.tasks.analysis import AnalysisOrder, ChoiceSeen
from workers.bots import BOTS
from workers.bots.asking import BotAbsent, BotFailed, Request
from workers.slices import IsOver, last_for
from workers.tasks.lessons import sum_up
from workers.tasks.rankings import Ranked, average
from workers.tasks.steps import Desk, Step, finish
from workers.tasks.swings import compare, expect

EXPERT = BOTS["expert"]
# Nobody waits at a table: with several looks chance is not taken for a fault of who chose.
LOOKS = 4
JUDGE = replace(EXPERT, budget=LOOKS * EXPERT.budget)
SLICE_SECONDS = 0.05


class Looked(Struct, frozen=True):
    """Up to which version the game was looked at, what was seen, and over whose choices the bot failed.

    `heard` is what it has said of the next version so far.
    """

    version: int = 0
    seen: tuple[ChoiceSeen, ...] = ()
    unjudged: tuple[int, ...] = ()
    heard: tuple[Ranked, ...] = ()


def step(desk: Desk, order: bytes, memory: bytes) -> Step:
    """A slice of the game: at least one look."""
    wanted = msgspec.json.decode(order, type=AnalysisOrder)
    looked = msgspec.json.decode(memory, type=Looked) if memory else Looked()
    is_over, end = last_for(SLICE_SECONDS), desk.games.snapshot(wanted.game, wanted.version)
    for commit in desk.games.commits(wanted.game, looked.version, wanted.version - looked.version):
        looked = _look_on(desk, commit, end.state, looked, is_over)
        if is_over():
            break
    if looked.version < wanted.version:
        return Step(looked.version, wanted.version, msgspec.json.encode(looked))
    found = sum_up(JUDGE, looked.seen, end, looked.unjudged)
    return finish(msgspec.json.encode(found), wanted.version)


def _look_on(desk: Desk, commit: Commit, end: State, looked: Looked, is_over: IsOver) -> Looked:
    version, answer = commit.version, commit.command
    if not isinstance(answer, Choose):
        return replace(looked, version=version)
    try:
        heard = _listen(desk, version - 1, answer.seat, end, looked.heard, is_over)
    except BotFailed as fault:
        return _pass_over(fault, version, answer.seat, looked)
    looked = replace(looked, heard=heard)
    return looked if len(heard) < LOOKS else _conclude(version, answer, looked, len(end.seats))


def _pass_over(fault: BotFailed, version: int, seat: int, looked: Looked) -> Looked:
    """One choice that a bot fails over must not cost the whole analysis.

    Raises BotAbsent: where there is nobody to judge, later there may be.
    """
    if isinstance(fault, BotAbsent):
        raise fault
    return Looked(version, looked.seen, (*looked.unjudged, seat))


def _conclude(version: int, answer: Choose, looked: Looked, players: int) -> Looked:
    known = expect(looked.seen, answer.seat, players)
    more = compare(version, answer, average(looked.heard), known)
    return Looked(version, (*looked.seen, *more), looked.unjudged)


def _listen(
    desk: Desk, version: int, seat: int, end: State, heard: tuple[Ranked, ...], is_over: IsOver
) -> tuple[Ranked, ...]:
    """No look is longer than a choice at the table, and there is time for at least one."""
    table = view(desk.games.snapshot(end.game, version).state, seat)
    while len(heard) < LOOKS:
        luck = _draw_luck(end, version, seat, len(heard))
        heard = (*heard, _rank(desk, table, seat, luck))
        if is_over():
            break
    return heard


def _draw_luck(end: State, version: int, seat: int, look: int) -> bytes:
    """Not what the bot at the table drew: with that, the expert would find whatever it did right."""
    return luck_of_bot(bytes.fromhex(end.seed), end.game, version, seat, f"{EXPERT.build}|analysis|{look}")


def _rank(desk: Desk, table: State, seat: int, luck: bytes) -> Ranked:
    """What is mixed goes by no figures, but without those of a forced move its roll would be told nowhere."""
    forced = len(choices(table, seat)) == 1
    request = Request(EXPERT.name, table, seat, luck, EXPERT.budget, thorough=forced)
    return desk.ask(EXPERT, request).candidates
