"""Schemas of requests about games."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar, get_args

from marshmallow import ValidationError, fields, validates_schema
from msgspec import UNSET, Struct, UnsetType

from events.chain import GENESIS
from events.text import Joined, Text
from events.values import MOST_SEATS, PUBLIC, GameId, SeatPlan, Visibility
from rules import EDITIONS, Rejected
from rules.state import Seat, Status
from service.catalog.bots import BOT_NAMES, DEFAULT_BOT
from service.games.seating import Seating, find_faults
from service.games.table_view import ForkShown
from service.http.auth import BECOME_PLAYER, SEND_TOKEN, require_player_of_key
from service.http.fields import (
    GAME_ID,
    LARGEST,
    LONGEST_WORD,
    MOST_CODES,
    VISIBLE,
    Characters,
    ChoiceWord,
    CleanText,
    FlagText,
    HashText,
    Items,
    Length,
    Name,
    NumberText,
    OneOf,
    OptionField,
    OwnName,
    Pattern,
    Strict,
    StrictBool,
    StrictInt,
    TicketText,
    Variants,
    Word,
)
from service.http.headers import FEWEST
from service.http.openapi.schemas import EXPECTED_VALUES
from service.http.problems import Fault, Problem, explain_rejection, to_fault
from service.http.services import Services
from service.lobby.filters import Order
from service.players.names import Names
from service.players.places import PLAYER_ID
from service.players.players import Player
from service.text import LONGEST_ENTROPY, LONGEST_KEPT_NAME, LONGEST_NAME
from service.timestamps import stamp


class Options(fields.Dict):
    """Options by their names; a value that none of them takes is told what its own takes."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any) -> Any:
        try:
            return super()._deserialize(value, attr, data, **given)  # type: ignore[no-untyped-call]
        except ValidationError as fault:
            told: Any = fault.messages
            if not isinstance(value, Mapping):
                raise
            named = {name: _name_expected(name, texts) for name, texts in told.items()}
            raise ValidationError(named, valid_data=fault.valid_data) from None


def _name_expected(name: str, texts: Mapping[str, Any]) -> Mapping[str, Any]:
    known = name in EXPECTED_VALUES and "value" in texts
    return {**texts, "value": [EXPECTED_VALUES[name]]} if known else texts


MOST_SECONDS = 3_600
ENTROPY = "Chance of one's own, mixed into every roll and draw of the game."
NAMED = '{"name": "Anna"}'


class NamedSeat(Strict):
    """A person, who gets a token."""

    name = OwnName(LONGEST_NAME, required=True)
    entropy = CleanText(LONGEST_ENTROPY, least=0, metadata={"description": ENTROPY})


class BotSeat(Strict):
    """A bot; see /v1/bots."""

    bot = fields.String(required=True, validate=OneOf(BOT_NAMES, error="must be one of {choices}"))


class OpenSeat(Strict):
    """For somebody to take."""

    open = StrictBool(
        required=True,
        validate=OneOf([True], error="must be true; give any other seat a `name` or a `bot`"),
    )


class CallerSeat(Strict):
    """The caller, by the player's token; at most once."""

    me = StrictBool(
        required=True,
        validate=OneOf([True], error="must be true; give any other seat a `name` or a `bot`"),
    )
    entropy = CleanText(LONGEST_ENTROPY, least=0, metadata={"description": ENTROPY})


class PlayerOfKey(fields.Raw):
    """The id of a player, or true."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any) -> Any:
        if value is True or (isinstance(value, str) and PLAYER_ID.fullmatch(value)):
            return value
        raise ValidationError("must be the id of a player that your API key has made: p_ and 22 characters")


class PlayerSeat(Strict):
    """A player of the caller's API key. `true` is the former way to say `{"me": true}`."""

    player = PlayerOfKey(
        required=True,
        metadata={
            "anyOf": [
                {"type": "string", "pattern": f"^{PLAYER_ID.pattern}$"},
                {"type": "boolean", "enum": [True], "deprecated": True},
            ]
        },
    )
    entropy = CleanText(LONGEST_ENTROPY, least=0, metadata={"description": ENTROPY})


A_PLAYER = Text("must be the id of a player: p_ and 22 letters, digits, _ or -")
A_BOT = Text("must be the id of a remote bot: p_ and 22 letters, digits, _ or -")


