"""Players: one token for all of their games, a name that can change, and be gone."""

from collections.abc import Iterator
from typing import Any, cast

import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from rules.explain.english import ERASED
from service.container import build_backend
from service.games.idempotency import identify_request
from service.lobby.removal import remove_game
from service.players.names import SECONDS, Names
from service.players.places import credential_of, find_keys
from service.players.players import IDLE_HOURS, PlayerChanges, Players
from tests.support.api_client import ApiClient, Game, PlayerClient, project
from tests.support.app import open_app
from tests.support.games import play_answers

NOBODY = "player_" + "x" * 43


def become(api: ApiClient, name: str = "Anna", **headers: str) -> dict[str, Any]:
    reply = api.post("/v1/players", {"name": name}, **headers)
    assert reply.status_code == 201
    made: dict[str, Any] = reply.get_json()
    assert made["id"].startswith("p_")
    assert reply.headers["Location"] == f"/v1/players/{made['id']}"
    return made


def set_up(api: ApiClient, token: str, *seats: dict[str, Any]) -> Game:
    """A game whose seat 0 is the player's; the game's token for it is the player's own."""
    plan = {"edition": "classic", "seats": [{"me": True}, *seats]}
    reply = api.post("/v1/games", plan, token)
    assert reply.status_code == 201, reply.data
    game = Game(api, reply.get_json())
    game.tokens[0] = token
    return game


def stored_under(memory: redis.Redis, pattern: str) -> bytes:
    """All that lies under keys of this kind."""
    return b"".join(key + cast(bytes, memory.dump(key)) for key in memory.scan_iter(pattern))


@pytest.fixture
def anna(api: ApiClient) -> dict[str, Any]:
    return become(api)


@pytest.fixture
def elsewhere(memory: redis.Redis, app: Flask) -> Iterator[ApiClient]:
    """Another process over the same Redis."""
    with open_app(memory) as other:
        yield ApiClient(other.test_client())


def test_a_player_has_an_id_a_name_and_a_token(api: ApiClient, anna: dict[str, Any]) -> None:
    me = api.get("/v1/me", anna["token"]).get_json()
    assert (me["id"], me["name"]) == (anna["id"], "Anna")
    assert me["created"].endswith("Z")


def test_the_token_is_kept_as_a_hash(memory: redis.Redis, anna: dict[str, Any]) -> None:
    assert stored_under(memory, "*")
    assert anna["token"].encode() not in stored_under(memory, "*")


def test_one_token_plays_in_every_game_where_the_player_sits(
    api: ApiClient, elsewhere: ApiClient, anna: dict[str, Any]
) -> None:
    created = set_up(api, anna["token"], {"name": "Ben"})
    joined = elsewhere.create({"name": "Carla"}, {"open": True})
    sat = api.post(f"{joined.address}/seats", {"entropy": "a black cat"}, anna["token"]).get_json()
    assert (sat["seat"], sat["name"], sat["player"]) == (1, "Anna", anna["id"])
    assert "token" not in sat
    joined.tokens[1] = anna["token"]
    created.play()
    joined.play()
    for game, seat in ((created, 0), (joined, 1)):
        audit = api.get(f"{game.address}/audit").get_json()
        assert audit["verified"]["ok"]
        assert game.table()["seats"][seat]["name"] == "Anna"


def test_the_reply_names_the_player_and_gives_no_second_token(api: ApiClient, anna: dict[str, Any]) -> None:
    plan = {
        "edition": "classic",
        "seats": [{"player": True, "entropy": "x"}, {"name": "Ben"}, {"open": True}],
    }
    seats = api.post("/v1/games", plan, anna["token"]).get_json()["seats"]
    assert seats[0] == {"seat": 0, "name": "Anna", "player": anna["id"]}
    assert "token" in seats[1]


def test_a_player_who_does_not_sit_there_looks_on_and_answers_nothing(
    api: ApiClient, anna: dict[str, Any]
) -> None:
    game = api.create_for(2)
    table = api.get(game.address, anna["token"])
    assert (table.status_code, table.get_json()["asks"][0]["options"]) == (200, [])
    reply = api.post(f"{game.address}/choices", {"ask": 1, "choice": "place-1"}, anna["token"])
    assert (reply.status_code, reply.get_json()["code"]) == (403, "not_seated")


