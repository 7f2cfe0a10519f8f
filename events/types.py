"""The facts of a game. Things move between places; nothing here knows why."""

from __future__ import annotations

from msgspec import Struct

from events.agenda import Agenda
from events.seat_types import SeatFact
from events.secrecy import Secret
from events.tile_types import TileFact
from events.values import PUBLIC, Lot, Owner, Place, SeatPlan, Visibility

OptionValue = bool | int | str | None | tuple[str, ...]


class GameCreated(Struct, frozen=True, tag_field="type", tag="game_created", omit_defaults=True):
    """The first fact: what is played by which rules, who may sit where, and the seed's commitment."""

    game: str
    edition: str
    options: dict[str, OptionValue]
    seats: tuple[SeatPlan, ...]
    commitment: str
    rules: str
    rematch_of: str = ""
    visibility: Visibility = PUBLIC


class GameStarted(Struct, frozen=True, tag_field="type", tag="game_started", omit_defaults=True):
    """Everything that comes out of the box."""

    notes: tuple[int, ...]
    dice: tuple[Lot, ...] = ()
    decks: tuple[tuple[str, ...], ...] = ()
    chip_cards: tuple[str, ...] = ()
    tiles: tuple[str, ...] = ()


class RoundStarted(Struct, frozen=True, tag_field="type", tag="round_started", omit_defaults=True):
    """`chance` is there where the starter was drawn."""

    round: int
    starter: int
    chance: int | None = None


class TurnStarted(Struct, frozen=True, tag_field="type", tag="turn_started", omit_defaults=True):
    """A turn that does not begin with a roll; no seat where all play at once."""

    seat: int | None = None


class DiceRolled(Struct, frozen=True, tag_field="type", tag="dice_rolled", omit_defaults=True):
    """Own, big and neutral dice of a seat, or the dice of nobody in particular."""

    chance: int
    seat: int | None = None
    own: tuple[int, ...] = ()
    big: int | None = None
    neutral: tuple[int, ...] = ()
    black: tuple[int, ...] = ()


class DicePlaced(Struct, frozen=True, tag_field="type", tag="dice_placed", omit_defaults=True):
    """All rolled dice of one number leave a seat's supply."""

    seat: int
    number: int
    target: Place
    small: int = 0
    big: int = 0
    neutral: int = 0


class DiceMoved(Struct, frozen=True, tag_field="type", tag="dice_moved", omit_defaults=True):
    """`face` is set when a rolled die leaves the arena; `turned` when dice change their owner."""

    owner: Owner
    source: Place
    target: Place
    small: int = 0
    big: int = 0
    face: int | None = None
    turned: Owner | None = None


class DiceReturned(Struct, frozen=True, tag_field="type", tag="dice_returned", omit_defaults=True):
    """All dice of these owners in this place go home."""

    place: Place
    owners: tuple[Owner, ...]


class NotesMoved(Struct, frozen=True, tag_field="type", tag="notes_moved", omit_defaults=True):
    """`winner` is set when an imaginary player won a note that goes where left-overs go."""

    source: Place
    target: Place
    notes: tuple[int, ...]
    chance: int | None = None
    winner: Owner | None = None


class ChipsMoved(Struct, frozen=True, tag_field="type", tag="chips_moved", omit_defaults=True):
    """Between a purse and the bank."""

    source: Place
    target: Place
    chips: int


class ChipCardsMoved(Struct, frozen=True, tag_field="type", tag="chip_cards_moved", omit_defaults=True):
    """From the pile to a casino, or from there to a purse."""

    source: Place
    target: Place
    cards: tuple[str, ...]
    chance: int | None = None


class CardsDealt(Struct, frozen=True, tag_field="type", tag="cards_dealt", omit_defaults=True):
    """A seat's new hand, which only that seat sees."""

    seat: int
    cards: Secret[tuple[str, ...]]
    chance: int


class CardsPlayed(Struct, frozen=True, tag_field="type", tag="cards_played", omit_defaults=True):
    """A hand is laid down: some cards to their casinos, the rest under the glass."""

    seat: int
    cards: tuple[str, ...]
    rest: Secret[tuple[str, ...]]
    chance: int


class Chosen(Struct, frozen=True, tag_field="type", tag="chosen", omit_defaults=True):
    """An answer that waits, sealed or for others; one that is carried out at once needs no event."""

    ask: int
    seat: int
    choice: str | Secret[str]
    chance: int | None = None


class Revealed(Struct, frozen=True, tag_field="type", tag="revealed", omit_defaults=True):
    """Salt and value open a commitment made before."""

    hidden: str
    seat: int
    value: str
    salt: str


class AgendaChanged(Struct, frozen=True, tag_field="type", tag="agenda_changed", omit_defaults=True):
    """What has to happen next; its last item comes first."""

    agenda: Agenda


class RoundEnded(Struct, frozen=True, tag_field="type", tag="round_ended", omit_defaults=True):
    """All dice, cards and tokens go home."""

    round: int


class GameEnded(Struct, frozen=True, tag_field="type", tag="game_ended", omit_defaults=True):
    """The result, with the seed that proves every roll."""

    winners: tuple[int, ...]
    totals: tuple[int, ...]
    seed: str


class GameClosed(Struct, frozen=True, tag_field="type", tag="game_closed", omit_defaults=True):
    """The end without winners, with the seed that proves every roll."""

    reason: str
    seed: str


StartFact = GameCreated | GameStarted | RoundStarted | TurnStarted
PlayFact = DiceRolled | DicePlaced | DiceMoved | DiceReturned | CardsDealt | CardsPlayed
MoneyFact = NotesMoved | ChipsMoved | ChipCardsMoved
AskFact = Chosen | Revealed | AgendaChanged
EndFact = RoundEnded | GameEnded | GameClosed
Event = StartFact | SeatFact | PlayFact | MoneyFact | TileFact | AskFact | EndFact
