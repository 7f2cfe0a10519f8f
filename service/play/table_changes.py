"""What differs between two tables, place by place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct

from service.play.table_types import TableShown


class Change(Struct, frozen=True):
    """What stood there before and what stands there after; left out where there was or is no such member."""

    path: Annotated[str, Meta(description="A JSON pointer into the table.")]
    before: Any = UNSET
    after: Any = UNSET


def find_changes(first: TableShown, last: TableShown) -> tuple[Change, ...]:
    before, after = (msgspec.to_builtins(table) for table in (first, last))
    return tuple(_compare("", before, after))


def _compare(path: str, before: Any, after: Any) -> Iterator[Change]:
    """Down to where something differs in kind; lists of other lengths differ as a whole."""
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys((*before, *after)):
            yield from _compare(f"{path}/{name}", before.get(name, UNSET), after.get(name, UNSET))
    elif _are_rows(before) and _are_rows(after) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after, strict=True)):
            yield from _compare(f"{path}/{number}", *pair)
    else:
        yield Change(path, before, after)


def _are_rows(value: Any) -> bool:
    """Seats and casinos keep their places; notes and dice are compared as a whole."""
    return isinstance(value, (list, tuple)) and all(isinstance(row, dict) and "name" in row for row in value)
