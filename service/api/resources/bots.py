"""The bots a seat can be given, and how strong they are."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from msgspec import Struct

from service.api.access import ANYBODY
from service.api.calls import Call
from service.api.operation import operation
from service.api.replies import Reply
from service.play.bot_levels import BOT_LEVELS, BotLevel
from service.play.bot_strength import Findings, Measured, Rating, Strength, read_findings


class MeasuredLevel(BotLevel, frozen=True):
    strength: tuple[Strength, ...]
    ratings: tuple[Rating, ...]


class Bots(Struct, frozen=True):
    measured: Measured
    bots: tuple[MeasuredLevel, ...]


@operation("GET /v1/bots", "Who plays the seats without people", Bots, access=ANYBODY)
def list_bots(call: Call[None]) -> Reply:
    return Reply(_bots())


@cache
def _bots() -> Bots:
    return join_strengths(BOT_LEVELS, read_findings())


def join_strengths(levels: Iterable[BotLevel], found: Findings) -> Bots:
    """A level that was not measured yet has no strengths."""
    measured = (
        MeasuredLevel(
            level.name, level.text, found.levels.get(level.name, ()), found.ratings.get(level.name, ())
        )
        for level in levels
    )
    return Bots(Measured(found.rules, found.first_seed), tuple(measured))
