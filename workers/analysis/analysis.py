"""Works on an analysis: the expert judges every choice of a finished game."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from events.commands import Choose
from events.commit import Commit
from events.secrecy import Secret
from events.text import Joined, Sentence, Text, percent
from rules import State, view
from rules.legal import choices
from service.analysis.results import Analysis, AnalysisOrder, Better, ChoiceSeen, SeatSeen, encode_result
from service.fairness.dice import luck_of_bot
from service.games.snapshots import Snapshot
from workers.analysis.advice import Ranked, average
from workers.analysis.reasons import weigh_options
from workers.analysis.steps import TaskContext, TaskStep, final_step
from workers.bots import BOTS
from workers.bots.asking import BotAbsent, BotFailed, BotRequest
from workers.bots.protocol import Candidate, Level
from workers.turns import IsOver, last_for

Candidates = Sequence[Candidate]


class Expected(Struct, frozen=True):
    """Holds a seat's chance to win after its last choice, and what mistakes of others added to it since."""

    last: float
    others: float

    def luck_until(self, now: float) -> float:
        """Return what dice and draws changed, if the chance is `now`."""
        return round(now - self.last - self.others, 4)


def expect_chance(seen: Sequence[ChoiceSeen], seat: int, players: int) -> Expected:
    """Return the chance to win that a seat has before its next choice, by what was judged so far.

    Before the first choice all seats have equal chances. What a choice lost is shared by the other seats.
    """
    others = 0.0
    for one in reversed(seen):
        if one.seat == seat:
            return Expected(one.after, round(others, 4))
        others += one.loss / (players - 1)
    return Expected(round(1 / players, 4), round(others, 4))


def compare(version: int, answer: Choose, ranked: Candidates, known: Expected) -> tuple[ChoiceSeen, ...]:
    """Return the judgement of a choice against the best option; empty if the bot gives no chances to win."""
    choice = answer.choice.contents if isinstance(answer.choice, Secret) else answer.choice
    best = ranked[0]
    made = next((one for one in ranked if one.choice == choice), None)
    if made is None or made.win is None or best.win is None:
        return ()
    before = round(max(one.win or 0 for one in ranked), 4)
    after = round(made.win, 4)
    money = None if best.money is None or made.money is None else best.money - made.money
    figures = (before, after, round(before - after, 4), known.luck_until(before), known.others)
    return (
        ChoiceSeen(version, answer.seat, choice, best.choice, *figures, money, len(ranked) == 1, looks=1),
    )


def make_ending(version: int, seat: int, won: float, known: Expected) -> ChoiceSeen:
    """Return the end of the game as an entry of the analysis, so that luck after the last choice counts."""
    figures = (won, won, 0.0, known.luck_until(won), known.others)
    return ChoiceSeen(version, seat, "", "", *figures, None, ending=True)


TURNING_POINTS = 6
# Smaller losses of winning chance may be noise of the playouts.
NOTABLE = 0.01
NOTABLE_MONEY = 10_000
UNJUDGED = Text("None of its choices could be judged.")
NO_CHOICE = Text("It had nothing to choose.")
COST = "Its choices cost {points} points of winning chance in all."
COST_MOST = "Its choices cost {points} points of winning chance in all, more than anybody else."
LUCKY = "Dice and draws gave it {points} points"
UNLUCKY = "Dice and draws took {points} points"


def sum_up(level: Level, seen: Sequence[ChoiceSeen], end: Snapshot, unjudged: Sequence[int] = ()) -> Analysis:
    """Return the whole analysis from the judged choices.

    `unjudged` has the seat of each choice that the bot failed to judge.
    """
    endings = tuple(_judge_ending(seat, seen, end) for seat in range(len(end.state.seats)))
    seats = [_sum_up_seat(ending, seen, len(endings)) for ending in endings]
    most = max(seats, key=lambda seat: seat.lost)
    told = tuple(_write_summary(seat, seat is most, seat.seat in unjudged) for seat in seats)
    points = _find_turning_points(seen, endings)
    return Analysis(level.name, level.build, level.budget, told, points, tuple(seen), len(unjudged), endings)