def test_a_player_sits_once_at_a_table(api: ApiClient, anna: dict[str, Any]) -> None:
    """P8."""
    game = set_up(api, anna["token"], {"open": True})
    reply = api.post(f"{game.address}/seats", {}, anna["token"])
    assert (reply.status_code, reply.get_json()["code"]) == (409, "already_seated")
    for other in ("me", "player"):
        twice = {"edition": "classic", "seats": [{"me": True}, {other: True}]}
        assert api.post("/v1/games", twice, anna["token"]).status_code == 422


@pytest.mark.parametrize("token", [None, "junk", NOBODY])
def test_a_seat_for_the_caller_needs_a_player(api: ApiClient, token: str | None) -> None:
    plan = {"edition": "classic", "seats": [{"player": True}, {"name": "Ben"}]}
    assert api.post("/v1/games", plan, token).status_code == 401
    open_game = api.create({"name": "Anna"}, {"open": True})
    assert api.post(f"{open_game.address}/seats", {}).get_json()["errors"][0]["pointer"] == "/name"


def test_sitting_down_can_be_repeated_with_its_key(api: ApiClient, anna: dict[str, Any]) -> None:
    game = api.create({"name": "Ben"}, {"open": True}, {"open": True})
    address, key = f"{game.address}/seats", "0d0f9e38-6d1c-4a3b-9b86-8c4f6f6b1f31"
    first, again = (api.post(address, {}, anna["token"], Idempotency_Key=key) for _ in range(2))
    assert first.get_json() == again.get_json()
    assert again.headers["Idempotent-Replayed"] == "true"


def test_becoming_a_player_can_be_repeated_with_its_key(api: ApiClient) -> None:
    key = "0d0f9e38-6d1c-4a3b-9b86-8c4f6f6b1f32"
    first = become(api, "Anna", Idempotency_Key=key)
    assert become(api, "Anna", Idempotency_Key=key) == first
    assert api.get("/v1/me", first["token"]).status_code == 200
    other = api.post("/v1/players", {"name": "Ben"}, Idempotency_Key=key)
    assert (other.status_code, other.get_json()["code"]) == (422, "key_reused")


def test_the_log_knows_ids_and_no_names(api: ApiClient, memory: redis.Redis, anna: dict[str, Any]) -> None:
    """Whatever lies in Redis outside the player's own record."""
    wilma = become(api, "Wilma Walrus")
    game = set_up(api, wilma["token"], {"name": "Ben"})
    game.play()
    log = api.get(f"{game.address}/events", Accept="application/x-ndjson").data
    assert wilma["id"].encode() in log
    assert b"Walrus" not in log
    assert b"Walrus" in stored_under(memory, "*:player:*")
    memory.delete(*memory.scan_iter("*:player:*"))
    assert b"Walrus" not in stored_under(memory, "*")


def test_a_new_name_is_seen_everywhere_at_once(
    api: ApiClient, elsewhere: ApiClient, anna: dict[str, Any]
) -> None:
    game = set_up(api, anna["token"], {"name": "Ben"})
    address, tag = game.address, elsewhere.get(game.address).headers["ETag"]
    assert elsewhere.get(address).get_json()["seats"][0]["name"] == "Anna"
    reply = api.send("PATCH", "/v1/me", {"name": "Annette"}, anna["token"])
    assert reply.get_json()["name"] == "Annette"
    assert elsewhere.get(address).get_json()["seats"][0]["name"] == "Annette"
    renamed = elsewhere.get(address, If_None_Match=tag)
    assert renamed.status_code == 200
    assert elsewhere.get(address, If_None_Match=renamed.headers["ETag"]).status_code == 304
    seat, ask = game.ask()
    choice = ask["options"][0]["choice"]
    assert game.choose(seat, ask["ask"], choice, If_Match=renamed.headers["ETag"]).status_code == 200


def test_no_process_shows_a_name_of_before_the_change(memory: redis.Redis, anna: dict[str, Any]) -> None:
    """Though no time has passed since it was read."""
    players, processes = Players(memory), [Names(memory, lambda: 0.0) for _ in range(2)]
    ben = players.create("Ben", identify_request("player", None, "Ben")).player
    changes, both = PlayerChanges(memory, players), (anna["id"], ben.id)

    def shown() -> list[list[str]]:
        return [list(names.look_up(both).values()) for names in processes]

    assert shown() == [["Anna", "Ben"]] * 2
    assert changes.rename(ben, "Benno")
    assert shown() == [["Anna", "Benno"]] * 2
    assert changes.erase(ben) is not None
    assert shown() == [["Anna", ERASED]] * 2


