"""The commands that people, bots and the clock send to a game."""

from __future__ import annotations

from msgspec import Struct

from events.secrecy import Secret
from events.types import OptionValue
from events.values import PUBLIC, Origin, SeatPlan, Visibility


class Create(Struct, frozen=True, tag_field="type", tag="create", omit_defaults=True):
    game: str
    edition: str
    seats: tuple[SeatPlan, ...]
    commitment: str
    options: dict[str, OptionValue] = {}
    rematch_of: str = ""
    visibility: Visibility = PUBLIC
    sandbox: bool = False


class Sit(Struct, frozen=True, tag_field="type", tag="sit", omit_defaults=True):
    """A person takes a seat. The `name` of a registered player is empty: see SeatPlan."""

    seat: int
    name: str
    entropy: str = ""
    player: str = ""
    name_commitment: str = ""


class Choose(Struct, frozen=True, tag_field="type", tag="choose", omit_defaults=True):
    """An answer to a question.

    Where a bot answers in a person's place, `bot` names it, and `why` is `timeout` or `away`.
    """

    ask: int
    seat: int
    choice: str | Secret[str]
    bot: str = ""
    why: str = ""


class Leave(Struct, frozen=True, tag_field="type", tag="leave", omit_defaults=True):
    """A person leaves; in play, `bot` answers for them, `for_good` or until they return."""

    seat: int
    bot: str = ""
    for_good: bool = False


class Return(Struct, frozen=True, tag_field="type", tag="return", omit_defaults=True):
    """A person who was away answers again."""

    seat: int


class Start(Struct, frozen=True, tag_field="type", tag="start", omit_defaults=True):
    """The host starts the game: this bot takes every open seat."""

    seat: int
    bot: str


class Cancel(Struct, frozen=True, tag_field="type", tag="cancel", omit_defaults=True):
    """The host calls the game off before it has started."""

    seat: int


class Void(Struct, frozen=True, tag_field="type", tag="void", omit_defaults=True):
    """A person votes to end the game without winners, or takes the vote back."""

    seat: int
    agrees: bool = True


class Rematch(Struct, frozen=True, tag_field="type", tag="rematch", omit_defaults=True):
    """The same people play again, in a new game with this id."""

    seat: int
    game: str


class Fork(Struct, frozen=True, tag_field="type", tag="fork", omit_defaults=True):
    """The game continues from here under another id, with other players (W12).

    It has another seed, or with `same_dice` the one it had.
    """

    game: str
    origin: Origin
    seats: tuple[SeatPlan, ...]
    commitment: str
    visibility: Visibility = PUBLIC
    same_dice: bool = False


class Close(Struct, frozen=True, tag_field="type", tag="close", omit_defaults=True):
    """The game is closed without winners (W2, W3)."""

    reason: str


Command = Create | Sit | Choose | Leave | Return | Start | Cancel | Void | Rematch | Fork | Close
