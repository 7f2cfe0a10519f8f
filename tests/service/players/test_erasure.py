"""Players who are erased while they sit at tables: nobody waits for them, and every log still verifies."""

import subprocess
from io import BytesIO
from typing import cast

import pytest
import redis

from events.redis import connect
from rules.explain.english import ERASED
from service.container import Backend, build_backend
from service.lobby.rebuild import rebuild_lobby
from service.ops.redis_server import RedisServer
from tests.support.api_client import ApiClient, Game, PlayerClient, project
from tests.support.app import open_app, open_app_on
from tests.support.waiting import wait_until
from workers.reconciler import Reconciler
from workers.turns import TurnPlayer

DEPARTURES = "croupier:{players}:departures"


@pytest.fixture
def anna(api: ApiClient) -> PlayerClient:
    return PlayerClient(api, "Anna")


@pytest.fixture
def backend(memory: redis.Redis) -> Backend:
    return build_backend(memory)


def erase(player: PlayerClient) -> None:
    assert player.api.send("DELETE", "/v1/me", None, player.token).status_code == 204


def verified(game: Game) -> bool:
    ok: bool = game.api.get(f"{game.address}/audit").get_json()["verified"]["ok"]
    return ok


def people(game: Game) -> list[str | None]:
    return [seat["name"] for seat in game.table()["seats"]]


def test_an_erased_host_makes_room_for_the_next(memory: redis.Redis, anna: PlayerClient) -> None:
    """W4, W5."""
    game = anna.set_up({"name": "Ben"}, {"open": True})
    project(memory)
    erase(anna)
    table = game.table()
    assert (people(game), table["host"]) == ([None, "Ben", None], 1)
    assert game.api.post(f"{game.address}/start", {"bot": "random"}, game.tokens[1]).status_code == 200
    assert game.api.post(f"{game.address}/void", {}, game.tokens[1]).status_code == 200
    assert verified(game)


def test_a_game_without_a_clock_goes_on_to_its_end(
    memory: redis.Redis, anna: PlayerClient, backend: Backend
) -> None:
    """W4."""
    game = anna.set_up({"name": "Ben"}, start_seat=0)
    project(memory)
    assert game.ask()[0] == 0
    erase(anna)
    assert people(game) == ["Goldie", "Ben"]
    while game.table()["status"] == "playing":
        TurnPlayer(backend.games).play_turns(game.id, lambda: False)
        if game.table()["status"] == "playing":
            seat, ask = game.ask()
            assert game.choose(seat, ask["ask"], ask["options"][0]["choice"]).status_code == 200
    assert game.table()["winners"] is not None
    assert verified(game)


def test_nobody_waits_for_their_consent(memory: redis.Redis, anna: PlayerClient) -> None:
    """W7."""
    game = anna.set_up({"name": "Ben"})
    assert game.api.post(f"{game.address}/void", {}, game.tokens[1]).status_code == 200
    project(memory)
    assert game.table()["status"] == "playing"
    erase(anna)
    assert game.table()["closed"]["reason"] == "voided"
    assert verified(game)


def test_a_bot_plays_for_them_in_a_rematch(memory: redis.Redis, anna: PlayerClient) -> None:
    """W8."""
    game = anna.set_up({"name": "Ben"})
    game.play()
    project(memory)
    erase(anna)
    assert people(game) == [ERASED, "Ben"]
    reply = game.api.post(f"{game.address}/rematch", {}, game.tokens[1])
    again = Game(game.api, reply.get_json())
    assert (reply.status_code, people(again)) == (201, ["Goldie", "Ben"])
    assert verified(game)


def test_a_game_that_was_not_listed_yet_is_left_as_soon_as_it_is(
    memory: redis.Redis, anna: PlayerClient, backend: Backend
) -> None:
    game = anna.set_up({"name": "Ben"})
    erase(anna)
    assert people(game) == [ERASED, "Ben"]
    project(memory)
    Reconciler(backend).step()
    assert people(game) == ["Goldie", "Ben"]
    assert not memory.exists(DEPARTURES)


