"""Lists the bots that a seat can be given, and how strong each was measured to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from events.text import as_text
from events.types import OptionValue


class BotLevel(Struct, frozen=True):
    """Holds the name and the description of a bot, and what it is called in each seat.

    The names are the same in every language and begin like the level.
    """

    name: str
    text: str
    seat_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Let the description be translated."""
        force_setattr(self, "text", as_text(self.text))


BOT_LEVELS = (
    BotLevel(
        "random",
        "Picks any of its options, each as likely as the others.",
        ("Rusty", "Ruby", "Rex", "Roxy", "Ringo", "Rita"),
    ),
    BotLevel(
        "novice",
        "Dreams of the highest notes, often forgets that ties win nothing, and mostly plays by whim.",
        ("Nelly", "Ned", "Nora", "Nick", "Nina", "Norm"),
    ),
    BotLevel(
        "casual",
        "Likes high notes better than it should, overlooks a tie now and then, takes revenge on the rival "
        "who spoils most for it, and sometimes plays by whim.",
        ("Cassie", "Cliff", "Cora", "Chuck", "Celia", "Clint"),
    ),
    BotLevel(
        "greedy",
        "Takes the option that is worth most to it if nobody else moved any more, "
        "and gives up nothing of its own that it may keep.",
        ("Goldie", "Gus", "Gina", "Gordo", "Gilda", "Grady"),
    ),
    BotLevel(
        "steady",
        "Plays each option out a few times in its mind, and takes what wins most games.",
        ("Stella", "Sid", "Sally", "Stan", "Sadie", "Silas"),
    ),
    BotLevel(
        "expert",
        "Takes the option that wins most games, by what it has learned and by playing each option out "
        "many times in its mind, on the same dice for all.",
        ("Edith", "Earl", "Elvira", "Ezra", "Estelle", "Emmett"),
    ),
)
_SEAT_NAMES = {level.name: level.seat_names for level in BOT_LEVELS}
BOT_NAMES = tuple(level.name for level in BOT_LEVELS)
TIMEOUT_POLICIES = (*BOT_NAMES, *(f"takeover:{name}" for name in BOT_NAMES))
# This bot takes the seats that are open at the start, and those of people who leave.
DEFAULT_BOT = "greedy"


def name_bot(level: str, seat: int) -> str:
    """Return what a bot of a level is called in a seat: no two at a table share a name."""
    names = _SEAT_NAMES.get(level, ())
    return names[seat] if seat < len(names) else f"{level.capitalize()} {seat + 1}"


FILE = Path(__file__).with_name("bot_strength.json")

# The contract is rendered from these types, so each figure is described here.
Against = Annotated[str, Meta(description="The level that plays all the other seats.")]
Share = Annotated[float, Meta(ge=0, le=1)]
Won = Annotated[Share, Meta(description="Part of the games won; a shared victory counts in part.")]
Low = Annotated[Share, Meta(description="Where the 95 % interval of the share begins.")]
High = Annotated[Share, Meta(description="Where the 95 % interval of the share ends.")]
Even = Annotated[Share, Meta(description="What an equal among equals would win.")]
Money = Annotated[int, Meta(description="Its total at the end on average, in dollars.")]
RivalsMoney = Annotated[int, Meta(description="The total of another seat on average, in dollars.")]
FirstGame = Annotated[
    tuple[int, ...],
    Meta(description="Each seat's total in the first game, which anybody who plays it again will find."),
]
Places = Annotated[
    tuple[int, ...], Meta(description="How often it came first, second and so on; who is tied, by turns.")
]
Builds = Annotated[
    tuple[str, str],
    Meta(description="The builds of the two that played; empty for a bot that is none of ours."),
]
Release = Annotated[int, Meta(description="The release of the edition that it was measured under.")]
Rules = Annotated[
    str,
    Meta(
        description='Says nothing any more: "1" from before editions had releases of their own. What a row '
        "was measured under is its `release`.",
        extra_json_schema={"deprecated": True},
    ),
]
Seed = Annotated[int, Meta(description="Of the first game of every match; each next one has the next.")]


Verdict = Literal["", "stronger", "weaker", "open"]


class Strength(Struct, frozen=True, omit_defaults=True):
    """What one seat of this level achieved at one kind of table, from all seats equally often."""

    edition: str
    release: Release
    options: dict[str, OptionValue]
    players: int
    against: Against
    games: int
    share: Won
    low: Low
    high: High
    even: Even
    money: Money
    rivals_money: RivalsMoney
    first_game: FirstGame
    places: Places = ()
    builds: Builds = ("", "")
    verdict: Annotated[
        Verdict,
        Meta(
            description="What the sequential test of the ladder decided: `stronger` or `weaker` than its "
            "opponents, or `open` after the most games. Empty for a fixed number of games."
        ),
    ] = ""


Mu = Annotated[
    float, Meta(description="What is expected of it, in openskill's Plackett-Luce model; 25 to begin with.")
]
Sigma = Annotated[float, Meta(description="How uncertain that is; less than mu - 3 sigma is most unlikely.")]


class Rating(Struct, frozen=True):
    """From all its games in an edition with so many players, whatever the options."""

    edition: str
    players: int
    games: int
    mu: Mu
    sigma: Sigma


Difficulty = Literal["easy", "medium", "hard", "very hard"]
# Up to which mean rating a bot is called so; one above all is very hard.
DIFFICULTIES: tuple[tuple[float, Difficulty], ...] = ((21.5, "easy"), (26.0, "medium"), (36.0, "hard"))


def name_difficulty(ratings: Sequence[Rating]) -> Difficulty | None:
    """Return a word for people from the mean of a bot's ratings; None if it has none."""
    if not ratings:
        return None
    mean = fmean(rating.mu for rating in ratings)
    return next((word for most, word in DIFFICULTIES if mean <= most), "very hard")


class Measured(Struct, frozen=True):
    """What it takes to measure the bots again."""

    rules: Rules
    first_seed: Seed


class Findings(Measured, frozen=True):
    """Of each level what it achieved; ratings also of bots that are none of ours."""

    levels: dict[str, tuple[Strength, ...]]
    ratings: dict[str, tuple[Rating, ...]] = {}


@cache
def read_findings() -> Findings:
    """Return the measured strengths, read once from `bot_strength.json`."""
    return msgspec.json.decode(FILE.read_bytes(), type=Findings)


def to_json(found: Findings) -> str:
    """Return the findings as JSON with one match a line, so that a change reads well in a diff."""
    head = f'"rules": {_text(found.rules)}, "first_seed": {found.first_seed}'
    parts = f'"levels": {_by_name(found.levels)}, "ratings": {_by_name(found.ratings)}'
    return f"{{{head}, {parts}}}\n"


def _by_name(rows: Mapping[str, Sequence[Struct]]) -> str:
    """Return a JSON object with a list of rows for each name."""
    named = ",\n".join(f"{_text(name)}: [\n{_lines(own)}\n]" for name, own in rows.items())
    return f"{{\n{named}\n}}"


def _lines(rows: Sequence[Struct]) -> str:
    """Return the rows as JSON, one a line."""
    return ",\n".join(map(_text, rows))


def _text(thing: object) -> str:
    """Return a value as JSON in one line."""
    return msgspec.json.format(msgspec.json.encode(thing), indent=0).decode()
