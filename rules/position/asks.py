"""The open ask of a described table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from msgspec.structs import replace

from events.agenda import Answer, Ask, Step
from events.secrecy import Secret
from events.text import Text
from events.values import CASINO, CASINO_NUMBERS
from rules.chance import Chance
from rules.editions import EDITIONS
from rules.mechanics.ranking import ranking
from rules.position.model import Position, PositionFault, PositionFaults
from rules.position.tiles import point_to_shown, read_members
from rules.prompt import Asked, Prompt
from rules.restore import ROUND_END, InvalidPosition, has_removed_ties
from rules.ruleset import Ruleset
from rules.state import State
from rules.table import Table
from rules.wording import did_you_mean

NOTHING_TO_CHOOSE = Text("there is nothing to choose: say what was rolled, or which cards are in hand")


def usual_ask(new_game: State) -> Ask:
    """The question of an ordinary turn."""
    if new_game.ask is None:
        raise PositionFaults([PositionFault("", "must ask something")])
    return new_game.ask


def name_prompt(position: Position, new_game: State) -> str:
    return position.ask.prompt or usual_ask(new_game).prompt


def find_ask_faults(position: Position, seat: int, new_game: State) -> Iterator[PositionFault]:
    if len(position.asks) > 1:
        yield PositionFault("/asks/1", "must be left out: there is one question at a time")
    name = name_prompt(position, new_game)
    ruleset = EDITIONS.of(new_game)
    if name in ruleset.prompts:
        yield from _find_misplaced(position, name, ruleset, new_game)
        yield from _find_seat_faults(position, seat, name, new_game)
        yield from _find_turn_faults(position, seat, name, new_game)
    else:
        detail = Text(
            "{edition} has no such question; {instead}",
            edition=ruleset.id,
            instead=did_you_mean(name, tuple(ruleset.prompts)),
        )
        yield PositionFault("/asks/0/prompt", detail)


def _find_misplaced(
    position: Position, name: str, ruleset: Ruleset, new_game: State
) -> Iterator[PositionFault]:
    code = tile_that_asks(name, ruleset)
    if code and code not in new_game.tiles:
        yield PositionFault(
            "/asks/0/prompt", Text("the tile {code} that asks this does not lie here", code=code)
        )
    elif code and position.ask.casino not in (None, new_game.tiles.index(code) + 1):
        yield PositionFault(
            "/asks/0/casino",
            Text("the tile that asks lies at casino {number}", number=new_game.tiles.index(code) + 1),
        )
    usual = usual_ask(new_game).prompt
    if not code and ruleset.prompts[name].recall is None and name != usual:
        yield PositionFault(
            "/asks/0/prompt", Text("an ordinary turn asks {usual} with these options", usual=str(usual))
        )
    if position.ask.casino not in (None, *CASINO_NUMBERS):
        yield PositionFault("/asks/0/casino", "must be between 1 and 6")


def tile_that_asks(name: str, ruleset: Ruleset) -> str:
    """The code of the tile whose question this is; empty where it is not a tile's."""
    return next((code for code, tile in ruleset.tiles.items() if name in tile.prompts), "")


def _find_seat_faults(position: Position, seat: int, name: str, new_game: State) -> Iterator[PositionFault]:
    asked = position.ask.seats
    usual = usual_ask(new_game)
    if asked is None:
        return
    if seat not in asked:
        yield PositionFault(
            "/asks/0/seats", Text("seat {seat} is not asked, and advice is wanted for it", seat=seat)
        )
    elif len(asked) > 1 and (name != usual.prompt or len(usual.seats) < 2):
        yield PositionFault("/asks/0/seats", "must name one seat")
    elif not set(asked) <= set(range(len(position.seats))):
        yield PositionFault(
            "/asks/0/seats", Text("there are seats 0 to {last}", last=len(position.seats) - 1)
        )


def _find_turn_faults(position: Position, seat: int, name: str, new_game: State) -> Iterator[PositionFault]:
    """Find a turn that does not fit the question; where all seats choose at once there is no turn."""
    prompt = EDITIONS.of(new_game).prompts[name]
    turn = position.turn
    if new_game.turn is None:
        return
    if prompt.for_others and turn in (None, seat):
        yield PositionFault("/turn", "must say whose turn it is, because others are asked this")
    elif not prompt.for_others and turn not in (None, seat) and not _is_in_payout(prompt, new_game):
        yield PositionFault(
            "/turn", Text("whoever has the turn is asked this, and here seat {seat} is", seat=seat)
        )


