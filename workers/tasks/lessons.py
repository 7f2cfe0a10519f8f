"""What all choices of a game come to, seat by seat."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from service.play.snapshots import Snapshot
from service.tasks.analysis import Analysis, ChoiceSeen, SeatSeen
from workers.bots.decision import Level
from workers.tasks.swings import expect, see_end

TURNING_POINTS = 6
# What is less may be chance in what was played out.
NOTABLE, NOTABLE_MONEY = 0.01, 10_000
UNJUDGED, NO_CHOICE = "None of its choices could be judged.", "It had nothing to choose."


def sum_up(level: Level, seen: Sequence[ChoiceSeen], end: Snapshot, unjudged: Sequence[int] = ()) -> Analysis:
    """The unjudged are the seats of choices that the bot failed over, one for each."""
    endings = tuple(_see_end(seat, seen, end) for seat in range(len(end.state.seats)))
    seats = [_sum_up_seat(ending, seen, len(endings)) for ending in endings]
    most = max(seats, key=lambda seat: seat.lost)
    told = tuple(_tell(seat, seat is most, seat.seat in unjudged) for seat in seats)
    points = _find_turning_points(seen, endings)
    return Analysis(level.name, level.build, level.budget, told, points, tuple(seen), len(unjudged), endings)


def _see_end(seat: int, seen: Sequence[ChoiceSeen], end: Snapshot) -> ChoiceSeen:
    winners, players = end.state.winners or (), len(end.state.seats)
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
