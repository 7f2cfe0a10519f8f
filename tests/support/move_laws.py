"""What must hold at every move of a game, whatever is played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import reduce
from typing import Any

import msgspec
from msgspec import Struct

from events.agenda import Ask
from events.commands import Choose
from events.secrecy import Secret, redact
from events.values import BANK, BLACK, CASINO, LENT
from rules.decide import run_command
from rules.editions import EDITIONS
from rules.evolve import evolve
from rules.legal import choices, legal
from rules.mechanics.card_turn import laid_cards, unseen_cards
from rules.state import State, view
from rules.tile import Tile
from tests.support.game_loop import Move, Plan, SeededChance


class Things(Struct, frozen=True):
    """Dice by owner and size, notes, chip cards, and the cards of every seat; chips are without number."""

    dice: Counter[tuple[str, str]]
    notes: Counter[int]
    chip_cards: Counter[str]
    cards: tuple[Counter[str], ...]


def check_move(move: Move, things: Things) -> None:
    """All of them, after one move of a game that was dealt these things."""
    check_replay(move)
    check_conservation(move.after, things)
    check_descriptions(move.after)
    check_secrecy(move)


def check_replay(move: Move) -> None:
    """Folding the events again leads to the same table."""
    assert reduce(evolve, move.events, move.before) == move.after


# Things


def things_dealt(plan: Plan) -> Things:
    """What the edition says comes out of the box."""
    rules, dice = EDITIONS.newest[plan.edition], Counter[tuple[str, str]]()
    options = {spec.name: plan.options.get(spec.name, spec.default) for spec in rules.options}
    for lot in rules.dice(plan.players, options):
        dice += Counter({(lot.owner, "small"): lot.small, (lot.owner, "big"): lot.big})
    decks = tuple(Counter(deck) for deck in rules.decks(plan.players))
    return Things(dice, Counter(rules.notes), Counter(rules.chip_cards(options)), decks)


def things_of(state: State) -> Things:
    """Wherever they lie; what lies at a casino is cards where everybody has a deck."""
    dice: Counter[tuple[str, str]] = Counter()
    for place, heap in state.dice.items():
        for owner, lot in heap.items():
            assert lot.small >= 0
            assert lot.big >= 0
            if not state.decks or place not in CASINO:
                colour = BLACK if owner in LENT else owner
                dice[colour, "small"] += lot.small
                dice[colour, "big"] += lot.big
    notes = Counter(note for notes in state.notes.values() for note in notes)
    chip_cards = Counter(card for cards in state.chip_cards.values() for card in cards)
    return Things(dice, notes, chip_cards, tuple(cards_of(state, seat) for seat in range(len(state.decks))))


def cards_of(state: State, seat: int) -> Counter[str]:
    """Hand, glass, casinos and the unseen."""
    hidden = [*state.glasses.get(seat, ()), *([state.hands[seat]] if seat in state.hands else [])]
    known = [card for secret in hidden for card in secret.contents]
    return Counter([*known, *laid_cards(state, seat), *unseen_cards(state, seat)])


def check_conservation(state: State, things: Things) -> None:
    """All are as many as came out of the box; chips come from the bank, which never runs short."""
    assert things_of(state) == things
    assert sum(state.chips.values()) == 0
    assert all(chips >= 0 for place, chips in state.chips.items() if place != BANK)
    if state.roll is not None and state.status == "playing":
        hand = state.supply_of(state.roll.seat)
        assert len(state.roll.own) <= hand.small
        assert state.roll.big is None or hand.big


# Asks


def check_descriptions(state: State) -> None:
    """Every option has a label of its own, the same in the seat's own view; every tile can be shown."""
    for seat in awaited_seats(state):
        options = legal(state, seat)
        labels = {option.label for option in options}
        assert options
        assert "" not in labels
        assert len(labels) == len(options)
        assert legal(view(state, seat), seat) == options
    for code in state.tiles:
        check_declared_members(EDITIONS.of(state).tiles[code], state)


def check_declared_members(tile: Tile, state: State) -> None:
    """All members that the tile declares, each of the type it says, and no others."""
    shown = tile.shows(state)
    assert shown.keys() == tile.members.keys()
    for name, value in msgspec.json.decode(msgspec.json.encode(shown)).items():
        msgspec.convert(value, tile.members[name].shape)


def awaited_seats(state: State) -> tuple[int, ...]:
    return () if state.ask is None else state.ask.awaited


def check_acceptance(state: State, chance: SeededChance) -> None:
    """Whatever is listed can be answered."""
    for seat in awaited_seats(state):
        for choice in choices(state, seat):
            assert run_command(state, Choose(state.asked, seat, choice), chance).events


def check_asks(move: Move) -> None:
    """One ask at most, on top of the agenda; each has the number after the one before."""
    below, asked = move.after.agenda[:-1], move.after.asked - move.before.asked
    assert not any(isinstance(item, Ask) for item in below)
    assert asked in (0, 1)
    ask = move.after.ask
    assert (ask is None) == (move.after.status != "playing")
    assert ask is None or ask.id == move.after.asked
    assert asked or ask is None or move.before.ask is not None


# Secrets


def check_secrecy(move: Move) -> None:
    """Views and events of strangers lack value and salt, and folding what they see gives what they see."""
    if b'"hidden"' not in msgspec.json.encode((move.before, move.events, move.after)):
        assert redact((move.events, move.after), None) == (move.events, move.after)
        return
    sealed = list(secrets(move.after))
    for viewer in (None, *range(len(move.after.seats))):
        check_redaction(move, viewer)
        seen = redact((move.events, move.after), viewer)
        assert all(viewer in secret.audience for secret in secrets(seen) if secret != Secret(secret.hidden))
        told = {str(secret.salt) for secret in sealed if viewer not in secret.audience}
        told |= {secret.contents for secret in pending_secrets(move.after) if viewer not in secret.audience}
        text = msgspec.json.encode((seen, view(move.after, viewer))).decode()
        assert move.after.status == "over" or not any(secret in text for secret in told)


def check_redaction(move: Move, viewer: int | None) -> None:
    """What a viewer makes of the events that reach them is what they may see, fact by fact."""
    state, seen = move.before, redact(move.before, viewer)
    for event in move.events:
        state, seen = evolve(state, event), evolve(seen, redact(event, viewer))
        assert redact(state, viewer) == seen


def pending_secrets(state: State) -> list[Secret[str]]:
    """What waits on the agenda to be revealed."""
    return [item.secret for item in state.agenda if item.secret is not None]


def secrets(thing: Any) -> Iterator[Secret[Any]]:
    """Every secret in a thing, found by looking everywhere."""
    if isinstance(thing, Secret):
        yield thing
    elif isinstance(thing, Struct):
        yield from secrets(tuple(getattr(thing, name) for name in thing.__struct_fields__))
    elif isinstance(thing, (tuple, dict)):
        for item in thing.values() if isinstance(thing, dict) else thing:
            yield from secrets(item)
