"""Lies that a forger may tell of a game: each changes its commits, or finds nothing there to change.

A lie raises LookupError where a game gives it nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any, NamedTuple

from events.secrecy import commitment
from tests.support.forgeries import FORGERIES, MUTATIONS, Raws

Event = dict[str, Any]
Lie = Callable[[Raws, Random], None]

# What a lie is about. Two verifiers judge all but the last. The page judges the first five.
CHAIN = "the chain, the seed or who made a commit"
DICE = "rolls and draws"
SUMS = "purses, totals and winners"
ROUNDS = "rounds and the end"
CASINOS = "who is paid at a casino"
MOVES = "answers, questions and tiles"
WORD = "what no file can prove"
JUDGED_BY_PAGE = (CHAIN, DICE, SUMS, ROUNDS, CASINOS)


class Told(NamedTuple):
    lie: Lie
    about: str
    sealed: bool = True

    @property
    def name(self) -> str:
        return self.lie.__name__.replace("_", " ")


# What lies are made of


def events(raws: Raws, kind: str, **like: str) -> list[Event]:
    """Events of a kind whose members begin like this."""
    return [
        event
        for commit in raws
        for event in commit["events"]
        if event["type"] == kind
        and all(str(event.get(name)).startswith(start) for name, start in like.items())
    ]


def pick(random: Random, things: Sequence[Any]) -> Any:
    if not things:
        raise LookupError
    return random.choice(things)


def pick_event(raws: Raws, random: Random, kind: str, **like: str) -> Event:
    event: Event = pick(random, events(raws, kind, **like))
    return event


def drop(raws: Raws, event: Event) -> None:
    for commit in raws:
        commit["events"] = [one for one in commit["events"] if one is not event]


def find_end(raws: Raws) -> Event:
    ended: Event = events(raws, "game_ended")[0]
    return ended


def players_of(raws: Raws) -> int:
    return len(raws[0]["events"][0]["seats"])


def other_seat(raws: Raws, seat: int) -> int:
    return (seat + 1) % players_of(raws)


CHIP = 10_000
SETS = (0, 10_000, 30_000, 60_000, 100_000, 150_000)


def total_up(raws: Raws) -> None:
    """The end tells what the purses then hold, so that the sums are right."""
    ended = find_end(raws)
    purses: list[dict[str, Any]] = [{"notes": [], "chips": 0, "cards": []} for _ in range(players_of(raws))]
    for kind, member in (("notes_moved", "notes"), ("chips_moved", "chips"), ("chip_cards_moved", "cards")):
        for event in events(raws, kind):
            for place, sign in ((event["source"], -1), (event["target"], 1)):
                if place.startswith("purse-"):
                    _account(purses[int(place[-1])], member, event[member], sign)
    totals = [_worth(purse) for purse in purses]
    chips = raws[0]["events"][0]["edition"] == "royale"
    merits = [
        (total, len(purse["notes"]) + (purse["chips"] if chips else 0))
        for total, purse in zip(totals, purses, strict=True)
    ]
    ended["totals"] = totals
    ended["winners"] = [seat for seat, merit in enumerate(merits) if merit == max(merits)]


def _account(purse: dict[str, Any], member: str, moved: Any, sign: int) -> None:
    if member == "chips":
        purse["chips"] += sign * moved
        return
    for thing in moved:
        if sign > 0:
            purse[member].append(thing)
        elif thing in purse[member]:
            purse[member].remove(thing)


def _worth(purse: dict[str, Any]) -> int:
    sets = sum(SETS[min(purse["cards"].count(colour), 5)] for colour in {*purse["cards"]})
    return int(sum(purse["notes"]) + CHIP * purse["chips"] + sets)


# The chain, the seed and who made a commit


def bring_other_luck_later(raws: Raws, random: Random) -> None:
    """The entropy of whoever sat down last, in command and event."""
    find_end(raws)
    commit = [raw for raw in raws if raw["command"].get("entropy")][-1]
    commit["command"]["entropy"] = commit["events"][0]["entropy"] = "another walk"


def fork_off_elsewhere(raws: Raws, random: Random) -> None:
    commit = pick(random, [raw for raw in raws if raw["command"]["type"] == "fork"])
    for told in (commit["command"], commit["events"][0]):
        told["origin"] = {**told["origin"], "at": told["origin"]["at"] - 1}


def void_alone(raws: Raws, random: Random) -> None:
    """Cut, and closed for a reason that the table does not give."""
    end = find_end(raws)
    keep = random.randrange(2, len(raws) - 1)
    reason = random.choice(["voided", "cancelled", "not_filled", "luck"])
    closed = {"type": "game_closed", "reason": reason, "seed": end["seed"]}
    last = {**raws[keep], "by": "clock", "command": {"type": "close", "reason": reason}, "events": [closed]}
    last.pop("bot", None)
    raws[keep:] = [last]


def name_another_bot_in_a_note(raws: Raws, random: Random) -> None:
    note = pick(random, [raw["bot"] for raw in raws if "bot" in raw])
    note["name"] = "expert" if note["name"] != "expert" else "random"
    note.pop("instead_of", None)
    note.pop("fault", None)


def _insert(raws: Raws, random: Random, event: Event) -> None:
    """As the first thing that an answer causes."""
    find_end(raws)
    pick(random, [raw for raw in raws if raw["command"]["type"] == "choose"])["events"].insert(0, event)


def sit_down_again(raws: Raws, random: Random) -> None:
    _insert(raws, random, {"type": "seat_taken", "seat": 0, "name": "Anna", "entropy": "other"})


def open_a_seat(raws: Raws, random: Random) -> None:
    _insert(raws, random, {"type": "seat_left", "seat": 0})


def come_back_unasked(raws: Raws, random: Random) -> None:
    _insert(raws, random, {"type": "seat_returned", "seat": 0})


def fork_in_passing(raws: Raws, random: Random) -> None:
    created = raws[0]["events"][0]
    told = {name: created[name] for name in ("game", "seats", "commitment")}
    origin = {"game": created["game"], "at": 5, "head": raws[4]["hash"]}
    _insert(raws, random, {"type": "game_forked", "origin": origin, "seed": find_end(raws)["seed"], **told})


def open_a_secret_as_another(raws: Raws, random: Random) -> None:
    """Its commitment stays."""
    secrets = [event["cards"] for event in events(raws, "cards_dealt")]
    secrets += [raw["command"]["choice"] for raw in raws if isinstance(raw["command"].get("choice"), dict)]
    secret = pick(random, [*secrets, *events(raws, "revealed")])
    secret["value"] = ["6d"] * 5 if isinstance(secret["value"], list) else "play-1"


def say_more_in_a_secret(raws: Raws, random: Random) -> None:
    pick_event(raws, random, "cards_dealt")["cards"]["luck"] = 1


# Rolls and draws


def turn_a_die(raws: Raws, random: Random) -> None:
    roll = pick_event(raws, random, "dice_rolled")
    kind = random.choice([kind for kind in ("own", "big", "neutral", "black") if kind in roll])
    if kind == "big":
        roll[kind] = roll[kind] % 6 + 1
        return
    at = random.randrange(len(roll[kind]))
    roll[kind][at] = roll[kind][at] % 6 + 1
    if kind != "black":
        roll[kind].sort()


def roll_fewer_dice(raws: Raws, random: Random) -> None:
    """The last ones of the stream are left out, so that the others are the seed's."""
    roll = pick_event(raws, random, "dice_rolled")
    kind = next(kind for kind in ("neutral", "black", "big", "own") if kind in roll)
    if kind == "big" or len(roll[kind]) == 1:
        del roll[kind]
    else:
        roll[kind].pop()