@pytest.mark.parametrize("known", [False, True], ids=["unknown-before", "known-before"])
def test_one_reply_shows_the_names_of_one_moment(
    memory: redis.Redis, anna: dict[str, Any], known: bool
) -> None:
    players, names = Players(memory), Names(memory, lambda: 0.0)
    player, reply = players.find(anna["token"]), names.for_one_reply()
    assert player is not None
    for one in (names, reply) if known else (reply,):
        assert one.look_up([player.id]) == {player.id: "Anna"}
    PlayerChanges(memory, players).rename(player, "Annette")
    assert reply.look_up([player.id]) == {player.id: "Anna"}
    for one in (names, names.for_one_reply()):
        assert one.look_up([player.id]) == {player.id: "Annette"}
    assert reply.look_up([player.id]) == {player.id: "Anna"}


def test_names_that_went_back_with_their_count_are_noticed_soon(
    memory: redis.Redis, anna: dict[str, Any]
) -> None:
    now = [0.0]
    names = Names(memory, lambda: now[0])
    assert names.look_up([anna["id"]]) == {anna["id"]: "Anna"}
    memory.delete(*memory.scan_iter("*:player:*"))
    now[0] += 2 * SECONDS
    assert names.look_up([anna["id"]]) == {anna["id"]: ERASED}


def test_who_is_erased_is_gone_from_every_reply_and_the_log_still_verifies(
    api: ApiClient, elsewhere: ApiClient, memory: redis.Redis, anna: dict[str, Any]
) -> None:
    game, token = set_up(api, anna["token"], {"name": "Ben"}), anna["token"]
    game.play()
    assert elsewhere.get(game.address).get_json()["seats"][0]["name"] == "Anna"
    assert api.send("DELETE", "/v1/me", None, token).status_code == 204
    assert elsewhere.get(game.address).get_json()["seats"][0]["name"] == ERASED
    names = Names(memory)
    assert names.look_up([anna["id"]]) == {anna["id"]: ERASED}
    assert game.table()["seats"][0]["name"] == ERASED
    assert api.get(f"{game.address}/audit").get_json()["verified"]["ok"]
    for client in (api, elsewhere):
        assert client.get("/v1/me", token).status_code == 401
        assert client.get(game.address, token).status_code == 401
    assert b"Anna" not in stored_under(memory, "*")


def test_a_changed_token_ends_at_once_in_all_processes(
    api: ApiClient, elsewhere: ApiClient, anna: dict[str, Any]
) -> None:
    game = set_up(api, anna["token"], {"name": "Ben"})
    assert elsewhere.get(game.address, anna["token"]).get_json()["seats"][0]["name"] == "Anna"
    changed = api.send("POST", "/v1/me/token", None, anna["token"])
    token = changed.get_json()["token"]
    assert (changed.status_code, changed.get_json()["id"]) == (201, anna["id"])
    for client in (api, elsewhere):
        assert client.get("/v1/me", anna["token"]).status_code == 401
        assert client.get(game.address, anna["token"]).status_code == 401
        assert client.get("/v1/me", token).status_code == 200
    game.tokens[0] = token
    game.play()


def test_of_two_who_change_the_same_token_one_wins(memory: redis.Redis, anna: dict[str, Any]) -> None:
    """Both were identified before either was carried out."""
    players = Players(memory)
    player, changes = players.find(anna["token"]), PlayerChanges(memory, players)
    assert player is not None
    assert changes.change_token(player)
    assert changes.change_token(player) is None
    assert not changes.rename(player, "Annette")
    assert changes.erase(player) is None


def test_everybody_may_look_a_player_up_until_they_are_erased(api: ApiClient, anna: dict[str, Any]) -> None:
    address = f"/v1/players/{anna['id']}"
    assert api.get(address).get_json()["name"] == "Anna"
    api.send("DELETE", "/v1/me", None, anna["token"])
    for gone in (address, "/v1/players/p_" + "0" * 22, "/v1/players/x"):
        reply = api.get(gone)
        assert (reply.status_code, reply.get_json()["code"]) == (404, "unknown_player")


KEY = "0d0f9e38-6d1c-4a3b-9b86-8c4f6f6b1f34"


