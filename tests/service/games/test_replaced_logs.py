"""A log that went back under warm processes: nothing of what was lost is shown or done any more."""

import json
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from typing import Any

import pytest
import redis
from werkzeug.test import TestResponse

from service.container import build_backend
from service.lobby.rebuild import describe_game
from tests.support.api_client import ApiClient, Game
from tests.support.app import open_app, open_memory
from tests.support.profiles import sample
from tests.support.restores import Keys, dump_game, restore_game

SSE = "text/event-stream"
PLAN = {"edition": "cards", "options": {}, "seats": [{"name": "Anna"}, {"open": True}, {"open": True}]}
# Creation, two who sit down, and two rounds of three covered selections.
LAST = 9


class World:
    """Two processes on one Redis, and a game of cards that is kept at every version."""

    def __init__(self, memory: redis.Redis, here: ApiClient, there: ApiClient) -> None:
        self.memory, self.processes = memory, (here, there)
        self.kept: dict[int, Keys] = {0: {}}
        self.game = Game(here, json.loads(here.post("/v1/games", PLAN).data))
        self._note()

    def _note(self) -> None:
        """Both processes know the newest state and every token."""
        tables = [api.get(self.game.address, token) for api in self.processes for token in self.tokens()]
        self.kept[tables[0].get_json()["version"]] = dump_game(self.memory, self.game.id)

    def tokens(self) -> list[str]:
        return list(self.game.tokens.values())

    def sit(self, name: str) -> str:
        seated = self.processes[0].post(f"{self.game.address}/seats", {"name": name}).get_json()
        self.game.tokens[seated["seat"]] = seated["token"]
        return str(seated["token"])

    def move(self, number: int = 0) -> None:
        seat, ask = self.game.ask()
        options = ask["options"]
        assert self.game.choose(seat, ask["ask"], options[number % len(options)]["choice"]).status_code == 200

    def play_to(self, version: int) -> None:
        for reached in range(2, version + 1):
            if reached <= 3:
                self.sit(("Ben", "Carla")[reached - 2])
            else:
                self.move()
            self._note()

    def go_back(self, version: int) -> None:
        restore_game(self.memory, self.game.id, self.kept[version])

    def logs(self) -> list[list[str]]:
        """The hashes of the log as each process tells it."""
        pages = [api.get(f"{self.game.address}/events").get_json() for api in self.processes]
        return [[commit["hash"] for commit in page.get("commits", [])] for page in pages]


@pytest.fixture
def world(log: BytesIO) -> Iterator[World]:
    with open_memory() as memory, open_app(memory) as here, open_app(memory) as there:
        yield World(memory, ApiClient(here.test_client()), ApiClient(there.test_client()))


def code(reply: TestResponse) -> tuple[int, Any]:
    return reply.status_code, reply.get_json().get("code")


POINTS = [(at, back) for at in range(2, LAST + 1) for back in (1, 2) if back < at]
LATER_POINTS = [(at, back) for at in range(4, LAST + 1) for back in range(3, at)]


@pytest.mark.parametrize(("at", "back"), sample(POINTS, 2))
def test_a_token_of_a_lost_seat_opens_and_plays_nothing(world: World, at: int, back: int) -> None:
    """Others sit down where it was, and it would show and play their hands."""
    world.play_to(at)
    lost = [world.game.tokens.pop(seat) for seat in (1, 2) if back <= seat < at]
    world.go_back(back)
    for name in ("Denny", "Emily")[back - 1 :]:
        world.sit(name)
    (ask, *_) = world.game.table(1)["asks"]
    choice = {"ask": ask["ask"], "choice": ask["options"][0]["choice"]}
    for api in reversed(world.processes):
        for token in lost:
            assert code(api.post(f"{world.game.address}/choices", choice, token)) == (401, "unauthorized")
            for path in ("", "?at=1", "/events", "/events?after=2", "/audit"):
                assert code(api.get(world.game.address + path, token)) == (401, "unauthorized")
    assert world.game.version() == 3


