"""MY CHOICE: two black dice, one of their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from events.agenda import Ask, require
from events.text import Text
from events.values import SUPPLY, Dice, Owner, seat_of, spot
from rules.choice import read_choice, write_choices
from rules.extension import Member, Size, numbers_asked_with, single_die
from rules.mechanics import place_or_take_back
from rules.mechanics.bank import pay
from rules.mechanics.place_or_take_back import sizes, ways
from rules.prompt import Asked, OptionDetails, Prompt, at_tile, one_die
from rules.restore import check_throw, put_die
from rules.state import State
from rules.table import Table
from rules.tile import Tile
from rules.wording import prize

CODE = "H2"
RULE = "000 MY CHOICE, T-H2"
PRIZES = {1: 10_000, 2: 20_000, 3: 30_000}
TILE = 4
DIE = 5
GOLD = 6
PROMPTS = {TILE: "H2.tile", DIE: "H2.die", GOLD: "H2.gold"}
GOLD_PRIZE = 60_000
GOLD_SPACE = spot(CODE, "gold")
WORDS = {
    TILE: Text("activate another tile"),
    DIE: Text("place a die in hand or take one of your dice back"),
    GOLD: Text("put a die in hand on the gold space, worth {prize} in the payout", prize=prize(GOLD_PRIZE)),
}
NOTHING_WOULD_HAPPEN = "{what} (nothing would happen now)"


def activated(table: Table, seat: int, number: int, placed: Dice) -> None:
    table.ask("H2.result", seat, number=number, tile=CODE, data=table.roll_black())


def result_choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    return write_choices("use", sorted({int(face) for face in ask.data}))


def result_prompt(tiles: Mapping[str, Tile]) -> Prompt:
    """The question which result to use; labels say where nothing would happen."""

    def label(state: State, ask: Ask, seat: int, choice: str) -> str:
        face = read_choice(choice).number
        number = require(ask.number)
        if face in PRIZES:
            return Text("Use the {face}: take {prize}", face=face, prize=prize(PRIZES[face]))
        if not can_use(state, seat, face, number):
            return Text("Use the {face}: {words} (nothing to do it with now)", face=face, words=WORDS[face])
        vain = face == TILE and not any(
            _responds(tiles, state, seat, other) for other in other_tiles(state, number)
        )
        words = _either_way(ways(state, seat)) if face == DIE else WORDS[face]
        using = Text("Use the {face}: {words}", face=face, words=words)
        return Text(NOTHING_WOULD_HAPPEN, what=using) if vain else using

    return Prompt(
        result_choices, label, result_used, rule=RULE, text="Use one of two results", recall=recall_throw
    )


def _either_way(found: Sequence[str]) -> str:
    if len(found) < 2:
        return found[0] if found else ""
    first, second = found
    return Text("{first}, or {second}", first=first, second=second)


def _responds(tiles: Mapping[str, Tile], state: State, seat: int, number: int) -> bool:
    return tiles[state.tiles[number - 1]].responds(state, seat, number)


def can_use(state: State, seat: int, face: int, number: int) -> bool:
    """Whether the seat can carry out a result; it may pick one that it cannot (T-H2)."""
    if face == TILE:
        return bool(other_tiles(state, number))
    return bool(ways(state, seat) if face == DIE else state.supply_of(seat).count)


def other_tiles(state: State, number: int) -> tuple[int, ...]:
    """Casinos with a tile that may be activated: open ones, never this one (T8)."""
    return tuple(n for n in state.open if n <= len(state.tiles) and n != number)


def result_used(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    for seat, choice in answers.items():
        face = read_choice(choice).number
        number = require(ask.number)
        if face in PRIZES:
            pay(table, seat, PRIZES[face])
        elif can_use(table.state, seat, face, number):
            table.ask(PROMPTS[face], seat, number=number, tile=CODE)


def tile_choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    return write_choices("activate", other_tiles(state, require(ask.number)))


def tile_details(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    """The tile that is activated."""
    return at_tile(state.tiles[read_choice(choice).number - 1])


def tile_chosen(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    for seat, choice in answers.items():
        table.activate(seat, read_choice(choice).number)


def tile_prompt(tiles: Mapping[str, Tile]) -> Prompt:
    """The question which tile to activate; labels say where nothing would happen (T8)."""

    def label(state: State, ask: Ask, seat: int, choice: str) -> str:
        number = read_choice(choice).number
        name = tiles[state.tiles[number - 1]].name
        activating = Text("Activate {name} at casino {number}", name=name, number=number)
        if _responds(tiles, state, seat, number):
            return activating
        return Text(NOTHING_WOULD_HAPPEN, what=activating)

    text = "Activate another tile"
    return Prompt(tile_choices, label, tile_chosen, rule=f"{RULE}, T8", text=text, details=tile_details)


def gold_choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    return write_choices("gold", sizes(state.supply_of(seat)))


def gold_label(state: State, ask: Ask, seat: int, choice: str) -> str:
    die = Text("your big die") if read_choice(choice).big else Text("a small die")
    putting = Text("Put {die} on the gold space", die=die)
    seat_there, size = single_die(state, GOLD_SPACE)
    if seat_there is None:
        return putting
    name = str(state.seats[seat_there].name)
    if size == "big":
        return Text("{putting}, sending {name}'s big die home", putting=putting, name=name)
    return Text("{putting}, sending {name}'s die home", putting=putting, name=name)


def gold_details(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    return at_tile(CODE, one_die(read_choice(choice).big))


def gold_taken(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    for seat, choice in answers.items():
        _clear(table)
        table.play_die(seat, GOLD_SPACE, read_choice(choice).big)


def _clear(table: Table) -> None:
    for owner, dice in table.state.heap(GOLD_SPACE).items():
        home = seat_of(owner)
        if home is not None:
            table.move_dice(owner, GOLD_SPACE, SUPPLY[home], small=dice.small, big=dice.big)


def payout(table: Table, number: int, ranked: tuple[Owner, ...]) -> None:
    seat, _ = single_die(table.state, GOLD_SPACE)
    if seat is not None:
        pay(table, seat, GOLD_PRIZE)


def shows(state: State) -> dict[str, object]:
    seat, die = single_die(state, GOLD_SPACE)
    return {"gold": seat, "gold_die": die, "thrown": numbers_asked_with(state, "H2.result")}


def restore(state: State, shown: Mapping[str, Any]) -> State:
    return put_die(state, "gold_die", GOLD_SPACE, shown.get("gold"), shown.get("gold_die"))


def recall_throw(state: State, asked: Asked) -> tuple[int | str, ...]:
    return check_throw("thrown", asked.shown.get("thrown"))


MY_CHOICE = Tile(
    code=CODE,
    name="My Choice",
    gist="Two black dice, use one",
    text="Throw two black dice and use one: chips or $30,000, another tile, a die to place or take back, "
    "or the gold space that pays $60,000.",
    other="H1",
    activated=activated,
    payout=payout,
    shows=shows,
    restore=restore,
    members={
        "gold": Member(
            int | None,
            "The seat whose die lies on the gold space; null while it is empty.",
            brief="gold space #{value}",
        ),
        "gold_die": Member(
            Size | None, "Which die lies on the gold space; null while it is empty.", brief="die {value}"
        ),
        "thrown": Member(
            list[int] | None,
            "What the black dice show while one result is chosen; null at other times.",
            brief="black dice {value}",
        ),
    },
    prompts={
        "H2.result": result_prompt,
        "H2.tile": tile_prompt,
        "H2.die": place_or_take_back.prompt(RULE),
        "H2.gold": Prompt(
            gold_choices,
            gold_label,
            gold_taken,
            rule=RULE,
            text="Put a die on the gold space",
            details=gold_details,
        ),
    },
)