def rotate(api: ApiClient, token: str, key: str = KEY) -> TestResponse:
    return api.send("POST", "/v1/me/token", None, token, Idempotency_Key=key)


def test_a_lost_reply_with_a_new_token_can_be_asked_for_again(
    api: ApiClient, elsewhere: ApiClient, memory: redis.Redis, anna: dict[str, Any]
) -> None:
    """With the old token, which that very request has ended; and nothing that is kept is a token."""
    first = rotate(api, anna["token"])
    token = first.get_json()["token"]
    assert (first.status_code, "Idempotent-Replayed" in first.headers) == (201, False)
    for client in (api, elsewhere):
        again = rotate(client, anna["token"])
        assert (again.status_code, again.get_json()) == (201, first.get_json())
        assert again.headers["Idempotent-Replayed"] == "true"
    assert api.get("/v1/me", token).status_code == 200
    assert api.get("/v1/me", anna["token"]).status_code == 401
    assert token.encode() not in stored_under(memory, "*")


def test_only_the_key_of_the_rotation_brings_its_token_again(api: ApiClient, anna: dict[str, Any]) -> None:
    token = rotate(api, anna["token"]).get_json()["token"]
    assert rotate(api, anna["token"], "0d0f9e38-6d1c-4a3b-9b86-8c4f6f6b1f35").status_code == 401
    assert rotate(api, NOBODY).status_code == 401
    assert api.send("POST", "/v1/me/token", None, anna["token"]).status_code == 401
    assert rotate(api, "junk").status_code == 401
    newest = rotate(api, token).get_json()["token"]
    assert newest != token
    assert rotate(api, anna["token"]).status_code == 401
    assert rotate(api, token).get_json()["token"] == newest


@pytest.mark.parametrize("key", ["1", "rotate", "x" * 40])
def test_a_token_is_not_changed_with_a_key_that_can_be_guessed(
    api: ApiClient, anna: dict[str, Any], key: str
) -> None:
    """A thief of the old token would try keys until the new one is told."""
    reply = rotate(api, anna["token"], key)
    assert (reply.status_code, reply.get_json()["code"]) == (400, "weak_key")
    assert api.get("/v1/me", anna["token"]).status_code == 200


def test_of_two_rotations_with_one_key_one_is_carried_out(memory: redis.Redis, anna: dict[str, Any]) -> None:
    """Both were identified before either was carried out."""
    players = Players(memory)
    player, changes = players.find(anna["token"]), PlayerChanges(memory, players)
    assert player is not None
    first = changes.change_token(player, KEY)
    assert first is not None
    assert changes.change_token(player, KEY) is None
    found = changes.find_rotation(player.credential, KEY)
    assert found is not None
    assert (first.token, first.replayed, found.replayed) == (found.token, False, True)


def test_a_new_name_can_be_repeated_with_its_key(api: ApiClient, anna: dict[str, Any]) -> None:
    def rename(name: str, key: str) -> TestResponse:
        return api.send("PATCH", "/v1/me", {"name": name}, anna["token"], Idempotency_Key=key)

    first = rename("Annette", "a")
    assert rename("Annabel", "b").status_code == 200
    again = rename("Annette", "a")
    assert (again.status_code, again.get_json()) == (200, first.get_json())
    assert again.headers["Idempotent-Replayed"] == "true"
    assert api.get("/v1/me", anna["token"]).get_json()["name"] == "Annabel"
    assert rename("Antonia", "a").get_json()["code"] == "key_reused"


def test_the_key_of_one_who_was_erased_makes_nobody_else(api: ApiClient, memory: redis.Redis) -> None:
    """It lasts as long as it would have."""
    anna = become(api, "Anna", Idempotency_Key=KEY)
    (place,) = memory.scan_iter("*{players}:request:*")
    assert api.send("DELETE", "/v1/me", None, anna["token"]).status_code == 204
    again = api.post("/v1/players", {"name": "Anna"}, Idempotency_Key=KEY)
    assert (again.status_code, again.get_json()["code"]) == (422, "key_reused")
    assert 0 < memory.ttl(place) <= 24 * 3600
    memory.delete(place)
    assert become(api, "Anna", Idempotency_Key=KEY)["id"] != anna["id"]


