"""Forged and damaged logs and files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from events.chain import GENESIS, digest, public_form
from service.fairness.dice import commitment

Raws = list[dict[str, Any]]
OTHER_SEED = "77" * 32


def events_of(raws: Raws, kind: str) -> list[dict[str, Any]]:
    return [event for commit in raws for event in commit["events"] if event["type"] == kind]


def change_die(raws: Raws) -> None:
    roll = events_of(raws, "dice_rolled")[3]
    roll["own"] = sorted([*roll["own"][1:], roll["own"][0] % 6 + 1])


def remove_commit(raws: Raws) -> None:
    del raws[5]


def repeat_commit(raws: Raws) -> None:
    raws.insert(5, deepcopy(raws[5]))


def swap_commits(raws: Raws) -> None:
    raws[5], raws[6] = raws[6], raws[5]


def truncate(raws: Raws) -> None:
    del raws[-1]


def drop_first_commit(raws: Raws) -> None:
    del raws[0]


def change_seed(raws: Raws) -> None:
    events_of(raws, "game_ended")[0]["seed"] = OTHER_SEED


def change_seed_and_commitment(raws: Raws) -> None:
    change_seed(raws)
    fitting = commitment(bytes.fromhex(OTHER_SEED))
    raws[0]["command"]["commitment"] = raws[0]["events"][0]["commitment"] = fitting


def spoil_seed(raws: Raws) -> None:
    events_of(raws, "game_ended")[0]["seed"] = "not hex"


def change_answer(raws: Raws) -> None:
    raws[5]["command"]["choice"] = "place-1" if raws[5]["command"]["choice"] != "place-1" else "place-2"


def change_seat(raws: Raws) -> None:
    raws[5]["command"]["seat"] = 1 - raws[5]["command"]["seat"]


def change_notes(raws: Raws) -> None:
    events_of(raws, "notes_moved")[0]["notes"].append(90000)


def change_winners(raws: Raws) -> None:
    events_of(raws, "game_ended")[0]["winners"].append(4)


def drop_event(raws: Raws) -> None:
    del raws[5]["events"][0]


def add_event(raws: Raws) -> None:
    raws[5]["events"].append({"type": "chips_moved", "source": "bank", "target": "purse-0", "chips": 5})


def rename_event(raws: Raws) -> None:
    raws[5]["events"][0]["type"] = "earthquake"


def add_member(raws: Raws) -> None:
    raws[5]["events"][0]["luck"] = 1


def add_commit_member(raws: Raws) -> None:
    raws[5]["luck"] = 1


def create_twice(raws: Raws) -> None:
    raws.insert(1, deepcopy(raws[0]))


def change_rules(raws: Raws) -> None:
    raws[5]["rules"] = "99"


def raise_format(raws: Raws) -> None:
    raws[5]["format"] = 99


def lower_format(raws: Raws) -> None:
    raws[5]["format"] = -(10**12)


def lengthen_event(raws: Raws) -> None:
    raws[5]["events"][0]["luck"] = "luck" * 10_000


def change_entropy(raws: Raws) -> None:
    raws[0]["command"]["seats"][0]["entropy"] = raws[0]["events"][0]["seats"][0]["entropy"] = "luck"


def spoil_time(raws: Raws) -> None:
    raws[5]["at"] = "yesterday"


def name_impossible_day(raws: Raws) -> None:
    raws[5]["at"] = "2026-11-31T12:00:00.000Z"


def change_zone(raws: Raws) -> None:
    raws[5]["at"] = raws[5]["at"].replace("Z", "+00:00")


def turn_back_time(raws: Raws) -> None:
    raws[5]["at"] = raws[3]["at"]


FORGERIES = (
    spoil_time,
    name_impossible_day,
    change_zone,
    turn_back_time,
    change_die,
    remove_commit,
    repeat_commit,
    swap_commits,
    truncate,
    drop_first_commit,
    change_seed,
    change_seed_and_commitment,
    spoil_seed,
    change_answer,
    change_seat,
    change_notes,
    change_winners,
    drop_event,
    add_event,
    rename_event,
    add_member,
    add_commit_member,
    create_twice,
    change_rules,
    raise_format,
    lower_format,
    lengthen_event,
    change_entropy,
)


Mutation = Callable[[Raws, int], None]


def reseal(raws: Raws, keep_origin: bool = False) -> Raws:
    """Return the commits with versions and hashes that fit again, as a careful forger would make them.

    A fork names the commit it was forked from; that follows its new hash unless `keep_origin`.
    """
    head = GENESIS
    for version, commit in enumerate(raws, 1):
        if not keep_origin:
            _follow_origin(commit, version, head)
        commit |= {"version": version, "prev": head}
        head = commit["hash"] = digest(public_form(commit))
    return raws


def _follow_origin(commit: dict[str, Any], version: int, head: str) -> None:
    """A fork that told the truth of the table it was forked off still does."""
    events = commit.get("events")
    for told in (commit.get("command"), *(events if isinstance(events, list) else ())):
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


def alter_answer(raws: Raws, at: int) -> None:
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
    *(change_release, change_time, drop_last_event, alter_answer),
    *(change_author, toggle_note, rename_bot, change_reason, put_off, hurry_clock),
)
