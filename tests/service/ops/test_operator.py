"""What operators see and do with single games and players, from the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from redis import Redis

from events.values import SeatPlan
from service import cli
from service.container import Backend, open_backend
from service.games.idempotency import identify_request
from service.ops.redis_server import RedisServer
from tests.support.api_client import long_key, project
from tests.support.games import play_answers, start_game, verify_stored
from tests.support.stores import LAYOUT

Croupier = Callable[..., tuple[int, str]]


@pytest.fixture
def backend(redis_server: RedisServer, real_redis: Redis) -> Iterator[Backend]:
    with open_backend(redis_server.url) as backend:
        yield backend


@pytest.fixture
def croupier(
    redis_server: RedisServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Croupier:
    """Runs a command against the server; the exit status and what was printed."""
    monkeypatch.setenv("REDIS_URL", redis_server.url)

    def run(*arguments: str) -> tuple[int, str]:
        status = cli.main(arguments)
        return status, capsys.readouterr().out

    return run


def test_games_are_listed_by_state_and_edition(backend: Backend, croupier: Croupier) -> None:
    over = start_game(backend.games)
    for _ in play_answers(backend.games, over):
        pass
    playing = start_game(backend.games, "cards")
    private = backend.games.create(
        "modern", {}, [SeatPlan(name="Anna"), SeatPlan()], visibility="private"
    ).game
    project(backend.redis)
    for arguments, shown in (
        ((), {over, playing}),
        (("--all",), {over, playing, private}),
        (("--status", "over"), {over}),
        (("--edition", "cards"), {playing}),
        (("--all", "--status", "lobby"), {private}),
    ):
        status, told = croupier("games", "list", *arguments)
        assert (status, {line.split()[0] for line in told.splitlines()}) == (0, shown)
    assert len(croupier("games", "list", "--limit", "1")[1].splitlines()) == 1


def test_a_game_is_shown_with_its_verdict(backend: Backend, croupier: Croupier) -> None:
    game = start_game(backend.games)
    status, told = croupier("games", "show", game)
    assert (status, "seat 0: Anna" in told, "verified: when it is over" in told) == (0, True, True)
    for _ in play_answers(backend.games, game):
        pass
    assert croupier("games", "show", game)[1].endswith("verified: yes\n")
    backend.redis.xadd(LAYOUT.game_key("game", game), {"e": "no commit", "h": bytes(32)})
    status, told = croupier("games", "show", game)
    assert (status, "NOT VERIFIED" in told) == (1, True)
    assert "BROKEN LOG" in croupier("games", "list", "--all")[1]


def test_a_game_is_closed_once(backend: Backend, croupier: Croupier) -> None:
    lobby = backend.games.create("classic", {}, [SeatPlan(name="Anna"), SeatPlan()]).game
    playing = start_game(backend.games)
    assert croupier("games", "close", lobby) == (0, f"{lobby}: closed as not_filled\n")
    assert croupier("games", "close", playing) == (0, f"{playing}: closed as abandoned\n")
    assert verify_stored(backend.store, playing).ok
    assert croupier("games", "close", playing)[0] == 1
    assert croupier("games", "close", "g_none") == (1, "g_none: there is no such id\n")


def test_a_player_is_shown_and_erased(backend: Backend, croupier: Croupier) -> None:
    anna = backend.players.create("Anna", identify_request("create", long_key("anna"), "Anna")).player
    status, told = croupier("players", "show", anna.id)
    assert (status, "Anna" in told) == (0, True)
    assert croupier("players", "erase", anna.id)[0] == 0
    assert backend.players.read(anna.id) is None
    for command in ("show", "erase"):
        assert croupier("players", command, anna.id)[0] == 1
