"""docs/architecture.md names the functions of five walks in their order; here the walks are walked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from events.follower import RedisCursor
from service.cli import main
from service.container import Backend, build_backend
from tests.support.api_client import ApiClient, Game
from tests.support.app import open_app, open_memory
from tests.support.call_trace import ROOT, trace_calls
from workers.jobs import play_shift
from workers.projector import make_projector

PAGE = (ROOT / "docs/architecture.md").read_text()
ROOMS = [
    f"{path.relative_to(ROOT)}/"
    for path in sorted((*ROOT.glob("*/"), *ROOT.glob("service/*/")))
    if (path / "__init__.py").exists() and path.name not in ("api", "service", "bench", "tests")
]


def walk(heading: str) -> list[str]:
    """The functions that the page lists under a heading."""
    section = PAGE.partition(f"\n### {heading}\n")[2].partition("\n#")[0]
    return re.findall(r"^\d+\. `(.+?)`", section, re.MULTILINE)


def first_calls(called: list[str], listed: list[str]) -> list[str]:
    """The listed functions in the order of their first call."""
    return [name for name in dict.fromkeys(called) if name in listed]


class Walker:
    """One service in this process, its projector and its worker."""

    def __init__(self, api: ApiClient, backend: Backend, folder: Path) -> None:
        self.api, self.backend, self.folder = api, backend, folder

    def play_to_the_end(self) -> Game:
        game = self.api.create({"bot": "random"}, {"bot": "random"})
        self.backend.scheduler.schedule(game.id)
        while play_shift(self.backend):
            pass
        return game

    def choice(self) -> list[str]:
        game = self.api.create_for(2, options={"start_seat": 0})
        ask = game.table(0)["asks"][0]
        body = {"ask": ask["ask"], "choice": ask["options"][0]["choice"]}
        with trace_calls() as called:
            assert self.api.post(f"{game.address}/choices", body, game.tokens[0]).status_code == 200
        return called

    def bots_turn(self) -> list[str]:
        self.api.create({"name": "Anna"}, {"bot": "random"}, options={"start_seat": 1})
        cursor = RedisCursor(self.backend.redis, "projector", 0.01)
        with trace_calls() as called:
            make_projector(self.backend, cursor).step()
            assert play_shift(self.backend) == 1
        return called

    def reader(self) -> list[str]:
        game = self.api.create_for(2, options={"start_seat": 0})
        with trace_calls() as called:
            assert game.table(0)["asks"]
        return called

    def stream(self) -> list[str]:
        game = self.play_to_the_end()
        with trace_calls() as called:
            assert b"event: over" in self.api.get(f"{game.address}/events", Accept="text/event-stream").data
        return called

    def verification(self) -> list[str]:
        game, file = self.play_to_the_end(), self.folder / "game.ndjson"
        file.write_bytes(self.api.get(f"{game.address}/events", Accept="application/x-ndjson").data)
        with trace_calls() as called:
            assert main(["verify", str(file)]) == 0
        return called


WALKS: dict[str, Callable[[Walker], list[str]]] = {
    "A choice": Walker.choice,
    "A bot's turn": Walker.bots_turn,
    "A reader": Walker.reader,
    "A stream": Walker.stream,
    "A verification": Walker.verification,
}


@pytest.fixture
def walker(tmp_path: Path) -> Iterator[Walker]:
    memory = open_memory()
    with open_app(memory) as app:
        yield Walker(ApiClient(app.test_client()), build_backend(memory), tmp_path)


@pytest.mark.parametrize("heading", WALKS)
def test_the_page_lists_a_walk_as_it_is_walked(walker: Walker, heading: str) -> None:
    listed = walk(heading)
    assert listed
    assert first_calls(WALKS[heading](walker), listed) == listed


def test_no_walk_is_left_out() -> None:
    assert re.findall(r"^### (.+)$", PAGE, re.MULTILINE) == list(WALKS)


@pytest.mark.parametrize("room", [room for room in ROOMS if not room.startswith("service/page")])
def test_the_page_names_every_room(room: str) -> None:
    assert f"`{room}`" in PAGE
