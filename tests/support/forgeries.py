"""What somebody could do to an exported game."""

from copy import deepcopy
from typing import Any

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
