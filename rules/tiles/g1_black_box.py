"""BLACK BOX: six covered tokens in two piles; the winner picks one."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from events.agenda import Ask
from events.secrecy import Secret
from events.text import Joined, Text
from events.types import Revealed
from events.values import Owner, seat_of
from rules.choice import read_choice, write_choice, write_choices
from rules.extension import Member, numbers_asked_with
from rules.mechanics.bank import pay
from rules.mechanics.payout import still_to_pay
from rules.prompt import Asked, Path, PathContext, PathStep, Prompt, Target
from rules.restore import InvalidPosition
from rules.state import State
from rules.table import Table
from rules.tile import Tile
from rules.wording import dollars, quantity

CODE = "G1"
TOKENS = (60_000, 20_000, 20_000, 0, 0, 0)
Pile = tuple[int, ...]


def _piles(size: int) -> list[Pile]:
    return sorted(set(combinations(TOKENS, size)), reverse=True)


# The first pile of every parting; of three and three both orders, so that neither pile tells (T-G1).
FIRST_PILES = {
    write_choice("part", *(token // 1_000 for token in pile)): pile
    for size in (3, 4, 5)
    for pile in _piles(size)
}


def second_pile(first: Pile) -> Pile:
    rest = list(TOKENS)
    for token in first:
        rest.remove(token)
    return tuple(rest)


def payout(table: Table, number: int, ranked: tuple[Owner, ...]) -> None:
    winner = seat_of(ranked[0]) if ranked else None
    if winner is not None:
        table.ask("G1.part", table.state.left_of(winner), number=number, tile=CODE, data=(winner,))


def part_choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    return tuple(FIRST_PILES)


def _in_words(pile: Pile) -> str:
    return Joined((dollars(token) if token else Text("blank") for token in pile), " + ")


def part_label(state: State, ask: Ask, seat: int, choice: str) -> str:
    first = FIRST_PILES[choice]
    return Text(
        "First pile: {first}; second pile: {second}",
        first=_in_words(first),
        second=_in_words(second_pile(first)),
    )


def find_path(context: PathContext, choice: str) -> Path:
    """The sizes of the piles, then what lies in them."""
    first = FIRST_PILES[choice]
    second = second_pile(first)
    sizes = Text("{first} + {second} tokens", first=len(first), second=len(second))
    piles = Text("{first} | {second}", first=_in_words(first), second=_in_words(second))
    return PathStep(Target(tile=CODE), sizes), PathStep(Target(tile=CODE), piles)


def parted(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    """The winner learns the sizes only; what lies where stays sealed on the agenda."""
    asked = table.state.ask
    for seat, choice in answers.items():
        piles = asked.answers[-1].choice if asked is not None else None
        if isinstance(piles, Secret):
            size = len(FIRST_PILES[choice])
            data = (size, len(TOKENS) - size, seat)
            table.ask("G1.take", int(ask.data[0]), number=ask.number, tile=CODE, data=data, secret=piles)


def take_choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    """Take the first pile or the second."""
    return write_choices("take", (1, 2))


def possible_piles(state: State, ask: Ask) -> tuple[str, ...]:
    """All ways to part the tokens into piles of the sizes that the question names."""
    return tuple(parting for parting, first in FIRST_PILES.items() if len(first) == ask.data[0])


def take_label(state: State, ask: Ask, seat: int, choice: str) -> str:
    pile = read_choice(choice).number
    tokens = quantity(int(ask.data[pile - 1]), "token")
    if pile == 1:
        return Text("Take the first pile, of {tokens}", tokens=tokens)
    return Text("Take the second pile, of {tokens}", tokens=tokens)


def taken(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    piles = ask.secret
    if piles is None:
        return
    table.record(Revealed(piles.hidden, int(ask.data[2]), piles.contents, salt=piles.salt or ""))
    first = FIRST_PILES[piles.contents]
    for seat, choice in answers.items():
        pay(table, seat, sum(first if read_choice(choice).number == 1 else second_pile(first)))


def shows(state: State) -> dict[str, object]:
    parted = numbers_asked_with(state, "G1.take")
    return {"piles": None if parted is None else parted[:2]}


def whose_piles(state: State, asked: Asked) -> tuple[int | str, ...]:
    """The winner of the casino, whose left neighbour parts the tokens."""
    return ((asked.seat - 1) % len(state.seats),)


def recall_piles(state: State, asked: Asked) -> tuple[int | str, ...]:
    piles = asked.shown.get("piles")
    if piles is None or len(piles) != 2 or sum(piles) != len(TOKENS) or piles[0] not in (3, 4, 5):
        raise InvalidPosition("piles", "must say how many tokens each pile has: six in all, the larger first")
    return (*piles, state.left_of(asked.seat))


BLACK_BOX = Tile(
    code=CODE,
    name="Black Box",
    gist="Two covered piles, pick one",
    text="In the payout the winner's left neighbour parts six tokens ($60,000, twice $20,000, three blanks) "
    "into two covered piles. The winner sees their sizes, picks one and is paid what it holds.",
    other="G2",
    payout=payout,
    shows=shows,
    members={
        "piles": Member(
            list[int] | None,
            "How many tokens the first and the second pile hold while the winner picks; null at other times.",
            brief="piles {value}",
        )
    },
    prompts={
        "G1.part": Prompt(
            part_choices,
            part_label,
            parted,
            rule="000 BLACK BOX, T-G1",
            text="Part the tokens into piles",
            secret=True,
            recall=whose_piles,
            below=still_to_pay,
            path=find_path,
        ),
        "G1.take": Prompt(
            take_choices,
            take_label,
            taken,
            rule="000 BLACK BOX, T-G1",
            text="Take one of the piles",
            guesses=possible_piles,
            recall=recall_piles,
            below=still_to_pay,
        ),
    },
)
