"""The least that any service does for a choice: check the body, append one commit, say which it was."""

from __future__ import annotations

import os
import secrets
from types import SimpleNamespace

import msgspec
from flask import Flask, Response, request
from msgspec import structs

from events.agenda import Ask, Step
from events.commands import Choose
from events.commit import Commit
from events.redis import connect
from events.redis_store import RedisStore
from events.types import AgendaChanged, DicePlaced, DiceRolled
from events.values import CASINO
from service.games.schemas import Choice
from service.http.app import DOORBELL

CHOICE = Choice()
HASH = "0" * 64
ASK = Ask(10, "turn.place", (1,), ("place-1", "place-3", "place-4", "place-5"))
# A turn in the middle of a classic game; every commit has the same hash, so that none has to be worked out.
TURN = Commit(
    version=1,
    at="2026-11-15T12:00:00.000Z",
    by="seat-0",
    rules="1",
    command=Choose(9, 0, "place-3"),
    events=(
        DicePlaced(0, 3, CASINO[3], 2),
        DiceRolled(12, 1, (1, 3, 3, 4, 5)),
        AgendaChanged((Step("turns"), ASK)),
    ),
    prev=HASH,
    hash=HASH,
    request=HASH,
)


def create_app() -> Flask:
    app = Flask("floor", static_folder=None)
    store = RedisStore(connect(os.environ["REDIS_URL"]))
    versions: dict[str, int] = {}
    # Where our settings of gunicorn leave word whether the server still serves.
    app.extensions[DOORBELL] = SimpleNamespace()

    @app.post("/v1/games/<game>/choices")
    def choose(game: str) -> Response:
        given = CHOICE.load(request.get_json())
        version = versions[game] = versions.get(game, 0) + 1
        store.append(game, structs.replace(TURN, version=version, key=secrets.token_hex(12)))
        body = {"version": version, "choice": given["choice"]}
        return Response(msgspec.json.encode(body), content_type="application/json")

    @app.get("/livez")
    def livez() -> str:
        return "alive"

    return app
