"""From a commit to what happened in it, one fact after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from events.agenda import Ask
from events.commands import Choose, Command
from events.secrecy import Secret
from events.types import ChipsMoved, DicePlaced, DiceReturned, Event, NotesMoved, RoundStarted, TurnStarted
from events.values import OWNER
from rules.editions import EDITIONS
from rules.evolve import fold
from rules.explaining import payments
from rules.explaining.facts import Fact
from rules.explaining.plain_facts import find_plain_facts
from rules.explaining.ranks import find_prize, find_ties
from rules.explaining.scene import Scene, casino_at
from rules.legal import describe_choice, prompt_of
from rules.state import State


def find_facts(before: State, command: Command, events: Sequence[Event]) -> tuple[Fact, ...]:
    """`before` is the table that the command met. Both may be redacted: what is sealed stays so."""
    chosen = find_choice(before, command, events)
    found = walk_facts(before, events, chosen.rule if chosen else "")
    return found if chosen is None else (chosen, *found)


def walk_facts(before: State, events: Sequence[Event], rule: str = "") -> tuple[Fact, ...]:
    """Of the events alone; `rule` is what the answer to them rests on."""
    facts = list[Fact]()
    for found in _walk(before, events, rule):
        if facts and payments.belongs_to(facts[-1], found):
            facts[-1] = payments.join(facts[-1], found)
        else:
            facts.append(found)
    return tuple(facts)


def _walk(before: State, events: Sequence[Event], rule: str) -> Iterator[Fact]:
    first = before if before.edition else fold(before, events[:1])
    tile = (before.ask.tile if before.ask else "") or ""
    all_at_once = any(isinstance(event, TurnStarted) and event.seat is None for event in events)
    scene, state = Scene(first, EDITIONS.of(first), tile, None, all_at_once, rule), before
    for event in events:
        after = fold(state, (event,))
        yield from _find(event, scene, after)
        scene, state = _go_on(scene, event, after), after


def _go_on(scene: Scene, event: Event, after: State) -> Scene:
    tile, casino, rule = scene.tile, scene.casino, scene.rule
    if isinstance(event, DicePlaced):
        tile = scene.tile_at(casino_at(event.target, scene))
    if isinstance(event, NotesMoved):
        casino = casino_at(event.source, scene) or casino
    if isinstance(event, RoundStarted):
        tile, casino, rule = "", None, ""
    return replace(scene, state=after, tile=tile, casino=casino, rule=rule)


def _find(event: Event, scene: Scene, after: State) -> Iterator[Fact]:
    if isinstance(event, DiceReturned):
        yield from find_ties(event, scene)
    elif isinstance(event, (NotesMoved, ChipsMoved)):
        yield from _find_money(event, scene, after)
    else:
        yield from find_plain_facts(event, scene, after)


def _find_money(event: NotesMoved | ChipsMoved, scene: Scene, after: State) -> Iterator[Fact]:
    payment = payments.find_payment(event, scene)
    paying = casino_at(event.source, scene)
    if payment is not None:
        yield payments.attribute(payment, scene)
    elif isinstance(event, NotesMoved) and paying is not None:
        yield find_prize(event, scene, paying)
    elif isinstance(event, NotesMoved):
        yield _stocked(event, replace(scene, state=after))


def _stocked(event: NotesMoved, scene: Scene) -> Fact:
    """Some casinos are there only with their first note."""
    laid, rule = casino_at(event.target, scene), scene.ruleset.sources.set_up
    return Fact("stocked", rule, casino=laid, notes=event.notes, text="" if laid else event.target)


def find_choice(before: State, command: Command, events: Sequence[Event]) -> Fact | None:
    """What was answered, unless dice that are placed say so themselves."""
    ask = before.ask
    if not isinstance(command, Choose) or ask is None or ask.id != command.ask:
        return None
    placed = any(isinstance(event, DicePlaced) and event.seat == command.seat for event in events)
    return None if placed and not ask.tile else _describe(before, ask, command)


def _describe(before: State, ask: Ask, command: Choose) -> Fact:
    prompt, owner, tile = prompt_of(before, ask), OWNER[command.seat], ask.tile or None
    sealed = isinstance(command.choice, Secret)
    choice = command.choice.value if isinstance(command.choice, Secret) else command.choice
    if choice is None:
        return Fact("sealed", prompt.rule, owner, tile=tile)
    label = describe_choice(prompt, before, ask, command.seat, choice).label
    return Fact("sealed" if sealed else "chose", prompt.rule_of(choice), owner, tile=tile, text=label)
