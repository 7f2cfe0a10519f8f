"""HTTP operations on remote bots: register, list, change, erase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlencode

from flask import Response
from msgspec import Meta, Struct

from events.text import Text
from events.values import Moment
from service.games.idempotency import KeyedRequest, identify_request
from service.http.auth import PLAYER_REQUIRED, PUBLIC_ACCESS
from service.http.headers import MY_KEY
from service.http.limits import CREATING, PLAYING, check_room
from service.http.operation import Call, operation
from service.http.problems import Problem
from service.http.responses import REPLAYED, Reply
from service.http.services import Services
from service.players.places import PLAYER_ID
from service.players.players import REPEAT_SECONDS, Player
from service.remote_bots.remote_bots import OpenTo, RemoteBot, TooManyBots, UnknownBot
from service.remote_bots.schemas import NewRemoteBot, RemoteBotChange, RemoteBotsQuery
from service.stats.counts import PlayerRating, read_ratings
from service.timestamps import stamp

BotId = Annotated[str, Meta(extra_json_schema={"pattern": f"^{PLAYER_ID.pattern}$"})]


class BotOwner(Struct, frozen=True):
    """The player who answers for a bot."""

    id: str
    name: str


class RemoteBotReply(Struct, frozen=True):
    """A bot that runs elsewhere. To seat it, send `{"remote": {"player": id}}` in the seats of a new game."""

    id: BotId
    name: str
    owner: BotOwner
    build: str
    seconds: int
    fallback: str
    open_to: OpenTo
    most_games: int
    created: Moment
    rating: tuple[PlayerRating, ...]


class NewRemoteBotReply(Struct, frozen=True):
    """A new bot. The token is shown this once; the program plays with it as a player does."""

    id: BotId
    name: str
    token: str
    build: str
    seconds: int
    fallback: str
    open_to: OpenTo
    most_games: int
    created: Moment


class RemoteBotsReply(Struct, frozen=True):
    """Bots that everyone may seat. `next` is the address of the next page; null on the last."""

    bots: tuple[RemoteBotReply, ...]
    cursor: str | None
    next: str | None


class MyRemoteBotsReply(Struct, frozen=True):
    """The bots of the caller, oldest first."""

    bots: tuple[RemoteBotReply, ...]


@operation(
    "POST /v1/remote-bots",
    "Register a bot of mine, which runs elsewhere",
    NewRemoteBotReply,
    access=PLAYER_REQUIRED,
    scope="players",
    needs_key=True,
    status=201,
    body=NewRemoteBot,
    headers=(MY_KEY,),
    errors=("too_many_bots", "no_room", "unavailable"),
    rate_limit=CREATING,
)
def register_remote_bot(call: Call[Player]) -> Reply:
    """Create a player for the bot, store the terms that its owner gives, and reply with its token."""
    services = call.services
    owner = call.caller
    body = call.body
    request = identify_request(f"bot of {owner.id}", call.key, dict(body))
    check_room(services.room, lambda: services.players.has_created(request))
    if not services.players.has_created(request):
        _check_owner(call)
    welcome = services.players.create(body["name"], request, owner.key)
    bot = RemoteBot(
        id=welcome.player.id,
        owner=owner.id,
        build=body["build"],
        seconds=body["seconds"],
        fallback=body["fallback"],
        open_to=body["open_to"],
        most_games=body["most_games"],
        created=stamp(services.clock()),
    )
    try:
        stored = services.remote_bots.register(bot)
    except TooManyBots as full:
        raise _too_many(full) from None
    # An owner who never plays must not be forgotten before the bot.
    services.players.keep(owner.id)
    reply = NewRemoteBotReply(
        id=stored.id,
        name=body["name"],
        token=welcome.token,
        build=stored.build,
        seconds=stored.seconds,
        fallback=stored.fallback,
        open_to=stored.open_to,
        most_games=stored.most_games,
        created=stored.created,
    )
    return Reply(reply, location=f"/v1/remote-bots/{stored.id}", replayed=welcome.replayed)


def _check_owner(call: Call[Player]) -> None:
    """Raise Problem if the caller may have no further bot."""
    bots = call.services.remote_bots
    if bots.find(call.caller.id) is not None:
        raise Problem("too_many_bots", "A bot has no bots. Send the token of its owner.")
    try:
        bots.check_room(call.caller.id)
    except TooManyBots as full:
        raise _too_many(full) from None


def _too_many(full: TooManyBots) -> Problem:
    most = full.args[0]
    return Problem("too_many_bots", Text("A player has at most {most} bots. Erase one first.", most=most))


@operation(
    "GET /v1/remote-bots",
    "Bots of players that everyone may seat",
    RemoteBotsReply,
    access=PUBLIC_ACCESS,
    query=RemoteBotsQuery,
    errors=("unavailable",),
)
def list_remote_bots(call: Call[None]) -> Reply:
    """Reply with a page of bots, in the order of their ids."""
    limit = call.query["limit"]
    found = call.services.remote_bots.list_open(call.query.get("cursor", ""), limit)
    cursor = found[-1].id if len(found) == limit else None
    following = f"/v1/remote-bots?{urlencode({'cursor': cursor, 'limit': limit})}" if cursor else None
    return Reply(RemoteBotsReply(_show_all(call.services, found), cursor, following))


@operation(
    "GET /v1/me/remote-bots",
    "My bots, also those that only I may seat",
    MyRemoteBotsReply,
    access=PLAYER_REQUIRED,
    scope="players",
    errors=("unavailable",),
)
def list_my_remote_bots(call: Call[Player]) -> Reply:
    """Reply with the caller's bots."""
    found = call.services.remote_bots.list_of(call.caller.id)
    return Reply(MyRemoteBotsReply(_show_all(call.services, found)))