def roll_more_dice(raws: Raws, random: Random) -> None:
    roll = pick_event(raws, random, "dice_rolled", seat="")
    roll.setdefault("own", []).append(random.randint(1, 6))
    roll["own"].sort()


def empty_a_black_roll(raws: Raws, random: Random) -> None:
    roll = pick(random, [event for event in events(raws, "dice_rolled") if "black" in event])
    if random.random() < 0.5:
        roll["black"] = []
    else:
        del roll["black"]


def swap_black_dice(raws: Raws, random: Random) -> None:
    rolls = [event for event in events(raws, "dice_rolled") if len({*event.get("black", [])}) > 1]
    pick(random, rolls)["black"].reverse()


def let_the_big_die_be_a_small_one(raws: Raws, random: Random) -> None:
    roll = pick(random, [event for event in events(raws, "dice_rolled", seat="") if "big" in event])
    roll["own"] = sorted([*roll.get("own", []), roll.pop("big")])


def give_a_roll_to_another_seat(raws: Raws, random: Random) -> None:
    rolls = [event for event in events(raws, "dice_rolled") if "seat" in event]
    roll = pick(random, rolls)
    roll["seat"] = other_seat(raws, roll["seat"])


def leave_a_number_out(raws: Raws, random: Random) -> None:
    """A roll that nobody liked is passed over."""
    numbered = [event for commit in raws for event in commit["events"] if "chance" in event]
    for event in numbered[numbered.index(pick(random, numbered)) :]:
        event["chance"] += 1


def roll_the_same_again(raws: Raws, random: Random) -> None:
    rolls = events(raws, "dice_rolled")
    at = random.randrange(1, len(rolls)) if len(rolls) > 1 else pick(random, [])
    rolls[at]["chance"] = rolls[at - 1]["chance"]


def draw_other_notes(raws: Raws, random: Random) -> None:
    drawn = pick_event(raws, random, "notes_moved", source="pile")
    if random.random() < 0.5:
        drawn["notes"] = drawn["notes"][::-1]
    else:
        drawn["notes"][0] = 30_000 if drawn["notes"][0] != 30_000 else 90_000


def carry_a_number(raws: Raws, random: Random) -> None:
    """Other notes, without a number; something else carries it, so that none is left out."""
    drawn = pick_event(raws, random, "notes_moved", source="pile")
    number = drawn.pop("chance")
    drawn["notes"] = drawn["notes"][::-1]
    kinds: list[Event] = [{"type": "omen"}, {"type": "counter_moved", "counter": "A1", "value": 1}]
    commit = next(raw for raw in raws if any(event is drawn for event in raw["events"]))
    place = next(at for at, event in enumerate(commit["events"]) if event is drawn)
    commit["events"].insert(place, {**random.choice(kinds), "chance": number})


