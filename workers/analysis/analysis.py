"""Works on an analysis: the expert judges every choice of a finished game."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from events.commands import Choose
from events.commit import Commit
from events.secrecy import Secret
from rules import State, view
from rules.legal import choices
from service.analysis.results import Analysis, AnalysisOrder, ChoiceSeen, SeatSeen
from service.fairness.dice import luck_of_bot
from service.games.snapshots import Snapshot
from workers.analysis.advice import Ranked, average
from workers.analysis.steps import TaskContext, TaskStep, finish
from workers.bots import BOTS
from workers.bots.asking import BotAbsent, BotFailed, BotRequest
from workers.bots.protocol import Candidate, Level
from workers.time_slice import IsOver, last_for

Candidates = Sequence[Candidate]


class Expected(Struct, frozen=True):
    """A seat's chance after its last choice, and what others have given it since."""

    last: float
    others: float

    def luck_until(self, now: float) -> float:
        return round(now - self.last - self.others, 4)


def expect(seen: Sequence[ChoiceSeen], seat: int, players: int) -> Expected:
    others = 0.0
    for one in reversed(seen):
        if one.seat == seat:
            return Expected(one.after, round(others, 4))
        others += one.loss / (players - 1)
    return Expected(round(1 / players, 4), round(others, 4))


def compare(version: int, answer: Choose, ranked: Candidates, known: Expected) -> tuple[ChoiceSeen, ...]:
    """Nothing where the bot does not say how good an option is."""
    choice = answer.choice.contents if isinstance(answer.choice, Secret) else answer.choice
    best = ranked[0]
    made = next((one for one in ranked if one.choice == choice), None)
    if made is None or made.win is None or best.win is None:
        return ()
    before = round(max(one.win or 0 for one in ranked), 4)
    after = round(made.win, 4)
    money = None if best.money is None or made.money is None else best.money - made.money
    figures = (before, after, round(before - after, 4), known.luck_until(before), known.others)
    return (ChoiceSeen(version, answer.seat, choice, best.choice, *figures, money, len(ranked) == 1),)


def see_end(version: int, seat: int, won: float, known: Expected) -> ChoiceSeen:
    figures = (won, won, 0.0, known.luck_until(won), known.others)
    return ChoiceSeen(version, seat, "", "", *figures, None, ending=True)


TURNING_POINTS = 6
# What is less may be chance in what was played out.
NOTABLE = 0.01
NOTABLE_MONEY = 10_000
UNJUDGED = "None of its choices could be judged."
NO_CHOICE = "It had nothing to choose."


def sum_up(level: Level, seen: Sequence[ChoiceSeen], end: Snapshot, unjudged: Sequence[int] = ()) -> Analysis:
    """The unjudged are the seats of choices that the bot failed over, one for each."""
    endings = tuple(_see_end(seat, seen, end) for seat in range(len(end.state.seats)))
    seats = [_sum_up_seat(ending, seen, len(endings)) for ending in endings]
    most = max(seats, key=lambda seat: seat.lost)
    told = tuple(_tell(seat, seat is most, seat.seat in unjudged) for seat in seats)
    points = _find_turning_points(seen, endings)
    return Analysis(level.name, level.build, level.budget, told, points, tuple(seen), len(unjudged), endings)


def _see_end(seat: int, seen: Sequence[ChoiceSeen], end: Snapshot) -> ChoiceSeen:
    winners = end.state.winners or ()
    players = len(end.state.seats)
    won = round((seat in winners) / max(1, len(winners)), 4)
    return see_end(end.version, seat, won, expect(seen, seat, players))


def _find_turning_points(seen: Sequence[ChoiceSeen], endings: Sequence[ChoiceSeen]) -> tuple[ChoiceSeen, ...]:
    """The game ends once: for whom most changed then stands for all."""
    every = [*seen, max(endings, key=_measure_swing)]
    turning = sorted(every, key=_measure_swing, reverse=True)[:TURNING_POINTS]
    return tuple(sorted(turning, key=lambda one: (one.version, one.ending)))


