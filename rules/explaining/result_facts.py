"""What a round and the whole game come to: totals, what chip cards add, and what broke a tie."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from events.types import GameEnded, RoundEnded
from events.values import OWNER, PURSE
from rules.explaining.facts import Fact
from rules.explaining.scene import Scene
from rules.scoring import chip_card_money, score, totals

# The kind of fact that says what chip cards come to.
COUNTED = "chip_cards_count"
# A total of a round counts chip cards as if it were the last.
WITH_CHIP_CARDS = "with_chip_cards"


def find_round_over(event: RoundEnded, scene: Scene) -> Fact:
    rule, text = scene.ruleset.sources.payout, ""
    if scene.state.chip_cards:
        rule, text = f"{rule}, C7", WITH_CHIP_CARDS
    return Fact("round_over", rule, number=event.round, totals=totals(scene.state), text=text)


def find_result(event: GameEnded, scene: Scene) -> Iterator[Fact]:
    if scene.state.chip_cards:
        yield from (_count_chip_cards(scene, seat) for seat in range(len(event.totals)))
    yield _name_winners(event, scene)


def _count_chip_cards(scene: Scene, seat: int) -> Fact:
    cards = tuple(sorted(scene.state.chip_cards.get(PURSE[seat], ())))
    worth = chip_card_money(scene.state, seat)
    return Fact(COUNTED, "C7, C10", OWNER[seat], cards=cards, worth=worth)


def _name_winners(event: GameEnded, scene: Scene) -> Fact:
    """With what was counted where several have the most money."""
    sources, most = scene.ruleset.sources, max(event.totals)
    level = tuple(seat for seat, total in enumerate(event.totals) if total == most)
    over = Fact("over", sources.result, totals=event.totals, winners=event.winners)
    if len(level) == 1:
        return over
    counts = tuple(score(scene.state, seat)[1] for seat in level)
    return replace(over, level=level, counts=counts, text=sources.tie_breaker)
