"""Stores what is known of a remote bot beside its player record: owner, build, and terms of play.

The name and the token are those of a player, so that feeds, webhooks, ratings and erasure work as for
everyone. A bot whose player record is gone does not exist any more, whatever is stored here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from redis import Redis

from events.durability import Script
from events.redis import translate_redis_errors

# Who may seat a bot.
OpenTo = Literal["everyone", "owner"]
EVERYONE: OpenTo = "everyone"
OWNER: OpenTo = "owner"
MOST_OF_OWNER = 20
_PREFIX = "croupier:{bots}:"
RECORDS = _PREFIX + "records"
LISTED = _PREFIX + "listed"
_TOO_MANY = -1


def owner_key(owner: str) -> str:
    """Return the key of the set of an owner's bots."""
    return f"{_PREFIX}owner:{owner}"


class RemoteBot(Struct, frozen=True):
    """A bot as it is stored. `id` and `owner` are ids of players.

    It has `seconds` for an answer, then the level `fallback` answers. It plays in `most_games` games at once.
    """

    id: str
    owner: str
    build: str
    seconds: int
    fallback: str
    open_to: OpenTo
    most_games: int
    created: str

    def may_be_seated_by(self, player: str | None) -> bool:
        """Return whether this player, or a caller who is none, may seat the bot."""
        return self.open_to == EVERYONE or player in (self.owner, self.id)


class TooManyBots(Exception):
    """Says that an owner has as many bots as allowed; the argument is that number."""


class UnknownBot(Exception):
    """Says that there is no such bot, or no longer."""


def _read_script(name: str) -> Script:
    return Script(files("service.remote_bots").joinpath(name).read_bytes())


_REGISTER = _read_script("register.lua")
_CHANGE = _read_script("change.lua")


class RemoteBots:
    """Registers, finds, changes and removes remote bots. Each method raises Unavailable."""

    def __init__(self, client: Redis, most_of_owner: int = MOST_OF_OWNER) -> None:
        """Use the records in that client's Redis. An owner has so many bots at most, with 0 any number."""
        self._redis: Any = client
        self._most = most_of_owner

    def check_room(self, owner: str) -> None:
        """Raise TooManyBots if the owner has as many bots as allowed."""
        with translate_redis_errors():
            if self._most and self._redis.scard(owner_key(owner)) >= self._most:
                raise TooManyBots(self._most)

    def register(self, bot: RemoteBot, limited: bool = True) -> RemoteBot:
        """Store a bot and return it as it is stored, perhaps by an earlier request. Raises TooManyBots."""
        most = self._most if limited else 0
        arguments = bot.id, msgspec.json.encode(bot), most, _is_listed(bot)
        earlier: Any = _REGISTER.run(self._redis, _keys(bot.owner), arguments)
        if earlier == _TOO_MANY:
            raise TooManyBots(most)
        return bot if earlier is None else msgspec.json.decode(earlier, type=RemoteBot)

    def find(self, bot: str) -> RemoteBot | None:
        """Return a bot by its id, or None."""
        with translate_redis_errors():
            found = self._redis.hget(RECORDS, bot)
        return None if found is None else msgspec.json.decode(found, type=RemoteBot)

    def find_all(self, bots: Iterable[str]) -> list[RemoteBot]:
        """Return those of these ids that are bots."""
        wanted = list(bots)
        with translate_redis_errors():
            found = self._redis.hmget(RECORDS, wanted) if wanted else []
        return [msgspec.json.decode(record, type=RemoteBot) for record in found if record is not None]

    def list_of(self, owner: str) -> list[RemoteBot]:
        """Return the bots of an owner, oldest first."""
        with translate_redis_errors():
            ids = self._redis.smembers(owner_key(owner))
        return sorted(self.find_all(id.decode() for id in ids), key=lambda bot: (bot.created, bot.id))

    def list_open(self, after: str, most: int) -> Sequence[RemoteBot]:
        """Return bots that everyone may seat, by id, those after an id."""
        with translate_redis_errors():
            ids = self._redis.zrangebylex(LISTED, f"({after}" if after else "-", "+", 0, most)
        return self.find_all(id.decode() for id in ids)

    def list_all(self) -> list[RemoteBot]:
        """Return all bots, in no order."""
        with translate_redis_errors():
            return [
                msgspec.json.decode(record, type=RemoteBot)
                for _, record in self._redis.hscan_iter(RECORDS, count=1000)
            ]

    def change(self, bot: RemoteBot, **members: Any) -> RemoteBot:
        """Change members of a bot and return it. Raises UnknownBot."""
        while True:
            changed = replace(bot, **members)
            if self._replace(bot, msgspec.json.encode(changed), _is_listed(changed)):
                return changed
            found = self.find(bot.id)
            if found is None:
                raise UnknownBot
            bot = found

    def remove(self, bot: RemoteBot) -> None:
        """Remove a bot; its player record is not touched."""
        found: RemoteBot | None = bot
        while found is not None and not self._replace(found, b"", 0):
            found = self.find(bot.id)

    def _replace(self, bot: RemoteBot, record: bytes, listed: int) -> bool:
        arguments = bot.id, msgspec.json.encode(bot), record, listed
        return bool(_CHANGE.run(self._redis, _keys(bot.owner), arguments))


def _keys(owner: str) -> tuple[str, ...]:
    return RECORDS, owner_key(owner), LISTED


def _is_listed(bot: RemoteBot) -> int:
    return int(bot.open_to == EVERYONE)