def _judge_ending(seat: int, seen: Sequence[ChoiceSeen], end: Snapshot) -> ChoiceSeen:
    """Return the end of the game for this seat: what it won, and what luck changed since its last choice."""
    winners = end.state.winners or ()
    players = len(end.state.seats)
    won = round((seat in winners) / max(1, len(winners)), 4)
    return make_ending(end.version, seat, won, expect_chance(seen, seat, players))


def _find_turning_points(seen: Sequence[ChoiceSeen], endings: Sequence[ChoiceSeen]) -> tuple[ChoiceSeen, ...]:
    """Return the moments that changed a chance to win most, in the order of the game.

    The end of the game counts once, for the seat for which it changed most.
    """
    every = [*seen, max(endings, key=_measure_swing)]
    turning = sorted(every, key=_measure_swing, reverse=True)[:TURNING_POINTS]
    return tuple(sorted(turning, key=lambda one: (one.version, one.ending)))


def _measure_swing(one: ChoiceSeen) -> float:
    """Return how much changed at this moment, by the choice or by luck."""
    return max(one.loss, abs(one.luck), abs(one.luck + one.others))


def _sum_up_seat(ending: ChoiceSeen, seen: Sequence[ChoiceSeen], players: int) -> SeatSeen:
    """Return the sums of a seat: what it won, its luck, and what its own and others' choices changed.

    What a choice loses goes to the other seats in equal parts, because the chances of all seats add up to 1.
    """
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
    """Return whether the choice was the best or about as good.

    Where no chance to win is lost, as in a decided game, the money decides.
    """
    return one.loss < NOTABLE and (one.money or 0) < NOTABLE_MONEY


def _write_summary(seat: SeatSeen, is_most: bool, is_unjudged: bool) -> SeatSeen:
    """Return the seat with its summary in sentences."""
    if not seat.choices:
        return replace(seat, text=UNJUDGED if is_unjudged else NO_CHOICE)
    share = seat.best_choices / seat.choices
    told: list[str] = [
        Text(
            "{best} of {choices} choices ({share}) were the best or as good.",
            best=seat.best_choices,
            choices=seat.choices,
            share=percent(share),
        )
    ]
    if seat.lost >= NOTABLE:
        cost = COST_MOST if is_most else COST
        told.append(Text(cost, points=f"{seat.lost * 100:.0f}"))
    if seat.worst is not None:
        told.append(Text("The dearest was version {version}.", version=seat.worst))
    return replace(seat, text=Joined([*told, _describe_luck(seat.luck, seat.others)], " "))


def _describe_luck(luck: float, others: float) -> str:
    """Return the sentence about luck and others' choices."""
    told = Text(LUCKY if luck >= 0 else UNLUCKY, points=f"{abs(luck) * 100:.0f}")
    if others < NOTABLE:
        return Sentence(told)
    given = Text("{luck}, and the others' choices gave it {points}", luck=told, points=f"{others * 100:.0f}")
    return Sentence(given)


EXPERT = BOTS["expert"]
# Simulations of one look: half of those of a choice at the table, so that an analysis takes seconds.
LOOK = EXPERT.budget // 2
# A choice that may be a mistake is looked at so many times again, so that noise of playouts is not taken for
# one: the first look, which raised the doubt, counts only as one more vote. Where the first two looks both
# find that a choice costs as much as CLEAR, two are enough; one that finds no mistake ends it, too.
LOOKS = 3
CLEAR = 0.05
# At most this part of the choices is looked at again, so the length of a game bounds the simulations:
# 1 + LOOKS * MOST_DOUBTED looks for each choice.
MOST_DOUBTED = 0.4
JUDGE = replace(EXPERT, budget=LOOKS * LOOK)
SLICE_SECONDS = 0.05


class Verdict(Struct, frozen=True):
    """Stores what the further looks at a choice found: the mean figures, and whether all call it a mistake.

    `ranked` is empty if the expert failed.
    """

    version: int
    ranked: Ranked = ()
    is_mistake: bool = False
    looks: int = 0