def test_who_is_erased_after_the_key_was_forgotten_leaves_none_behind(
    api: ApiClient, memory: redis.Redis
) -> None:
    anna = become(api, "Anna", Idempotency_Key=KEY)
    memory.delete(*memory.scan_iter("*{players}:request:*"))
    assert api.send("DELETE", "/v1/me", None, anna["token"]).status_code == 204
    assert not [*memory.scan_iter("*{players}:request:*")]


def test_being_erased_can_be_repeated_with_its_key(
    api: ApiClient, memory: redis.Redis, anna: dict[str, Any]
) -> None:
    rename = api.send("PATCH", "/v1/me", {"name": "Annette"}, anna["token"], Idempotency_Key="k")
    token = rotate(api, anna["token"]).get_json()["token"]
    assert rename.status_code == 200
    first, again = (api.send("DELETE", "/v1/me", None, token, Idempotency_Key="k") for _ in range(2))
    assert (first.status_code, again.status_code) == (204, 204)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert api.send("DELETE", "/v1/me", None, token, Idempotency_Key="other").status_code == 401
    assert api.send("DELETE", "/v1/me", None, token).status_code == 401
    assert rotate(api, anna["token"]).status_code == 401
    assert anna["id"].encode() not in stored_under(memory, "*")


def test_player_who_never_played_is_forgotten(api: ApiClient, memory: redis.Redis) -> None:
    idle = PlayerClient(api, "Idle")
    active = PlayerClient(api, "Active")
    active.set_up({"name": "Ben"})
    rotated = api.post("/v1/me/token", {}, idle.token).get_json()["token"]
    project(memory)
    kept = {key for key in memory.scan_iter("croupier:{players}:*") if memory.ttl(key) == -1}
    keys = find_keys(memory)
    assert kept >= {keys.record(active.id).encode(), keys.token(credential_of(active.token)).encode()}
    forgotten = (keys.record(idle.id), keys.token(credential_of(rotated)))
    assert all(0 < memory.ttl(key) <= IDLE_HOURS * 3600 for key in forgotten)


@pytest.mark.parametrize(
    "name",
    [
        "erased player",
        "Erased  Player",
        "greedy",
        "EXPERT",
        "ｒａｎｄｏｍ",
        "seat-0",
        "Seat 12",
        "clock",
        "bot:greedy",
    ],
)
def test_names_that_would_be_mistaken_are_reserved(api: ApiClient, name: str) -> None:
    plan = {"edition": "classic", "seats": [{"name": name}, {"open": True}]}
    lobby = api.create({"name": "Anna"}, {"open": True})
    remote = {"remote": {"name": name, "seconds": 5, "fallback": "random"}}
    player = PlayerClient(api, "Zoe")
    replies = [
        api.post("/v1/players", {"name": name}),
        api.send("PATCH", "/v1/me", {"name": name}, player.token),
        api.post("/v1/games", plan),
        api.post("/v1/games", {**plan, "seats": [remote, {"open": True}]}),
        api.post(f"{lobby.address}/seats", {"name": name}),
    ]
    assert [reply.status_code for reply in replies] == [422] * 5
    assert "reserved" in replies[0].get_json()["errors"][0]["detail"]


@pytest.mark.parametrize("name", ["Max Greedy", "Seat", "clockwork", "Greta", "seat-of-power"])
def test_names_that_only_remind_of_reserved_ones_are_taken(api: ApiClient, name: str) -> None:
    assert api.post("/v1/players", {"name": name}).status_code == 201


def test_profile_counts_no_private_games(api: ApiClient, memory: redis.Redis) -> None:
    player = PlayerClient(api, "Zoe")
    public = player.set_up({"name": "Ben"}).id
    plan = {"edition": "classic", "visibility": "private", "seats": [{"player": True}, {"name": "Ben"}]}
    private = api.post("/v1/games", plan, player.token).get_json()["id"]
    project(memory)
    assert api.call("GET", f"/v1/players/{player.id}")["games"] == {"lobby": 0, "playing": 1, "over": 0}
    backend = build_backend(memory)
    for game in (public, private):
        for _ in play_answers(backend.games, game):
            pass
        project(memory)
    profile = api.call("GET", f"/v1/players/{player.id}")
    assert profile["games"] == {"lobby": 0, "playing": 0, "over": 1}
    assert [result["games"] for result in profile["results"]] == [1]
    assert len(player.get("/v1/me/games")["games"]) == 2
    remove_game(backend, private, "test")
    assert api.call("GET", f"/v1/players/{player.id}") == profile
