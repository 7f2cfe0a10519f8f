"""All operations there are: those that the modules in `resources` declare."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from service.api import resources
from service.api.operation import Operation


def find_operations() -> tuple[Operation, ...]:
    """By path, the root's own last; those of one path in the order of their module."""
    names = [f"{resources.__name__}.{module.name}" for module in iter_modules(resources.__path__)]
    things = [thing for name in names for thing in vars(import_module(name)).values()]
    return tuple(sorted((thing for thing in things if isinstance(thing, Operation)), key=_place))


def _place(operation: Operation) -> tuple[bool, str]:
    return not operation.path.startswith("/v1/"), operation.path


OPERATIONS = find_operations()
