"""What `croupier arena` is told, and how it is refused."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

import msgspec

from rules.editions import EDITIONS
from service.play.bot_levels import BOT_NAMES
from workers.arena.settings import (
    USUAL_PLAYERS,
    Options,
    Setting,
    fits,
    list_settings,
    seat_table,
    tell_misfits,
)

USUAL_GAMES = 200


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.options is not None and given.edition is None:
        parser.error("options are those of an --edition")
    seated = {setting.players for setting in plan_settings(given)}
    if unseated := [count for count in given.players or [] if count not in seated]:
        why = tell_misfits(given.edition or "", given.options or {}, unseated)
        parser.error(f"{' or '.join(map(str, unseated))} cannot sit down at such a table: {why}")
    if not seated:
        why = tell_misfits(given.edition or "", given.options or {}, USUAL_PLAYERS)
        parser.error(f"nobody can sit down at such a table: {why}")
    return given


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="croupier arena",
        description="Plays bots against each other: one alone among equals, from all seats, on common dice.",
    )
    _add_tables(parser.add_argument)
    _add_bots(parser.add_argument)
    _add_ways(parser.add_argument)
    return parser


def _add_tables(add: Callable[..., object]) -> None:
    by_default = f"{' '.join(map(str, USUAL_PLAYERS))} by default, as far as so many may sit there"
    add("--edition", choices=sorted(EDITIONS.newest), help="all of them by default")
    add("--options", type=_options, metavar="JSON", help="of the edition; every kind of table by default")
    add("--players", type=_count, nargs="+", metavar="N", help=f"at a table; {by_default}")


def _add_bots(add: Callable[..., object]) -> None:
    kinds, others = "a level, lasvegas:POLICY, NAME=COMMAND", "by default all of them play each other"
    add("--bots", nargs="+", default=list(BOT_NAMES), metavar="BOT", help=kinds)
    add("--against", nargs="+", metavar="BOT", help=f"only against these; {others}")
    add("--ladder", action="store_true", help="each of the bots only against the one before it")


def _add_ways(add: Callable[..., object]) -> None:
    games = f"a match, rounded up to all seats; {USUAL_GAMES} by default"
    processes = "that play at once; 1 by default, and more find the same"
    add("--games", type=_count, default=USUAL_GAMES, metavar="N", help=games)
    add("--processes", type=_count, default=1, metavar="N", help=processes)
    add("--gate", action="store_true", help="the ladder; fails where a level is not clearly the stronger")
    add("--write", action="store_true", help="into what GET /v1/bots serves and docs/bots.md shows")


def _count(text: str) -> int:
    """Raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)


def _options(text: str) -> Options:
    """Raises ArgumentTypeError."""
    try:
        return msgspec.json.decode(text, type=Options)
    except msgspec.MsgspecError as fault:
        raise argparse.ArgumentTypeError(
            f"""{text!r} is no JSON object of options, as '{{"neutral_dice": true}}' is: {fault}"""
        ) from fault


def plan_settings(given: argparse.Namespace) -> list[Setting]:
    players = tuple(given.players or USUAL_PLAYERS)
    if given.options is None:
        return list_settings(given.games, players, given.edition or "")
    return [
        seat_table(given.edition, given.options, count, given.games)
        for count in players
        if fits(given.edition, given.options, count)
    ]
