"""Copies what a rebuild does not make again, counts, ratings and the order of exports: `LobbyTransfer`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct
from redis import Redis

from events.redis import translate_redis_errors
from service.lobby.archived_games import ARCHIVED
from service.lobby.lobby import is_kept
from service.lobby.rows import PREFIX

# How many members of a key one record has.
MOST_MEMBERS = 1_000


class StoredMembers(Struct, frozen=True):
    """Members of a key: a value, members of a set, members with their scores, or fields with their values."""

    name: str
    kind: Literal["string", "set", "zset", "hash"]
    members: Sequence[tuple[str, ...]]


class LobbyTransfer:
    """Reads and writes these keys, all at one moment. Each method raises Unavailable."""

    def __init__(self, client: Redis) -> None:
        """Copy from or to that client's Redis."""
        self._redis: Any = client

    def read(self) -> Iterator[StoredMembers]:
        """Yield what is stored."""
        with translate_redis_errors():
            keys = self._list_keys()
            with self._redis.pipeline(transaction=False) as batch:
                for key in keys:
                    batch.type(key)
                kinds = [kind.decode() for kind in batch.execute()]
            with self._redis.pipeline(transaction=True) as at_once:
                for key, kind in zip(keys, kinds, strict=True):
                    _queue_reading(at_once, key, kind)
                values = at_once.execute()
        for key, kind, value in zip(keys, kinds, values, strict=True):
            name = key.decode().removeprefix(PREFIX)
            members = _list_members(kind, value)
            for start in range(0, len(members), MOST_MEMBERS):
                yield StoredMembers(name, kind, members[start : start + MOST_MEMBERS])

    def restore(self, records: Iterable[StoredMembers]) -> bool:
        """Write what another Redis had; return False if anything is there already."""
        with translate_redis_errors():
            if self._list_keys():
                return False
            with self._redis.pipeline(transaction=True) as at_once:
                for record in records:
                    _queue_writing(at_once, PREFIX + record.name, record)
                at_once.execute()
        return True

    def _list_keys(self) -> list[bytes]:
        """List these keys. Lists and counts of archived games are made again from the archive."""
        keys = set(self._redis.scan_iter(PREFIX + "*", count=1000))
        return sorted(key for key in keys if is_kept(key) and not key.startswith(ARCHIVED.encode()))


def _queue_reading(pipe: Any, key: bytes, kind: str) -> None:
    match kind:
        case "string":
            pipe.get(key)
        case "set":
            pipe.smembers(key)
        case "zset":
            pipe.zrange(key, 0, -1, withscores=True)
        case _:
            pipe.hgetall(key)


def _list_members(kind: str, value: Any) -> list[tuple[str, ...]]:
    """Return the members of a reply, all as texts. A key that is gone meanwhile has none."""
    match kind:
        case "string":
            return [] if value is None else [(value.decode(),)]
        case "set":
            return [(member.decode(),) for member in sorted(value)]
        case "zset":
            return [(member.decode(), repr(score)) for member, score in value]
        case _:
            return [(name.decode(), member.decode()) for name, member in value.items()]


def _queue_writing(pipe: Any, key: str, record: StoredMembers) -> None:
    match record.kind:
        case "string":
            pipe.set(key, record.members[0][0])
        case "set":
            pipe.sadd(key, *(member for (member,) in record.members))
        case "zset":
            pipe.zadd(key, {member: float(score) for member, score in record.members})
        case "hash":
            pipe.hset(key, mapping=dict(record.members))  # type: ignore[arg-type]
