"""Events in plain words, for somebody who knows the game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import assert_never

from msgspec.structs import replace

from events.secrecy import Secret
from events.types import (
    AgendaChanged,
    CardsDealt,
    CardsPlayed,
    CasinoClosed,
    CasinoOpened,
    ChipCardsMoved,
    ChipsMoved,
    Chosen,
    CounterMoved,
    DiceMoved,
    DicePlaced,
    DiceReturned,
    DiceRolled,
    Event,
    GameClosed,
    GameCreated,
    GameEnded,
    GameForked,
    GameStarted,
    NotesMoved,
    RematchMade,
    Revealed,
    RoundEnded,
    RoundStarted,
    SeatLeft,
    SeatReturned,
    SeatTaken,
    TilesLaid,
    TokenMoved,
    TurnStarted,
    VoidVoted,
)
from events.values import BANDIT_STACK, BOX, OWNER, PILE, PURSE, SUPPLY, UNDER, Lot, Owner, Place, plays_for
from rules.editions import EDITIONS
from rules.mechanics.rounds import START
from rules.state import State
from rules.tile import Tile
from rules.wording import dollars, quantity

MANY_NOTES = 12
_GONE = {UNDER: "goes under the pile", BOX: "leaves the game"}
_IMAGINARY = {"neutral": "the neutral player", "grey": "the grey player"}


def tell_event(event: Event, after: State, sealed: Mapping[str, str]) -> str:  # noqa: C901 - one match over every event
    """One line, or nothing where there is nothing to see.

    `after` is the table with the event, `sealed` what was chosen under cover, by its commitment.
    """
    match event:
        case GameCreated(_, edition, _, seats):
            return f"{EDITIONS.newest[edition].title} for {quantity(len(seats), 'player')}"
        case SeatTaken(seat, name):
            return f"{name} takes seat {seat}"
        case SeatLeft(seat, bot):
            return f"seat {seat} goes" + (f", {bot} answers there" if bot else " and is open again")
        case SeatReturned(seat):
            return f"seat {seat} is back"
        case VoidVoted(seat, agrees):
            return f"seat {seat} wants the game to " + ("end without winners" if agrees else "go on")
        case RematchMade(game):
            return f"they play again: {game}"
        case GameStarted():
            return _out_of_the_box(event)
        case RoundStarted(number, starter):
            return f"Round {number}" if _all_at_once(after) else f"Round {number}, seat {starter} starts"
        case TurnStarted(seat):
            return f"turn {after.turns}, all at once" if seat is None else f"seat {seat} has the turn"
        case DiceRolled():
            return _rolled(event)
        case DicePlaced():
            return _placed(event, after)
        case DiceMoved():
            return _dice_moved(event, after)
        case DiceReturned(place, owners):
            names = listed([_player(owner) for owner in owners])
            return f"{_where(place, after)}: {names} are tied, their dice leave"
        case NotesMoved(source, target, notes, _, winner):
            return _money_moved(source, target, _in_notes(notes), after, winner)
        case ChipsMoved(source, target, chips):
            return _money_moved(source, target, quantity(chips, "chip"), after)
        case ChipCardsMoved(source, target, cards):
            return _chip_cards_moved(source, target, cards, after)
        case CardsDealt(seat, cards):
            return f"seat {seat} draws {_in_cards(cards.contents)}"
        case CardsPlayed(seat, cards, rest):
            glass = f"; {_in_cards(rest.contents)} below the glass" if rest.contents else ""
            return f"seat {seat} lays {_in_cards(cards)}{glass}"
        case TilesLaid(tiles):
            return "tiles: " + ", ".join(
                f"{_tile(code, after).name} at casino {n}" for n, code in enumerate(tiles, 1)
            )
        case TokenMoved(token, target):
            return _token_moved(token, target, after)
        case CounterMoved(counter):
            return _shown(counter.partition("-")[0], after)
        case CasinoClosed(number):
            return f"casino {number} is closed"
        case CasinoOpened(number):
            return f"casino {number} is open again"
        case Chosen(_, seat, choice):
            return f"seat {seat} has chosen" + (", under cover" if isinstance(choice, Secret) else "")
        case Revealed(hidden, seat):
            return f"seat {seat} had chosen: {sealed[hidden]}"
        case AgendaChanged():
            return ""
        case RoundEnded(number):
            return f"round {number} is over: {listed(standings(after))}"
        case GameEnded(winners, totals):
            return _ended(winners, totals)
        case GameClosed(reason):
            return f"the game is closed: {reason}"
        case GameForked(_, origin):
            return f"others go on from version {origin.at}"
        case _:
            assert_never(event)


def listed(parts: Sequence[str]) -> str:
    return " and ".join([part for part in (", ".join(parts[:-1]), *parts[-1:]) if part])


def standings(state: State) -> list[str]:
    return [f"{_purse(state, seat)} for seat {seat}" for seat in range(len(state.seats))]


def _all_at_once(state: State) -> bool:
    """Where nobody starts (P5)."""
    return bool(state.decks) and not state.options["sequential"]


def _purse(state: State, seat: int) -> str:
    chips, cards = state.chips_of(seat), state.chip_cards.get(PURSE[seat], ())
    parts = [dollars(sum(state.notes_of(seat)))]
    parts += [quantity(chips, "chip")] * bool(chips) + [f"{'/'.join(sorted(cards))} chip cards"] * bool(cards)
    return " + ".join(parts)


def _ended(winners: tuple[int, ...], totals: tuple[int, ...]) -> str:
    sums = listed([f"{dollars(total)} for seat {seat}" for seat, total in enumerate(totals)])
    names = listed([f"seat {seat}" for seat in winners])
    return f"Final totals: {sums}\nWinner: {names}"


def _out_of_the_box(event: GameStarted) -> str:
    parts = [f"{len(event.notes)} notes worth {dollars(sum(event.notes))}"]
    parts += dict.fromkeys(map(_lot, event.dice))
    parts += dict.fromkeys(f"{len(deck)} cards for each seat (d: a double card)" for deck in event.decks)
    parts += [f"{len(event.chip_cards)} chip cards"] * bool(event.chip_cards)
    return f"Out of the box: {listed(parts)}"


def _lot(lot: Lot) -> str:
    if lot.owner in OWNER:
        return f"{_dice(lot.small, lot.big)} for each seat"
    return _dice(lot.small, lot.big, f"{lot.owner} ")


def _rolled(event: DiceRolled) -> str:
    groups = {"": event.own, "big ": (event.big,) if event.big else (), "neutral ": event.neutral}
    shown = ", ".join(name + " ".join(map(str, faces)) for name, faces in groups.items() if faces)
    if event.black:
        return f"the black dice show {' '.join(map(str, event.black))}"
    return f"seat {event.seat} rolls {shown}" if event.seat is not None else f"before the first turn: {shown}"


def _placed(event: DicePlaced, after: State) -> str:
    own = [_dice(event.small, event.big)] * bool(event.small + event.big)
    white = [_dice(event.neutral, 0, "neutral ")] * bool(event.neutral)
    dice = f"seat {event.seat} places {' and '.join(own + white)}"
    if event.target == BANDIT_STACK[event.number]:
        return f"{dice} showing {event.number} on the bandit"
    return f"{dice} on {_where(event.target, after)}{_activated(event.number, after)}"


def _activated(number: int, after: State) -> str:
    if number > len(after.tiles) or number in after.closed:
        return ""
    tile = _tile(after.tiles[number - 1], after)
    return f", which activates {tile.name}" if tile.activated else ""


def _dice(small: int, big: int, kind: str = "") -> str:
    parts = [quantity(small, f"{kind}die", f"{kind}dice")] * bool(small) + [f"the big {kind}die"] * bool(big)
    return " and ".join(parts) + (f" (weight {small + 2 * big})" if small and big else "")


def _dice_moved(event: DiceMoved, after: State) -> str:
    owned = event.owner in OWNER
    dice = _dice(event.small, event.big, "" if owned else f"{event.owner} ")
    whose = f" of {_player(event.owner)}" if owned else ""
    lent = f", counting for {_player(event.turned)}" if event.turned else ""
    return f"{dice}{whose}: from {_where(event.source, after)} to {_where(event.target, after)}{lent}"


def _money_moved(source: Place, target: Place, money: str, after: State, winner: Owner | None = None) -> str:
    giver, taker = _where(source, after), _where(target, after)
    if winner:
        return f"{giver} pays {money} to {_player(winner)}; it {_GONE[target]}"
    if source == PILE:
        return f"{taker} gets {money}"
    if source == UNDER:
        return f"{taker} gets {money} from under the pile"
    return (
        f"the rest of {giver}, {money}, {_GONE[target]}"
        if target in _GONE
        else f"{giver} pays {money} to {taker}"
    )


def _in_notes(notes: tuple[int, ...]) -> str:
    if len(notes) > MANY_NOTES:
        return f"{len(notes)} notes worth {dollars(sum(notes))}"
    return listed([dollars(note) for note in sorted(notes, reverse=True)])


def _chip_cards_moved(source: Place, target: Place, cards: tuple[str, ...], after: State) -> str:
    if source == PILE:
        return f"{_where(target, after)} gets a {listed(cards)} chip card"
    return f"{_where(target, after)} takes a {listed(cards)} chip card from {_where(source, after)}"


def _in_cards(cards: tuple[str, ...]) -> str:
    """A d marks a card with two dice."""
    return " ".join(Counter(sorted(cards)).elements())


def _token_moved(token: str, target: Place, after: State) -> str:
    if token == START:
        return ""
    if target.partition("-")[0] == token:
        return f"the token of {_tile(token, after).name} lies on its tile"
    return f"the token of {_tile(token, after).name} goes to {_where(target, after)}"


def _shown(code: str, after: State) -> str:
    """What a tile shows once its counter has moved, apart from the question that moved it."""
    tile, settled = _tile(code, after), replace(after, agenda=())
    said = {name: value for name, value in tile.shows(settled).items() if value is not None}
    shown = [f"{name.replace('_', ' ')} {_value(value)}" for name, value in said.items()]
    return f"{tile.name} shows {', '.join(shown)}"


def _value(value: object) -> str:
    if isinstance(value, list):
        return listed([f"seat {seat}" for seat in value])
    return dollars(value) if isinstance(value, int) and value >= 1_000 else str(value)


def _tile(code: str, after: State) -> Tile:
    return EDITIONS.of(after).tiles[code]


def _player(owner: Owner) -> str:
    owner = plays_for(owner)
    return _IMAGINARY.get(owner, owner.replace("-", " "))


def _where(place: Place, after: State) -> str:
    kind, _, rest = place.partition("-")
    if place in SUPPLY or place in PURSE:
        return f"seat {rest}"
    if kind in EDITIONS.of(after).tiles:
        return f"{_spot(rest)} of {_tile(kind, after).name}"
    return f"casino {rest}" if rest else f"the {place}"


def _spot(name: str) -> str:
    return f"space {name}" if name.isdigit() else "the space" if name == "space" else f"the {name} space"
