"""A request, taken apart: what its operation declares has been read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic

from flask import Request
from msgspec import Struct

from service.api.access import Caller
from service.api.marks import Mark, write_mark
from service.api.media_types import JSON
from service.api.services import Services
from service.play.branches import Holder
from service.play.keys import ANONYMOUS
from service.players.players import Player


class Call(Struct, Generic[Caller], frozen=True):
    """`caller` holds a seat's or a player's token, or is None where nobody is told apart.

    `path` are the variables of the address; `key` and `if_match` are those of the headers of these names;
    `media` is the form that is asked for.
    """

    services: Services
    request: Request
    path: Mapping[str, str]
    caller: Caller
    query: Mapping[str, Any] = {}
    media: str = JSON
    body: Mapping[str, Any] = {}
    key: str | None = None
    if_match: frozenset[Mark] | None = None

    @property
    def network(self) -> str:
        """Where the request comes from, as far as one caller is told from another by it."""
        return self.services.proxies.find_caller(self.request.environ)

    @property
    def sender(self) -> str:
        """Whose keys the caller's are: a player's, a seat's, or anybody's."""
        if isinstance(self.caller, Player):
            return self.caller.id
        if isinstance(self.caller, Holder):
            return self.caller.player or f"seat-{self.caller.seat}"
        return ANONYMOUS

    def tag(self, version: int | str, head: str) -> int | str:
        """The ETag: the version, and its hash too once this process has seen the log go another way."""
        return write_mark(version, head) if self.services.games.has_moved(self.game) else version

    @property
    def game(self) -> str:
        return self.path["game"]

    @property
    def seat(self) -> int | None:
        """The caller's; None for a spectator."""
        return self.caller.seat if isinstance(self.caller, Holder) else None

    @property
    def player(self) -> Player | None:
        """Whose token the caller shows, if it is a player's; at the table or not. Raises Unavailable."""
        if isinstance(self.caller, Holder) and self.caller.player:
            return self.services.players.read(self.caller.player)
        return self.caller if isinstance(self.caller, Player) else None

    @property
    def branch(self) -> int | None:
        """The only branch of the log on which the caller holds that seat; None for a spectator."""
        return self.caller.branch if isinstance(self.caller, Holder) else None
