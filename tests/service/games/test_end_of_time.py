"""Times near the last that a computer can name: no file brings them in, and stored ones stop nobody."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from redis import Redis

from events.values import SeatPlan
from service.container import build_backend
from service.fairness.clocks import later
from service.games.games import Games
from service.lobby.rebuild import rebuild_lobby
from service.timestamps import is_stamp
from tests.support.api_client import ApiClient, project
from tests.support.finished_games import PEOPLE, WITH_BOT, WITH_REMOTE, finished_file
from tests.support.forgeries import reseal
from tests.support.games import people, play_answers

LAST = datetime.max.replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("2000-01-01T00:00:00.000Z", True),
        ("2200-12-31T23:59:59.999Z", True),
        ("1999-12-31T23:59:59.999Z", False),
        ("2201-01-01T00:00:00.000Z", False),
        ("9999-12-31T23:59:59.999Z", False),
    ],
)
def test_games_are_played_in_these_centuries(text: str, fits: bool) -> None:
    assert is_stamp(text) is fits


def test_what_would_come_after_the_end_of_time_never_comes() -> None:
    assert later(LAST, timedelta(days=999_999_999)) == LAST


@pytest.mark.parametrize("last_only", [True, False])
def test_a_file_from_the_end_of_time_is_refused_with_the_place(api: ApiClient, last_only: bool) -> None:
    raws = [json.loads(line) for line in finished_file().splitlines()[1:]]
    for raw in raws[-1:] if last_only else raws:
        raw["at"] = "9999-12-31T23:59:59.999Z"
    file = b"\n".join(json.dumps(raw).encode() for raw in reseal(raws))
    reply = api.post("/v1/imports", file, Content_Type="application/x-ndjson")
    assert (reply.status_code, reply.get_json()["commit"]) == (422, len(raws) if last_only else 1)


def test_what_was_stored_then_is_listed_and_looked_after_like_all_else(memory: Redis) -> None:
    backend = build_backend(memory)
    games = Games(backend.store, lambda: LAST)
    seats: list[list[SeatPlan]] = [list(PEOPLE), list(WITH_BOT), list(WITH_REMOTE), [*PEOPLE, SeatPlan()]]
    for plan in seats:
        games.create("classic", {"turn_seconds": 60, "total_seconds": 60}, plan)
    over = games.create("classic", {}, people(2)).game
    for _ in play_answers(games, over):
        pass
    project(memory)
    assert rebuild_lobby(backend) == {}
    assert {over} < {line.id for line in backend.lobby.page().games}