@operation(
    "GET /v1/remote-bots/{bot}",
    "What everybody may know of a bot that runs elsewhere",
    RemoteBotReply,
    access=PUBLIC_ACCESS,
    errors=("unknown_bot", "unavailable"),
)
def show_remote_bot(call: Call[None]) -> Reply:
    """Reply with one bot."""
    found = call.services.remote_bots.find(call.path["bot"])
    return Reply(_show(call.services, found))


@operation(
    "PATCH /v1/remote-bots/{bot}",
    "Tell a new build of a bot, or change its terms; for games that are created from then on",
    RemoteBotReply,
    access=PLAYER_REQUIRED,
    scope="players",
    body=RemoteBotChange,
    headers=(MY_KEY,),
    errors=("unknown_bot", "unavailable"),
    rate_limit=PLAYING,
)
def change_remote_bot(call: Call[Player]) -> Reply:
    """Change what the body names. The bot itself may do it, too: it knows its build best."""
    services = call.services
    bot = _find_own(call)
    request = _identify(call, "change", dict(call.body))
    if services.stored_results.find(request) is not None:
        return Reply(_show(services, bot), replayed=True)
    try:
        changed = services.remote_bots.change(bot, **call.body)
    except UnknownBot:
        raise _unknown() from None
    services.stored_results.store(request, "done", REPEAT_SECONDS)
    return Reply(_show(services, changed))


@operation(
    "DELETE /v1/remote-bots/{bot}",
    "Erase a bot of mine: its name is gone, its token ends, and its seats are left for good",
    {},
    access=PLAYER_REQUIRED,
    scope="players",
    status=204,
    headers=(MY_KEY,),
    errors=("unknown_bot", "unavailable"),
    rate_limit=PLAYING,
)
def erase_remote_bot(call: Call[Player]) -> Response:
    """Erase a bot as `DELETE /v1/me` erases a player."""
    services = call.services
    request = _identify(call, "erasure", None)
    if services.stored_results.find(request) is not None:
        return Response(status=204, headers=REPLAYED)
    bot = _find_own(call)
    services.bot_erasure.erase(bot)
    services.stored_results.store(request, "done", REPEAT_SECONDS)
    return Response(status=204)


def _identify(call: Call[Player], what: str, body: object) -> KeyedRequest:
    """Return what tells a repeat of this request; a key counts for one caller and one bot."""
    return identify_request(f"{what} of bot {call.path['bot']} by {call.caller.id}", call.key, body)


def _find_own(call: Call[Player]) -> RemoteBot:
    """Return the bot of this address, of which the caller is the owner or the bot itself. Raises Problem."""
    found = call.services.remote_bots.find(call.path["bot"])
    if found is None or call.caller.id not in (found.owner, found.id):
        raise _unknown()
    return found


def _unknown() -> Problem:
    return Problem("unknown_bot", "There is no bot with this id, or it is not yours.")


def _show(services: Services, bot: RemoteBot | None) -> RemoteBotReply:
    """Return a bot as everyone sees it. Raises Problem if it or its owner was erased."""
    shown = () if bot is None else _show_all(services, [bot])
    if not shown:
        raise Problem("unknown_bot", "There is no bot with this id, or it was erased.")
    return shown[0]


def _show_all(services: Services, bots: Sequence[RemoteBot]) -> tuple[RemoteBotReply, ...]:
    """Return bots with their names and ratings; those are left out that were erased, or whose owner was."""
    people = {id for bot in bots for id in (bot.id, bot.owner)}
    gone = services.players.find_erased(people)
    there = [bot for bot in bots if not {bot.id, bot.owner} & gone]
    names = services.names.look_up(people - gone)
    ratings = read_ratings(services.stats.redis, [bot.id for bot in there])
    return tuple(
        RemoteBotReply(
            id=bot.id,
            name=names[bot.id],
            owner=BotOwner(bot.owner, names[bot.owner]),
            build=bot.build,
            seconds=bot.seconds,
            fallback=bot.fallback,
            open_to=bot.open_to,
            most_games=bot.most_games,
            created=bot.created,
            rating=ratings[bot.id],
        )
        for bot in there
    )
