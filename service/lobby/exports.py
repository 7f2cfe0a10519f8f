"""Lists of games for everybody to take home: by their ends, and whoever comes late comes last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from events.redis_client import translate_redis_errors
from service.lobby.lines import ALL, PREFIX, name_exports_list
from service.play.cursors import age_in

ALL_EXPORTS = PREFIX + name_exports_list(ALL)
# Lies in that list itself, before all games: whoever drops the list drops it, too.
MARK, BEFORE_ALL = "*whole*", -1
_NAMES = (PREFIX + name_exports_list("")).encode()


class Unlisted(Exception):
    """Some games are not in the list yet: whoever read it would pass them over."""


def is_exports_list(key: bytes) -> bool:
    return key.startswith(_NAMES)


def read_exports(client: Any, edition: str, place: bytes, number: int) -> Sequence[bytes]:
    """After the place, as cursors have them. Raises Unlisted and Unavailable."""
    mark, same, rest = _read(client, PREFIX + name_exports_list(edition or ALL), age_in(place), number)
    if mark is None:
        raise Unlisted
    members = (b"%015d|%b" % (int(score), game) for game, score in [*same, *rest])
    return [member for member in members if member > place][:number]


def _read(client: Any, name: str, age: int, number: int) -> Any:
    """At one moment: the mark, the games of that age, and some that are younger."""
    with translate_redis_errors(), client.pipeline() as together:
        together.zscore(ALL_EXPORTS, MARK)
        together.zrangebyscore(name, age, age, withscores=True)
        together.zrangebyscore(name, f"({age}", "+inf", 0, number, withscores=True)
        return together.execute()
