"""The bots a seat can be given."""

from __future__ import annotations

from flask import Blueprint, Response
from msgspec import Struct

from service.api.parts import fixed, query
from service.bot_levels import BOT_LEVELS, BotLevel

blueprint = Blueprint("bots", __name__, url_prefix="/v1")


class Bots(Struct, frozen=True):
    bots: tuple[BotLevel, ...]


@blueprint.get("/bots")
def list_bots() -> Response:
    query()
    return fixed(Bots(BOT_LEVELS))
