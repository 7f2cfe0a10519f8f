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
        _follow_origin(commit, version, head)
        commit |= {"version": version, "prev": head}
        head = commit["hash"] = digest(public_form(commit))
    return raws


def _follow_origin(commit: dict[str, Any], version: int, head: str) -> None:
    """A fork that told the truth of the table it was forked off still does."""
    for told in (commit["command"], *commit["events"]):
        origin = told.get("origin") if isinstance(told, dict) else None
        if isinstance(origin, dict) and origin.get("head") == commit.get("prev"):
            origin |= {
                "head": head,
                "at": version - 1 if origin["at"] == commit["version"] - 1 else origin["at"],
            }


def edit_event(raws: Raws, at: int) -> None:
    """The first number in the events becomes another."""
    _raise_first(raws[at]["events"], raws[at]["events"][0])


def edit_command(raws: Raws, at: int) -> None:
    """The first number in the command, so the ask or the seat, where there is one."""
    _raise_first(raws[at]["command"], raws[at]["command"])


def _raise_first(thing: Any, otherwise: dict[str, Any]) -> None:
    found = next(_numbers(thing), None)
    if found is None:
        otherwise["luck"] = 1
    else:
        found[0][found[1]] += 1


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


def change_answer(raws: Raws, at: int) -> None:
    """To what nobody offers; what is no answer gets one."""
    raws[at]["command"]["choice"] = "place-9"


def change_author(raws: Raws, at: int) -> None:
    raws[at]["by"] = "seat-1" if raws[at]["by"] != "seat-1" else "seat-0"


def toggle_note(raws: Raws, at: int) -> None:
    """A bot's answer becomes a person's, or the other way round."""
    if raws[at].pop("bot", None) is None:
        raws[at]["bot"] = dict(_NOTE)


def rename_bot(raws: Raws, at: int) -> None:
    raws[at]["bot"] = {**_NOTE, "name": "somebody"}


def change_reason(raws: Raws, at: int) -> None:
    """Why a bot answers is told where it is not, and not told where it is."""
    if raws[at]["command"].pop("why", None) is None:
        raws[at]["command"]["why"] = "timeout"


def put_off(raws: Raws, at: int) -> None:
    """Until after the commit that follows; the last one until before the one that it follows."""
    raws[at]["at"] = "2199-12-31T00:00:00.000Z" if at + 1 < len(raws) else "2001-01-01T00:00:00.000Z"


def hurry_clock(raws: Raws, at: int) -> None:
    """It answers as soon as somebody is asked; what others do has no such time."""
    clock = raws[at]["by"] == "clock" and raws[at]["command"]["type"] == "choose"
    raws[at]["at"] = raws[at - 1]["at"] if clock else "1999-12-31T23:59:59.999Z"


_NOTE = {"name": "greedy", "build": "1", "budget": 0, "view": "ab" * 32}
MUTATIONS: tuple[Mutation, ...] = (
    *(edit_event, edit_command, remove, duplicate, swap, truncate_after),
    *(change_release, change_time, drop_last_event, change_answer),
    *(change_author, toggle_note, rename_bot, change_reason, put_off, hurry_clock),
)
