"""The bots a seat may be given; the workers play each by the module that has its name in `workers/bots`."""

from __future__ import annotations

from msgspec import Struct


class BotLevel(Struct, frozen=True):
    name: str
    text: str


BOT_LEVELS = (
    BotLevel("random", "Picks any of its options, each as likely as the others."),
    BotLevel(
        "greedy",
        "Takes the option that is worth most to it if nobody else moved any more, "
        "and gives up nothing of its own that it may keep.",
    ),
    BotLevel("steady", "Plays each option out a few times in its mind, and takes what wins most games."),
    BotLevel(
        "expert",
        "Takes the option that wins most games, by what it has learned and by playing each option out "
        "many times in its mind, on the same dice for all.",
    ),
)
BOT_NAMES = tuple(level.name for level in BOT_LEVELS)
TIMEOUT_POLICIES = (*BOT_NAMES, *(f"takeover:{name}" for name in BOT_NAMES))
# Takes the seats that nobody took, and those of people who leave.
DEFAULT_BOT = "greedy"