def draw_two_things_as_one(raws: Raws, random: Random) -> None:
    """Two draws share a number, and all that follow move up."""
    drawn = [event for commit in raws for event in commit["events"] if "chance" in event]
    pairs = [at for at, event in enumerate(drawn) if at and event["chance"] != drawn[at - 1]["chance"]]
    at = pick(random, [at for at in pairs if drawn[at]["type"] == drawn[at - 1]["type"]])
    for event in drawn[at:]:
        event["chance"] -= 1


def draw_without_a_number(raws: Raws, random: Random) -> None:
    del pick_event(raws, random, "notes_moved", source="pile")["chance"]


def lay_other_tiles(raws: Raws, random: Random) -> None:
    laid = pick(random, [event for event in events(raws, "tiles_laid") if "chance" in event])
    code = laid["tiles"][0]
    laid["tiles"][0] = f"{code[0]}{'2' if code[1] == '1' else '1'}"


def let_another_start(raws: Raws, random: Random) -> None:
    started = pick(random, [event for event in events(raws, "round_started") if "chance" in event])
    started["starter"] = other_seat(raws, started["starter"])


def lay_another_chip_card(raws: Raws, random: Random) -> None:
    laid = pick_event(raws, random, "chip_cards_moved", source="pile")
    laid["cards"] = ["gold" if laid["cards"] != ["gold"] else "pink"]


def deal_another_hand(raws: Raws, random: Random) -> None:
    """Sealed with the true salt; whoever reads the hand elsewhere reads the same."""
    dealt = pick_event(raws, random, "cards_dealt")["cards"]
    value = sorted([random.choice("123456") for _ in dealt["value"]])
    _replace_secret(raws, dealt, {**dealt, "value": value, "hidden": commitment(dealt["salt"], value)})


def seal_with_another_salt(raws: Raws, random: Random) -> None:
    secrets = [raw["command"]["choice"] for raw in raws if isinstance(raw["command"].get("choice"), dict)]
    true = pick(random, secrets)
    salt = "ab" * 16
    _replace_secret(raws, true, {**true, "salt": salt, "hidden": commitment(salt, true["value"])})


def seal_the_command_otherwise(raws: Raws, random: Random) -> None:
    """The events tell of the true seal."""
    command = pick(random, [raw["command"] for raw in raws if isinstance(raw["command"].get("choice"), dict)])
    salt = "ab" * 16
    value = command["choice"]["value"]
    command["choice"] = {**command["choice"], "salt": salt, "hidden": commitment(salt, value)}


def _replace_secret(raws: Raws, true: Event, false: Event) -> None:
    text = json.dumps(raws).replace(json.dumps(true), json.dumps(false))
    raws[:] = json.loads(text.replace(true["hidden"], false["hidden"]).replace(true["salt"], false["salt"]))


# Purses, totals and winners


def let_another_win(raws: Raws, random: Random) -> None:
    ended = find_end(raws)
    seats = [[seat] for seat in range(players_of(raws))] + [list(range(players_of(raws)))]
    ended["winners"] = random.choice([seats for seats in seats if seats != ended["winners"]])


def tell_another_total(raws: Raws, random: Random) -> None:
    totals = find_end(raws)["totals"]
    totals[random.randrange(len(totals))] += random.choice([-10_000, 10_000, 500_000])


def let_the_last_win_with_more(raws: Raws, random: Random) -> None:
    ended = find_end(raws)
    loser = min(range(players_of(raws)), key=ended["totals"].__getitem__)
    ended["totals"][loser] = max(ended["totals"]) + 10_000
    ended["winners"] = [loser]


def swap_totals(raws: Raws, random: Random) -> None:
    """And the winners with them."""
    ended = find_end(raws)
    ended["totals"] = [*ended["totals"][1:], ended["totals"][0]]
    ended["winners"] = sorted((seat - 1) % players_of(raws) for seat in ended["winners"])


def pay_chips_of_another(raws: Raws, random: Random) -> None:
    """More than anybody has."""
    commit = pick(random, [raw for raw in raws[1:] if len(raw["events"]) > 1])
    commit["events"].insert(0, {"type": "chips_moved", "source": "purse-1", "target": "purse-0", "chips": 50})
    total_up(raws)


def pay_notes_that_are_not_there(raws: Raws, random: Random) -> None:
    paid = pick(random, [event for event in _paid(raws) if event["target"].startswith("purse-")])
    paid["notes"] = [note + 10_000 for note in paid["notes"]]
    total_up(raws)


# Rounds and the end


def cut_and_paste_the_end(raws: Raws, random: Random) -> None:
    """After a few commits; the totals are the true ones."""
    end = find_end(raws)
    keep = random.randrange(1, len(raws) - 1)
    last = raws[keep - 1]["events"]
    last[-1:] = [end, {"type": "agenda_changed", "agenda": []}]
    del raws[keep:]


def cut_and_add_up(raws: Raws, random: Random) -> None:
    """After a few commits; the totals are those of the purses then."""
    cut_and_paste_the_end(raws, random)
    total_up(raws)


