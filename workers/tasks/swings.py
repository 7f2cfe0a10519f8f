"""What a seat's chance to win was at a choice and at the end, and where it came from since the last look."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from events.commands import Choose
from events.secrecy import Secret
from service.tasks.analysis import ChoiceSeen
from workers.bots.decision import Candidate

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
    best, made = ranked[0], next((one for one in ranked if one.choice == choice), None)
    if made is None or made.win is None or best.win is None:
        return ()
    before, after = round(max(one.win or 0 for one in ranked), 4), round(made.win, 4)
    money = None if best.money is None or made.money is None else best.money - made.money
    figures = (before, after, round(before - after, 4), known.luck_until(before), known.others)
    return (ChoiceSeen(version, answer.seat, choice, best.choice, *figures, money, len(ranked) == 1),)


def see_end(version: int, seat: int, won: float, known: Expected) -> ChoiceSeen:
    figures = (won, won, 0.0, known.luck_until(won), known.others)
    return ChoiceSeen(version, seat, "", "", *figures, None, ending=True)