class RemoteProgram(Strict):
    """Who it is, how long it may take for an answer, and which level answers when that is over."""

    error_messages = {  # noqa: RUF012
        "type": 'must be an object such as {"name": "Carlo", "seconds": 10, "fallback": "greedy"}'
    }
    name = OwnName(LONGEST_NAME, required=True)
    seconds = StrictInt(1, MOST_SECONDS, load_default=10, metadata={"description": "For every answer."})
    fallback = fields.String(
        load_default=DEFAULT_BOT,
        validate=OneOf(BOT_NAMES),
        metadata={"description": "The level that answers when they are over, each time anew."},
    )


class RegisteredBot(Strict):
    """A bot that its owner has registered; its terms say how long it may take, and who answers then."""

    player = fields.String(
        required=True,
        validate=Pattern(f"^{PLAYER_ID.pattern}$", lambda text: A_BOT),
        metadata={"description": "The id of a bot of `GET /v1/remote-bots`."},
    )


A_REMOTE = "A program by a name of your own, or a bot that its owner has registered."
REMOTE_PLAYERS = {"name": RemoteProgram, "player": RegisteredBot}
REMOTE_EXAMPLE = '{"name": "Carlo", "seconds": 10, "fallback": "greedy"}'


class RemoteSeat(Strict):
    """A program from elsewhere, with a deadline of its own.

    By name it gets a token as a person does; a registered bot plays with the token that it has.
    """

    remote = Variants(
        "RemotePlayer",
        A_REMOTE,
        {"name": RemoteProgram, "player": RegisteredBot},
        REMOTE_EXAMPLE,
        required=True,
    )
    entropy = CleanText(LONGEST_ENTROPY, least=0, metadata={"description": ENTROPY})


SEATS = {
    "name": NamedSeat,
    "bot": BotSeat,
    "open": OpenSeat,
    "me": CallerSeat,
    "player": PlayerSeat,
    "remote": RemoteSeat,
}
FORK_SEATS = {name: seat for name, seat in SEATS.items() if name != "open"}
A_SEAT = "A named seat, a bot's, a remote program's, the caller's, or one that is open for somebody to take."


FEWEST_SEATS = 2
# Of more seats than this not one is looked at; up to it the rules say how many there may be.
MOST_SENT_SEATS = 20
MOST_OPTIONS = 32
LONGEST_CHOICE = 100
LONGEST_CODE = 40
MOST_COMMITS = 1_000
MOST_GAMES = 100
LONGEST_WAIT = 60
CODE = "Of a private game; case, spaces and hyphens do not matter."
AN_EDITION = {"description": "See /v1/editions.", "enum": [*EDITIONS.newest]}
VISIBILITY = (
    "Who finds the game: `public` stands in the list, `unlisted` is for those who have its id, and `private` "
    "is shown only to those at its table; the reply then has the `code` with which one sits down there."
)
LONGEST_SEED = 200
SANDBOX_SEED = "Any text. It decides every roll, every draw and what bots leave to chance, on every service."
SANDBOX_GAME = (
    "Makes a test game that is the same each time. It is in no public list, rating or statistic, and proves "
    "nothing about luck: whoever knows the seed knows the dice."
)
OPTION_VALUE = {
    "anyOf": [
        {"type": ["boolean", "null"]},
        {"type": "integer", "minimum": -LARGEST, "maximum": LARGEST},
        {"type": "string", "maxLength": LONGEST_WORD},
        {
            "type": "array",
            "maxItems": MOST_CODES,
            "items": {"type": "string", "maxLength": LONGEST_WORD},
        },
    ]
}


class EditionWord(Word):
    pattern = Characters(
        VISIBLE, lambda text: Text("must be one of {choices}", choices=", ".join(EDITIONS.newest))
    )


class Sandbox(Strict):
    """What makes the dice of a test game: the same seed, seats, options and choices give the same game."""

    error_messages = {"type": 'must be an object such as {"seed": "my first test"}'}  # noqa: RUF012
    seed = CleanText(LONGEST_SEED, required=True, metadata={"description": SANDBOX_SEED})


class NewGame(Strict):
    edition = EditionWord(40, required=True, metadata=AN_EDITION)
    options = Options(
        keys=Word(40),
        values=OptionField(allow_none=True, metadata=OPTION_VALUE),
        load_default=dict,
        validate=Length(max=MOST_OPTIONS),
        metadata={"description": "Members and values as the edition's own schema in /v1/editions says."},
        error_messages={"invalid": 'must be an object such as {{"hide_money": true}}'},
    )
    seats = Items(
        Variants("NewSeat", A_SEAT, SEATS, NAMED),
        MOST_SENT_SEATS,
        required=True,
        metadata={"minItems": FEWEST_SEATS, "maxItems": MOST_SEATS},
        error_messages={"invalid": 'must be an array such as [{{"name": "Anna"}}, {{"bot": "greedy"}}]'},
    )
    visibility = fields.String(
        validate=OneOf(get_args(Visibility)),
        load_default=PUBLIC,
        metadata={"description": VISIBILITY},
    )
    sandbox = fields.Nested(Sandbox, metadata={"description": SANDBOX_GAME})

    @validates_schema(skip_on_field_errors=False)
    def _check_players(self, data: Any, **given: Any) -> None:
        seats = [seat for seat in data.get("seats", ()) if isinstance(seat, Mapping)]
        if sum(seat.get("player") is True for seat in seats) > 1:
            raise ValidationError("a player sits on one seat of a game", "seats")


