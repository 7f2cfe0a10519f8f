"""A Redis in this process."""

from fakeredis import FakeRedis, FakeServer


def open_memory() -> FakeRedis:
    """On a server of its own, gone with its clients: one that FakeRedis starts by itself is kept for ever."""
    return FakeRedis(server=FakeServer())