def _is_in_payout(prompt: Prompt, new_game: State) -> bool:
    below = () if prompt.below is None or prompt.for_others else prompt.below(new_game, Asked(0, 1, {}))
    return any(isinstance(item, Step) and item.name == ROUND_END for item in below)


def put_below(state: State, position: Position, seat: int, name: str) -> State:
    """Put on the agenda what follows once the question is answered."""
    ruleset = EDITIONS.of(state)
    below = ruleset.prompts[name].below
    asked = _describe(state, position, seat, name)
    return replace(state, agenda=(Step(ruleset.turns),) if below is None else below(state, asked))


def _describe(state: State, position: Position, seat: int, name: str) -> Asked:
    ruleset = EDITIONS.of(state)
    code = tile_that_asks(name, ruleset)
    if not code:
        return Asked(seat, position.ask.casino, {})
    return Asked(seat, state.tiles.index(code) + 1, _shown(position, code, ruleset))


def _shown(position: Position, code: str, ruleset: Ruleset) -> Mapping[str, Any]:
    for casino in position.casinos:
        if casino.tile is not None and casino.tile.code == code:
            try:
                return read_members(ruleset.tiles[code], casino.tile.shows)
            except InvalidPosition:
                # `restore_tiles` reports this fault.
                return {}
    return {}


def put_ask(state: State, position: Position, seat: int, name: str, chance: Chance) -> State:
    """Put the question on the agenda, with its options and data. Raises PositionFaults."""
    ruleset = EDITIONS.of(state)
    prompt = ruleset.prompts[name]
    asked = _describe(state, position, seat, name)
    state = _hand_on_start(state, ruleset, asked.number, chance)
    ask = _make_ask(state, position, asked, name, _recall(state, position, asked, name))
    options = prompt.choices(replace(state, agenda=(*state.agenda, ask)), ask, seat)
    if not options:
        raise PositionFaults(
            [PositionFault("/roll" if prompt.recall is None else "/asks/0", NOTHING_TO_CHOOSE)]
        )
    open_options = () if len(ask.seats) > 1 or prompt.private else options
    return replace(state, agenda=(*state.agenda, replace(ask, options=open_options)))


def _recall(state: State, position: Position, asked: Asked, name: str) -> tuple[int | str, ...]:
    ruleset = EDITIONS.of(state)
    recall = ruleset.prompts[name].recall
    try:
        return () if recall is None else recall(state, asked)
    except InvalidPosition as fault:
        pointer = _point_to(position, tile_that_asks(name, ruleset), ruleset, fault.member)
        raise PositionFaults([PositionFault(pointer, fault.detail)]) from None


def _point_to(position: Position, code: str, ruleset: Ruleset, member: str) -> str:
    if code and member in ruleset.tiles[code].members:
        return point_to_shown(
            [casino.tile and casino.tile.code for casino in position.casinos].index(code), member
        )
    return f"/{member}" if member == "turn" else f"/asks/0/{member}"


def _make_ask(state: State, position: Position, asked: Asked, name: str, data: tuple[int | str, ...]) -> Ask:
    ruleset = EDITIONS.of(state)
    secret = None if ruleset.prompts[name].guesses is None else _sealed("what it is about")
    # Where no seat has the turn all choose at once, and some may have chosen already.
    seats = (asked.seat,) if state.turn is not None else tuple(sorted(state.hands))
    awaited = seats if position.ask.seats is None else position.ask.seats
    answers = tuple(Answer(seat, _sealed(f"seat {seat}")) for seat in seats if seat not in awaited)
    code = tile_that_asks(name, ruleset)
    return Ask(
        max(1, state.asked),
        name,
        seats,
        options=(),
        answers=answers,
        number=asked.number,
        tile=code,
        data=data,
        secret=secret,
    )


def _sealed(what: str) -> Secret[str]:
    return Secret(sha256(what.encode()).hexdigest())


def _hand_on_start(state: State, ruleset: Ruleset, paid: int | None, chance: Chance) -> State:
    """Move the start token as the casinos that were paid before this question have moved it."""
    if ruleset.paid is None or paid is None or not has_removed_ties(state):
        return state
    replayed = Table(state, ruleset, chance)
    for number in range(1, paid + 1):
        ruleset.paid(replayed, number, ranking(state, CASINO[number]))
    return replayed.state
