"""All that anybody can be told of a game, and what the log keeps to itself."""

from typing import Any

import redis
from werkzeug.test import TestResponse

from events.redis_store import RedisStore
from events.secrecy import Secret
from events.types import Chosen
from tests.support.api_client import Game

NDJSON, SSE = "application/x-ndjson", "text/event-stream"


def collect_replies(game: Game, token: str | None, after: int = 0) -> str:
    """Every way out, good and refused, to the holder of a token; of the log, what came after a version."""
    now = game.version()
    replies = [*_looks(game, token, now, after), *_refusals(game, token)]
    return "\n".join(reply.get_data(as_text=True) + reply.headers.get("ETag", "") for reply in replies)


def _looks(game: Game, token: str | None, now: int, after: int) -> list[TestResponse]:
    get, events = game.api.get, f"{game.address}/events?after={after}"
    tables = [
        get(game.address + query, token) for query in ("", f"?at={now}", f"?at={after or 1}", "?at=999")
    ]
    pages = [get(events, token), get(f"{events}&wait=1", token)]
    streams = [get(f"{events}&limit={now - after}", token, Accept=kind) for kind in (NDJSON, SSE)]
    return [*tables, *pages, *streams, get(f"{game.address}/audit", token), get("/v1/games", token)]


def _refusals(game: Game, token: str | None) -> list[TestResponse]:
    post, choices = game.api.post, f"{game.address}/choices"
    newest = game.table()["asks"][0]["ask"]
    bodies: list[Any] = [{"ask": ask, "choice": "no"} for ask in (0, 1, newest - 1, newest, newest + 1)]
    wrong = [post(choices, body, token) for body in (*bodies, {}, [])]
    stale = post(choices, bodies[0], token, If_Match='"1"')
    seat = post(f"{game.address}/seats", {"name": "Eve"}, token)
    return [*wrong, stale, seat, game.api.get(game.address, "a-wrong-token")]


def sealed_choice(memory: redis.Redis, game: Game, version: int) -> Secret[str]:
    """What was chosen in this commit, as the log keeps it."""
    (commit,) = RedisStore(memory).read(game.id, version - 1, 1)
    chosen = next(event for event in commit.events if isinstance(event, Chosen))
    assert isinstance(chosen.choice, Secret)
    return chosen.choice
