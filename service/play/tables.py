"""The table as JSON, for a seat or a spectator: built from the redacted view and nothing else."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from events.agenda import Ask
from events.secrecy import Secret
from events.values import (
    CASINO,
    CASINO_NUMBERS,
    NEUTRAL,
    SUPPLY,
    UNDER,
    Dice,
    Owner,
    Place,
    plays_for,
)
from rules.editions import EDITIONS
from rules.legal import legal, prompt_of
from rules.scoring import money, total
from rules.shown import ExtraCasino, Shows
from rules.state import State
from rules.view import view
from service.play.snapshots import Snapshot
from service.timestamps import stamp

Json = dict[str, Any]


def table_of(snapshot: Snapshot, viewer: int | None, everything: bool = False) -> Json:
    """The table of a game as it stands or stood."""
    deadline = snapshot.deadline
    until = None if deadline is None else stamp(deadline)
    return render(snapshot.state, viewer, snapshot.version, everything, until)


def render(
    state: State, viewer: int | None, version: int, everything: bool = False, deadline: str | None = None
) -> Json:
    """What the viewer, a seat or None for a spectator, may know.

    `everything` is for an earlier version of a game that is over by now (S1).
    """
    seen = state if everything else view(state, viewer)
    covered = bool(seen.options.get("hide_money")) and not everything and seen.status != "over"
    table: Json = {
        "id": seen.game,
        "version": version,
        "edition": seen.edition,
        "options": seen.options,
        "status": seen.status,
        "round": seen.round,
        "rounds": EDITIONS.of(seen).rounds,
        "starter": seen.starter if seen.round else None,
        "turn": seen.turn,
        "seats": [_seat(seen, seat, covered and seat != viewer) for seat in range(len(seen.seats))],
        "casinos": _casinos(seen),
        "roll": to_builtins(seen.roll),
        "asks": _asks(seen, viewer, deadline),
        "winners": seen.winners,
    }
    return table | _supplies(seen) | _more(seen)


def _supplies(state: State) -> Json:
    """Notes that are not at a casino; how many are unseen is no secret, which come next is not known."""
    return {"pile": len(state.unseen), "under": state.notes.get(UNDER, ())}


# Members that only some games have; the mechanisms of the edition add them.


def _more(state: State) -> Json:
    return {name: value for shows in _shows(state) for name, value in shows.table(state).items()}


def _more_of_seat(state: State, seat: int) -> Json:
    return {name: value for shows in _shows(state) for name, value in shows.seat(state, seat).items()}


def _more_of_casino(state: State, number: int) -> Json:
    return {name: value for shows in _shows(state) for name, value in shows.casino(state, number).items()}


def _shows(state: State) -> tuple[Shows, ...]:
    return EDITIONS.of(state).shows


# Seats


def _seat(state: State, seat: int, covered: bool) -> Json:
    taken, supply = state.seats[seat], state.supply_of(seat)
    shown: Json = {
        "seat": seat,
        "name": taken.name,
        "kind": "human" if taken.bot is None else "bot",
        "dice": supply.count,
        "big": bool(supply.big),
        "neutral_dice": state.dice_of(NEUTRAL, SUPPLY[seat]).count,
        "chips": state.chips_of(seat),
        **_winnings(state, seat, covered),
    }
    if taken.bot is not None:
        shown["bot"] = taken.bot
    if taken.name is None:
        shown["open"] = True
    return shown | _more_of_seat(state, seat)


def _winnings(state: State, seat: int, covered: bool) -> Json:
    """The winnings of others stay covered until the end where that was agreed (M8, S2)."""
    if covered:
        return {"notes": None, "money": None, "total": None}
    return {
        "notes": _falling(state.notes_of(seat)),
        "money": money(state, seat),
        "total": total(state, seat),
    }


# Casinos


def _casinos(state: State) -> list[Json]:
    if state.status == "lobby":
        return []
    extra = [_extra(state, casino) for shows in _shows(state) for casino in shows.casinos(state)]
    return [*(_casino(state, number) for number in CASINO_NUMBERS), *extra]


def _casino(state: State, number: int) -> Json:
    casino: Json = {
        "number": number,
        "name": EDITIONS.of(state).casinos[number - 1],
        "notes": _falling(state.notes_at(number)),
        "closed": number in state.closed,
        "tile": _tile(state, number),
        "dice": _dice(state, CASINO[number]),
    }
    return casino | _more_of_casino(state, number)


def _extra(state: State, casino: ExtraCasino) -> Json:
    return {
        "number": casino.number,
        "name": casino.name,
        "notes": _falling(state.notes[casino.place]),
        "closed": False,
        "tile": None,
        "dice": [{**lot, "face": face} for face, place in casino.stacks for lot in _dice(state, place)],
    }


def _tile(state: State, number: int) -> Json | None:
    if number > len(state.tiles):
        return None
    tile = EDITIONS.of(state).tiles[state.tiles[number - 1]]
    return {"code": tile.code, "name": tile.name, "text": tile.text, "shows": tile.shows(state)}


def _dice(state: State, place: Place) -> list[Json]:
    """By the player they count for: dice lent for a round are their player's own."""
    lots: dict[Owner, Dice] = {}
    for owner, lot in state.heap(place).items():
        player = plays_for(owner)
        other = lots.get(player)
        lots[player] = lot if other is None else Dice(other.small + lot.small, other.big + lot.big)
    return [
        {"owner": owner, "small": lot.small, "big": lot.big, "weight": lot.weight}
        for owner, lot in lots.items()
        if lot.small or lot.big
    ]


def _falling(notes: tuple[int, ...]) -> list[int]:
    return sorted(notes, reverse=True)


# Asks


def _asks(state: State, viewer: int | None, deadline: str | None) -> list[Json]:
    ask = state.ask
    return [] if ask is None else [_ask(state, ask, viewer) | {"deadline": deadline}]


def _ask(state: State, ask: Ask, viewer: int | None) -> Json:
    """Who is awaited is for everybody, the options are for the seat that is asked."""
    yours = viewer in ask.awaited
    shown: Json = {
        "ask": ask.id,
        "prompt": ask.prompt,
        "seats": ask.awaited,
        "yours": yours,
        "options": _options(state, viewer) if yours and viewer is not None else [],
    }
    if ask.number is not None:
        shown["casino"] = ask.number
    if ask.tile:
        shown["tile"] = ask.tile
    return shown | _answer(state, ask, viewer)


def _answer(state: State, ask: Ask, viewer: int | None) -> Json:
    """One's own answer while others are still awaited; a view keeps it from everybody else (C2)."""
    for answer in ask.answers:
        choice = answer.choice.value if isinstance(answer.choice, Secret) else answer.choice
        if viewer is not None and answer.seat == viewer and choice is not None:
            return {"answer": _option(state, ask, viewer, choice)}
    return {}


def _option(state: State, ask: Ask, seat: int, choice: str) -> Json:
    return {"choice": choice, "label": prompt_of(state, ask).label(state, ask, seat, choice)}


def _options(state: State, seat: int) -> list[Json]:
    return [{"choice": option.choice, "label": option.label} for option in legal(state, seat)]