class AnalysisProgress(Struct, frozen=True):
    """Stores up to which version the game was judged, the judgements, and the seats of unjudged choices.

    `verdicts` are the results of further looks at doubtful choices, in the order of `list_doubts`, and
    `rankings` the expert's answers so far on the next one of them.
    """

    version: int = 0
    seen: tuple[ChoiceSeen, ...] = ()
    unjudged: tuple[int, ...] = ()
    # Stored progress has this under its former name.
    rankings: tuple[Ranked, ...] = field(default=(), name="heard")
    verdicts: tuple[Verdict, ...] = ()


def step(context: TaskContext, order: bytes, memory: bytes) -> TaskStep:
    """Judge choices for one time slice; finish with the analysis after the last doubt.

    Every choice is looked at once, in the order of the game. Then those that cost something are looked at
    again, the dearest first.
    """
    wanted = msgspec.json.decode(order, type=AnalysisOrder)
    progress = msgspec.json.decode(memory, type=AnalysisProgress) if memory else AnalysisProgress()
    is_over = last_for(SLICE_SECONDS)
    end = context.games.snapshot(wanted.game, wanted.version)
    for commit in context.games.commits(wanted.game, progress.version, wanted.version - progress.version):
        progress = _judge_commit(context, commit, end, progress)
        # A slice has at least one choice, so that the graph grows however slow the machine is.
        if isinstance(commit.command, Choose) and is_over():
            break
    doubts = list_doubts(progress.seen)
    while not is_over() and progress.version == wanted.version and len(progress.verdicts) < len(doubts):
        progress = _look_again(context, doubts[len(progress.verdicts)], end, progress, is_over)
    if progress.version < wanted.version or len(progress.verdicts) < len(doubts):
        checked = wanted.version * len(progress.verdicts) // max(1, len(doubts))
        done = progress.version + (checked if progress.version == wanted.version else 0)
        return TaskStep(done, 2 * wanted.version, msgspec.json.encode(progress))
    return final_step(encode_result(_conclude(context, progress, end)), 2 * wanted.version)


def list_doubts(seen: Sequence[ChoiceSeen]) -> list[ChoiceSeen]:
    """Return the choices that may be mistakes, the dearest first, as many as the game is long enough for."""
    doubtful = [one for one in seen if one.loss >= NOTABLE and not one.forced]
    most = ceil(MOST_DOUBTED * len(seen))
    return sorted(doubtful, key=lambda one: one.loss, reverse=True)[:most]


def _judge_commit(
    context: TaskContext, commit: Commit, end: Snapshot, progress: AnalysisProgress
) -> AnalysisProgress:
    """Return the progress after a first look at this commit."""
    version = commit.version
    answer = commit.command
    if not isinstance(answer, Choose):
        return replace(progress, version=version)
    try:
        ranked = _rank_options(context, end, version, answer.seat, look=0)
    except BotFailed as fault:
        return _skip_unjudged(fault, version, answer.seat, progress)
    known = expect_chance(progress.seen, answer.seat, len(end.state.seats))
    more = compare(version, answer, ranked, known)
    return AnalysisProgress(version, (*progress.seen, *more), progress.unjudged)


def _skip_unjudged(fault: BotFailed, version: int, seat: int, progress: AnalysisProgress) -> AnalysisProgress:
    """Return the progress with this choice marked as unjudged: one failure must not stop the whole analysis.

    Raises BotAbsent if the bot could not be asked at all, because it may be asked later.
    """
    if isinstance(fault, BotAbsent):
        raise fault
    return AnalysisProgress(version, progress.seen, (*progress.unjudged, seat))


