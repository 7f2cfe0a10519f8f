"""What somebody could do to an exported game."""

from copy import deepcopy
from typing import Any

from service.fairness.dice import commitment

Raws = list[dict[str, Any]]
OTHER_SEED = "77" * 32


def events_of(raws: Raws, kind: str) -> list[dict[str, Any]]:
    return [event for commit in raws for event in commit["events"] if event["type"] == kind]


def changed_die(raws: Raws) -> None:
    roll = events_of(raws, "dice_rolled")[3]
    roll["own"] = sorted([*roll["own"][1:], roll["own"][0] % 6 + 1])


def removed(raws: Raws) -> None:
    del raws[5]


def inserted(raws: Raws) -> None:
    raws.insert(5, deepcopy(raws[5]))


def swapped(raws: Raws) -> None:
    raws[5], raws[6] = raws[6], raws[5]


def truncated(raws: Raws) -> None:
    del raws[-1]


def beheaded(raws: Raws) -> None:
    del raws[0]


def another_seed(raws: Raws) -> None:
    events_of(raws, "game_ended")[0]["seed"] = OTHER_SEED


def another_seed_with_its_commitment(raws: Raws) -> None:
    another_seed(raws)
    fitting = commitment(bytes.fromhex(OTHER_SEED))
    raws[0]["command"]["commitment"] = raws[0]["events"][0]["commitment"] = fitting


def no_seed(raws: Raws) -> None:
    events_of(raws, "game_ended")[0]["seed"] = "not hex"


def changed_answer(raws: Raws) -> None:
    raws[5]["command"]["choice"] = "place-1" if raws[5]["command"]["choice"] != "place-1" else "place-2"


def changed_seat(raws: Raws) -> None:
    raws[5]["command"]["seat"] = 1 - raws[5]["command"]["seat"]


def changed_note(raws: Raws) -> None:
    events_of(raws, "notes_moved")[0]["notes"].append(90000)


def changed_winner(raws: Raws) -> None:
    events_of(raws, "game_ended")[0]["winners"].append(4)


def dropped_event(raws: Raws) -> None:
    del raws[5]["events"][0]


def added_event(raws: Raws) -> None:
    raws[5]["events"].append({"type": "chips_moved", "source": "bank", "target": "purse-0", "chips": 5})


def unknown_event(raws: Raws) -> None:
    raws[5]["events"][0]["type"] = "earthquake"


def added_member(raws: Raws) -> None:
    raws[5]["events"][0]["luck"] = 1


def added_member_of_the_commit(raws: Raws) -> None:
    raws[5]["luck"] = 1


def created_twice(raws: Raws) -> None:
    raws.insert(1, deepcopy(raws[0]))


def other_rules(raws: Raws) -> None:
    raws[5]["rules"] = "99"


def newer_format(raws: Raws) -> None:
    raws[5]["format"] = 99


def endless_format(raws: Raws) -> None:
    raws[5]["format"] = -(10**12)


def long_event(raws: Raws) -> None:
    raws[5]["events"][0]["luck"] = "luck" * 10_000


def changed_entropy(raws: Raws) -> None:
    raws[0]["command"]["seats"][0]["entropy"] = raws[0]["events"][0]["seats"][0]["entropy"] = "luck"


def no_time(raws: Raws) -> None:
    raws[5]["at"] = "yesterday"


def no_such_day(raws: Raws) -> None:
    raws[5]["at"] = "2026-11-31T12:00:00.000Z"


def another_zone(raws: Raws) -> None:
    raws[5]["at"] = raws[5]["at"].replace("Z", "+00:00")


def back_in_time(raws: Raws) -> None:
    raws[5]["at"] = raws[3]["at"]


LIES = (
    no_time,
    no_such_day,
    another_zone,
    back_in_time,
    changed_die,
    removed,
    inserted,
    swapped,
    truncated,
    beheaded,
    another_seed,
    another_seed_with_its_commitment,
    no_seed,
    changed_answer,
    changed_seat,
    changed_note,
    changed_winner,
    dropped_event,
    added_event,
    unknown_event,
    added_member,
    added_member_of_the_commit,
    created_twice,
    other_rules,
    newer_format,
    endless_format,
    long_event,
    changed_entropy,
)
