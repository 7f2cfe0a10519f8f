"""The dice of one round: who must roll what, and where it lies."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.referee.books import Book, Event, after, fair

NEUTRAL = "neutral"
BIG = 2


@dataclass
class Hand:
    """What a seat has not placed yet."""

    small: int
    big: int
    neutral: int

    @property
    def empty(self) -> bool:
        return not (self.small or self.big or self.neutral)


@dataclass
class Dice:
    book: Book
    players: int
    starter: int
    neutral_dice: bool
    hands: list[Hand] = field(default_factory=list)
    lying: dict[str, Counter[str]] = field(default_factory=dict)
    stacks: dict[int, tuple[str, int]] = field(default_factory=dict)
    scattered: Counter[int] = field(default_factory=Counter)
    roll: Event | None = None
    last: int | None = None

    def __post_init__(self) -> None:
        self.hands = [Hand(self.book.small, self.book.big, 0) for _ in range(self.players)]

    def lay(self, place: str, owner: str, weight: int) -> None:
        self.lying.setdefault(place, Counter())[owner] += weight

    def moved(self, event: Event) -> None:
        """Only neutral dice are ever moved: to the seats, or to the casinos they showed."""
        kind, _, number = event["target"].partition("-")
        small, big = event.get("small", 0), event.get("big", 0)
        fair(event["owner"] == NEUTRAL and event["source"] == "box", "somebody moved dice")
        if kind == "supply":
            self.hands[int(number)].neutral += small
        else:
            self.scattered[int(number)] -= small + BIG * big
            self.lay(event["target"], NEUTRAL, small + BIG * big)

    def dealt(self) -> None:
        """Before the first turn the neutral dice are where the book wants them."""
        each = self.book.neutral.get(self.players, 0) if self.neutral_dice else 0
        fair(all(hand.neutral == each for hand in self.hands), f"not {each} neutral dice each")
        small, big = self.spare
        lying = sum(heap[NEUTRAL] for heap in self.lying.values())
        fair(lying == small + BIG * big, "spare dice are missing")
        fair(not any(self.scattered.values()), "spare dice do not lie where they showed")

    @property
    def spare(self) -> tuple[int, int]:
        """Royale for two has them always, the original only with its variant."""
        played = self.neutral_dice or not self.book.neutral
        return self.book.spare.get(self.players, (0, 0)) if played else (0, 0)

    def rolled(self, event: Event) -> None:
        own, big, neutral = event.get("own", []), event.get("big"), event.get(NEUTRAL, [])
        faces = [*own, *neutral, *([big] if big else [])]
        fair(all(1 <= face <= 6 for face in faces), "a die shows no number")
        if event.get("seat") is None:
            self._scatter(neutral, big)
            return
        fair(event["seat"] == self.next(), f"seat {event['seat']} rolled, seat {self.next()} was next")
        hand = self.hands[event["seat"]]
        held = (len(own), int(big is not None), len(neutral))
        fair(held == (hand.small, hand.big, hand.neutral), f"seat {event['seat']} did not roll all its dice")
        fair(self.roll is None, "a roll was not used")
        self.roll, self.last = event, event["seat"]

    def _scatter(self, neutral: list[int], big: int | None) -> None:
        fair((len(neutral), int(big is not None)) == self.spare, "the wrong spare dice were rolled")
        self.scattered.update(neutral)
        self.scattered.update([big] * BIG if big else [])

    def next(self) -> int:
        """Clockwise, those without dice left out."""
        before = (self.starter - 1) % self.players if self.last is None else self.last
        return next((seat for seat in after(before, self.players) if not self.hands[seat].empty), -1)

    def placed(self, event: Event) -> int:
        """All dice of one number, to one place; returns the weight of the seat's own."""
        roll, seat, number = self.roll or {}, event["seat"], event["number"]
        small, big, neutral = (event.get(name, 0) for name in ("small", "big", NEUTRAL))
        shown = (
            roll.get("own", []).count(number),
            int(roll.get("big") == number),
            roll.get(NEUTRAL, []).count(number),
        )
        fair(roll.get("seat") == seat, f"seat {seat} placed without a roll")
        fair((small, big, neutral) == shown and any(shown), f"seat {seat} did not place all its {number}s")
        hand = self.hands[seat]
        self.hands[seat] = Hand(hand.small - small, hand.big - big, hand.neutral - neutral)
        self.roll = None
        self._put(event["target"], number, f"seat-{seat}", small + BIG * big, neutral)
        return int(small + BIG * big)

    def _put(self, target: str, number: int, owner: str, weight: int, neutral: int) -> None:
        if target == f"bandit-{number}":
            fair(number not in self.stacks, f"{number} is on the bandit already")
            self.stacks[number] = (owner, weight)
            return
        fair(target == f"casino-{number}", f"dice showing {number} went to {target}")
        if weight:
            self.lay(target, owner, weight)
        if neutral:
            self.lay(target, NEUTRAL, neutral)

    def passed(self, seat: int) -> None:
        fair(self.roll is not None and self.roll["seat"] == seat, f"seat {seat} passed without a roll")
        self.roll = None

    def over(self) -> bool:
        return self.roll is None and all(hand.empty for hand in self.hands)
