"""Statistics equal what anybody counts from the exports, and come back from the log alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from math import inf
from typing import Any

import pytest
import redis

from service.container import build_backend
from service.incidents import PoisonLog
from service.lobby.rebuild import rebuild_lobby
from service.logs import logger
from service.stats.counts import Result, chi_square, exceedance
from service.stats.ratings import NEW, rate
from tests.support.api_client import ApiClient, Game, PlayerClient, project
from workers.reconciler import Tally

Plan = tuple[str, dict[str, Any], int]
TABLES: tuple[Plan, ...] = (
    ("classic", {}, 2),
    ("classic", {"neutral_dice": True}, 3),
    ("modern", {"bandit": True}, 5),
    ("royale", {"tiles": 6}, 3),
    ("cards", {}, 2),
)


def tally(memory: redis.Redis) -> None:
    """Everything that waits, at a time when all results have settled."""
    project(memory)
    backend = build_backend(memory)
    later = datetime.now(UTC) + timedelta(minutes=1)
    counting = Tally(backend, lambda: later, PoisonLog(logger(), "test"))
    while backend.stats.count_waiting():
        counting.step(lambda: inf)
    for _ in range(3):
        counting.step(lambda: inf)


def play_all(api: ApiClient, tables: Sequence[Plan] = TABLES) -> list[Game]:
    games = [api.create_for(players, edition=name, options=options) for name, options, players in tables]
    for game in games:
        game.play()
    return games


def read_log(api: ApiClient, game: Game) -> list[dict[str, Any]]:
    lines = api.get(f"{game.address}/events", Accept="application/x-ndjson").text.splitlines()
    return [json.loads(line) for line in lines]


def thrown(log: list[dict[str, Any]]) -> list[int]:
    rolls = [event for commit in log for event in commit["events"] if event["type"] == "dice_rolled"]
    parts = [roll.get(kind, ()) for roll in rolls for kind in ("own", "neutral", "black")]
    return [face for part in parts for face in part] + [roll["big"] for roll in rolls if "big" in roll]


@pytest.mark.long
def test_statistics_equal_a_count_from_the_logs(api: ApiClient, memory: redis.Redis) -> None:
    games = play_all(api)
    tally(memory)
    stats = api.call("GET", "/v1/stats")
    logs = {game.id: read_log(api, game) for game in games}
    assert stats["waiting"] == 0
    for edition in {edition for edition, _, _ in TABLES if edition != "cards"}:
        faces = Counter(
            face
            for game, (name, _, _) in zip(games, TABLES, strict=True)
            if name == edition
            for face in thrown(logs[game.id])
        )
        (rolls,) = [rolls for rolls in stats["rolls"] if rolls["edition"] == edition]
        assert rolls["faces"] == [faces[face] for face in range(1, 7)]
        assert 0.0001 < rolls["p"] <= 1
    for game, (edition, _, players) in zip(games, TABLES, strict=True):
        (table,) = [row for row in stats["tables"] if (row["edition"], row["players"]) == (edition, players)]
        answers = sum(commit["command"]["type"] == "choose" for commit in logs[game.id])
        won = game.table()["winners"]
        assert (table["finished"], table["answers"], sum(table["lengths"].values())) == (1, answers, 1)
        assert table["won_by_seat"] == [int(seat in won) for seat in range(players)]


@pytest.mark.long
def test_tiles_paid_what_their_explanations_say(api: ApiClient, memory: redis.Redis) -> None:
    game = api.create_for(3, edition="royale", options={"tiles": 6})
    game.play()
    tally(memory)
    told = [
        fact
        for version in range(1, game.version() + 1)
        for fact in api.call("GET", f"{game.address}/explain/{version}")["facts"]
    ]
    stats = api.call("GET", "/v1/stats")
    laid = Counter(fact["tile"] for fact in told if fact["what"] == "tile_laid")
    assert {tile["code"]: tile["laid"] for tile in stats["tiles"]} == dict(laid)
    paid = [fact for fact in told if fact["what"] == "paid" and "tile" in fact]
    worth = [
        sum(fact.get("notes", ())) - sum(fact.get("handed", ())) + 10_000 * fact.get("chips", 0)
        for fact in paid
    ]
    assert sum(tile["dollars"] for tile in stats["tiles"]) == sum(one for one in worth if one > 0)


@pytest.mark.long
def test_nothing_is_counted_twice_and_all_comes_back_from_the_log(
    api: ApiClient, memory: redis.Redis
) -> None:
    for _ in range(2):
        play_all(api, TABLES[:2])
        tally(memory)
    before = api.call("GET", "/v1/stats")
    backend = build_backend(memory)
    rebuild_lobby(backend)
    assert api.call("GET", "/v1/stats")["tables"] == []
    tally(memory)
    assert api.call("GET", "/v1/stats") == before
    rebuild_lobby(backend)
    tally(memory)
    assert api.call("GET", "/v1/stats") == before


def test_what_is_not_public_is_not_counted(api: ApiClient, memory: redis.Redis) -> None:
    seats = [{"name": "Anna"}, {"name": "Ben"}]
    made = api.call("POST", "/v1/games", {"edition": "classic", "seats": seats, "visibility": "unlisted"})
    Game(api, made).play()
    tally(memory)
    assert api.call("GET", "/v1/stats")["tables"] == []


def test_players_are_rated_by_name_until_they_are_erased(api: ApiClient, memory: redis.Redis) -> None:
    player = PlayerClient(api, "Zoe")
    game = player.set_up({"name": "Ben"})
    game.play()
    tally(memory)
    (board,) = api.call("GET", "/v1/stats")["ratings"]
    (row,) = board["rows"]
    won = 0 in game.table()["winners"]
    assert (row["player"], row["name"], row["games"], row["won"]) == (player.id, "Zoe", 1, int(won))
    assert (row["mu"] > NEW.mu) == won


@pytest.mark.parametrize(
    ("counts", "found", "share"),
    [
        ((10,) * 6, 0.0, 1.0),
        ((22, 24, 38, 30, 46, 44), 15.2941, 0.0092),
        ((5, 8, 9, 8, 10, 20), 13.4, 0.0199),
    ],
)
def test_chi_square_is_what_tables_say(counts: tuple[int, ...], found: float, share: float) -> None:
    assert chi_square(counts) == pytest.approx(found, abs=1e-3)
    assert exceedance(found) == pytest.approx(share, abs=1e-4)


def test_whoever_has_several_seats_is_rated_once_and_alone_nobody_is() -> None:
    bots = ("bot:expert", "bot:greedy", "bot:greedy")
    rated = rate(Result("classic", bots, (90, 50, 40), (0,)), dict.fromkeys(names(bots), NEW))
    assert [rating.games for rating in rated.values()] == [1, 1]
    expert, greedy = rated.values()
    assert expert.mu > NEW.mu > greedy.mu
    same = ("bot:greedy", "bot:greedy")
    assert rate(Result("classic", same, (90, 50), (0,)), dict.fromkeys(names(same), NEW)) == {}


def names(who: tuple[str, ...]) -> list[str]:
    return [f"classic|{len(who)}|{name}" for name in dict.fromkeys(who)]
