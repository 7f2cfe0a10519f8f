"""Lists every operation of the API."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import ModuleType

from service.analysis import routes as analysis
from service.catalog import routes as catalog
from service.games import routes as games
from service.history import routes as history
from service.http.openapi import routes as contract
from service.http.operation import Operation
from service.ops import routes as ops
from service.page import routes as page
from service.players import routes as players
from service.stats import routes as stats

ROUTES: Mapping[str, ModuleType] = {
    "games": games,
    "history": history,
    "players": players,
    "analysis": analysis,
    "catalog": catalog,
    "stats": stats,
    "contract": contract,
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