def _measure_swing(one: ChoiceSeen) -> float:
    return max(one.loss, abs(one.luck), abs(one.luck + one.others))


def _sum_up_seat(ending: ChoiceSeen, seen: Sequence[ChoiceSeen], players: int) -> SeatSeen:
    """What a choice costs its seat falls to the others, in equal parts: somebody wins."""
    looks = [*(one for one in seen if one.seat == ending.seat), ending]
    own = [one for one in looks if not one.forced and not one.ending]
    worst = max(own, key=lambda one: one.loss, default=None)
    return SeatSeen(
        seat=ending.seat,
        name=None,
        won=ending.after,
        even=round(1 / players, 4),
        luck=round(sum(one.luck for one in looks), 4),
        others=round(sum(one.others for one in looks), 4),
        lost=round(sum(one.loss for one in looks), 4),
        choices=len(own),
        best_choices=sum(map(_is_best, own)),
        worst=worst.version if worst is not None and worst.loss >= NOTABLE else None,
        text="",
    )


def _is_best(one: ChoiceSeen) -> bool:
    """Or as good; where nothing is left to win, it is told by the money."""
    return one.loss < NOTABLE and (one.money or 0) < NOTABLE_MONEY


def _tell(seat: SeatSeen, is_most: bool, is_unjudged: bool) -> SeatSeen:
    if not seat.choices:
        return replace(seat, text=UNJUDGED if is_unjudged else NO_CHOICE)
    share = seat.best_choices / seat.choices
    told = [f"{seat.best_choices} of {seat.choices} choices ({share:.0%}) were the best or as good."]
    if seat.lost >= NOTABLE:
        most = ", more than anybody else" if is_most else ""
        told.append(f"Its choices cost {seat.lost * 100:.0f} points of winning chance in all{most}.")
    if seat.worst is not None:
        told.append(f"The dearest was version {seat.worst}.")
    return replace(seat, text=" ".join([*told, _tell_luck(seat.luck, seat.others)]))


def _tell_luck(luck: float, others: float) -> str:
    verb = "gave it" if luck >= 0 else "took"
    given = f", and the others' choices gave it {others * 100:.0f}" if others >= NOTABLE else ""
    return f"Dice and draws {verb} {abs(luck) * 100:.0f} points{given}."


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


def step(desk: TaskContext, order: bytes, memory: bytes) -> TaskStep:
    """A slice of the game: at least one look."""
    wanted = msgspec.json.decode(order, type=AnalysisOrder)
    looked = msgspec.json.decode(memory, type=Looked) if memory else Looked()
    is_over = last_for(SLICE_SECONDS)
    end = desk.games.snapshot(wanted.game, wanted.version)
    for commit in desk.games.commits(wanted.game, looked.version, wanted.version - looked.version):
        looked = _look_on(desk, commit, end.state, looked, is_over)
        if is_over():
            break
    if looked.version < wanted.version:
        return TaskStep(looked.version, wanted.version, msgspec.json.encode(looked))
    found = sum_up(JUDGE, looked.seen, end, looked.unjudged)
    return finish(msgspec.json.encode(found), wanted.version)


def _look_on(desk: TaskContext, commit: Commit, end: State, looked: Looked, is_over: IsOver) -> Looked:
    version = commit.version
    answer = commit.command
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
    desk: TaskContext, version: int, seat: int, end: State, heard: tuple[Ranked, ...], is_over: IsOver
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


def _rank(desk: TaskContext, table: State, seat: int, luck: bytes) -> Ranked:
    """What is mixed goes by no figures, but without those of a forced move its roll would be told nowhere."""
    forced = len(choices(table, seat)) == 1
    request = BotRequest(EXPERT.name, table, seat, luck, EXPERT.budget, thorough=forced)
    return desk.ask(EXPERT, request).candidates
