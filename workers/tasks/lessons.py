"""What all choices of a game come to, seat by seat."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from rules.state import State
from service.tasks.analysis import Analysis, ChoiceSeen, SeatSeen
from workers.bots.decision import Level

TURNING_POINTS = 6
# What is less may be chance in what was played out.
NOTABLE, NOTABLE_MONEY = 0.01, 10_000


def sum_up(level: Level, seen: Sequence[ChoiceSeen], end: State, unjudged: int = 0) -> Analysis:
    seats = [_sum_up_seat(seat, seen, end) for seat in range(len(end.seats))]
    most = max(seats, key=lambda seat: seat.lost)
    told = tuple(_tell(seat, seat is most) for seat in seats)
    turning = sorted(seen, key=lambda one: max(one.loss, abs(one.luck)), reverse=True)[:TURNING_POINTS]
    points = tuple(sorted(turning, key=lambda one: one.version))
    return Analysis(level.name, level.build, level.budget, told, points, tuple(seen), unjudged)


def _sum_up_seat(seat: int, seen: Sequence[ChoiceSeen], end: State) -> SeatSeen:
    """What a choice costs its seat falls to the others, in equal parts: somebody wins."""
    winners, even, own = end.winners or (), 1 / len(end.seats), [one for one in seen if one.seat == seat]
    won, lost = (seat in winners) / max(1, len(winners)), sum(one.loss for one in own)
    others = (sum(one.loss for one in seen) - lost) / (len(end.seats) - 1)
    worst = max(own, key=lambda one: one.loss, default=None)
    return SeatSeen(
        seat=seat,
        name=None,
        won=round(won, 4),
        even=round(even, 4),
        luck=round(won - even + lost - others, 4),
        others=round(others, 4),
        lost=round(lost, 4),
        choices=len(own),
        best_choices=sum(map(_is_best, own)),
        worst=worst.version if worst is not None and worst.loss >= NOTABLE else None,
        text="",
    )


def _is_best(one: ChoiceSeen) -> bool:
    """Or as good; where nothing is left to win, it is told by the money."""
    return one.loss < NOTABLE and (one.money or 0) < NOTABLE_MONEY


def _tell(seat: SeatSeen, is_most: bool) -> SeatSeen:
    if not seat.choices:
        return replace(seat, text="It had nothing to choose.")
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
