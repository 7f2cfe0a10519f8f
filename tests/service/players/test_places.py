"""Players are spread over slots by a place in their id; those of 0.2 have none and stay where they are."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from events.cluster import SLOTS, slot_of
from events.layout import CLUSTER_PARTITIONS, LAYOUTS, PARTITIONS_KEY, PLAYERS_SLOT
from events.store import PARTITIONS
from rules.explain.english import ERASED
from service.container import build_backend
from service.games.idempotency import identify_request
from service.games.tokens import hash_token
from service.players.names import Names
from service.players.places import (
    PLACES,
    PLAYER_ID,
    PlayerKeys,
    credential_of,
    draw_player_id,
    find_keys,
    find_place,
    find_place_in,
    looks_like_players,
    make_token,
    name_request,
)
from service.players.players import Players
from service.players.transfer import PlayerTransfer
from tests.support.api_client import ApiClient, PlayerClient, long_key, project
from tests.support.app import open_app, open_memory
from workers.reconciler import Reconciler

WHOLE = PlayerKeys(LAYOUTS[PARTITIONS])
SPREAD = PlayerKeys(LAYOUTS[CLUSTER_PARTITIONS])
REPLAYED = "Idempotent-Replayed"


def draw_former_id() -> str:
    """An id as 0.2 drew it."""
    return "p_" + secrets.token_urlsafe(32)[:22]


@pytest.mark.parametrize("place", [0, 1, 63, 64, PLACES - 1])
def test_ids_tokens_and_requests_carry_their_place(place: int) -> None:
    player = draw_player_id(place)
    token = make_token("spice", None, place)
    assert PLAYER_ID.fullmatch(player)
    assert looks_like_players(token)
    credential = credential_of(token)
    assert find_place(player) == find_place_in(credential) == place
    assert find_place_in(name_request("0123", place)) == place
    slots = {SPREAD.slot_of(player), slot_in(SPREAD.token(credential)), slot_in(SPREAD.request(credential))}
    assert len(slots) == 1
    assert slots != {PLAYERS_SLOT}
    assert slot_in(WHOLE.record(player)) == slot_in(WHOLE.token(credential)) == PLAYERS_SLOT


def slot_in(key: str) -> str:
    return key.partition("{")[2].partition("}")[0]


def test_ids_and_tokens_of_0_2_have_no_place() -> None:
    for number in range(2_000):
        player = draw_former_id()
        token = make_token(str(number), "key", None)
        assert find_place(player) is None
        assert credential_of(token) == hash_token(token)
        assert find_place_in(credential_of(token)) is None
        assert find_place_in(identify_request("players", str(number), "").stored_key) is None
        assert {SPREAD.slot_of(player), slot_in(SPREAD.token(hash_token(token)))} == {PLAYERS_SLOT}


def test_a_changed_id_has_no_place() -> None:
    player = draw_player_id(77)
    for number in range(2, len(player)):
        other = "A" if player[number] != "A" else "B"
        assert find_place(player[:number] + other + player[number + 1 :]) is None
    assert find_place(player[:-1]) is find_place("k_" + player[2:]) is find_place("") is None


def test_a_key_makes_the_same_token_again_and_another_makes_another() -> None:
    assert make_token("spice", "key", 5) == make_token("spice", "key", 5)
    made = {make_token(spice, key, place) for spice in "ab" for key in "cd" for place in (None, 5, 6)}
    assert len(made) == 12


def test_players_are_shared_evenly_by_up_to_eight_masters() -> None:
    tags = Counter(SPREAD.slot_of(draw_player_id(place)) for place in range(PLACES))
    assert set(tags.values()) == {PLACES // 64}
    for masters in range(3, 9):
        shares = Counter(slot_of(f"{{{tag}}}") * masters // SLOTS for tag in tags)
        assert max(shares.values()) <= 1.13 * len(tags) / masters


def test_no_slot_of_players_is_one_of_partitions() -> None:
    partitions = {layout.tag(number) for layout in LAYOUTS.values() for number in range(layout.partitions)}
    assert not partitions & {*SPREAD.slots}
    assert WHOLE.slots == (PLAYERS_SLOT,)


# Both kinds of players in both kinds of stores


def open_store(partitions: int) -> redis.Redis:
    client = open_memory()
    if partitions != PARTITIONS:
        client.set(PARTITIONS_KEY, partitions)
    return client


# What all other tests play with, a player with a place among 64 partitions, is not tried again here.
KINDS = {"former of 64": PARTITIONS, "former of 256": CLUSTER_PARTITIONS, "new of 256": CLUSTER_PARTITIONS}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def memory(kind: str) -> Iterator[redis.Redis]:
    with open_store(KINDS[kind]) as client:
        yield client


class FormerPlayer(PlayerClient):
    """A player that 0.2 made, in the keys that it had."""

    def __init__(self, api: ApiClient, memory: redis.Redis, name: str) -> None:
        self.api = api
        self.id = draw_former_id()
        self.token = make_token("", None, None)
        credential = hash_token(self.token)
        fields: dict[Any, Any] = {
            "name": name,
            "salt": "00" * 16,
            "token": credential,
            "created": "2026-11-16T10:00:00Z",
        }
        memory.hset(f"croupier:{{players}}:player:{self.id}", mapping={**fields, "renames": "0"})
        memory.set(f"croupier:{{players}}:token:{credential}", self.id)


@pytest.fixture
def anna(kind: str, api: ApiClient, memory: redis.Redis) -> PlayerClient:
    return PlayerClient(api, "Anna") if kind.startswith("new") else FormerPlayer(api, memory, "Anna")


def test_a_player_has_all_keys_in_one_slot(api: ApiClient, memory: redis.Redis, anna: PlayerClient) -> None:
    anna.set_up({"name": "Ben"})
    project(memory)
    slot = find_keys(memory).slot_of(anna.id)
    found = [key.decode() for key in memory.scan_iter(f"croupier:{{p*}}:*{anna.id}")]
    assert len(found) >= 5
    assert {slot_in(key) for key in [*found, *map(bytes.decode, memory.scan_iter("*:token:*"))]} == {slot}
    assert (slot == PLAYERS_SLOT) == isinstance(anna, FormerPlayer)


def test_players_are_told_renamed_and_erased(api: ApiClient, memory: redis.Redis, anna: PlayerClient) -> None:
    game = anna.set_up({"name": "Ben"})
    project(memory)
    assert [row["id"] for row in anna.get("/v1/me/games")["games"]] == [game.id]
    events = anna.get("/v1/me/events?after=0")
    assert [event["type"] for event in events["events"]][:2] == ["joined", "started"]
    after = events["events"][0]["id"]
    assert anna.get(f"/v1/me/events?after={after}")["events"] == events["events"][1:]
    assert anna.get(f"/v1/feed?after={after}")["events"][0]["type"] == "started"

    renamed = api.send("PATCH", "/v1/me", {"name": "Anne"}, anna.token, Idempotency_Key=long_key("name"))
    assert renamed.status_code == 200
    again = api.send("PATCH", "/v1/me", {"name": "Anne"}, anna.token, Idempotency_Key=long_key("name"))
    assert REPLAYED in again.headers
    assert name_at(api, game.address) == "Anne"

    former = anna.token
    first = api.post("/v1/me/token", None, former, Idempotency_Key=long_key("token"))
    second = api.post("/v1/me/token", None, former, Idempotency_Key=long_key("token"))
    assert first.get_json()["token"] == second.get_json()["token"]
    anna.token = first.get_json()["token"]
    assert find_place_in(credential_of(anna.token)) == find_place(anna.id)
    assert api.get("/v1/me", former).status_code == 401
    assert anna.get("/v1/me")["name"] == "Anne"

    for _ in range(2):
        gone = api.send("DELETE", "/v1/me", None, anna.token, Idempotency_Key=long_key("gone"))
        assert gone.status_code == 204
    assert name_at(api, game.address) == "Goldie"
    assert api.get("/v1/me", anna.token).status_code == 401
    left = {key.decode() for key in memory.scan_iter(f"*:*:{anna.id}")}
    assert {key for key in left if not key.startswith("croupier:{lobby}:")} == set()


def name_at(api: ApiClient, address: str) -> str:
    name: str = api.get(address).get_json()["seats"][0]["name"]
    return name


def test_tickets_open_the_stream_of_their_player(api: ApiClient, anna: PlayerClient) -> None:
    issued = api.post("/v1/tickets", {"me": True}, anna.token).get_json()["ticket"]
    reply = api.get(f"/v1/me/events?after=0&ticket={issued}", Accept="text/event-stream")
    assert reply.status_code == 200
    reply.close()


def test_webhooks_belong_to_their_player(api: ApiClient, anna: PlayerClient) -> None:
    made = api.post("/v1/webhooks", {"url": "https://hooks.example.org/x"}, anna.token)
    assert made.status_code == 201
    listed = anna.get("/v1/webhooks")["webhooks"]
    assert [webhook["id"] for webhook in listed] == [made.get_json()["id"]]


def test_no_process_shows_a_name_from_before_a_change(memory: redis.Redis, anna: PlayerClient) -> None:
    """Two processes have cached the names of several players, in several slots."""
    others = [PlayerClient(anna.api, f"Ben {number}") for number in range(5)]
    players = [anna.id, *(other.id for other in others)]
    processes = [Names(memory, clock=lambda: 0.0) for _ in range(2)]
    for names in processes:
        assert list(names.look_up(players).values()) == ["Anna", *(f"Ben {number}" for number in range(5))]
    for player in (anna, others[2]):
        assert anna.api.send("PATCH", "/v1/me", {"name": "Carla"}, player.token).status_code == 200
        assert [names.look_up(players)[player.id] for names in processes] == ["Carla"] * 2
        assert anna.api.send("DELETE", "/v1/me", None, player.token).status_code == 204
        assert [names.look_up(players)[player.id] for names in processes] == [ERASED] * 2
    assert [names.look_up(players)[others[0].id] for names in processes] == ["Ben 0"] * 2


def test_names_of_players_with_a_tag_need_no_slot_that_all_share() -> None:
    with open_store(CLUSTER_PARTITIONS) as memory:
        made = [Players(memory).create(name, identify_request("x", None, name)).player for name in "abc"]
        # To read this counter would fail.
        memory.lpush("croupier:{players}:name-changes", "not a number")
        for _ in range(2):
            assert Names(memory).look_up(one.id for one in made) == {one.id: one.name for one in made}


def test_a_request_of_0_2_is_repeated_after_the_update(memory: redis.Redis) -> None:
    """Its player stays in the common slot, and its token is found again."""
    request = identify_request("players", long_key("Anna"), "Anna")
    player = draw_former_id()
    stored: dict[Any, Any] = {"fingerprint": request.fingerprint, "player": player, "spice": "spice"}
    memory.hset(f"croupier:{{players}}:request:{request.stored_key}", mapping=stored)
    players = Players(memory)
    assert players.has_created(request)
    again = players.create("Anna", request)
    assert (again.player.id, again.replayed) == (player, True)
    assert again.token == make_token("spice", request.key, None)
    assert list(memory.scan_iter("*:player:*")) == []


def test_a_repeated_request_finds_its_player_under_the_tag(memory: redis.Redis) -> None:
    request = identify_request("players", long_key("Anna"), "Anna")
    players = Players(memory)
    assert not players.has_created(request)
    first = players.create("Anna", request)
    second = players.create("Anna", request)
    assert players.has_created(request)
    assert (first.player.id, first.token) == (second.player.id, second.token)
    assert [second.replayed, first.replayed] == [True, False]


def test_seats_of_erased_players_are_given_up_in_every_slot(
    api: ApiClient, memory: redis.Redis, anna: PlayerClient
) -> None:
    backend = build_backend(memory)
    keys = find_keys(memory)
    game = anna.set_up({"name": "Ben"})
    departures = keys.departures(keys.slot_of(anna.id))
    memory.sadd(departures, f"{game.id}|{anna.id}")
    memory.incr(keys.erasures(keys.slot_of(anna.id)))
    for _ in range(len(keys.slots)):
        backend.erasure.tidy_up(lambda game, fault: pytest.fail(str(fault)))
    assert not memory.exists(departures, keys.erasures(keys.slot_of(anna.id)))
    assert memory.exists("croupier:{players}:rewritten")
    Reconciler(backend).step()


# Moves


@pytest.mark.parametrize("numbers", [(64, 256), (256, 64)])
def test_players_of_both_kinds_move_to_a_store_with_another_layout(numbers: tuple[int, int]) -> None:
    with open_store(numbers[0]) as source, open_store(numbers[1]) as target:
        with open_app(source) as app:
            api = ApiClient(app.test_client())
            people = [FormerPlayer(api, source, "Anna"), PlayerClient(api, "Ben")]
            for number, one in enumerate(people):
                key = long_key(f"token {number}")
                one.token = api.post("/v1/me/token", None, one.token, Idempotency_Key=key).get_json()["token"]
                api.send("PATCH", "/v1/me", {"name": f"New {number}"}, one.token, Idempotency_Key=key)
                one.set_up({"name": "Carla"})
            project(source)
            told = [one.get("/v1/me/events?after=0") for one in people]
        slot = find_keys(source).slot_of(people[1].id)
        source.sadd(find_keys(source).departures(slot), f"g_x|{people[1].id}")
        copy(source, target)
        assert copied(PlayerTransfer(source)) == copied(PlayerTransfer(target))
        keys = find_keys(target)
        assert target.smembers(keys.departures(keys.slot_of(people[1].id))) == {
            f"g_x|{people[1].id}".encode()
        }
        with open_app(target) as app:
            for number, one in enumerate(people):
                one.api = ApiClient(app.test_client())
                assert one.get("/v1/me")["name"] == f"New {number}"
                assert one.get("/v1/me/events?after=0") == told[number]
                renamed = {"name": f"New {number}"}, one.token
                repeat = one.api.send(
                    "PATCH", "/v1/me", *renamed, Idempotency_Key=long_key(f"token {number}")
                )
                assert REPLAYED in repeat.headers
                assert one.api.send("DELETE", "/v1/me", None, one.token).status_code == 204
        left = {key.decode() for key in target.scan_iter("croupier:{p*}:*") if b":request:" not in key}
        assert {slot_in(key) for key in left} <= set(keys.slots)
        assert not [key for key in left for one in people if key.endswith(one.id)]


def copy(source: redis.Redis, target: redis.Redis) -> None:
    there, here = PlayerTransfer(source), PlayerTransfer(target)
    for name in there.list_players():
        stored = there.read_player(name)
        assert stored is not None
        assert here.restore_player(stored)
        assert here.restore_journal(there.read_journal(name))
    for request in there.read_requests():
        assert here.restore_request(request)
    here.restore_departures(there.read_departures())


def copied(transfer: PlayerTransfer) -> Any:
    players = sorted(transfer.list_players())
    requests = sorted((one.key_hash, dict(one.fields)) for one in transfer.read_requests())
    records = []
    for player in players:
        stored = transfer.read_player(player)
        assert stored is not None
        records.append((stored.record, stored.renames, transfer.read_journal(player)))
    return records, requests, transfer.read_departures()
