"""A game's part of Redis, kept at some point and put back later under processes that run on."""

from typing import cast

import redis

Keys = dict[bytes, bytes]


def dump_game(memory: redis.Redis, game: str) -> Keys:
    """Its log, its vault and its requests."""
    keys = cast(list[bytes], memory.keys(f"croupier:*:{game}"))
    return {key: cast(bytes, memory.dump(key)) for key in keys}


def dump_everything(client: redis.Redis) -> Keys:
    """What a backup has."""
    keys = cast(list[bytes], client.keys())
    return {key: cast(bytes, client.dump(key)) for key in keys}


def restore_everything(client: redis.Redis, kept: Keys) -> None:
    """At once, so that nobody sees half of it."""
    with client.pipeline(transaction=True) as together:
        together.flushall()
        for key, value in kept.items():
            together.restore(key.decode(), 0, value)
        together.execute()


def restore_game(memory: redis.Redis, game: str, kept: Keys) -> None:
    for key in cast(list[bytes], memory.keys(f"croupier:*:{game}")):
        memory.delete(key)
    for key, value in kept.items():
        memory.restore(key, 0, value)
