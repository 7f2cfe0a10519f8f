"""Which games are told: every edition, every option, every tile."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from rules.editions import EDITIONS
from rules.ruleset import Ruleset


class Play(Struct, frozen=True):
    """A game to tell, with words and asks that must come up; a seed that brings them is given or sought."""

    name: str
    edition: str
    players: int
    options: dict[str, Any] = {}
    last_round: int = 0
    sights: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    seed: int = 0

    @property
    def bots(self) -> tuple[str, ...]:
        """A greedy bot in seat 0, random ones around it."""
        return ("greedy", *("random",) * (self.players - 1))


HOUSE = {
    "start_seat": 1,
    "hide_money": True,
    "turn_seconds": 60,
    "on_timeout": "takeover:greedy",
    "total_seconds": 600,
    "increment_seconds": 5,
    "advice": False,
}
NEUTRAL_AND_CHIP_CARDS = {"neutral_dice": True, "chip_cards": True}
# Many of these pay $30,000, which the bank soon has no more of.
PAYING_TILES = ("F2", "H2", "A1", "E1", "B2", "D1")
TIE, UNDER, NEUTRAL_WINS = ("are tied",), ("goes under the pile",), ("to the neutral player;",)

VARIANTS = (
    Play("classic-3", "classic", 3, sights=(*TIE, *UNDER)),
    Play("classic-5", "classic", 5, last_round=1),
    Play("classic-2-neutral", "classic", 2, {"neutral_dice": True}, sights=NEUTRAL_WINS),
    Play("classic-3-neutral", "classic", 3, {"neutral_dice": True}, 2, sights=("before the first turn",)),
    Play("classic-4-neutral", "classic", 4, {"neutral_dice": True}, 2),
    Play("classic-3-chip-cards", "classic", 3, {"chip_cards": True}, asks=("chip_cards.take",)),
    Play("classic-2-house", "classic", 2, HOUSE, 1),
    Play("classic-3-neutral-chip-cards", "classic", 3, NEUTRAL_AND_CHIP_CARDS, 1, seed=4),
    Play("modern-3", "modern", 3, sights=("leaves the game",)),
    Play("modern-2-neutral", "modern", 2, {"neutral_dice": True}, 2, sights=NEUTRAL_WINS),
    Play("modern-3-neutral", "modern", 3, {"neutral_dice": True}, 2),
    Play("modern-4-neutral", "modern", 4, {"neutral_dice": True}, 2),
    Play("modern-5-bandit", "modern", 5, {"bandit": True}, 2, sights=("the bandit pays",)),
    Play("modern-6-bandit", "modern", 6, {"bandit": True}, 1, sights=("the bandit pays",)),
    Play("modern-2-house", "modern", 2, HOUSE, 1),
    Play("royale-3-basic", "royale", 3, {"tiles": 0}, sights=("passes and keeps all dice",)),
    Play("royale-2-basic", "royale", 2, {"tiles": 0}, sights=("before the first turn", *NEUTRAL_WINS)),
    Play("royale-2", "royale", 2, {}, 1),
    Play("royale-3", "royale", 3),
    Play("royale-5-six-tiles", "royale", 5, {"tiles": 6}, 1),
    Play("royale-2-fresh-tiles", "royale", 2, {"tiles": 4, "fresh_tiles": True}),
    Play("royale-2-house", "royale", 2, HOUSE, 1),
    Play("royale-4-paying-tiles", "royale", 4, {"tile_codes": PAYING_TILES}, 1, seed=14),
    Play("royale-3-prime-time-bad-luck", "royale", 3, {"tile_codes": ("B1", "C2")}, 1, seed=1),
    Play("cards-3", "cards", 3),
    Play("cards-5", "cards", 5, last_round=1),
    Play("cards-2-sequential", "cards", 2, {"sequential": True}),
    Play(
        "cards-3-chip-cards",
        "cards",
        3,
        {"sequential": True, "chip_cards": True},
        2,
        asks=("chip_cards.take",),
    ),
    Play("cards-2-house", "cards", 2, HOUSE, 1),
)

# What a tile needs beside it to show all it does, and what must be seen where it asks nothing.
BESIDE = {"H2": ("A2",)}
SEEN = {
    "A2": ("activates Jackpot", "the black dice show", "the bank pays"),
    "C1": ("activates High Five", "the token of High Five goes to seat", "the bank pays"),
    "C2": ("Bad Luck shows fewest", "to the bank"),
    "D1": ("activates Pay Day", "the bank pays"),
    "F1": ("to the grey player;",),
    "F2": ("to the grey player;",),
}


def tile_plays(ruleset: Ruleset) -> list[Play]:
    """One round for every code of every option that takes codes."""
    return [
        Play(
            f"{ruleset.id}-{code}-{_plain(ruleset.tiles[code].name)}",
            ruleset.id,
            3,
            {spec.name: (code, *BESIDE.get(code, ()))},
            1,
            SEEN.get(code, ()),
            tuple(ruleset.tiles[code].prompts),
        )
        for spec in ruleset.options
        for code in spec.codes
    ]


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name.lower()).strip("-")


PLAYS = (*VARIANTS, *(play for ruleset in EDITIONS.newest.values() for play in tile_plays(ruleset)))
