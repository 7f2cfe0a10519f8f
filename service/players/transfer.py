"""Copies players out of one Redis and into another, for backups: `PlayerTransfer`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from redis import Redis

from events.durability import send_durably
from events.redis import translate_redis_errors
from service.players.places import ALL_PLAYERS, ALL_REQUESTS, PLAYER_ID, PlayerKeys, find_keys

# Members of a record that hold the key of a stored request; a copy has only the name in that key.
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
    """The events that a player or an API key was told of, and how far each of their games was told.

    The log does not tell the ids of events, and readers have gone as far as one of them.
    """

    player: str
    events: Sequence[tuple[str, Mapping[str, str]]]
    marks: Mapping[str, str]


class StoredRequest(Struct, frozen=True):
    """A request that made or changed a player, as it is stored, and for how long.

    `key_hash` is its name, which may begin with the place of the player.
    """

    key_hash: str
    fields: Mapping[str, str]
    milliseconds_left: int


class PlayerTransfer:
    """Reads and writes players as they are stored. Each method raises Unavailable."""

    def __init__(self, client: Redis) -> None:
        """Copy from or to that client's Redis."""
        self._redis: Any = client

    @property
    def _keys(self) -> PlayerKeys:
        return find_keys(self._redis)

    def list_players(self) -> list[str]:
        """Return the ids of all players, in no order."""
        with translate_redis_errors():
            keys = {key.decode() for key in self._redis.scan_iter(ALL_PLAYERS, count=1000)}
        return [key.rpartition(":")[2] for key in keys]

    def read_player(self, player: str) -> StoredPlayer | None:
        """Return a player's record; None if it is gone meanwhile."""
        with translate_redis_errors(), self._redis.pipeline(transaction=True) as at_once:
            for key in (self._keys.record(player), self._keys.renames(player)):
                at_once.hgetall(key)
                at_once.pttl(key)
            fields, left, renames, renames_left = at_once.execute()
        if not fields:
            return None
        record = _decode(fields)
        for name in _REFERENCES:
            if name in record:
                record[name] = _name_in(record[name])
        return StoredPlayer(player, record, left, _decode(renames), renames_left)

    def read_journal(self, player: str) -> StoredJournal:
        """Return the events of a player or an API key and how far they go."""
        *_, events_key, marks_key, _ = self._keys.derived(player)
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
                    yield StoredRequest(_name_in(key.decode()), _decode(fields), left)

    def read_departures(self) -> list[str]:
        """Return the seats that erased players still have."""
        seats: list[str] = []
        for slot in self._keys.slots:
            with translate_redis_errors():
                seats += (seat.decode() for seat in self._redis.smembers(self._keys.departures(slot)))
        return sorted(seats)

    def restore_player(self, player: StoredPlayer) -> bool:
        """Write a player's record and token; return False if the player is there already."""
        key = self._keys.record(player.id)
        renames = self._keys.renames(player.id)
        record = dict(player.record)
        for name in _REFERENCES:
            if name in record:
                record[name] = self._keys.request(record[name])
        token = self._keys.token(record["token"])
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
                    at_once.hset(renames, mapping=dict(player.renames))
                    at_once.pexpire(renames, player.renames_left)
                # Processes may have found that there is no such player.
                at_once.incr(self._keys.name_changes(self._keys.slot_of(player.id)))
                at_once.execute()
            # A read that waits until replicas have what was written before it.
            send_durably(self._redis, key, "EXISTS", key)
        return True

    def restore_journal(self, journal: StoredJournal) -> bool:
        """Write the events of a player or an API key.

        Returns False if the player is not there, or there are events already.
        """
        *_, events_key, marks_key, _ = self._keys.derived(journal.player)
        is_player = PLAYER_ID.fullmatch(journal.player)
        with translate_redis_errors():
            if is_player and not self._redis.exists(self._keys.record(journal.player)):
                return False
            if self._redis.exists(events_key):
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
        key = self._keys.request(request.key_hash)
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
        with translate_redis_errors():
            for seat in seats:
                slot = self._keys.slot_of(seat.partition("|")[2])
                self._redis.sadd(self._keys.departures(slot), seat)


def _name_in(key: str) -> str:
    """Return the name of the request that is stored under a key."""
    return key.partition(":request:")[2]


def _drop_epoch(mark: str) -> str:
    """Return version and hash of a mark: its epoch, if it has one, is that of the store it comes from."""
    return ":".join(mark.split(":")[:2])


def _decode(stored: Mapping[bytes, bytes]) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in stored.items()}
