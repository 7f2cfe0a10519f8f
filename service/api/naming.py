"""Whose names stand in a table of the past."""

from __future__ import annotations

from functools import cache

from service.api.services import Services
from service.play.looking_back import Naming
from service.play.snapshots import Snapshot, UnknownGame
from service.players.names import Names


def name_for(services: Services, game: str, names: Names) -> Naming:
    """Names as they are now. A fork begins with the tables of another game, which may come from elsewhere."""

    @cache
    def is_ours(origin: str) -> bool:
        try:
            return not services.games.snapshot(origin).imported
        except UnknownGame:
            return False

    def put_names(snapshot: Snapshot) -> Snapshot:
        origin = snapshot.state.game
        return names.put_into(snapshot) if origin == game or is_ours(origin) else snapshot

    return put_names