FORKED_SEATS = (
    "As they were when left out: bots stay, people keep their names and their tokens are in the reply. A "
    "registered player sits there only as the caller; a bot plays for other registered players."
)
FORKED_DICE = (
    "`fresh` dice from a new seed, or the `same` that the game had: the same choices then lead to the same "
    "game. As its seed is public, anybody can know these dice."
)


class NewFork(Strict):
    at = StrictInt(
        1, required=True, metadata={"description": "The version whose table the fork begins with."}
    )
    seats = Items(
        Variants("ForkSeat", "A named seat, a bot's seat, or the caller's.", FORK_SEATS, NAMED),
        MOST_SENT_SEATS,
        metadata={"description": FORKED_SEATS},
        error_messages={"invalid": 'must be an array such as [{{"name": "Anna"}}, {{"bot": "greedy"}}]'},
    )
    dice = fields.String(
        validate=OneOf(["fresh", "same"]), load_default="fresh", metadata={"description": FORKED_DICE}
    )


class SitDown(Strict):
    """Without a player's token `name` is required; with one the seat is the player's, under their name."""

    hints: ClassVar[Mapping[str, str]] = {
        "player": Text("Leave `player` out: a player token says who sits down.")
    }
    name = OwnName(LONGEST_NAME)
    entropy = CleanText(LONGEST_ENTROPY, least=0, load_default="", metadata={"description": ENTROPY})
    seat = StrictInt(0, metadata={"description": "The first open seat when left out."})
    code = CleanText(LONGEST_CODE, least=0, load_default="", metadata={"description": CODE})


class Choice(Strict):
    ask = StrictInt(1, required=True, metadata={"description": "Which of the table's asks is answered."})
    choice = ChoiceWord(
        LONGEST_CHOICE, required=True, metadata={"description": "The `choice` of one of its options."}
    )


class EventsQuery(Strict):
    after = NumberText(0, load_default=0, metadata={"description": "Commits after this version."})
    limit = NumberText(
        1,
        MOST_COMMITS,
        metadata={"description": "At most so many commits; 200 in a JSON page, else as many as there are."},
    )
    head = HashText(
        FEWEST,
        len(GENESIS),
        metadata={
            "description": "The hash of the commit at `after` (of none: zeros), or how it begins. Where the "
            "log has another there, begin anew: `next` leads to its beginning, a stream ends with `reset`. "
            "`next` and the ids of a stream then carry the hash too."
        },
    )
    wait = NumberText(
        0,
        LONGEST_WAIT,
        load_default=0,
        metadata={"description": "Seconds to wait for the first commit when there is none yet."},
    )
    sentences = FlagText(
        load_default=False,
        metadata={"description": "With `true` each commit has `sentences`: what happened, in the language."},
    )
    ticket = TicketText()


class FindGame(Strict):
    code = CleanText(LONGEST_CODE, required=True, metadata={"description": CODE})


class LeaveTable(Strict):
    for_good = StrictBool(
        load_default=False,
        metadata={
            "description": "In play: the bot keeps the seat, and its token ends. Else until you return."
        },
    )


class StartTable(Strict):
    bot = fields.String(
        validate=OneOf(BOT_NAMES),
        load_default=DEFAULT_BOT,
        metadata={"description": "Takes every open seat; see /v1/bots."},
    )


class VoidGame(Strict):
    agrees = StrictBool(load_default=True, metadata={"description": "False takes a consent back."})


class NothingToSay(Strict):
    """An empty object, or no body at all."""


def find_game_faults(document: object, readable: Mapping[str, Any]) -> list[Fault]:
    """What the rules have against the part of a new game that can be read."""
    seats = document.get("seats") if isinstance(document, Mapping) else None
    return _find_faults(readable, len(seats)) if isinstance(seats, list) and "edition" in readable else []