def _look_again(
    context: TaskContext, doubt: ChoiceSeen, end: Snapshot, progress: AnalysisProgress, is_over: IsOver
) -> AnalysisProgress:
    """Return the progress after further looks at a doubtful choice, until they decide or time is over.

    If the expert fails, the figures of the first look stay, and the choice is called no mistake. Raises
    BotAbsent if the expert could not be asked at all.
    """
    rankings = progress.rankings
    verdict = Verdict(doubt.version)
    try:
        while not _is_decided(doubt, rankings):
            if rankings and is_over():
                return replace(progress, rankings=rankings)
            look = 1 + len(rankings)
            rankings = (*rankings, _rank_options(context, end, doubt.version, doubt.seat, look))
    except BotAbsent:
        raise
    except BotFailed:
        pass
    else:
        is_mistake = all(_cost(ranked, doubt.choice) >= NOTABLE for ranked in rankings)
        verdict = Verdict(doubt.version, tuple(average(rankings)), is_mistake, len(rankings))
    return replace(progress, rankings=(), verdicts=(*progress.verdicts, verdict))


def _is_decided(doubt: ChoiceSeen, rankings: Sequence[Ranked]) -> bool:
    """Return whether there were enough further looks at a doubtful choice."""
    costs = [_cost(ranked, doubt.choice) for ranked in rankings]
    if costs and costs[-1] < NOTABLE:
        return True
    if len(costs) == 1 and doubt.loss >= CLEAR:
        return costs[0] >= CLEAR
    return len(costs) >= LOOKS


def _cost(ranked: Candidates, choice: str) -> float:
    """Return how much chance to win the choice costs by one look."""
    made = next(one for one in ranked if one.choice == choice)
    return max(one.win or 0 for one in ranked) - (made.win or 0)


def _conclude(context: TaskContext, progress: AnalysisProgress, end: Snapshot) -> Analysis:
    """Return the whole analysis: the first look at each choice, corrected by the further looks at some."""
    verdicts = {verdict.version: verdict for verdict in progress.verdicts if verdict.ranked}
    seen = list[ChoiceSeen]()
    for one in progress.seen:
        verdict = verdicts.get(one.version)
        known = expect_chance(seen, one.seat, len(end.state.seats))
        if verdict is None:
            seen.append(replace(one, luck=known.luck_until(one.before), others=known.others))
            continue
        (found,) = compare(one.version, Choose(0, one.seat, one.choice), verdict.ranked, known)
        found = replace(found, looks=verdict.looks)
        if verdict.is_mistake:
            better = _describe_best(context, end, one, verdict.ranked)
            found = replace(found, mistake=True, better=better)
        seen.append(found)
    return sum_up(JUDGE, seen, end, progress.unjudged)


def _describe_best(context: TaskContext, end: Snapshot, one: ChoiceSeen, ranked: Ranked) -> Better:
    """Return the best option of a choice that was a mistake, with its figures and a sentence."""
    table = view(context.games.snapshot(end.game, one.version - 1).state, one.seat)
    weighed = weigh_options(table, one.seat, ranked)
    best = weighed[0]
    labels = {option.choice: option.label for option in weighed}
    return Better(
        choice=best.choice,
        money=best.money,
        win=best.win,
        why=best.why,
        label=best.label,
        made=labels.get(one.choice, ""),
    )


def _draw_luck(end: State, version: int, seat: int, look: int) -> bytes:
    """Return the random seed of a look.

    It differs from the seed of a bot at the table: with that, the expert would call its own choices the best.
    """
    build = f"{EXPERT.build}|analysis|{look}"
    return luck_of_bot(bytes.fromhex(end.seed), end, version, seat, build)


def _rank_options(context: TaskContext, end: Snapshot, version: int, seat: int, look: int) -> Ranked:
    """Ask the expert about the table before this version; return its options, best first. Raises BotFailed.

    For a forced move it is asked for figures, because the roll before it changes the chance to win. A mixed
    strategy stays without figures. It takes no longer than a choice at the table.
    """
    table = view(context.games.snapshot(end.game, version - 1).state, seat)
    luck = _draw_luck(end.state, version - 1, seat, look)
    forced = len(choices(table, seat)) == 1
    request = BotRequest(EXPERT.name, table, seat, luck, LOOK, thorough=forced)
    return context.ask(EXPERT, request).candidates
