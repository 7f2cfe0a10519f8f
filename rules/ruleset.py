"""A ruleset is one edition as a value: numbers and named policies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import force_setattr

from events.text import as_text
from events.types import OptionValue
from events.values import UNDER, Lot, Owner, Place
from rules.extension import Standing, TableExtension
from rules.prompt import NOTHING_THERE, Casino, OptionDetails, Prompt, StepWork
from rules.tile import Tile

if TYPE_CHECKING:
    from rules.state import State
    from rules.table import Table

# Who opens a later round: the left neighbour, the player who rolled last, or the one who won last.
StartsBy = Literal["left", "last_roll", "last_winner"]
# What is counted where several have the most money (P6).
TieBreaker = Literal["notes", "notes_and_chips"]


class Sources(Struct, frozen=True):
    """The places in the rulebook that explanations cite.

    `set_up` lays out the first round and `restock` every later one; `neutral` is the section on neutral dice,
    `bank` is the section on its notes, `chips` and `more_chips` are for the chips of the first and of later
    rounds, `extra` is for the casino beside the six. `in_sequence` is the turn where players who could play
    at once play one after the other, and `all_at_once` the beginning of a round that has no starter.
    """

    book: str
    set_up: str
    restock: str
    turn: str
    ties: str
    payout: str
    leftovers: str
    next_start: str
    result: str
    starts_by: StartsBy
    extra: str = ""
    neutral: str = ""
    bank: str = ""
    chips: str = ""
    more_chips: str = ""
    in_sequence: str = ""
    all_at_once: str = ""
    tie_breaker: TieBreaker = "notes"
    first_start: str = "P2"

    def cite_tile(self, code: str, name: str) -> str:
        return f"{self.book} {name.upper()}, T-{code}"


Options = Mapping[str, OptionValue]
Notes = tuple[int, ...]
# What a player hands to the bank, and what the bank gives.
Exchange = tuple[Notes, Notes]
SetUp = Callable[["Table"], None]


class OptionSpec(Struct, frozen=True):
    """One option of an edition.

    `how` is what it changes in the game, told in the rules where `text` is too short. `players` are the table
    sizes that may choose it, `needs` is another option that it requires. For an option of codes, `either` are
    groups of which one code may be named, and `counted_as` is the option that holds their number. `added`
    marks an option that a release got later: not all of its games name it.
    """

    name: str
    kind: Literal["flag", "number", "seat", "codes", "policy"]
    text: str
    default: OptionValue = None
    least: int = 0
    most: int = 0
    codes: tuple[str, ...] = ()
    players: tuple[int, int] | None = None
    needs: str = ""
    rule: str = ""
    either: tuple[tuple[str, ...], ...] = ()
    counted_as: str = ""
    added: bool = False
    how: str = ""

    def __post_init__(self) -> None:
        """Let the texts be translated."""
        force_setattr(self, "text", as_text(self.text))
        force_setattr(self, "how", as_text(self.how) if self.how else self.text)

    def value_in(self, options: Options) -> OptionValue:
        """The value in a game's options; games from before the option existed do not name it."""
        return options.get(self.name, self.default)


class Offer(Struct, frozen=True):
    """Something a seat may do with its roll, on a `rule` of its own or that of the turn.

    The verb is the first word of the choice; `details` says which things on the table it concerns.
    `numbered` offers are about the dice that show one number, which is the last word of the choice: they go
    to the casino of that number, or all to one `casino`.
    """

    choices: Callable[[State, int], tuple[str, ...]]
    label: Callable[[State, int, str], str]
    take: Callable[[Table, int, str], None]
    rule: str = ""
    details: Callable[[State, int, str], OptionDetails] = lambda state, seat, choice: NOTHING_THERE
    numbered: bool = False
    casino: Casino | None = None


def _dice_in_hand(state: State, seat: int) -> int:
    return state.supply_of(seat).weight


class Ruleset(Struct, frozen=True):
    """One release of an edition; stored games name the release they are played by.

    Of its `tiles` the release began with `first_tiles`; the others were added to it.
    `find_notes(bank, purse, amount)` says how the bank pays an amount to a seat with these notes.
    `tiles_out(ruleset, options)` are the codes of the tiles that come out of the box.
    `standing(state, number)` is what each player at a casino would get if the round ended now.
    `stock_fault(notes, left)` says why a casino cannot begin a round with these notes while `left` notes are
    still to be drawn; it is empty where it can.
    `to_come(state, seat)` is the weight that the seat may still bring to the casinos this round.
    `extensions` are what its mechanisms add to the table that clients see.
    `how_to_play` are its rules in our own words, in paragraphs.
    """

    id: str
    release: int
    title: str
    text: str
    seats: tuple[int, int]
    rounds: int
    casinos: tuple[str, ...]
    notes: tuple[int, ...]
    options: tuple[OptionSpec, ...]
    set_up: tuple[SetUp, ...]
    turns: str
    next_starter: Callable[[State], int]
    standing: Callable[[State, int], tuple[Standing, ...]]
    sources: Sources
    dice: Callable[[int, Options], tuple[Lot, ...]] = lambda players, options: ()
    decks: Callable[[int], tuple[tuple[str, ...], ...]] = lambda players: ()
    chip_cards: Callable[[Options], tuple[str, ...]] = lambda options: ()
    tiles_out: Callable[[Ruleset, Options], tuple[str, ...]] = lambda ruleset, options: ()
    stock_fault: Callable[[Notes, int], str] = lambda notes, left: ""
    leftovers: Place = UNDER
    find_notes: Callable[[Notes, Notes, int], Exchange] = lambda bank, purse, amount: ((), ())
    bandit: str | None = None
    to_come: Callable[[State, int], int] = _dice_in_hand
    extensions: tuple[TableExtension, ...] = ()
    paid: Callable[[Table, int, tuple[Owner, ...]], None] | None = None
    after_payout: tuple[Callable[[Table], None], ...] = ()
    steps: Mapping[str, StepWork] = {}
    prompts: Mapping[str, Prompt] = {}
    tiles: Mapping[str, Tile] = {}
    first_tiles: tuple[str, ...] = ()
    how_to_play: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Let the texts be translated."""
        force_setattr(self, "title", as_text(self.title))
        force_setattr(self, "text", as_text(self.text))
        force_setattr(self, "how_to_play", tuple(map(as_text, self.how_to_play)))


Thing = TypeVar("Thing")


def join_unique(*parts: Mapping[str, Thing]) -> dict[str, Thing]:
    """Merge mappings that have no name in common. Raises ValueError for a name that two of them have."""
    return merge_unique(pair for part in parts for pair in part.items())


def merge_unique(pairs: Iterable[tuple[str, Thing]]) -> dict[str, Thing]:
    """Make a mapping of pairs. Raises ValueError for a name that is there twice."""
    merged: dict[str, Thing] = {}
    for name, thing in pairs:
        if name in merged:
            raise ValueError(f"{name} is defined twice")
        merged[name] = thing
    return merged
