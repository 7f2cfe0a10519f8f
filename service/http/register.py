"""Lists every operation of the API."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import ModuleType

from service.analysis import routes as analysis
from service.catalog import routes as catalog
from service.feeds import routes as feeds
from service.games import routes as games
from service.guides import routes as guides
from service.history import routes as history
from service.http.openapi import routes as contract
from service.http.operation import Operation
from service.keys import routes as keys
from service.ops import routes as ops
from service.page import routes as page
from service.players import routes as players
from service.remote_bots import routes as remote_bots
from service.stats import routes as stats
from service.webhooks import routes as webhooks

ROUTES: Mapping[str, ModuleType] = {
    "games": games,
    "history": history,
    "players": players,
    "feeds": feeds,
    "analysis": analysis,
    "catalog": catalog,
    "stats": stats,
    "keys": keys,
    "webhooks": webhooks,
    "remote_bots": remote_bots,
    "contract": contract,
    "guides": guides,
    "page": page,
    "ops": ops,
}


def operations_in(module: ModuleType) -> tuple[Operation, ...]:
    """Return the operations that a module declares, in its order."""
    return tuple(value for value in vars(module).values() if isinstance(value, Operation))


def _order(operation: Operation) -> tuple[bool, str]:
    """Return the key that orders operations by path, with `/v1/` first."""
    return not operation.path.startswith("/v1/"), operation.path


# A room's operations become its blueprint.
OPERATIONS_BY_ROOM = {room: operations_in(module) for room, module in ROUTES.items()}
OPERATIONS = tuple(sorted(chain.from_iterable(OPERATIONS_BY_ROOM.values()), key=_order))
