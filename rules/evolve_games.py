"""What the beginnings and ends of games and rounds make of a state."""

from __future__ import annotations

from msgspec.structs import replace

from events.types import GameClosed, GameCreated, GameEnded, GameStarted
from events.values import PILE, UNDER, Place, SeatPlan
from rules.evolve_dice import add_dice
from rules.state import NOTHING, Heap, Seat, State


def round_ended(state: State) -> State:
    """Every die goes back to where it lay when it came out of the box."""
    return replace(
        state,
        dice=state.outfit,
        roll=None,
        hands={},
        glasses={},
        tiles=(),
        tokens={},
        counters={},
        closed=(),
    )


def game_created(event: GameCreated) -> State:
    return State(
        game=event.game,
        edition=event.edition,
        release=event.rules,
        commitment=event.commitment,
        options=event.options,
        seats=tuple(map(planned_seat, event.seats)),
        rematch_of=event.rematch_of,
        visibility=event.visibility,
    )


def planned_seat(plan: SeatPlan) -> Seat:
    name = plan.name or plan.bot or plan.player or None
    seat = Seat(name, plan.bot, plan.entropy, plan.player, plan.name_commitment)
    return replace(seat, seconds=plan.seconds, fallback=plan.fallback) if plan.fallback else seat


def game_started(state: State, event: GameStarted) -> State:
    dice: dict[Place, Heap] = {}
    for lot in event.dice:
        dice[lot.place] = add_dice(dice.get(lot.place, NOTHING), lot.owner, lot.small, lot.big)
    notes: dict[Place, tuple[int, ...]] = {PILE: event.notes, UNDER: ()}
    chip_cards: dict[Place, tuple[str, ...]] = {PILE: event.chip_cards} if event.chip_cards else {}
    return replace(
        state,
        status="playing",
        outfit=dice,
        dice=dice,
        notes=notes,
        decks=event.decks,
        chip_cards=chip_cards,
        tile_box=event.tiles,
    )


def game_over(state: State, event: GameEnded | GameClosed) -> State:
    """What lies on the table stays there; a game that was closed has nobody to wait for."""
    if isinstance(event, GameEnded):
        return replace(state, status="over", winners=event.winners, seed=event.seed, turn=None)
    return replace(
        state, status="over", close_reason=event.reason, seed=event.seed, turn=None, roll=None, agenda=()
    )