def end_after_an_early_round(raws: Raws, random: Random) -> None:
    end = find_end(raws)
    at = pick(random, [number for number, raw in enumerate(raws[:-1]) if _of_kind(raw, "round_ended")])
    told = raws[at]["events"]
    place = next(place for place, event in enumerate(told) if event["type"] == "round_ended")
    told[place + 1 :] = [end, {"type": "agenda_changed", "agenda": []}]
    del raws[at + 1 :]
    total_up(raws)


def end_an_early_round_as_the_last(raws: Raws, random: Random) -> None:
    """The same with rounds that are counted otherwise."""
    last = events(raws, "round_ended")[-1]["round"]
    end_after_an_early_round(raws, random)
    kept = events(raws, "round_ended")[-1]["round"]
    for event in (*events(raws, "round_started"), *events(raws, "round_ended")):
        event["round"] += last - kept


def miscount_the_rounds(raws: Raws, random: Random) -> None:
    kind = random.choice(["round_started", "round_ended"])
    pick_event(raws, random, kind)["round"] += random.choice([-1, 1])


def play_a_round_twice(raws: Raws, random: Random) -> None:
    """The order of two rounds is another: their commits change places."""
    starts = [number for number, raw in enumerate(raws) if _of_kind(raw, "round_started")]
    if len(starts) < 3:
        raise LookupError
    one, two, three = starts[:3]
    raws[one + 1 : three + 1] = [*raws[two + 1 : three + 1], *raws[one + 1 : two + 1]]


def close_it_with_an_answer(raws: Raws, random: Random) -> None:
    """Nobody has won, though nobody closed it either."""
    end = find_end(raws)
    keep = random.randrange(2, len(raws))
    raws[keep - 1]["events"][-1:] = [{"type": "game_closed", "reason": "voided", "seed": end["seed"]}]
    del raws[keep:]


def begin_a_round_unasked(raws: Raws, random: Random) -> None:
    find_end(raws)
    at = random.randrange(1, len(raws))
    raws[at]["events"].insert(0, {"type": "round_started", "round": 2, "starter": 0})


def forget_that_a_round_ended(raws: Raws, random: Random) -> None:
    drop(raws, pick_event(raws, random, "round_ended"))


def start_a_later_round_elsewhere(raws: Raws, random: Random) -> None:
    started = pick(random, events(raws, "round_started")[1:])
    started["starter"] = other_seat(raws, started["starter"])


def _of_kind(raw: dict[str, Any], kind: str) -> bool:
    return any(event["type"] == kind for event in raw["events"])


# Casinos


def pay_a_casino_to_another_purse(raws: Raws, random: Random) -> None:
    """All that is told of the end fits."""
    paid = pick(random, [event for event in _paid(raws) if event["target"].startswith("purse-")])
    paid["target"] = f"purse-{other_seat(raws, int(paid['target'][-1]))}"
    total_up(raws)


def pay_whoever_wins_then(raws: Raws, random: Random) -> None:
    """One payment in the last round makes another one win."""
    ended = find_end(raws)
    won = set(ended["winners"])
    for paid in reversed([event for event in _paid(raws) if event["target"].startswith("purse-")]):
        for seat in range(players_of(raws)):
            target = paid["target"]
            paid["target"] = f"purse-{seat}"
            total_up(raws)
            if set(ended["winners"]) != won:
                return
            paid["target"] = target
    raise LookupError


def keep_a_note(raws: Raws, random: Random) -> None:
    """What somebody won is left over."""
    paid = pick(random, [event for event in _paid(raws) if event["target"].startswith("purse-")])
    left = "under" if raws[0]["events"][0]["edition"] in ("classic", "royale") else "box"
    paid["target"] = left
    total_up(raws)


def pay_what_was_left_over(raws: Raws, random: Random) -> None:
    left = [event for event in _paid(raws) if event["target"] in ("under", "box") and "winner" not in event]
    pick(random, left)["target"] = f"purse-{random.randrange(players_of(raws))}"
    total_up(raws)


def pay_the_dearer_note_to_the_second(raws: Raws, random: Random) -> None:
    pairs = [
        (one, two)
        for one, two in zip(_paid(raws), _paid(raws)[1:], strict=False)
        if one["source"] == two["source"] and one["notes"] != two["notes"] and len(two["notes"]) == 1
        if {one["target"][:6], two["target"][:6]} == {"purse-"} and one["target"] != two["target"]
    ]
    one, two = pick(random, pairs)
    one["target"], two["target"] = two["target"], one["target"]
    total_up(raws)


def let_the_tied_stay(raws: Raws, random: Random) -> None:
    drop(raws, pick_event(raws, random, "dice_returned"))


def send_one_of_the_tied_home(raws: Raws, random: Random) -> None:
    tied = pick_event(raws, random, "dice_returned")["owners"]
    tied.pop(random.randrange(len(tied)))


def leave_a_payment_out(raws: Raws, random: Random) -> None:
    drop(raws, pick(random, _paid(raws)))
    total_up(raws)


def give_the_start_to_another(raws: Raws, random: Random) -> None:
    moved = pick_event(raws, random, "token_moved", token="start")
    moved["target"] = f"supply-{other_seat(raws, int(moved['target'][-1]))}"


