"""Says whether Redis has room for new games, and keeps the rest of it for those that are being played."""

from __future__ import annotations

from collections.abc import Callable

from events.inspection import MemoryUse
from service import logs
from service.lobby.open_games import OpenGames

# What one more game takes until its end, in the largest editions with five players: 67 KB, and some more.
GAME_BYTES = 80 * 1024
# What is kept for everything else that is written while games are played: lists, tasks, tickets.
RESERVED_SHARE = 0.05
WARNING_SHARE = 0.8

log = logs.logger()


class Room:
    """Compares the memory that Redis has with what the open games will need until their end."""

    def __init__(self, measure: Callable[[], MemoryUse], open_games: OpenGames) -> None:
        """Ask `measure` for the memory; it need not be of this very second, as open games are."""
        self._measure = measure
        self._open_games = open_games
        self._was_short = False

    def is_short(self) -> bool:
        """Return whether a new game would take the room of those that are played. Raises Unavailable."""
        memory = self._measure()
        if not memory.most:
            return False
        reserved = RESERVED_SHARE * memory.most + GAME_BYTES * (self._open_games.count_all() + 1)
        is_short = memory.used + reserved > memory.most
        if is_short != self._was_short:
            self._was_short = is_short
            self._log_change(memory)
        return is_short

    def _log_change(self, memory: MemoryUse) -> None:
        """Log that new games are refused from here on, or no more."""
        if self._was_short:
            log.warning(
                "room_short",
                used=memory.used,
                maxmemory=memory.most,
                meaning="new games are refused; the memory that is left is kept for those that are played",
                action="raise maxmemory, or remove games",
            )
        else:
            log.warning("room_again", meaning="new games are taken again")

    def list_warnings(self) -> list[str]:
        """Return what to tell the operator. Raises Unavailable."""
        memory = self._measure()
        if not memory.most:
            return []
        share = memory.used / memory.most
        if self.is_short():
            return [
                f"{share:.0%} of maxmemory is used and the rest is kept for games that are being played: "
                "new games are refused; raise maxmemory, or remove games"
            ]
        if share < WARNING_SHARE:
            return []
        return [f"{share:.0%} of maxmemory is used: raise it, or remove games, before new ones are refused"]