def explain_plan(rejected: Rejected, plan: Mapping[str, Any]) -> Problem:
    """Return every fault: the rules stop at the first, but a form should show all of them."""
    problem = explain_rejection(rejected)
    problem.members["errors"] = _find_faults(plan, len(plan["seats"]))
    return problem


def _find_faults(plan: Mapping[str, Any], players: int) -> list[Fault]:
    return [to_fault(fault) for fault in find_faults(plan["edition"], players, plan.get("options", {}))]


AT_LEAST = "Only once the game has come so far: what one has written oneself is read so for certain."
MOST_EXPORTED = 1_000
A_NAME = (
    "Games where somebody who is called so has a seat, in capitals or not. Players are not among them, "
    "for no list holds their names: they are found by `player`."
)
WAIT = "Seconds to wait until the game has reached `min_version`."


class MomentText(fields.String):
    """A date and time of RFC 3339, with its zone; read as the service writes moments."""

    def __init__(self, text: str) -> None:
        super().__init__(metadata={"description": text, "format": "date-time"})

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any) -> str:
        try:
            # A plus that was not escaped arrives as a space.
            moment = datetime.fromisoformat(value.upper().replace(" ", "+"))
            return stamp(moment.astimezone(UTC)) if moment.tzinfo else self._refuse()
        except (ValueError, OverflowError):
            return self._refuse()

    def _refuse(self) -> str:
        raise ValidationError("must be a time in UTC such as 2026-11-15T12:00:00Z")


class WaitingQuery(Strict):
    min_version = NumberText(1, metadata={"description": AT_LEAST})
    wait = NumberText(0, LONGEST_WAIT, load_default=0, metadata={"description": WAIT})

    @validates_schema
    def _check_wait(self, data: Mapping[str, Any], **given: Any) -> None:
        if data.get("wait") and "min_version" not in data:
            raise ValidationError("needs `min_version`", "wait")


AT = "The table as it was at this version."


class TableQuery(WaitingQuery):
    at = NumberText(1, metadata={"description": AT})


class PictureQuery(Strict):
    at = NumberText(1, metadata={"description": AT})


class MyExportQuery(Strict):
    cursor = Word(200, metadata={"description": "From the last line of that kind that was read."})
    limit = NumberText(
        1,
        MOST_EXPORTED,
        load_default=100,
        metadata={"description": "After so many games it ends, sent or left out."},
    )


class ExportsQuery(MyExportQuery):
    edition = fields.String(
        validate=OneOf([*EDITIONS.newest]),
        metadata={"description": "Games of this edition; see /v1/editions."},
    )
    player = fields.String(
        validate=Pattern(f"^{PLAYER_ID.pattern}$", lambda text: A_PLAYER),
        metadata={"description": "Games where this player has a seat, longest unchanged first."},
    )
    finished_after = MomentText("Games that ended later than this.")


class ListQuery(WaitingQuery):
    """Of a list of games, page by page."""

    game = fields.String(
        validate=Pattern(
            f"^{GAME_ID.pattern}$", lambda text: Text("must be the id of a game: g_ and 22 characters")
        ),
        metadata={"description": "The game whose `min_version` the list has to know."},
    )
    cursor = Word(200, metadata={"description": "From `next` of the page before."})
    limit = NumberText(1, MOST_GAMES, load_default=20, metadata={"description": "At most so many games."})

    @validates_schema
    def _check_game(self, data: Mapping[str, Any], **given: Any) -> None:
        if ("min_version" in data) != ("game" in data):
            raise ValidationError("a list takes `game` and `min_version` together", "min_version")


class GamesQuery(ListQuery):
    status = fields.String(
        validate=OneOf(get_args(Status)),
        metadata={"description": "Games that stand so."},
    )
    edition = fields.String(
        validate=OneOf([*EDITIONS.newest]),
        metadata={"description": "Games of this edition; see /v1/editions."},
    )
    name = Name(LONGEST_KEPT_NAME, A_NAME)
    player = fields.String(
        validate=Pattern(f"^{PLAYER_ID.pattern}$", lambda text: A_PLAYER),
        metadata={"description": "Games where this player has a seat, by id."},
    )
    open_seats = NumberText(1, MOST_SEATS, metadata={"description": "Games with so many open seats or more."})
    updated_after = MomentText("Games where something happened later than this.")
    finished_after = MomentText("Games that ended later than this.")
    order = fields.String(
        validate=OneOf(get_args(Order)),
        metadata={
            "description": "Newest first by creation, or by the last change; the latter where "
            "`updated_after` or `finished_after` is asked for and nothing is said."
        },
    )


