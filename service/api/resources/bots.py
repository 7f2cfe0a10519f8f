"""The bots a seat can be given, and how strong they are."""

from __future__ import annotations

from functools import cache

from flask import Blueprint, Response
from msgspec import Struct

from service.api.parts import by_content, query
from service.play.bot_levels import BOT_LEVELS, BotLevel
from service.play.bot_strength import Measured, Strength, read_findings

blueprint = Blueprint("bots", __name__, url_prefix="/v1")


class MeasuredLevel(BotLevel, frozen=True):
    strength: tuple[Strength, ...]


class Bots(Struct, frozen=True):
    measured: Measured
    bots: tuple[MeasuredLevel, ...]


@blueprint.get("/bots")
def list_bots() -> Response:
    query()
    return by_content(_bots())


@cache
def _bots() -> Bots:
    found = read_findings()
    levels = (MeasuredLevel(level.name, level.text, found.levels.get(level.name, ())) for level in BOT_LEVELS)
    return Bots(Measured(found.rules, found.first_seed), tuple(levels))
