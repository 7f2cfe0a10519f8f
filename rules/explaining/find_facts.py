"""From a commit to what happened in it, one fact after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from events.agenda import Ask
from events.commands import Choose, Command
from events.secrecy import Secret
from events.types import (
    AgendaChanged,
    ChipsMoved,
    DiceMoved,
    DicePlaced,
    DiceReturned,
    Event,
    NotesMoved,
    RoundEnded,
    RoundStarted,
    TurnStarted,
)
from events.values import OWNER
from rules.attendance import AWAY, TIMEOUT
from rules.editions import EDITIONS
from rules.evolve import fold
from rules.explaining import payments
from rules.explaining.facts import Fact
from rules.explaining.plain_facts import find_plain_facts
from rules.explaining.ranks import find_prize, find_ties, find_ties_on_tile
from rules.explaining.scene import Scene, casino_at
from rules.legal import describe_choice, prompt_of
from rules.mechanics.starting import START
from rules.state import State
from rules.tiles import g2_double_down


def find_facts(before: State, command: Command, events: Sequence[Event]) -> tuple[Fact, ...]:
    """`before` is the table that the command met. Both may be redacted: what is sealed stays so."""
    chosen = find_choice(before, command, events)
    told = [*find_stand_in(command), *([] if chosen is None else [chosen])]
    return (*told, *walk_facts(before, command, events, chosen.rule if chosen else ""))


def walk_facts(before: State, command: Command, events: Sequence[Event], rule: str = "") -> tuple[Fact, ...]:
    """Without what was answered; `rule` is what that rests on."""
    facts = list[Fact]()
    for found in _walk(_open_scene(before, command, events, rule), before, events):
        if facts and payments.belongs_to(facts[-1], found):
            facts[-1] = payments.join(facts[-1], found)
        else:
            facts.append(found)
    return tuple(facts)


def _open_scene(before: State, command: Command, events: Sequence[Event], rule: str) -> Scene:
    first = before if before.edition else fold(before, events[:1])
    ruleset = EDITIONS.of(first)
    tile = _find_acting_tile(before, command)
    return Scene(
        state=first,
        ruleset=ruleset,
        tile=tile,
        all_at_once=any(isinstance(event, TurnStarted) and event.seat is None for event in events),
        rule=rule,
        asks=_find_next_ask(events),
        opens=bool(tile) and ruleset.tiles[tile].before_roll is not None,
    )


def _find_acting_tile(before: State, command: Command) -> str:
    """The one that asked, or the one that it was told to activate (T8)."""
    ask = before.ask
    if ask is None or not ask.tile or not isinstance(command, Choose) or isinstance(command.choice, Secret):
        return "" if ask is None else ask.tile
    told = prompt_of(before, ask).about(before, ask, command.seat, command.choice).targets
    return next((target.tile for target in told if target.tile), ask.tile)


def _find_next_ask(events: Sequence[Event]) -> Ask | None:
    agendas = [event.agenda for event in events if isinstance(event, AgendaChanged)]
    ask = agendas[-1][-1] if agendas and agendas[-1] else None
    return ask if isinstance(ask, Ask) else None


def _walk(scene: Scene, state: State, events: Sequence[Event]) -> Iterator[Fact]:
    for event in events:
        after = fold(state, (event,))
        yield from _find(event, scene, after)
        scene, state = _go_on(scene, event, after), after


def _go_on(scene: Scene, event: Event, after: State) -> Scene:
    tile, casino, rule, stays = scene.tile, scene.casino, scene.rule, scene.stays
    if isinstance(event, DicePlaced) or (scene.opens and isinstance(event, DiceMoved)):
        tile = scene.tile_at(casino_at(event.target, scene))
    opens = scene.opens and not isinstance(event, DiceMoved)
    if isinstance(event, NotesMoved):
        casino = casino_at(event.source, scene) or casino
    if isinstance(event, RoundEnded):
        stays = scene.ruleset.sources.starts_by == "last_winner" and START not in scene.state.tokens
    if isinstance(event, RoundStarted):
        tile, casino, rule = "", None, ""
    return replace(scene, state=after, tile=tile, casino=casino, rule=rule, stays=stays, opens=opens)


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
        if paying != scene.casino and scene.tile_at(paying) == g2_double_down.CODE:
            yield from find_ties_on_tile(scene)
        yield find_prize(event, scene, paying)
    elif isinstance(event, NotesMoved):
        yield _stocked(event, replace(scene, state=after))


def _stocked(event: NotesMoved, scene: Scene) -> Fact:
    """Some casinos are there only with their first note."""
    laid, rule = casino_at(event.target, scene), scene.ruleset.sources.set_up
    return Fact("stocked", rule, casino=laid, notes=event.notes, text="" if laid else event.target)


def find_stand_in(command: Command) -> Iterator[Fact]:
    """Who answers in somebody's place, and why (W1, W4, W9)."""
    if isinstance(command, Choose) and command.bot:
        rule = "W1, W9" if command.why == TIMEOUT else "W4"
        yield Fact(command.why or AWAY, rule, OWNER[command.seat], text=command.bot)


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