def plan_seat(seat: Mapping[str, Any], player: Player | None, services: Services) -> SeatPlan:
    """Return the plan of a seat; `player` is the caller.

    Raises Problem for a player's seat without a player, or with one whom another key has made.
    """
    entropy = seat.get("entropy", "")
    if "remote" in seat and "player" in seat["remote"]:
        return _plan_registered_bot(services, seat["remote"]["player"], entropy)
    if "remote" in seat:
        told = seat["remote"]
        return SeatPlan(told["name"], None, entropy, "", "", told["seconds"], told["fallback"])
    if "me" not in seat and "player" not in seat:
        return SeatPlan(seat.get("name"), seat.get("bot"), entropy)
    if isinstance(seat.get("player"), str):
        player = require_player_of_key(services, seat["player"])
    if player is None:
        raise Problem(
            "unauthorized",
            Joined((Text("A seat for the caller needs a player token."), BECOME_PLAYER, SEND_TOKEN), " "),
        )
    return SeatPlan(None, None, entropy, player.id, player.name_commitment)


def _plan_registered_bot(services: Services, name: str, entropy: str) -> SeatPlan:
    """Return the plan of a seat for a registered bot. Raises Problem if it or its owner was erased."""
    bot = services.remote_bots.find(name)
    player = None if bot is None else services.players.read(bot.id)
    if bot is None or player is None or services.players.read(bot.owner) is None:
        raise Problem("unknown_bot", "There is no bot with this id, or it was erased.")
    return SeatPlan(
        entropy=entropy,
        player=player.id,
        name_commitment=player.name_commitment,
        seconds=bot.seconds,
        fallback=bot.fallback,
    )


# Why a registered bot cannot be seated.
BOT_REFUSALS = ("unknown_bot", "bot_closed", "bot_busy")


def check_consent(
    seats: Sequence[SeatPlan], caller: Player | None, services: Services, is_repeat: Callable[[], bool]
) -> None:
    """Raise Problem if a registered bot may not be seated by this caller, or plays in enough games.

    A repeated request is answered as the first one was, whatever has changed since.
    """
    wanted = [plan.player for plan in seats if plan.player and plan.fallback]
    refusals = list(find_unwilling(wanted, caller, services).values())
    if refusals and not is_repeat():
        raise refusals[0]


def find_unwilling(players: Iterable[str], caller: Player | None, services: Services) -> dict[str, Problem]:
    """Return those of these players that are bots and cannot be seated, each with the reason."""
    found: dict[str, Problem] = {}
    for bot in services.remote_bots.find_all(players):
        counts = services.player_reading.counts(bot.id)
        if not bot.may_be_seated_by(caller.id if caller else None):
            found[bot.id] = Problem("bot_closed", "The owner of this bot lets no others seat it.")
        elif counts.get("lobby", 0) + counts.get("playing", 0) >= bot.most_games:
            told = Text("This bot plays in {most} games, as many as its owner allows.", most=bot.most_games)
            found[bot.id] = Problem("bot_busy", told)
    return found


class SeatReply(Struct, frozen=True, omit_defaults=True):
    """The token is shown this once; a player's seat is opened by the player's own."""

    seat: int
    name: str | None = None
    bot: str | None = None
    open: bool = False
    token: str | None = None
    player: str | None = None


class GameReply(Struct, frozen=True):
    """One that is created private has a `code` and a `watch_code`, which are shown this once.

    With the `watch_code` as bearer token one looks on, and cannot sit down. In a code case, spaces and
    hyphens do not matter. Forks and rematches have none.
    """

    id: GameId
    version: int
    status: Status
    seats: tuple[SeatReply, ...]
    code: str | UnsetType = UNSET
    watch_code: str | UnsetType = UNSET
    fork: ForkShown | UnsetType = UNSET
    sandbox: bool | UnsetType = UNSET


def game_reply(seated: Seating, names: Names) -> GameReply:
    state = names.name_seats(seated.state)
    seats = tuple(
        _seat_reply(number, seat, seated.tokens.get(number)) for number, seat in enumerate(state.seats)
    )
    origin = seated.state.origin
    fork = ForkShown(origin.game, origin.at) if origin else UNSET
    return GameReply(
        id=seated.game,
        version=seated.version,
        status=seated.state.status,
        seats=seats,
        code=seated.code or UNSET,
        watch_code=seated.watch_code or UNSET,
        fork=fork,
        sandbox=seated.state.sandbox or UNSET,
    )


def _seat_reply(number: int, seat: Seat, token: str | None) -> SeatReply:
    if seat.bot is not None:
        return SeatReply(number, bot=seat.bot)
    return SeatReply(number, seat.name, open=seat.name is None, token=token, player=seat.player or None)
