"""Renders a table for one seat or a spectator, from the redacted view alone.

Members that only some games have are UNSET in all others, and then not sent.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from events.agenda import Ask
from events.secrecy import Secret
from events.types import OptionValue
from events.values import (
    CASINO,
    CASINO_NUMBERS,
    NEUTRAL,
    SUPPLY,
    UNDER,
    Dice,
    GameId,
    Moment,
    Owner,
    Place,
    Visibility,
    plays_for,
    seat_of,
)
from rules import EDITIONS, State, legal, view
from rules.extension import ExtraCasino, HiddenValue, Standing, add_members
from rules.legal import describe_choice, prompt_of
from rules.prompt import Option
from rules.ruleset import Ruleset
from rules.scoring import money, places, total
from rules.state import Heap, Roll, Status
from service.games.snapshots import Snapshot
from service.timestamps import stamp

# No postponed annotations here: msgspec would look for their names at every use.


class TileShown(Struct, frozen=True, gc=False):
    code: str
    name: str
    text: str
    shows: dict[str, Any]


class DiceShown(Struct, frozen=True, gc=False):
    """`face` is there where the numbers of the dice still matter."""

    owner: str
    seat: int | None
    small: Annotated[int, Meta(description="Of cards, those with a single die.")]
    big: Annotated[int, Meta(description="Of cards, those with two dice.")]
    weight: int
    face: int | UnsetType = UNSET


class CasinoShown(Struct, frozen=True, gc=False):
    number: int | Literal["bandit"]
    name: str
    notes: tuple[int, ...]
    closed: bool
    tile: TileShown | None
    dice: tuple[DiceShown, ...]
    standing: Annotated[
        tuple[Standing, ...],
        Meta(
            description="What everybody there would get if the round ended now, whoever gets most first; "
            "then those who get nothing because they are tied."
        ),
    ]
    chip_cards: tuple[str, ...] | UnsetType = UNSET


class RemoteShown(Struct, frozen=True, gc=False):
    """A program from elsewhere has so many seconds for an answer; then this level answers (W13)."""

    seconds: int
    fallback: str


class SeatShown(Struct, frozen=True, gc=False):
    """Notes, money and total are null where they are hidden from the caller."""

    seat: int
    name: str | None
    kind: Literal["human", "bot"]
    dice: int
    big: bool
    neutral_dice: int
    chips: int
    note_count: Annotated[int, Meta(description="How many notes the seat has won; never hidden.")]
    notes: tuple[int, ...] | None
    money: int | None
    total: int | None
    place: Annotated[
        int | UnsetType,
        Meta(
            description="Once the game is won: 1 for the winners, then by money and notes. Equals share it."
        ),
    ] = UNSET
    bot: str | UnsetType = UNSET
    open: bool | UnsetType = UNSET
    stand_in: Annotated[
        str | UnsetType,
        Meta(description="The bot that answers while the person is away, until they answer or return."),
    ] = UNSET
    player: Annotated[
        str | UnsetType, Meta(description="Who sits there, for `GET /v1/players/{player}`.")
    ] = UNSET
    remote: RemoteShown | UnsetType = UNSET
    chip_cards: tuple[str, ...] | UnsetType = UNSET
    hand: tuple[str, ...] | HiddenValue | UnsetType = UNSET
    glass: tuple[tuple[str, ...] | HiddenValue, ...] | UnsetType = UNSET
    placed: Annotated[int | UnsetType, Meta(description="Cards placed this round; eight put a seat out.")] = (
        UNSET
    )
    out: Annotated[bool | UnsetType, Meta(description="Has no turn left in this round of the card game.")] = (
        UNSET
    )


class AskShown(Struct, frozen=True, gc=False):
    """`seats` are awaited, `options` are for the caller if asked; at `deadline` people are answered for."""

    ask: int
    prompt: str
    seats: tuple[int, ...]
    yours: bool
    options: tuple[Option, ...]
    deadline: Moment | None
    casino: int | UnsetType = UNSET
    tile: str | UnsetType = UNSET
    answer: Annotated[
        Option | UnsetType,
        Meta(description="The caller's own while others are awaited, seen by nobody else."),
    ] = UNSET


class ClockShown(Struct, frozen=True, gc=False):
    """Of a person: `seconds` left in all when the last ask was put; the deadline, if the clock is running."""

    seat: int
    seconds: float
    deadline: Moment | None


class ClosedShown(Struct, frozen=True, gc=False):
    """Why the game ended without winners; others may follow.

    `not_filled` (W2), `abandoned` (W3), `cancelled` by its host (W6), `voided` by all people (W7).
    """

    reason: str


class ForkShown(Struct, frozen=True, gc=False):
    """The game and the version that this one began with."""

    game: GameId
    at: int


class TableShown(Struct, frozen=True, gc=False):
    """The table as the caller may see it. Editions add members and rename none."""

    id: GameId
    version: int
    edition: str
    release: int
    options: dict[str, OptionValue]
    status: Status
    round: int
    rounds: int
    starter: int | None
    turn: int | None
    you: Annotated[int | None, Meta(description="The caller's seat; null for a spectator.")]
    seats: tuple[SeatShown, ...]
    casinos: tuple[CasinoShown, ...]
    roll: Roll | None
    asks: tuple[AskShown, ...]
    winners: tuple[int, ...] | None
    visibility: Visibility
    pile: int | UnsetType = UNSET
    under: tuple[int, ...] | UnsetType = UNSET
    bank: tuple[int, ...] | UnsetType = UNSET
    turn_number: Annotated[
        int | UnsetType,
        Meta(description="Of the card game; in sequence that of the seat whose turn it is."),
    ] = UNSET
    most_turns: Annotated[int | UnsetType, Meta(description="Turns that a seat has in a round of cards.")] = (
        UNSET
    )
    closed: Annotated[
        ClosedShown | UnsetType, Meta(description="Only of a game that was closed before its end.")
    ] = UNSET
    clock: Annotated[
        tuple[ClockShown, ...] | UnsetType,
        Meta(description="Of a game with `total_seconds` that has started: what people have left of it."),
    ] = UNSET
    host: Annotated[
        int | UnsetType | None,
        Meta(description="While the game has not started: the seat that may start or cancel it."),
    ] = UNSET
    void: Annotated[
        tuple[int, ...] | UnsetType,
        Meta(description="The seats that want the game to end without winners; it does when all people do."),
    ] = UNSET
    rematch: Annotated[str | UnsetType, Meta(description="The game that followed this one.")] = UNSET
    rematch_of: Annotated[str | UnsetType, Meta(description="The game that this one followed.")] = UNSET
    fork: Annotated[
        ForkShown | UnsetType, Meta(description="Only of a game that was forked off another.")
    ] = UNSET
    imported: Annotated[
        Moment | UnsetType, Meta(description="Since when a game that was played elsewhere is here.")
    ] = UNSET
    sandbox: Annotated[
        bool | UnsetType,
        Meta(
            description="`true` for a game whose creator chose the dice. It is in no list and rates nobody."
        ),
    ] = UNSET


def render_casinos(state: State, ruleset: Ruleset) -> tuple[CasinoShown, ...]:
    """Return the six casinos by number, then those that a mechanism adds; none before the start."""
    if state.status == "lobby":
        return ()
    extra = [
        _extra_casino(state, casino)
        for extension in ruleset.extensions
        for casino in extension.casinos(state)
    ]
    return (*(_casino(state, ruleset, number) for number in CASINO_NUMBERS), *extra)


def _casino(state: State, ruleset: Ruleset, number: int) -> CasinoShown:
    """Return one of the six casinos."""
    casino = CasinoShown(
        number=number,
        name=ruleset.casinos[number - 1],
        notes=_highest_first(state.notes_at(number)),
        closed=number in state.closed,
        tile=_tile(state, ruleset, number),
        dice=_dice(state, CASINO[number]),
        standing=ruleset.standing(state, number),
    )
    return add_members(casino, [extension.casino(state, number) for extension in ruleset.extensions])


def _extra_casino(state: State, casino: ExtraCasino) -> CasinoShown:
    """Return a casino that a mechanism adds."""
    return CasinoShown(
        number=casino.number,
        name=casino.name,
        notes=_highest_first(state.notes[casino.place]),
        closed=False,
        tile=None,
        dice=tuple(dice for face, place in casino.stacks for dice in _dice(state, place, face)),
        standing=casino.standing,
    )


def _tile(state: State, ruleset: Ruleset, number: int) -> TileShown | None:
    """Return the tile at a casino, or None."""
    if number > len(state.tiles):
        return None
    tile = ruleset.tiles[state.tiles[number - 1]]
    return TileShown(tile.code, tile.name, tile.text, tile.shows(state))


def _dice(state: State, place: Place, face: int | UnsetType = UNSET) -> tuple[DiceShown, ...]:
    """Return the dice at a place, by owner."""
    dice = [
        DiceShown(owner, seat_of(owner), lot.small, lot.big, lot.weight, face)
        for owner, lot in _lots(state.heap(place)).items()
        if lot.small or lot.big
    ]
    return tuple(dice)


def _lots(heap: Heap) -> Heap:
    """Return dice by the player they count for: dice lent for a round are their player's own."""
    lots: dict[Owner, Dice] = {}
    for owner, lot in heap.items():
        player = plays_for(owner)
        other = lots.get(player)
        lots[player] = lot if other is None else Dice(other.small + lot.small, other.big + lot.big)
    return lots