def _paid(raws: Raws) -> list[Event]:
    find_end(raws)
    return [*events(raws, "notes_moved", source="casino-"), *events(raws, "notes_moved", source="bandit")]


# Answers, questions and tiles


# Of two answers here the same may come: two wrong guesses, two results that do nothing, two bets that lose.
_MAY_BE_ALIKE = ("A1.guess", "H2.result", "B2.bet")


def answer_something_else(raws: Raws, random: Random) -> None:
    """Something that was on offer; what came of it stays."""
    offered = {ask["id"]: ask.get("options", []) for ask in _asks(raws) if ask["prompt"] not in _MAY_BE_ALIKE}
    answers = [raw["command"] for raw in raws if len(offered.get(raw["command"].get("ask"), [])) > 1]
    command = pick(random, [answer for answer in answers if isinstance(answer["choice"], str)])
    command["choice"] = random.choice([one for one in offered[command["ask"]] if one != command["choice"]])


def withhold_an_option(raws: Raws, random: Random) -> None:
    asks = [ask for ask in _asks(raws) if len(ask.get("options", [])) > 1]
    options = pick(random, asks)["options"]
    options.pop(random.randrange(len(options)))


def withhold_an_option_of_a_tile(raws: Raws, random: Random) -> None:
    asks = [ask for ask in _asks(raws) if ask.get("tile") and len(ask["options"]) > 1]
    options = pick(random, asks)["options"]
    options.pop(random.randrange(len(options)))


def offer_one_more(raws: Raws, random: Random) -> None:
    ask = pick(random, [ask for ask in _asks(raws) if ask.get("options")])
    ask["options"].append(
        random.choice([option for option in ("pass", "leave", "place-7") if option not in ask["options"]])
    )


def ask_another_seat(raws: Raws, random: Random) -> None:
    ask = pick(random, [ask for ask in _asks(raws) if len(ask["seats"]) == 1])
    ask["seats"] = [other_seat(raws, ask["seats"][0])]


def rename_a_question(raws: Raws, random: Random) -> None:
    pick(random, _asks(raws))["prompt"] = random.choice(["", "luck", "A1.hidden"])


def rename_a_tile(raws: Raws, random: Random) -> None:
    pick(random, [ask for ask in _asks(raws) if "tile" in ask])["tile"] = random.choice(["", "Z9", "a tile"])


def rename_a_step(raws: Raws, random: Random) -> None:
    agendas = [event["agenda"] for event in events(raws, "agenda_changed") if len(event["agenda"]) > 1]
    pick(random, agendas)[0]["name"] = random.choice(["luck", "payout", "turn"])


def rename_a_counter(raws: Raws, random: Random) -> None:
    pick_event(raws, random, "counter_moved")["counter"] = random.choice(["", "luck", "A9"])


def move_a_counter_further(raws: Raws, random: Random) -> None:
    pick_event(raws, random, "counter_moved")["value"] += 1


def leave_the_jackpot_where_it_is(raws: Raws, random: Random) -> None:
    drop(raws, pick_event(raws, random, "counter_moved", counter="A2"))


def give_a_token_to_another(raws: Raws, random: Random) -> None:
    tokens = [event for event in events(raws, "token_moved") if event["token"] in ("C1", "D2", "E1")]
    moved = pick(random, [event for event in tokens if event["target"][-1].isdigit()])
    kind, _, number = moved["target"].rpartition("-")
    other = other_seat(raws, int(number)) if kind != "casino" else int(number) % 6 + 1
    moved["target"] = f"{kind}-{other}"


def take_no_token(raws: Raws, random: Random) -> None:
    drop(raws, pick_event(raws, random, "token_moved", token="C1", target="purse-"))


def reward_with_more(raws: Raws, random: Random) -> None:
    """Cards that the bank has; what is told of the end fits."""
    paid = pick_event(raws, random, "notes_moved", source="bank", target="purse-")
    paid["notes"] = [paid["notes"][0], *paid["notes"]]
    total_up(raws)


def reward_with_a_chip_more(raws: Raws, random: Random) -> None:
    rewards = [event for raw in raws[1:] for event in raw["events"] if _is_reward(raw, event)]
    pick(random, rewards)["chips"] += 1
    total_up(raws)


def reward_somebody_else(raws: Raws, random: Random) -> None:
    rewards = [event for raw in raws[1:] for event in raw["events"] if _is_reward(raw, event)]
    paid = pick(random, [*rewards, *events(raws, "notes_moved", source="bank", target="purse-")])
    paid["target"] = f"purse-{other_seat(raws, int(paid['target'][-1]))}"
    total_up(raws)


def let_a_tile_pay_nothing(raws: Raws, random: Random) -> None:
    rewards = [event for raw in raws[1:] for event in raw["events"] if _is_reward(raw, event)]
    drop(raws, pick(random, [*rewards, *events(raws, "notes_moved", source="bank", target="purse-")]))
    total_up(raws)


