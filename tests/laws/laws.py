"""What must hold at every move of a game, whatever tiles lie out."""

from __future__ import annotations

from collections import Counter
from functools import reduce

import msgspec

from events.commands import Choose
from events.secrecy import Secret, redact
from events.values import BANK, BLACK, LENT
from rules.decide import played
from rules.editions import EDITIONS
from rules.evolve import evolve
from rules.legal import choices, legal
from rules.state import State
from rules.view import view
from tests.laws.moves import Move, Seeded

Things = tuple[Counter[tuple[str, str]], Counter[int]]


def hold(move: Move, things: Things) -> None:
    """All of them, after one move of a game that was dealt these things."""
    replays(move)
    conserves(move.after, things)
    describes(move.after)
    if secrets(move.before) or secrets(move.after):
        hides(move)


def replays(move: Move) -> None:
    """Folding the events again leads to the same table."""
    assert reduce(evolve, move.events, move.before) == move.after


def things_of(state: State) -> Things:
    """Dice by owner and size, and notes, wherever they lie."""
    dice: Counter[tuple[str, str]] = Counter()
    for heap in state.dice.values():
        for owner, lot in heap.items():
            assert lot.small >= 0
            assert lot.big >= 0
            colour = BLACK if owner in LENT else owner
            dice[colour, "small"] += lot.small
            dice[colour, "big"] += lot.big
    return dice, Counter(note for notes in state.notes.values() for note in notes)


def conserves(state: State, things: Things) -> None:
    """Dice and notes are as many as came out of the box; chips come from the bank, which never runs short."""
    assert things_of(state) == things
    assert sum(state.chips.values()) == 0
    assert all(chips >= 0 for place, chips in state.chips.items() if place != BANK)
    if state.roll is not None and state.status == "playing":
        hand = state.supply_of(state.roll.seat)
        assert len(state.roll.own) <= hand.small
        assert state.roll.big is None or hand.big


def describes(state: State) -> None:
    """Every option has a label of its own, the same in the seat's own view; every tile can be shown."""
    for seat in awaited(state):
        options = legal(state, seat)
        labels = {option.label for option in options}
        assert options
        assert "" not in labels
        assert len(labels) == len(options)
        assert legal(view(state, seat), seat) == options
    for code in state.tiles:
        msgspec.json.encode(EDITIONS[state.edition].tiles[code].shows(state))


def awaited(state: State) -> tuple[int, ...]:
    return () if state.ask is None else state.ask.awaited


def accepts(state: State, chance: Seeded) -> None:
    """Whatever is listed can be answered."""
    for seat in awaited(state):
        for choice in choices(state, seat):
            assert played(state, Choose(state.asked, seat, choice), chance).events


def hides(move: Move) -> None:
    """Views and events of strangers lack value and salt, and folding what they see gives what they see."""
    for viewer in (None, *range(len(move.after.seats))):
        sealed = [secret for secret in secrets(move.after) if viewer not in secret.audience]
        seen = redact(move.events, viewer)
        text = msgspec.json.encode((seen, view(move.after, viewer))).decode()
        assert not any(secret.opened in text or str(secret.salt) in text for secret in sealed)
        assert reduce(evolve, seen, redact(move.before, viewer)) == redact(move.after, viewer)


def secrets(state: State) -> list[Secret[str]]:
    """What waits on the agenda to be revealed."""
    return [item.secret for item in state.agenda if item.secret is not None]