def _highest_first(notes: tuple[int, ...]) -> tuple[int, ...]:
    """Return notes ordered from the highest down."""
    return tuple(sorted(notes, reverse=True))


def render_snapshot(snapshot: Snapshot, viewer: int | None, everything: bool = False) -> TableShown:
    """Return the table of a game at the snapshot's version, as the viewer may see it."""
    own = viewer is not None and viewer in snapshot.people_asked
    deadline = snapshot.deadline_of(viewer) if own and viewer is not None else snapshot.deadline
    table = render_table(snapshot.state, viewer, snapshot.version, everything, _stamp(deadline))
    if snapshot.imported_at:
        # Its log names the id that it had elsewhere, which another game may have here.
        table = replace(table, id=snapshot.game, imported=snapshot.imported_at)
    return replace(table, clock=_clock(snapshot)) if snapshot.left else table


def _clock(snapshot: Snapshot) -> tuple[ClockShown, ...]:
    """Return the clocks of people; one that is running has a deadline."""
    running = snapshot.people_asked
    bots = [seat.bot for seat in snapshot.state.seats]
    return tuple(
        ClockShown(seat, left / 1000, _stamp(snapshot.deadline_of(seat)) if seat in running else None)
        for seat, left in enumerate(snapshot.left)
        if bots[seat] is None
    )