def leave_bad_luck_unpaid(raws: Raws, random: Random) -> None:
    """The debtor of one round."""
    debts = [raw for raw in raws if any(_is_debt(event) for event in raw["events"])]
    raw = pick(random, debts)
    purse = next(event["source"] for event in raw["events"] if _is_debt(event))
    for event in raw["events"][:]:
        if {event.get("source"), event.get("target")} == {purse, "bank"}:
            drop(raws, event)
    total_up(raws)


def let_nobody_owe(raws: Raws, random: Random) -> None:
    drop(raws, pick_event(raws, random, "counter_moved", counter="C2"))


def move_dice_of_another(raws: Raws, random: Random) -> None:
    moved = pick_event(raws, random, "dice_moved", owner="seat-")
    moved["owner"] = f"seat-{other_seat(raws, int(moved['owner'][-1]))}"


def move_dice_elsewhere(raws: Raws, random: Random) -> None:
    moved = pick(
        random,
        [event for event in events(raws, "dice_moved", target="casino-") if event["owner"] != "neutral"],
    )
    moved["target"] = f"casino-{int(moved['target'][-1]) % 6 + 1}"


def let_grey_dice_lie(raws: Raws, random: Random) -> None:
    drop(raws, pick_event(raws, random, "dice_moved", owner="grey"))


def close_another_casino(raws: Raws, random: Random) -> None:
    shut = pick_event(raws, random, "casino_closed")
    shut["number"] = shut["number"] % 6 + 1


def open_no_casino(raws: Raws, random: Random) -> None:
    drop(raws, pick_event(raws, random, "casino_opened"))


def turn_lent_dice_to_another(raws: Raws, random: Random) -> None:
    moved = pick(random, [event for event in events(raws, "dice_moved") if "turned" in event])
    moved["turned"] = f"black-{other_seat(raws, int(moved['turned'][-1]))}"


def hide_something_else(raws: Raws, random: Random) -> None:
    """A sealed answer is another, under the true salt, wherever it is read."""
    asks = {ask["id"]: ask for ask in _asks(raws)}
    sealed = [
        (raw["command"]["choice"], others)
        for raw in raws
        if isinstance(raw["command"].get("choice"), dict)
        and (
            others := [
                o
                for o in asks[raw["command"]["ask"]].get("options", [])
                if o != raw["command"]["choice"]["value"]
            ]
        )
    ]
    true, others = pick(random, sealed)
    value = random.choice(others)
    false = {**true, "value": value, "hidden": commitment(true["salt"], value)}
    _replace_secret(raws, true, false)
    for event in events(raws, "revealed"):
        if event["hidden"] == false["hidden"]:
            event["value"] = value


def cover_a_seal(raws: Raws, random: Random) -> None:
    """What lies on the agenda is another secret than was chosen."""
    pick(random, [ask for ask in _asks(raws) if "secret" in ask])["secret"] = {"hidden": "ab" * 32}


def take_an_answer_out(raws: Raws, random: Random) -> None:
    find_end(raws)
    answers = [number for number, raw in enumerate(raws[:-1]) if raw["command"]["type"] == "choose"]
    del raws[pick(random, answers)]


def ask_for_other_options(raws: Raws, random: Random) -> None:
    """Options that a rule depends on, in command and event."""
    find_end(raws)
    edition = raws[0]["events"][0]["edition"]
    told = raws[0]["events"][0]["options"]
    flags = {"classic": "chip_cards", "modern": "bandit", "cards": "sequential"}
    changed: dict[str, Any] = {"tiles": 5 if told["tiles"] != 5 else 4} if edition == "royale" else {}
    if edition in flags:
        changed = {flags[edition]: not told[flags[edition]]}
    raws[0]["command"].setdefault("options", {}).update(changed)
    told.update(changed)


def change_any_value(raws: Raws, random: Random) -> None:
    """Any number or text of any command or event."""
    find_end(raws)
    commit = random.choice(raws)
    leaves = [*_leaves(commit["command"]), *_leaves(commit["events"])]
    inner, name = pick(random, leaves)
    value = inner[name]
    others: list[Any] = ["", "luck", f"{value}0"] if isinstance(value, str) else [0, 1, value + 1, -1]
    inner[name] = random.choice([other for other in others if other != value])


def _leaves(thing: Any) -> Iterator[tuple[Any, Any]]:
    for name in thing if isinstance(thing, dict) else range(len(thing)):
        if isinstance(thing[name], (dict, list)):
            yield from _leaves(thing[name])
        elif isinstance(thing[name], (int, str)) and not isinstance(thing[name], bool):
            yield thing, name


def drop_any_event(raws: Raws, random: Random) -> None:
    find_end(raws)
    commit = random.choice([raw for raw in raws if raw["events"]])
    drop(raws, random.choice(commit["events"]))


def _asks(raws: Raws) -> list[dict[str, Any]]:
    agendas = (event["agenda"] for event in events(raws, "agenda_changed") if event["agenda"])
    return [agenda[-1] for agenda in agendas if agenda[-1]["kind"] == "ask"]


