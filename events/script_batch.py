"""Calls of scripts that are prepared one by one and sent together: a round trip for many of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct
from redis import Redis
from redis.exceptions import NoScriptError, RedisError

from events.redis import translate_redis_errors

Argument = str | bytes | int | float


class ScriptCall(Struct, frozen=True):
    """A script that is registered with a client, what it is given, and what its reply means.

    `settle` returns a number that the caller may go by. It raises what the reply stands for.
    """

    script: Any
    keys: Sequence[str]
    arguments: Sequence[Argument]
    settle: Callable[[Any], int] = int

    def run(self) -> int:
        """Send the call by itself, and settle its reply. Raises Unavailable, and what `settle` raises."""
        with translate_redis_errors():
            reply = self.script(self.keys, self.arguments)
        return self.settle(reply)


class ScriptBatch:
    """Collects calls, each for a game, and sends them in their order. It is none of a transaction."""

    def __init__(self, client: Redis) -> None:
        """Send to that client's Redis, which must be a single server."""
        self._redis = client
        self._calls: list[tuple[str, ScriptCall]] = []

    def add(self, game: str, call: ScriptCall) -> None:
        self._calls.append((game, call))

    def clear(self) -> None:
        """Drop what was collected and not sent."""
        self._calls = []

    def send(self, is_of_one_game: Callable[[Exception], bool] = lambda fault: False) -> dict[str, Exception]:
        """Send all calls and settle their replies in order.

        Returns faults that concern one game, as `is_of_one_game` says; the calls of other games are settled
        all the same. Raises other faults, and Unavailable; calls that are not settled then may have been
        carried out.
        """
        calls = self._calls
        self._calls = []
        faults: dict[str, Exception] = {}
        for (game, call), reply in zip(calls, self._exchange(calls), strict=True):
            try:
                _settle(call, reply)
            except Exception as fault:
                if not is_of_one_game(fault):
                    raise
                faults.setdefault(game, fault)
        return faults

    def _exchange(self, calls: Sequence[tuple[str, ScriptCall]]) -> list[Any]:
        """Return the replies of all calls, with errors of scripts in their places. Raises Unavailable."""
        if not calls:
            return []
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as together:
            for _, call in calls:
                together.evalsha(call.script.sha, len(call.keys), *call.keys, *call.arguments)
            return together.execute(raise_on_error=False)


def _settle(call: ScriptCall, reply: Any) -> int:
    """Settle a reply. A script that the server does not have yet is sent to it."""
    if isinstance(reply, NoScriptError):
        return call.run()
    with translate_redis_errors():
        if isinstance(reply, RedisError):
            raise reply
    return call.settle(reply)
