"""Reads the command line of the arena, and lists the kinds of tables to play at."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

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
USUAL_PLAYERS = (2, 3, 4, 5)
# The ladder has every number of players that an edition allows.
LADDER_PLAYERS = (2, 3, 4, 5, 6)
USUAL_SEED = 1
USUAL_STATE = Path("build/ladder.ndjson")
# A gate of its own, so that it does not forget what the ladder has played.
GATE_STATE = Path("build/gate.ndjson")


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
    given.state = given.state or (GATE_STATE if given.gate else USUAL_STATE)
    try:
        given.options = None if given.options is None else read_options(given.options)
    except ValueError as fault:
        parser.error(f"argument --options: {fault}")
    if given.options is not None and given.edition is None:
        parser.error("options are those of an --edition")
    if (given.resume or given.missing or given.minutes) and not plays_ladder(given):
        parser.error("--resume, --missing and --minutes are for a --ladder or --gate without --games")
    if given.missing and given.seed != USUAL_SEED:
        parser.error(f"--missing is for the seed {USUAL_SEED}: all results that are kept have the same dice")
    if given.write and given.seed != USUAL_SEED:
        parser.error(f"--write is for the seed {USUAL_SEED}: all results that are kept have the same dice")
    seated = {setting.players for setting in plan_settings(given)}
    if unseated := [count for count in given.players or [] if count not in seated]:
        why = describe_misfits(given.edition or "", given.options or {}, unseated)
        parser.error(f"{' or '.join(map(str, unseated))} cannot sit down at such a table: {why}")
    if not seated:
        why = describe_misfits(given.edition or "", given.options or {}, USUAL_PLAYERS)
        parser.error(f"nobody can sit down at such a table: {why}")
    return given


def plays_ladder(given: argparse.Namespace) -> bool:
    """Return whether each cell is played until the sequential test decides it."""
    return bool((given.ladder or given.gate) and given.games is None)


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="croupier arena",
        description="Measure bots: one plays alone among equals, from every seat, with the same dice.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_tables(parser.add_argument_group("tables").add_argument)
    _add_bots(parser.add_argument_group("bots").add_argument)
    _add_games(parser.add_argument_group("games").add_argument)
    _add_ladder(parser.add_argument_group("the ladder").add_argument)
    _add_results(parser.add_argument_group("results").add_argument)
    return parser


EXAMPLES = """\
examples:
  croupier arena --edition royale --options tiles=6 --players 2 4 --bots expert --against greedy
  croupier arena --ladder --resume --minutes 30 --processes 2 --write
  croupier arena --edition classic --bots expert 'mine=python3 my_bot.py' --log games
"""


def _add_tables(add: Callable[..., object]) -> None:
    """Add the arguments that choose tables."""
    usual = " ".join(map(str, USUAL_PLAYERS))
    add("--edition", choices=sorted(EDITIONS.newest), help="edition to play; all by default")
    add(
        "--options",
        nargs="+",
        metavar="NAME=VALUE",
        help="options of the edition, as tiles=6 fresh_tiles=true or as one JSON object; {} is a table "
        "without options; every usual combination by default",
    )
    add(
        "--players",
        type=_count,
        nargs="+",
        metavar="N",
        help=f"numbers of players; {usual} by default and 6 in the ladder, where the edition allows them",
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


def _add_games(add: Callable[..., object]) -> None:
    """Add the arguments that say how to play."""
    add(
        "--games",
        type=_count,
        metavar="N",
        help=f"games a match, rounded up to a multiple of the players; {USUAL_GAMES} by default",
    )
    add(
        "--seed",
        type=_count,
        default=USUAL_SEED,
        metavar="N",
        help=f"seed of the first game; each next round of seats has the next; {USUAL_SEED} by default",
    )
    add(
        "--processes",
        type=_count,
        default=1,
        metavar="N",
        help="processes that play at once; 1 by default; the result does not depend on it",
    )


def _add_ladder(add: Callable[..., object]) -> None:
    """Add the arguments that let each bot play the one before it."""
    add(
        "--ladder",
        action="store_true",
        help="play each bot only against the one before it, until a sequential test decides: 60 to 400 games "
        "a match, or as many as --games says",
    )
    add("--resume", action="store_true", help="go on where the last run was stopped or killed")
    add(
        "--state",
        type=Path,
        metavar="FILE",
        help=f"file with the games so far; {USUAL_STATE} by default, {GATE_STATE} with --gate",
    )
    add(
        "--missing",
        action="store_true",
        help="leave out cells that GET /v1/bots already has, decided by the builds and releases of today",
    )
    add("--minutes", type=_count, metavar="N", help="stop the ladder after so long; no limit by default")
    add(
        "--gate",
        action="store_true",
        help="as --ladder, and exit with 1 if a bot is not clearly stronger than the one before it",
    )


def _add_results(add: Callable[..., object]) -> None:
    """Add the arguments that say what to do with games and results."""
    add("--log", metavar="DIR", help="write every game into this folder, as a file for `croupier verify`")
    add("--write", action="store_true", help="write the results to GET /v1/bots and docs/bots.md")


def _count(text: str) -> int:
    """Return a positive number from the command line. Raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


_ASSIGNMENT = re.compile(r"(\w+)=(.+)", re.ASCII)


def read_options(texts: Sequence[str]) -> Options:
    """Return the options of an edition from one JSON object, or from texts such as `tiles=6`.

    Raises ValueError.
    """
    if len(texts) == 1 and not _ASSIGNMENT.fullmatch(texts[0]):
        return _read_json_options(texts[0])
    options = Options()
    for text in texts:
        found = _ASSIGNMENT.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is not an option such as tiles=6")
        options[found[1]] = _read_value(found[2])
    return options


def _read_json_options(text: str) -> Options:
    """Return the options from a JSON object. Raises ValueError."""
    try:
        return msgspec.json.decode(text, type=Options)
    except msgspec.MsgspecError as fault:
        raise ValueError(
            f"""{text!r} is neither an option such as tiles=6 nor a JSON object of options such as """
            f"""'{{"neutral_dice": true}}': {fault}"""
        ) from fault


def _read_value(text: str) -> OptionValue:
    """Return the value of an option: as JSON, or else as the text itself."""
    try:
        value: OptionValue = msgspec.json.decode(text, type=OptionValue)
    except msgspec.MsgspecError:
        return text
    return value


def plan_settings(given: argparse.Namespace) -> list[Setting]:
    """Return the settings that the command line asks for."""
    players = tuple(given.players or (LADDER_PLAYERS if plays_ladder(given) else USUAL_PLAYERS))
    games = given.games or USUAL_GAMES
    if given.options is None:
        return list_settings(games, players, given.edition or "")
    return [
        seat_table(given.edition, given.options, count, games)
        for count in players
        if fits(given.edition, given.options, count)
    ]