def _is_reward(raw: dict[str, Any], event: Event) -> bool:
    """Chips for what a tile does: those of the set-up lie before the tiles do."""
    told = raw["events"]
    laid = next((at for at, one in enumerate(told) if one["type"] == "tiles_laid"), -1)
    started = next((at for at, one in enumerate(told) if one["type"] == "round_started"), len(told))
    is_paid = event["type"] == "chips_moved" and event["source"] == "bank"
    return is_paid and not started < told.index(event) < laid and bool(laid > 0 or started == len(told))


def _is_debt(event: Event) -> bool:
    chips = event["type"] == "chips_moved" and event.get("chips", 0) > 1
    notes = event["type"] == "notes_moved" and str(event["source"]).startswith("purse-")
    return (chips or notes) and event["target"] == "bank"


# What no file can prove


def _later(at: str, hours: int) -> str:
    moved = datetime.fromisoformat(at.replace("Z", "+00:00")) + timedelta(hours=hours)
    return moved.strftime("%Y-%m-%dT%H:%M:%S.") + at[-4:]


def play_at_another_time(raws: Raws, random: Random) -> None:
    hours = random.choice([-100, -1, 1, 100])
    for raw in raws:
        raw["at"] = _later(raw["at"], hours)


def note_another_build_of_a_bot(raws: Raws, random: Random) -> None:
    note = pick(random, [raw["bot"] for raw in raws if "bot" in raw])
    note |= {"build": "99", "budget": 12345, "view": "cd" * 32}


def abandon_it_early(raws: Raws, random: Random) -> None:
    """While it waits for a person; only who noted a hash can tell that there was more."""
    end = find_end(raws)
    if "bot" in json.dumps([raw["command"] for raw in raws]):
        raise LookupError
    keep = random.randrange(2, len(raws) - 1)
    closed = {"type": "game_closed", "reason": "abandoned", "seed": end["seed"]}
    command = {"type": "close", "reason": "abandoned"}
    raws[keep:] = [{**raws[keep], "by": "clock", "command": command, "events": [closed]}]


def guess_as_wrongly(raws: Raws, random: Random) -> None:
    """LUCKY PUNCH: of three guesses two are wrong."""
    guessed = [raw for raw in raws if str(raw["command"].get("choice")).startswith("guess-")]
    wrong = [raw for raw in guessed if raw["command"]["choice"][-1] != raw["events"][0].get("value", " ")[-1]]
    raw = pick(random, [raw for raw in wrong if "value" in raw["events"][0]])
    told = {raw["command"]["choice"][-1], raw["events"][0]["value"][-1]}
    raw["command"]["choice"] = f"guess-{({*'123'} - told).pop()}"


def name_players_otherwise(raws: Raws, random: Random) -> None:
    for told in (raws[0]["command"], raws[0]["events"][0]):
        for seat in told["seats"]:
            if "name" in seat:
                seat["name"] = "Somebody"


def excuse_a_bot(raws: Raws, random: Random) -> None:
    """A lower level answered instead."""
    note = pick(random, [raw["bot"] for raw in raws if "bot" in raw and raw["bot"]["name"] != "random"])
    note |= {"instead_of": note["name"], "name": "random", "fault": "it was tired"}


def forget_a_later_option(raws: Raws, random: Random) -> None:
    """As games from before there was that option."""
    told = raws[0]["events"][0]["options"]
    later = [name for name in ("on_timeout", "advice", "total_seconds", "increment_seconds") if name in told]
    asked = raws[0]["command"].get("options", {})
    del told[pick(random, [name for name in later if not {*asked} & {*later}])]


def seat_another_bot(raws: Raws, random: Random) -> None:
    """From the beginning, with notes that say so."""
    find_end(raws)
    if any(raw["command"]["type"] not in ("create", "choose") for raw in raws):
        raise LookupError
    seats = [told["seats"] for told in (raws[0]["command"], raws[0]["events"][0])]
    level = pick(random, [seat["bot"] for seat in seats[0] if "bot" in seat])
    for seat in (*seats[0], *seats[1]):
        if seat.get("bot") == level:
            seat["bot"] = "expert"
    for raw in raws:
        if "bot" in raw:
            raw["bot"] |= {"name": "expert"}


def limit_time_that_nobody_ran_out_of(raws: Raws, random: Random) -> None:
    if any(raw["by"] == "clock" for raw in raws) or "total_seconds" not in raws[0]["events"][0]["options"]:
        raise LookupError
    for told in (raws[0]["command"].setdefault("options", {}), raws[0]["events"][0]["options"]):
        told |= {"turn_seconds": 600, "total_seconds": 86_400}


def hide_the_money(raws: Raws, random: Random) -> None:
    for told in (raws[0]["command"].setdefault("options", {}), raws[0]["events"][0]["options"]):
        told["hide_money"] = not told.get("hide_money", False)


def repeat_another_game(raws: Raws, random: Random) -> None:
    for told in (raws[0]["command"], raws[0]["events"][0]):
        told["rematch_of"] = "g_" + "another".ljust(22, "0")


def let_others_see_it(raws: Raws, random: Random) -> None:
    for told in (raws[0]["command"], raws[0]["events"][0]):
        told["visibility"] = "unlisted"


def forbid_advice(raws: Raws, random: Random) -> None:
    """An option that changes nothing in the log."""
    if "advice" not in raws[0]["events"][0]["options"]:
        raise LookupError
    for told in (raws[0]["command"].setdefault("options", {}), raws[0]["events"][0]["options"]):
        told["advice"] = False