def test_tables_that_have_waited_for_long_are_found_by_a_rebuild(
    memory: redis.Redis, anna: PlayerClient, backend: Backend
) -> None:
    game = anna.set_up({"name": "Ben"})
    project(memory)
    memory.delete(*memory.scan_iter(f"croupier:{{players}}:player:{anna.id}"))
    assert rebuild_lobby(backend) == {}
    Reconciler(backend).step()
    assert people(game) == ["Goldie", "Ben"]


def test_more_games_than_one_request_leaves_are_left_later(
    memory: redis.Redis, anna: PlayerClient, backend: Backend
) -> None:
    games = [anna.set_up({"name": "Ben"}) for _ in range(23)]
    project(memory, steps=30)
    erase(anna)
    assert memory.scard(DEPARTURES) == 3
    Reconciler(backend).step()
    assert not memory.exists(DEPARTURES)
    assert {tuple(people(game)) for game in games} == {("Goldie", "Ben")}


def test_what_is_noted_twice_or_for_nothing_does_no_harm(
    memory: redis.Redis, anna: PlayerClient, backend: Backend
) -> None:
    left, over = anna.set_up({"name": "Ben"}), anna.set_up({"name": "Ben"})
    over.play()
    project(memory)
    erase(anna)
    versions = left.version(), over.version()
    unknown = "g_" + "0" * 22
    memory.sadd(DEPARTURES, *(f"{game}|{anna.id}" for game in (left.id, over.id, unknown)))
    Reconciler(backend).step()
    assert not memory.exists(DEPARTURES)
    assert (left.version(), over.version()) == versions


def test_erasing_succeeds_though_a_game_cannot_be_left(
    memory: redis.Redis, log: BytesIO, backend: Backend
) -> None:
    """Something else lies where the game's secrets were."""
    with open_app(memory) as app:
        anna = PlayerClient(ApiClient(app.test_client()), "Anna")
        game = anna.set_up({"name": "Ben"})
        project(memory)
        vault = next(iter(memory.scan_iter(f"*vault*{game.id}*")))
        kept = cast(bytes, memory.dump(vault))
        memory.delete(vault)
        memory.set(vault, "no vault")
        erase(anna)
        assert anna.api.get("/v1/me", anna.token).status_code == 401
        assert memory.scard(DEPARTURES) == 1
        memory.delete(vault)
        memory.restore(vault, 0, kept)
        Reconciler(backend).step()
        assert people(game) == ["Goldie", "Ben"]


def test_who_did_it_sees_the_name_gone_at_once(anna: PlayerClient) -> None:
    game = anna.set_up({"open": True})
    game.api.post(f"{game.address}/seats", {"name": "Ben"})
    assert people(game) == ["Anna", "Ben"]
    assert anna.api.send("PATCH", "/v1/me", {"name": "Annette"}, anna.token).status_code == 200
    assert people(game) == ["Annette", "Ben"]
    erase(anna)
    assert people(game) == [ERASED, "Ben"]


def test_names_of_erased_players_leave_the_append_only_file(spare_redis: RedisServer) -> None:
    def is_stored(name: str) -> bool:
        return subprocess.run(["grep", "-rqs", name, spare_redis.folder]).returncode == 0

    with open_app_on(spare_redis.url) as app, connect(spare_redis.url) as client:
        api = ApiClient(app.test_client())
        players = [PlayerClient(api, name) for name in ("Unforgotten Una", "Forgotten Finn")]
        players[1].set_up({"name": "Ben"})
        assert api.send("DELETE", "/v1/me", None, players[1].token).status_code == 204
        assert is_stored("Forgotten Finn")
        Reconciler(build_backend(client)).step()
        wait_until(lambda: not is_stored("Forgotten Finn"), "a file without the name")
        assert is_stored("Unforgotten Una")
