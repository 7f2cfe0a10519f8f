"""Says under which keys the games and players of a store are: by their partition and by their tag.

The number of partitions is stored when a store is born, and never changes: 256 on a cluster, 64 elsewhere,
and wherever none is stored. The tags of 64 have two digits and those of 256 three, so that no key of one is a
key of the other. A store with 256 partitions has 64 tags of players; one with 64 has all players in one slot.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final
from weakref import WeakKeyDictionary

from msgspec import Struct
from redis import Redis

from events.durability import send_durably
from events.redis import is_cluster, translate_redis_errors
from events.store import PARTITIONS, Unavailable, partition

PARTITIONS_KEY = "croupier:{meta}:partitions"
# Their tags have three octal digits: of 32 servers that share the slots evenly, none has more than 5 % above
# the mean. With decimal digits it would be 50 %.
CLUSTER_PARTITIONS: Final = 256
# The slot of players who have no place, and of all players where a store has no tags.
PLAYERS_SLOT = "players"
# With two octal digits no server of up to eight has more than 12 % above its share.
PLAYER_TAGS: Final = 64


class Layout(Struct, frozen=True):
    """Names the keys of games, and the slots of players, for a number of partitions."""

    partitions: int = PARTITIONS

    def partition(self, game: str) -> int:
        """Return the partition of a game."""
        return partition(game, self.partitions)

    def tag(self, number: int) -> str:
        """Return what stands in braces in all keys of a partition."""
        return f"{number:02d}" if self.partitions == PARTITIONS else f"{number:03o}"

    def game_key(self, kind: str, game: str) -> str:
        """Return the key of something that belongs to one game."""
        return f"croupier:{{{self.tag(self.partition(game))}}}:{kind}:{game}"

    def key(self, number: int, kind: str) -> str:
        """Return the key of something that belongs to all games of a partition."""
        return f"croupier:{{{self.tag(number)}}}:{kind}"

    def feed_key(self, number: int) -> str:
        """Return the key of the feed of a partition."""
        return self.key(number, "feed")

    def stubs_key(self, number: int) -> str:
        """Return the key of the stubs of a partition's archived games."""
        return self.key(number, "archived")

    @property
    def player_slots(self) -> tuple[str, ...]:
        """Return what stands in braces in the keys of players, in all slots that players are in."""
        if self.partitions == PARTITIONS:
            return (PLAYERS_SLOT,)
        return (PLAYERS_SLOT, *(_player_tag(number) for number in range(PLAYER_TAGS)))

    def player_slot(self, place: int | None) -> str:
        """Return what stands in braces in the keys of a player with this place, or without one."""
        if place is None or self.partitions == PARTITIONS:
            return PLAYERS_SLOT
        return _player_tag(place % PLAYER_TAGS)


def _player_tag(number: int) -> str:
    return f"p{number:02o}"


LAYOUTS = {number: Layout(number) for number in (PARTITIONS, CLUSTER_PARTITIONS)}
_known: WeakKeyDictionary[Any, Layout] = WeakKeyDictionary()


def find_layout(client: Redis) -> Layout:
    """Return the layout of the store in that client's Redis, which is read once. Raises Unavailable."""
    layout = _known.get(client.connection_pool)
    if layout is None:
        layout = _read_layout(client)
        _known[client.connection_pool] = layout
    return layout


def _read_layout(client: Redis) -> Layout:
    """Read the layout. On a cluster the number is stored if it was not, before anything else is."""
    layout = peek_layout(client)
    if not is_cluster(client):
        return layout
    with translate_redis_errors():
        # Of two processes at once the first counts.
        send_durably(client, PARTITIONS_KEY, "SET", PARTITIONS_KEY, layout.partitions, "NX")
        return _decode(send_durably(client, PARTITIONS_KEY, "GET", PARTITIONS_KEY))


def peek_layout(client: Redis) -> Layout:
    """Return the layout that the store has or, if it is empty, gets. Writes nothing. Raises Unavailable."""
    with translate_redis_errors():
        stored: Any = client.get(PARTITIONS_KEY)
        if stored is not None:
            return _decode(stored)
        return _guess_layout(client) if is_cluster(client) else LAYOUTS[PARTITIONS]


def _decode(stored: bytes) -> Layout:
    layout = LAYOUTS.get(int(stored)) if stored.isdigit() else None
    if layout is None:
        unknown = stored.decode(errors="replace")
        raise Unavailable(f"{PARTITIONS_KEY} is {unknown}, which this program does not know", "version")
    return layout


def _guess_layout(client: Redis) -> Layout:
    """Return the layout that games were stored with, if there are any: every game leaves a trace in a feed.

    The number may have been lost with a server, and the first stores on clusters did not have one.
    """
    for layout in LAYOUTS.values():
        if _exist(client, (layout.feed_key(number) for number in range(layout.partitions))):
            return layout
    return LAYOUTS[CLUSTER_PARTITIONS]


def _exist(client: Redis, keys: Iterable[str]) -> bool:
    with client.pipeline(transaction=False) as asking:
        for key in keys:
            asking.exists(key)
        return any(asking.execute())
