"""Reads the command line of the arena, and lists the kinds of tables to play at."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence

import msgspec
from msgspec import Struct

from events.types import OptionValue
from rules import EDITIONS
from rules.decide import find_plan_faults
from service.catalog.bots import BOT_NAMES

Options = dict[str, OptionValue]


class Setting(Struct, frozen=True):
    """Describes a kind of table.

    `games` is a multiple of `players`, so that each bot has every seat equally often.
    """

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
# Six players are left out: the order of strength is that of five.
USUAL_PLAYERS = (2, 3, 4, 5)


def seat_table(edition: str, options: Options, players: int, games: int) -> Setting:
    """Return the setting, with the games rounded up to a multiple of the players."""
    return Setting(edition, options, players, -(-games // players) * players)


def fits(edition: str, options: Options, players: int) -> bool:
    """Return whether the edition allows these options for so many players."""
    return not any(find_plan_faults(edition, players, options))


def describe_misfits(edition: str, options: Options, players: Iterable[int]) -> str:
    """Return why so many players cannot play with these options; for all editions if none is named."""
    editions = (edition,) if edition else tuple(EDITIONS.newest)
    faults = (
        fault.detail
        for count in players
        for name in editions
        for fault in find_plan_faults(name, count, options)
    )
    return "; ".join(dict.fromkeys(faults))


def list_settings(games: int, players: tuple[int, ...] = USUAL_PLAYERS, edition: str = "") -> list[Setting]:
    """Return every kind of table that allows one of these numbers of players."""
    return [
        seat_table(name, options, count, games)
        for name, options in KINDS
        for count in players
        if edition in ("", name) and fits(name, options, count)
    ]


USUAL_GAMES = 200


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the parsed command line. Exits with an error if no table fits it."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.options is not None and given.edition is None:
        parser.error("options are those of an --edition")
    seated = {setting.players for setting in plan_settings(given)}
    if unseated := [count for count in given.players or [] if count not in seated]:
        why = describe_misfits(given.edition or "", given.options or {}, unseated)
        parser.error(f"{' or '.join(map(str, unseated))} cannot sit down at such a table: {why}")
    if not seated:
        why = describe_misfits(given.edition or "", given.options or {}, USUAL_PLAYERS)
        parser.error(f"nobody can sit down at such a table: {why}")
    return given


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="croupier arena",
        description="Measure bots: one plays alone among equals, from every seat, with the same dice.",
    )
    _add_tables(parser.add_argument)
    _add_bots(parser.add_argument)
    _add_ways(parser.add_argument)
    return parser


def _add_tables(add: Callable[..., object]) -> None:
    """Add the arguments that choose tables."""
    usual = " ".join(map(str, USUAL_PLAYERS))
    add("--edition", choices=sorted(EDITIONS.newest), help="edition to play; all by default")
    add("--options", type=_options, metavar="JSON", help="options of the edition; all usual ones by default")
    add(
        "--players",
        type=_count,
        nargs="+",
        metavar="N",
        help=f"numbers of players; {usual} by default, where the edition allows them",
    )


def _add_bots(add: Callable[..., object]) -> None:
    """Add the arguments that choose bots."""
    add(
        "--bots",
        nargs="+",
        default=list(BOT_NAMES),
        metavar="BOT",
        help="bots to measure: a level, lasvegas:POLICY or NAME=COMMAND; all levels by default",
    )
    add("--against", nargs="+", metavar="BOT", help="their opponents; by default all bots play each other")
    add("--ladder", action="store_true", help="play each bot only against the one before it")


def _add_ways(add: Callable[..., object]) -> None:
    """Add the arguments that say how to play and what to do with the results."""
    add(
        "--games",
        type=_count,
        default=USUAL_GAMES,
        metavar="N",
        help=f"games a match, rounded up to a multiple of the players; {USUAL_GAMES} by default",
    )
    add(
        "--processes",
        type=_count,
        default=1,
        metavar="N",
        help="processes that play at once; 1 by default; the result does not depend on it",
    )
    add("--gate", action="store_true", help="as --ladder, and exit with 1 if a bot is not clearly stronger")
    add("--write", action="store_true", help="write the results to GET /v1/bots and docs/bots.md")


def _count(text: str) -> int:
    """Return a positive number from the command line. Raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def _options(text: str) -> Options:
    """Return the options of an edition from JSON on the command line. Raises ArgumentTypeError."""
    try:
        return msgspec.json.decode(text, type=Options)
    except msgspec.MsgspecError as fault:
        raise argparse.ArgumentTypeError(
            f"""{text!r} is not a JSON object of options such as '{{"neutral_dice": true}}': {fault}"""
        ) from fault


def plan_settings(given: argparse.Namespace) -> list[Setting]:
    """Return the settings that the command line asks for."""
    players = tuple(given.players or USUAL_PLAYERS)
    if given.options is None:
        return list_settings(given.games, players, given.edition or "")
    return [
        seat_table(given.edition, given.options, count, given.games)
        for count in players
        if fits(given.edition, given.options, count)
    ]
