"""The state of a table at one moment, and what one viewer may see of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from msgspec import Struct

from events.agenda import Agenda, Ask
from events.secrecy import Secret, redact
from events.types import OptionValue
from events.values import (
    CASINO,
    CASINO_NUMBERS,
    OWNER,
    PILE,
    PUBLIC,
    PURSE,
    SUPPLY,
    Dice,
    Origin,
    Owner,
    Place,
    Visibility,
)

Status = Literal["lobby", "playing", "over"]
# What the dice of a sandbox game are made with instead of its id, so that they are the same everywhere.
SANDBOX = "sandbox"
Heap = Mapping[Owner, Dice]
NOTHING: Heap = {}
NO_DICE = Dice()


@cache
def _clockwise(first: int, players: int) -> tuple[int, ...]:
    """Every seat once, from this one on to the left (P3)."""
    return tuple(seat % players for seat in range(first, first + players))


class Seat(Struct, frozen=True, omit_defaults=True):
    """One seat of a game.

    `name` is None while the seat is open; that of a registered player is the player's id, because the log
    does not hold their name. `stand_in` is the bot that answers while the person is away. `sat` is the order
    in which people sat down, from 0 on. An external program has `seconds` for an answer, then the bot
    `fallback` answers (W13). `is_erased` is never set by the rules: it is filled in where names are resolved.
    """

    name: str | None
    bot: str | None = None
    entropy: str = ""
    player: str = ""
    name_commitment: str = ""
    stand_in: str | None = None
    sat: int = 0
    seconds: int = 0
    fallback: str = ""
    is_erased: bool = False

    @property
    def acting_bot(self) -> str | None:
        """The bot that answers here; None where a person does."""
        return self.bot or self.stand_in

    @property
    def is_person(self) -> bool:
        """Whether a person has this seat, at the table or away."""
        return self.name is not None and self.bot is None


class Roll(Struct, frozen=True, gc=False):
    """The dice in the arena."""

    seat: int
    own: tuple[int, ...]
    big: int | None
    neutral: tuple[int, ...]


class State(Struct, frozen=True, omit_defaults=True):
    """A game at one moment.

    `asked` is the number of the last question, `drawn` the running number of the next roll or draw.
    `outfit` is where every die lies when a round begins, `tile_box` are the tiles to draw from.
    `arrivals` counts people who sat down after the creation, `departures` people who gave up a seat for good.
    `void` are the seats that want the game to end without winners. `rematch` is the game that follows this
    one, `rematch_of` the game before it; a fork has its `origin`. The creator of a `sandbox` game, and of its
    rematches and forks, chose its dice. A fork with the dice of another game has that game in `dice_game`,
    and in `dice_forks` how many such forks there were: each is a commit that the other game does not have.
    """

    game: str = ""
    edition: str = ""
    release: str = ""
    commitment: str = ""
    options: dict[str, OptionValue] = {}
    status: Status = "lobby"
    seats: tuple[Seat, ...] = ()
    round: int = 0
    starter: int = 0
    turn: int | None = None
    turns: int = 0
    roll: Roll | None = None
    agenda: Agenda = ()
    asked: int = 0
    drawn: int = 0
    outfit: dict[Place, Heap] = {}
    dice: dict[Place, Heap] = {}
    notes: dict[Place, tuple[int, ...]] = {}
    chips: dict[Place, int] = {}
    chip_cards: dict[Place, tuple[str, ...]] = {}
    decks: tuple[tuple[str, ...], ...] = ()
    hands: dict[int, Secret[tuple[str, ...]]] = {}
    glasses: dict[int, tuple[Secret[tuple[str, ...]], ...]] = {}
    tile_box: tuple[str, ...] = ()
    tiles: tuple[str, ...] = ()
    tiles_used: tuple[str, ...] = ()
    tokens: dict[str, Place] = {}
    counters: dict[str, int] = {}
    closed: tuple[int, ...] = ()
    winners: tuple[int, ...] | None = None
    seed: str = ""
    close_reason: str = ""
    arrivals: int = 0
    departures: int = 0
    void: tuple[int, ...] = ()
    rematch: str = ""
    rematch_of: str = ""
    visibility: Visibility = PUBLIC
    origin: Origin | None = None
    sandbox: bool = False
    dice_game: str = ""
    dice_forks: int = 0

    @property
    def dice_name(self) -> str:
        """The name that dice, draws, salts and the luck of bots are made with, beside the seed."""
        return SANDBOX if self.sandbox else self.dice_game or self.game

    @property
    def ask(self) -> Ask | None:
        """The open question; None where the game does not wait for an answer."""
        agenda = self.agenda
        return top if agenda and type(top := agenda[-1]) is Ask else None

    @property
    def people(self) -> tuple[int, ...]:
        """The seats that people have, also those where a bot answers for a person now."""
        return tuple(number for number, seat in enumerate(self.seats) if seat.is_person)

    @property
    def people_asked(self) -> tuple[int, ...]:
        """The seats that owe an answer which no bot gives for them."""
        ask = self.ask if self.status == "playing" else None
        return tuple(seat for seat in ask.awaited if self.seats[seat].acting_bot is None) if ask else ()

    @property
    def host(self) -> int | None:
        """The person who has been at the table longest (W5)."""
        return min(self.people, key=lambda seat: (self.seats[seat].sat, seat), default=None)

    def left_of(self, seat: int) -> int:
        """The next seat in order (P3)."""
        return (seat + 1) % len(self.seats)

    def clockwise(self, first: int) -> tuple[int, ...]:
        return _clockwise(first, len(self.seats))

    @property
    def order(self) -> tuple[int, ...]:
        """All seats in the order of their next turns; the seat that has the turn comes last."""
        turn = self.turn
        return _clockwise(self.starter if turn is None else turn + 1, len(self.seats))

    def heap(self, place: Place) -> Heap:
        return self.dice.get(place, NOTHING)

    def dice_of(self, owner: Owner, place: Place) -> Dice:
        return self.dice.get(place, NOTHING).get(owner, NO_DICE)

    def own_dice(self, seat: int, number: int) -> Dice:
        return self.dice_of(OWNER[seat], CASINO[number])

    def supply_of(self, seat: int) -> Dice:
        return self.dice_of(OWNER[seat], SUPPLY[seat])

    def notes_of(self, seat: int) -> tuple[int, ...]:
        return self.notes.get(PURSE[seat], ())

    def chips_of(self, seat: int) -> int:
        return self.chips.get(PURSE[seat], 0)

    def notes_at(self, number: int) -> tuple[int, ...]:
        return self.notes.get(CASINO[number], ())

    @property
    def open(self) -> tuple[int, ...]:
        """The casinos that dice may enter and leave (T-E1)."""
        return tuple(number for number in CASINO_NUMBERS if number not in self.closed)

    @property
    def unseen(self) -> tuple[int, ...]:
        """The notes that are not drawn yet; they have no order until they are drawn."""
        return self.notes.get(PILE, ())


EMPTY = State()


def view(state: State, viewer: int | None) -> State:
    """Return the state as a seat sees it, or a spectator (None); nothing is hidden once it is over (S1)."""
    return state if state.status == "over" else redact(state, viewer)
