"""The hands of one round of the card game."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.referee.books import DECK, Event, after, fair, selectable

HAND, ENOUGH_CARDS, MOST_TURNS = 5, 8, 6


@dataclass
class Cards:
    players: int
    starter: int
    sequential: bool
    hands: dict[int, list[str] | None] = field(default_factory=dict)
    seen: dict[int, Counter[str]] = field(default_factory=dict)
    laid: Counter[int] = field(default_factory=Counter)
    taken: Counter[int] = field(default_factory=Counter)
    revealed: dict[int, list[str]] = field(default_factory=dict)
    owing: set[int] = field(default_factory=set)
    last: int | None = None

    def playing(self, seat: int) -> bool:
        return self.laid[seat] < ENOUGH_CARDS and self.taken[seat] < MOST_TURNS

    def dealt(self, event: Event) -> None:
        seat, cards = event["seat"], event["cards"].get("value")
        fair(seat not in self.hands and self.playing(seat), f"seat {seat} drew a hand too many")
        self.hands[seat] = cards
        if cards is None:
            return
        seen = self.seen.setdefault(seat, Counter())
        seen.update(cards)
        fair(len(cards) == HAND and seen <= DECK, f"seat {seat} drew cards that were not in its pile")

    def turn_started(self, seat: int | None) -> None:
        fair(not self.owing, "a selection is missing")
        fair((seat is None) != self.sequential, "the turn is for the wrong number of seats")
        fair(seat is None or seat == self.next(), f"seat {seat} is not next")
        self.owing = set(self.hands) if seat is None else {seat}
        self.last = seat

    def next(self) -> int:
        before = (self.starter - 1) % self.players if self.last is None else self.last
        return next((seat for seat in after(before, self.players) if self.playing(seat)), -1)

    def reveal(self, event: Event) -> None:
        self.revealed[event["seat"]] = event["value"].split("-")[1:]

    def played(self, event: Event) -> None:
        seat, cards, rest = event["seat"], event["cards"], event["rest"].get("value")
        fair(seat in self.owing and seat in self.hands, f"seat {seat} laid cards out of turn")
        fair(selectable(cards), f"seat {seat} may not lay {cards} together")
        if not self.sequential:
            fair(self.revealed.pop(seat, []) == cards, f"seat {seat} laid other cards than it had selected")
        hand = self.hands.pop(seat)
        known = hand is None or Counter(cards) <= Counter(hand)
        fair(known, f"seat {seat} laid cards it did not hold")
        if hand is not None and rest is not None:
            fair(Counter(cards) + Counter(rest) == Counter(hand), "cards are missing under the glass")
        self.owing.discard(seat)
        self.laid[seat] += len(cards)
        self.taken[seat] += 1

    def over(self) -> bool:
        return not self.owing and not any(self.playing(seat) for seat in range(self.players))