def _stamp(moment: datetime | None) -> str | None:
    """Return a moment as text, or None."""
    return None if moment is None else stamp(moment)


def render_table(
    state: State, viewer: int | None, version: int, everything: bool = False, deadline: str | None = None
) -> TableShown:
    """Return the table as the viewer may see it: a seat, or None for a spectator.

    `everything` is for an earlier version of a game that is over by now (S1).
    """
    seen = state if everything else view(state, viewer)
    ruleset = EDITIONS.of(seen)
    covered = bool(seen.options.get("hide_money")) and not everything and seen.status != "over"
    table = TableShown(
        id=seen.game,
        version=version,
        edition=seen.edition,
        release=ruleset.release,
        options=seen.options,
        status=seen.status,
        round=seen.round,
        rounds=ruleset.rounds,
        starter=seen.starter if seen.round else None,
        turn=seen.turn,
        you=viewer,
        seats=tuple(
            _seat(seen, ruleset, seat, covered and seat != viewer) for seat in range(len(seen.seats))
        ),
        casinos=render_casinos(seen, ruleset),
        roll=seen.roll,
        asks=_asks(seen, viewer, deadline),
        winners=seen.winners,
        visibility=seen.visibility,
        # How many notes are unseen is no secret; which come next is not known.
        pile=len(seen.unseen),
        under=seen.notes.get(UNDER, ()),
        closed=ClosedShown(seen.close_reason) if seen.close_reason else UNSET,
        host=seen.host if seen.status == "lobby" else UNSET,
        void=seen.void or UNSET,
        rematch=seen.rematch or UNSET,
        rematch_of=seen.rematch_of or UNSET,
        fork=ForkShown(seen.origin.game, seen.origin.at) if seen.origin else UNSET,
        sandbox=seen.sandbox or UNSET,
    )
    return add_members(table, [extension.table(seen) for extension in ruleset.extensions])


def _seat(state: State, ruleset: Ruleset, seat: int, covered: bool) -> SeatShown:
    """Return a seat. With `covered` its winnings are hidden, as agreed until the end (M8, S2)."""
    taken = state.seats[seat]
    supply = state.supply_of(seat)
    shown = SeatShown(
        seat=seat,
        name=taken.name,
        kind="human" if taken.bot is None else "bot",
        dice=supply.count,
        big=bool(supply.big),
        neutral_dice=state.dice_of(NEUTRAL, SUPPLY[seat]).count,
        chips=state.chips_of(seat),
        note_count=len(state.notes_of(seat)),
        notes=None if covered else tuple(sorted(state.notes_of(seat), reverse=True)),
        money=None if covered else money(state, seat),
        total=None if covered else total(state, seat),
        place=UNSET if state.winners is None else places(state)[seat],
        bot=UNSET if taken.bot is None else taken.bot,
        open=True if taken.name is None else UNSET,
        stand_in=taken.stand_in or UNSET,
        player=taken.player or UNSET,
        remote=RemoteShown(taken.seconds, taken.fallback) if taken.fallback else UNSET,
    )
    return add_members(shown, [extension.seat(state, seat) for extension in ruleset.extensions])


def _asks(state: State, viewer: int | None, deadline: str | None) -> tuple[AskShown, ...]:
    """Return the open ask: awaited seats for everyone, the options only for a seat that is asked."""
    ask = state.ask
    if ask is None:
        return ()
    yours = viewer in ask.awaited
    shown = AskShown(
        ask=ask.id,
        prompt=ask.prompt,
        seats=ask.awaited,
        yours=yours,
        options=legal(state, viewer) if yours and viewer is not None else (),
        deadline=deadline,
        casino=UNSET if ask.number is None else ask.number,
        tile=ask.tile or UNSET,
        answer=_own_answer(state, ask, viewer) or UNSET,
    )
    return (shown,)


def _own_answer(state: State, ask: Ask, viewer: int | None) -> Option | None:
    """Return the viewer's own answer while others are still awaited; others do not see it (C2)."""
    for answer in ask.answers:
        choice = answer.choice.value if isinstance(answer.choice, Secret) else answer.choice
        if viewer is not None and answer.seat == viewer and choice is not None:
            return describe_choice(prompt_of(state, ask), state, ask, viewer, choice)
    return None
