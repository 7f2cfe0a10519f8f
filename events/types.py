"""Every event type of a game: things move between places, seats change, tiles keep state."""

from __future__ import annotations

from msgspec import Struct

from events.agenda import Agenda
from events.secrecy import Secret
from events.values import PUBLIC, Lot, Origin, Owner, Place, SeatPlan, Visibility


class SeatTaken(Struct, frozen=True, tag_field="type", tag="seat_taken", omit_defaults=True):
    """A seat is taken by a person, a registered player (`name` is empty: see SeatPlan) or a bot (W5)."""

    seat: int
    name: str
    entropy: str = ""
    player: str = ""
    name_commitment: str = ""
    bot: str = ""


class SeatLeft(Struct, frozen=True, tag_field="type", tag="seat_left", omit_defaults=True):
    """In the lobby the seat is open again; in play the bot answers there, until return or for good (W4)."""

    seat: int
    bot: str = ""
    for_good: bool = False


def find_given_up(event: object) -> int | None:
    """Return the seat whose tokens end with this event: one left in the lobby, or in play for good."""
    return event.seat if isinstance(event, SeatLeft) and (event.for_good or not event.bot) else None


class SeatReturned(Struct, frozen=True, tag_field="type", tag="seat_returned", omit_defaults=True):
    """The person answers again, and no bot does."""

    seat: int


class VoidVoted(Struct, frozen=True, tag_field="type", tag="void_voted", omit_defaults=True):
    """A person votes to end the game without winners, or takes the vote back (W7)."""

    seat: int
    agrees: bool


class RematchMade(Struct, frozen=True, tag_field="type", tag="rematch_made", omit_defaults=True):
    """The same people play again in the game with this id; the only event after an end (W8)."""

    game: str


class GameForked(Struct, frozen=True, tag_field="type", tag="game_forked", omit_defaults=True):
    """From here on it is another game with other players; the seed proves every roll before (W12).

    With `same_dice` it goes on with that seed, the same name in the dice and the entropy of the seats before.
    """

    game: str
    origin: Origin
    seats: tuple[SeatPlan, ...]
    commitment: str
    seed: str
    visibility: Visibility = PUBLIC
    same_dice: bool = False


SeatFact = SeatTaken | SeatLeft | SeatReturned | VoidVoted | RematchMade | GameForked


class TilesLaid(Struct, frozen=True, tag_field="type", tag="tiles_laid", omit_defaults=True):
    """Tiles for casinos 1, 2, …"""

    tiles: tuple[str, ...]
    chance: int | None = None


class TokenMoved(Struct, frozen=True, tag_field="type", tag="token_moved", omit_defaults=True):
    """A token moves to the seat that owns it from now on, or to a place on the table."""

    token: str
    target: Place


class CounterMoved(Struct, frozen=True, tag_field="type", tag="counter_moved", omit_defaults=True):
    """A number that a tile keeps."""

    counter: str
    value: int


class CasinoClosed(Struct, frozen=True, tag_field="type", tag="casino_closed", omit_defaults=True):
    """No die enters or leaves it by any means (T-E1)."""

    number: int


class CasinoOpened(Struct, frozen=True, tag_field="type", tag="casino_opened", omit_defaults=True):
    """Dice may enter and leave it again."""

    number: int


TileFact = TilesLaid | TokenMoved | CounterMoved | CasinoClosed | CasinoOpened


OptionValue = bool | int | str | None | tuple[str, ...]


class GameCreated(Struct, frozen=True, tag_field="type", tag="game_created", omit_defaults=True):
    """The first fact: what is played by which rules, who may sit where, and the seed's commitment.

    The creator of a `sandbox` game chose its seed: the same seed and choices give the same game everywhere.
    """

    game: str
    edition: str
    options: dict[str, OptionValue]
    seats: tuple[SeatPlan, ...]
    commitment: str
    rules: str
    rematch_of: str = ""
    visibility: Visibility = PUBLIC
    sandbox: bool = False


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
    """Own, big and neutral dice of a seat; without a seat, black or spare neutral dice."""

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
