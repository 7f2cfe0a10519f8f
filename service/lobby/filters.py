"""Describes which games a caller asks the list of games for: `GameFilter`."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from service.lobby.rows import ALL, LobbyGame, name_list, name_open_list, name_persons_list, name_players_list

Order = Literal["created", "changed"]


class GameFilter(Struct, frozen=True):
    """Holds the conditions that listed games meet, and their order.

    A member at its default sets no condition. Moments are written as the service writes them.
    """

    status: str = ""
    edition: str = ""
    name: str = ""
    player: str = ""
    open_seats: int = 0
    updated_after: str = ""
    finished_after: str = ""
    order: Order = "created"

    @property
    def list_name(self) -> str:
        """Return the name of the list to search: of those with all matches, probably the shortest."""
        if self.player:
            return name_players_list(self.player)
        if self.name:
            return name_persons_list(self.name)
        if self.open_seats:
            return name_open_list(self.open_seats)
        status = "over" if self.finished_after else self.status
        return name_list(status or ALL, self.edition or ALL)

    @property
    def since(self) -> str:
        """Return the moment after which a game must have changed to match; empty if there is none."""
        return max(self.updated_after, self.finished_after)

    def matches(self, line: LobbyGame) -> bool:
        """Return whether a game meets all conditions."""
        return (
            self.status in ("", line.status)
            and self.edition in ("", line.edition)
            and (not self.name or self.name.casefold() in _names(line))
            and (not self.player or self.player in {seat.player for seat in line.seats})
            and line.open_seats >= self.open_seats
            and line.updated > self.updated_after
            and (not self.finished_after or (line.finished or "") > self.finished_after)
        )


def _names(line: LobbyGame) -> set[str]:
    """Return the casefolded names of people who sit in a game without being registered players."""
    named = (seat.name for seat in line.seats if seat.bot is None and not seat.player)
    return {name.casefold() for name in named if name is not None}


EVERYTHING = GameFilter()