# All of them


def _wrap(told: Callable[[Raws], None], about: str, sealed: bool) -> Told:
    def changed(raws: Raws, random: Random) -> None:
        # A game that was never played has nothing that its seed decided.
        find_end(raws)
        told(raws)

    changed.__name__ = told.__name__ + ("" if sealed else "_and_leave_the_hashes")
    return Told(changed, about, sealed)


def _wrap_at(told: Callable[[Raws, int], None], about: str) -> Told:
    def changed(raws: Raws, random: Random) -> None:
        find_end(raws)
        told(raws, random.randrange(1, len(raws)))

    changed.__name__ = f"{told.__name__}_anywhere"
    return Told(changed, about)


# What those are about that are not about the chain.
_ABOUT = {
    "change_answer": MOVES,
    "change_seat": MOVES,
    "drop_event": MOVES,
    "drop_last_event": MOVES,
    "add_event": MOVES,
    "edit_event": MOVES,
    "edit_command": MOVES,
    "alter_answer": MOVES,
    "remove": MOVES,
    "change_die": DICE,
    "change_notes": DICE,
    "change_winners": SUMS,
}
# A file that lacks its end may be a game that goes on, and a later time is the server's word.
_ELSEWHERE = {"truncate", "truncate_after", "put_off", "hurry_clock"}

_TOLD: dict[str, tuple[Lie, ...]] = {
    CHAIN: (
        bring_other_luck_later,
        fork_off_elsewhere,
        void_alone,
        name_another_bot_in_a_note,
        sit_down_again,
        open_a_seat,
        come_back_unasked,
        fork_in_passing,
        open_a_secret_as_another,
        say_more_in_a_secret,
    ),
    DICE: (
        turn_a_die,
        roll_fewer_dice,
        roll_more_dice,
        empty_a_black_roll,
        swap_black_dice,
        let_the_big_die_be_a_small_one,
        give_a_roll_to_another_seat,
        leave_a_number_out,
        roll_the_same_again,
        draw_other_notes,
        carry_a_number,
        draw_two_things_as_one,
        draw_without_a_number,
        lay_other_tiles,
        let_another_start,
        lay_another_chip_card,
        deal_another_hand,
        seal_with_another_salt,
        seal_the_command_otherwise,
    ),
    SUMS: (
        let_another_win,
        tell_another_total,
        let_the_last_win_with_more,
        swap_totals,
        pay_chips_of_another,
        pay_notes_that_are_not_there,
    ),
    ROUNDS: (
        cut_and_paste_the_end,
        cut_and_add_up,
        end_after_an_early_round,
        end_an_early_round_as_the_last,
        miscount_the_rounds,
        play_a_round_twice,
        close_it_with_an_answer,
        begin_a_round_unasked,
        forget_that_a_round_ended,
        start_a_later_round_elsewhere,
    ),
    CASINOS: (
        pay_a_casino_to_another_purse,
        pay_whoever_wins_then,
        keep_a_note,
        pay_what_was_left_over,
        pay_the_dearer_note_to_the_second,
        let_the_tied_stay,
        send_one_of_the_tied_home,
        leave_a_payment_out,
        give_the_start_to_another,
    ),
    MOVES: (
        answer_something_else,
        withhold_an_option,
        withhold_an_option_of_a_tile,
        offer_one_more,
        ask_another_seat,
        rename_a_question,
        rename_a_tile,
        rename_a_step,
        rename_a_counter,
        move_a_counter_further,
        leave_the_jackpot_where_it_is,
        give_a_token_to_another,
        take_no_token,
        reward_with_more,
        reward_with_a_chip_more,
        reward_somebody_else,
        let_a_tile_pay_nothing,
        leave_bad_luck_unpaid,
        let_nobody_owe,
        move_dice_of_another,
        move_dice_elsewhere,
        let_grey_dice_lie,
        close_another_casino,
        open_no_casino,
        turn_lent_dice_to_another,
        hide_something_else,
        cover_a_seal,
        take_an_answer_out,
        ask_for_other_options,
        change_any_value,
        drop_any_event,
    ),
    WORD: (
        play_at_another_time,
        note_another_build_of_a_bot,
        abandon_it_early,
        guess_as_wrongly,
        name_players_otherwise,
        excuse_a_bot,
        forget_a_later_option,
        seat_another_bot,
        limit_time_that_nobody_ran_out_of,
        hide_the_money,
        repeat_another_game,
        let_others_see_it,
        forbid_advice,
    ),
}
LIES: tuple[Told, ...] = (
    *(_wrap(told, CHAIN, sealed=False) for told in FORGERIES),
    *(
        _wrap(told, _ABOUT.get(told.__name__, CHAIN), sealed=True)
        for told in FORGERIES
        if told.__name__ not in _ELSEWHERE
    ),
    *(
        _wrap_at(told, _ABOUT.get(told.__name__, CHAIN))
        for told in MUTATIONS
        if told.__name__ not in _ELSEWHERE
    ),
    *(Told(told, about) for about, lies in _TOLD.items() for told in lies),
)