@pytest.mark.parametrize("at", range(4, LAST + 1))
def test_the_first_call_after_it_may_be_a_choice_with_a_lost_token(world: World, at: int) -> None:
    world.play_to(at)
    lost = world.game.tokens.pop(1)
    world.go_back(1)
    with open_app(world.memory) as third:
        for name in ("Denny", "Emily"):
            seated = ApiClient(third.test_client()).post(f"{world.game.address}/seats", {"name": name})
            assert seated.status_code == 201
    body = {"ask": 1, "choice": "x"}
    for api in world.processes:
        assert code(api.post(f"{world.game.address}/choices", body, lost)) == (401, "unauthorized")


@pytest.mark.parametrize(("at", "back"), sample(LATER_POINTS, 4))
def test_the_log_tells_of_the_branch_that_stands_alone(world: World, at: int, back: int) -> None:
    world.play_to(at)
    (before, _) = world.logs()
    world.go_back(back)
    assert world.logs() == [before[:back]] * 2
    beyond = [api.get(f"{world.game.address}/events?after={back}") for api in world.processes]
    assert [reply.get_json()["commits"] for reply in beyond] == [[], []]
    world.move(-1)
    here, there = world.logs()
    assert here == there
    assert (here[:back], len(here)) == (before[:back], back + 1)
    assert here[back] not in before


@pytest.mark.parametrize("at", sample(range(4, LAST + 1), 3))
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_a_stream_off_the_log_says_so_and_ends(world: World, at: int, seat: int | None) -> None:
    world.play_to(at)
    token = None if seat is None else world.game.tokens[seat]
    other = ApiClient(world.processes[1].client.application.test_client())
    with closing(other.get(f"{world.game.address}/events", token, Accept=SSE)) as reply:
        frames = reply.iter_encoded()
        told = b"".join(next(frames) for _ in range(at + 1))
        assert b"id: %d\n" % at in told
        world.go_back(3)
        for _ in range(at - 2):
            world.move(-1)
        assert list(frames) == [b'id: 0\nevent: reset\ndata: {"version":0}\n\n']


def test_a_stream_that_lost_nothing_goes_on(world: World) -> None:
    world.play_to(4)
    other = ApiClient(world.processes[1].client.application.test_client())
    with closing(other.get(f"{world.game.address}/events?after=4", Accept=SSE)) as reply:
        frames = reply.iter_encoded()
        assert next(frames) == b"retry: 2000\n\n"
        world.go_back(4)
        world.move()
        assert next(frames).startswith(b"id: 5\n")


@pytest.mark.parametrize("accept", ["application/json", SSE])
def test_a_reader_beyond_the_log_is_told_to_begin_anew(world: World, accept: str) -> None:
    world.play_to(8)
    world.go_back(4)
    for api in world.processes:
        reply = api.get(f"{world.game.address}/events?after=8&wait=30", Accept=accept)
        assert b"after=0" in reply.data or b"event: reset" in reply.data
        assert b'"hash"' not in reply.data


def test_a_game_that_is_gone_is_gone_everywhere(world: World) -> None:
    world.play_to(5)
    backend = build_backend(world.memory)
    snapshot = backend.games.snapshot(world.game.id)
    backend.lobby.update(snapshot)
    assert [len(api.get("/v1/games").get_json()["games"]) for api in world.processes] == [1, 1]
    world.go_back(0)
    for api in world.processes:
        assert api.get("/v1/games").get_json()["games"] == []
        for path in ("", "/events", "/events?after=3", "/audit"):
            for token in (None, world.game.tokens[0]):
                assert code(api.get(world.game.address + path, token)) == (404, "unknown_game")
        body = {"ask": 1, "choice": "x"}
        assert code(api.post(f"{world.game.address}/choices", body, world.game.tokens[0]))[0] == 404


def test_the_line_of_a_game_goes_back_with_its_log(world: World) -> None:
    backend = build_backend(world.memory)
    for version in (3, 1):
        if version == 3:
            world.play_to(3)
        else:
            world.go_back(1)
        describe_game(backend, world.game.id)
        (line,) = backend.lobby.page().games
        assert line.status == ("playing" if version == 3 else "lobby")
