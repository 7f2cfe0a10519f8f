"""The tables that bots are measured at."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from events.types import OptionValue
from rules.decide import find_plan_faults
from rules.editions import EDITIONS

Options = dict[str, OptionValue]


class Setting(Struct, frozen=True):
    """A table to play at; `games` is a multiple of the players, so that all seats come equally often."""

    edition: str
    options: Options
    players: int
    games: int


# Every edition, without its options and with each that changes what is good play.
KINDS: tuple[tuple[str, Options], ...] = (
    ("classic", {}),
    ("classic", {"neutral_dice": True}),
    ("classic", {"chip_cards": True}),
    ("modern", {}),
    ("modern", {"neutral_dice": True}),
    ("modern", {"bandit": True}),
    ("royale", {"tiles": 0}),
    ("royale", {}),
    ("royale", {"tiles": 6}),
    ("royale", {"fresh_tiles": True}),
    ("cards", {}),
    ("cards", {"sequential": True}),
    ("cards", {"sequential": True, "chip_cards": True}),
)
# Where six may sit the order of strength is that of five.
USUAL_PLAYERS = (2, 3, 4, 5)


def seat_table(edition: str, options: Options, players: int, games: int) -> Setting:
    """With as many games as asked for, or some more, so that everybody sits everywhere."""
    return Setting(edition, options, players, -(-games // players) * players)


def fits(edition: str, options: Options, players: int) -> bool:
    return not any(find_plan_faults(edition, players, options))


def tell_misfits(edition: str, options: Options, players: Iterable[int]) -> str:
    """Why nobody can sit down there; without an edition, in any of them."""
    editions = (edition,) if edition else tuple(EDITIONS.newest)
    faults = (
        fault.detail
        for count in players
        for name in editions
        for fault in find_plan_faults(name, count, options)
    )
    return "; ".join(dict.fromkeys(faults))


def list_settings(games: int, players: tuple[int, ...] = USUAL_PLAYERS, edition: str = "") -> list[Setting]:
    """Every kind of table at which so many may sit."""
    return [
        seat_table(name, options, count, games)
        for name, options in KINDS
        for count in players
        if edition in ("", name) and fits(name, options, count)
    ]
