"""The table of one round with tiles: what lies where, and how it may move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.referee.books import CASINOS, Book, Event, Foul, Weights, fair
from tests.referee.tiles.bank import prize, prize_with_change
from tests.referee.tiles.log import Log, Script

BOX, BANK, NEUTRAL, GREY, BLACK = "box", "bank", "neutral", "grey", "black"
WEIGHT = {"small": 1, "big": 2}
NUMBERS = tuple(range(1, 7))


class Move(NamedTuple):
    """Dice on their way; `turned` names who owns them from now on."""

    owner: str
    source: str
    target: str
    small: int = 0
    big: int = 0
    turned: str = ""

    @classmethod
    def told(cls, event: Event) -> Move:
        return cls(**{name: event[name] for name in cls._fields if event.get(name)})


@dataclass
class Table:
    """Dice are counted by place, owner and size; the hand of a seat is its supply."""

    book: Book
    players: int
    starter: int
    purses: dict[int, list[int]]
    chips: Counter[int]
    bank: Counter[int]
    under: list[int]
    log: Log = field(default_factory=Log)
    dice: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    arena: dict[str, Counter[int]] = field(default_factory=dict)
    thrower: int | None = None
    closed: int | None = None
    payments: int = 0
    moved: Callable[[], Script[None]] | None = None

    def __post_init__(self) -> None:
        for seat in range(self.players):
            self._add(f"supply-{seat}", f"seat-{seat}", 7, 1)
        self._add(BOX, GREY, 9)
        self._add(BOX, BLACK, 2)
        if self.players == 2:
            self._add(BOX, NEUTRAL, 7, 1)

    def _add(self, place: str, owner: str, small: int, big: int = 0) -> None:
        self.dice[place, owner, "small"] += small
        self.dice[place, owner, "big"] += big

    # What lies where

    def sizes(self, place: str, owner: str) -> list[str]:
        return [size for size in WEIGHT if self.dice[place, owner, size]]

    def hand(self, seat: int) -> list[str]:
        """The sizes of the dice a seat still holds."""
        return self.sizes(f"supply-{seat}", f"seat-{seat}")

    def lying(self, place: str) -> set[str]:
        return {owner for (where, owner, _), count in self.dice.items() if where == place and count}

    def weights(self, place: str) -> Weights:
        """Black dice count for the seat they are lent to."""
        weights = Counter[str]()
        for (where, owner, size), count in self.dice.items():
            if where == place and count:
                weights[owner.replace(BLACK, "seat")] += count * WEIGHT[size]
        return weights

    @property
    def open(self) -> list[int]:
        return [number for number in NUMBERS if number != self.closed]

    # What moves

    def move(self, move: Move) -> Script[None]:
        """The log has to tell of this move, and of what it leads to at once."""
        told = yield from self.log.take("dice_moved")
        fair(Move.told(told) == move, f"dice: expected {move}, found {Move.told(told)}")
        self._leave_arena(move, told.get("face"))
        self.carry(move)
        if self.moved is not None:
            yield from self.moved()

    def send(self, owner: str, source: str, target: str, size: str) -> Script[None]:
        """One die."""
        yield from self.move(Move(owner, source, target, int(size == "small"), int(size == "big")))

    def carry(self, move: Move) -> None:
        shut = f"casino-{self.closed}"
        fair(shut not in (move.source, move.target), f"dice of {move.owner} moved though {shut} is closed")
        self._add(move.source, move.owner, -move.small, -move.big)
        self._add(move.target, move.turned or move.owner, move.small, move.big)
        fair(min(self.dice.values()) >= 0, f"{move.owner} has no such dice at {move.source}")

    def _leave_arena(self, move: Move, face: int | None) -> None:
        """A die of the roll on the table leaves with a face it showed, any other die without."""
        left = self.arena.get("big" if move.big else "small", Counter())
        if move.source != f"supply-{self.thrower}" or not left:
            fair(face is None, "the die was not rolled")
            return
        shown = int(move.target[-1]) if move.target.startswith("H1") else face
        if face is None or face not in left or face != shown:
            raise Foul(f"a die showing {face} cannot go to {move.target}")
        left.subtract([face])
        self.arena = {size: +faces for size, faces in self.arena.items()}

    # What is paid

    def pay(self, seat: int, amount: int) -> Script[None]:
        """Exactly, with the fewest notes, and chips for what they cannot make up."""
        reward, purse = prize_with_change if self.book.change else prize, f"purse-{seat}"
        handed, given, chips = reward(self.bank, Counter(self.purses[seat]), amount)
        if handed:
            yield from self.notes(purse, BANK, handed)
        if given:
            yield from self.notes(BANK, purse, given)
        self.bank.update(handed)
        self.bank -= Counter(given)
        self.purses[seat] = list((Counter(self.purses[seat]) - Counter(handed) + Counter(given)).elements())
        if chips:
            yield from self.log.expect("chips_moved", source=BANK, target=f"purse-{seat}", chips=chips)
            self.chips[seat] += chips

    def notes(
        self, source: str, target: str, notes: tuple[int, ...], winner: str | None = None
    ) -> Script[None]:
        told = yield from self.log.take("notes_moved")
        moved = tuple(sorted(told["notes"], reverse=True))
        found = (told["source"], told["target"], moved, told.get("winner"))
        due = (source, target, tuple(sorted(notes, reverse=True)), winner)
        fair(found == due, f"payout: expected {due}, found {found}")
        self.payments += 1


def place_of(number: int) -> str:
    return CASINOS[number - 1]
