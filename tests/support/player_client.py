"""Players over HTTP, and what tells them what happens."""

from __future__ import annotations

from typing import Any

from redis import Redis

from events.follower import Projector, RedisCursor
from service.container import build_backend
from tests.support.api_client import ApiClient, Game
from workers.projector import projection_handler


class PlayerClient:
    """Somebody with a player's token."""

    def __init__(self, api: ApiClient, name: str) -> None:
        reply = api.post("/v1/players", {"name": name})
        assert reply.status_code == 201, reply.data
        made = reply.get_json()
        self.api, self.id, self.token, self.name = api, made["id"], made["token"], name

    def get(self, address: str, **headers: str) -> Any:
        """The JSON of a reply that has to be good."""
        reply = self.api.get(address, self.token, **headers)
        assert reply.status_code == 200, reply.data
        return reply.get_json()

    def set_up(self, *seats: dict[str, Any], edition: str = "classic", **options: Any) -> Game:
        """A game whose seat 0 is the player's, and whose token for it is the player's own."""
        plan = {"edition": edition, "options": options, "seats": [{"player": True}, *seats]}
        reply = self.api.post("/v1/games", plan, self.token)
        assert reply.status_code == 201, reply.data
        game = Game(self.api, reply.get_json())
        game.tokens[0] = self.token
        return game

    def sit(self, game: Game) -> int:
        reply = self.api.post(f"{game.address}/seats", {}, self.token)
        assert reply.status_code == 201, reply.data
        seat: int = reply.get_json()["seat"]
        game.tokens[seat] = self.token
        return seat


def make_projector(memory: Redis) -> Projector:
    """One that has just been started, and goes on where the last one was."""
    backend = build_backend(memory)
    cursor = RedisCursor(memory, "test", 0.01)
    return Projector(backend.store, cursor, projection_handler(backend))


def project(memory: Redis, steps: int = 3) -> None:
    """Everything that has happened until now."""
    projector = make_projector(memory)
    for _ in range(steps):
        projector.step()
