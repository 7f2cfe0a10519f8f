"""Copies players out of one Redis and into another, for backups: `PlayerTransfer`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from redis import Redis

from events.durability import send_durably
from events.redis import translate_redis_errors
from service.players.players import (
    ALL_PLAYERS,
    ALL_REQUESTS,
    DEPARTURES,
    NAME_CHANGES,
    derived_keys,
    player_key,
    renames_key,
    request_key,
    token_key,
)

# Members of a record that name the key of a stored request; a copy has only the hash in that key.
_REFERENCES = ("request", "rotation")
# What Redis says of a key that stays, and of one that does not exist.
_FOR_EVER = -1
_GONE = -2


class StoredPlayer(Struct, frozen=True):
    """A player's record as it is stored, with the keys of their renames; -1 ms left means for ever."""

    id: str
    record: Mapping[str, str]
    milliseconds_left: int
    renames: Mapping[str, str] = {}
    renames_left: int = _GONE


class StoredJournal(Struct, frozen=True):
    """The events that a player was told of, and how far each of their games was told.

    The log does not tell the ids of events, and readers have gone as far as one of them.
    """

    player: str
    events: Sequence[tuple[str, Mapping[str, str]]]
    marks: Mapping[str, str]


class StoredRequest(Struct, frozen=True):
    """A request that made or changed a player, as it is stored, and for how long."""

    key_hash: str
    fields: Mapping[str, str]
    milliseconds_left: int


class PlayerTransfer:
    """Reads and writes players as they are stored. Each method raises Unavailable."""

    def __init__(self, client: Redis) -> None:
        """Copy from or to that client's Redis."""
        self._redis: Any = client

    def list_players(self) -> list[str]:
        """Return the ids of all players, in no order."""
        with translate_redis_errors():
            keys = {key.decode() for key in self._redis.scan_iter(ALL_PLAYERS, count=1000)}
        return [key.rpartition(":")[2] for key in keys]

    def read_player(self, player: str) -> StoredPlayer | None:
        """Return a player's record; None if it is gone meanwhile."""
        with translate_redis_errors(), self._redis.pipeline(transaction=True) as at_once:
            for key in (player_key(player), renames_key(player)):
                at_once.hgetall(key)
                at_once.pttl(key)
            fields, left, renames, renames_left = at_once.execute()
        if not fields:
            return None
        record = _decode(fields)
        for name in _REFERENCES:
            if name in record:
                record[name] = record[name].removeprefix(request_key(""))
        return StoredPlayer(player, record, left, _decode(renames), renames_left)

    def read_journal(self, player: str) -> StoredJournal:
        """Return the events of a player and how far they go."""
        *_, events_key, marks_key, _ = derived_keys(player)
        with translate_redis_errors(), self._redis.pipeline(transaction=True) as at_once:
            at_once.xrange(events_key)
            at_once.hgetall(marks_key)
            events, marks = at_once.execute()
        told = [(position.decode(), _decode(fields)) for position, fields in events]
        return StoredJournal(player, told, {game: _drop_epoch(mark) for game, mark in _decode(marks).items()})

    def read_requests(self) -> Iterator[StoredRequest]:
        """Yield the requests that can still be repeated."""
        with translate_redis_errors():
            for key in self._redis.scan_iter(ALL_REQUESTS, count=1000):
                fields = self._redis.hgetall(key)
                left = self._redis.pttl(key)
                if fields and left > 0:
                    yield StoredRequest(key.decode().removeprefix(request_key("")), _decode(fields), left)

    def read_departures(self) -> list[str]:
        """Return the seats that erased players still have."""
        with translate_redis_errors():
            return sorted(seat.decode() for seat in self._redis.smembers(DEPARTURES))

    def restore_player(self, player: StoredPlayer) -> bool:
        """Write a player's record and token; return False if the player is there already."""
        key = player_key(player.id)
        record = dict(player.record)
        for name in _REFERENCES:
            if name in record:
                record[name] = request_key(record[name])
        token = token_key(record["token"])
        with translate_redis_errors():
            if self._redis.exists(key):
                return False
            with self._redis.pipeline(transaction=True) as at_once:
                at_once.hset(key, mapping=record)
                at_once.set(token, player.id)
                if player.milliseconds_left != _FOR_EVER:
                    at_once.pexpire(key, player.milliseconds_left)
                    at_once.pexpire(token, player.milliseconds_left)
                if player.renames:
                    at_once.hset(renames_key(player.id), mapping=dict(player.renames))
                    at_once.pexpire(renames_key(player.id), player.renames_left)
                # Processes may have found that there is no such player.
                at_once.incr(NAME_CHANGES)
                at_once.execute()
            # A read that waits until replicas have what was written before it.
            send_durably(self._redis, key, "EXISTS", key)
        return True

    def restore_journal(self, journal: StoredJournal) -> bool:
        """Write the events of a player; return False if the player is not there, or has events already."""
        *_, events_key, marks_key, _ = derived_keys(journal.player)
        with translate_redis_errors():
            if not self._redis.exists(player_key(journal.player)) or self._redis.exists(events_key):
                return False
            with self._redis.pipeline(transaction=True) as at_once:
                for position, fields in journal.events:
                    at_once.xadd(events_key, dict(fields), position)
                if journal.marks:
                    at_once.hset(marks_key, mapping=dict(journal.marks))
                at_once.execute()
        return True

    def restore_request(self, request: StoredRequest) -> bool:
        """Write a request; return False if it is there already."""
        key = request_key(request.key_hash)
        with translate_redis_errors():
            if self._redis.exists(key):
                return False
            with self._redis.pipeline(transaction=True) as at_once:
                at_once.hset(key, mapping=dict(request.fields))
                at_once.pexpire(key, request.milliseconds_left)
                at_once.execute()
        return True

    def restore_departures(self, seats: Sequence[str]) -> None:
        """Add seats that erased players still have."""
        if seats:
            with translate_redis_errors():
                self._redis.sadd(DEPARTURES, *seats)


def _drop_epoch(mark: str) -> str:
    """Return version and hash of a mark: its epoch, if it has one, is that of the store it comes from."""
    return ":".join(mark.split(":")[:2])


def _decode(stored: Mapping[bytes, bytes]) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in stored.items()}
