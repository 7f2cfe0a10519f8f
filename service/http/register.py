"""Lists every operation of the API."""

from __future__ import annotations

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

ROUTES = (games, history, players, analysis, catalog, stats, contract, page, ops)


def operations_in(modules: tuple[ModuleType, ...]) -> tuple[Operation, ...]:
    """Return the operations that these modules declare, by path, with `/v1/` first."""
    values = [value for module in modules for value in vars(module).values()]
    operations = [value for value in values if isinstance(value, Operation)]
    return tuple(sorted(operations, key=_order))


def _order(operation: Operation) -> tuple[bool, str]:
    return not operation.path.startswith("/v1/"), operation.path


OPERATIONS = operations_in(ROUTES)
