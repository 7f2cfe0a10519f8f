"""Everything that can be done to one commit of a file, and a chain that is made to fit again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from events.chain import GENESIS, digest, public_form
from tests.support.forgeries import Raws

Mutation = Callable[[Raws, int], None]


def reseal(raws: Raws) -> Raws:
    """The same commits with versions and hashes that fit again: what a careful forger would do."""
    head = GENESIS
    for version, commit in enumerate(raws, 1):
        commit |= {"version": version, "prev": head}
        head = commit["hash"] = digest(public_form(commit))
    return raws


def edit_event(raws: Raws, at: int) -> None:
    """The first number in the events becomes another."""
    place = next(_numbers(raws[at]["events"]))
    place[0][place[1]] += 1


def _numbers(thing: Any) -> Iterator[tuple[Any, Any]]:
    for name in thing if isinstance(thing, dict) else range(len(thing)):
        if isinstance(thing[name], int) and not isinstance(thing[name], bool):
            yield thing, name
        elif isinstance(thing[name], (dict, list)):
            yield from _numbers(thing[name])


def remove(raws: Raws, at: int) -> None:
    del raws[at]


def duplicate(raws: Raws, at: int) -> None:
    raws.insert(at, deepcopy(raws[at]))


def swap(raws: Raws, at: int) -> None:
    raws[at - 1], raws[at] = raws[at], raws[at - 1]


def truncate_after(raws: Raws, at: int) -> None:
    del raws[at:]


def change_release(raws: Raws, at: int) -> None:
    raws[at]["rules"] = "7"


def change_hash(raws: Raws, at: int) -> None:
    raws[at]["hash"] = "f" * 64


def change_time(raws: Raws, at: int) -> None:
    raws[at]["at"] = "2001-01-01T00:00:00.000Z" if at else "2999-01-01T00:00:00.000Z"


def drop_last_event(raws: Raws, at: int) -> None:
    del raws[at]["events"][-1]


MUTATIONS: tuple[Mutation, ...] = (
    *(edit_event, remove, duplicate, swap, truncate_after),
    *(change_release, change_time, drop_last_event),
)
