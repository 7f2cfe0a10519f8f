"""The games of a player: a list that the projector keeps, and what becomes of it."""

import pytest
import redis

from service.container import build_backend
from service.lobby.rebuild import rebuild_lobby
from tests.support.api_client import ApiClient, Game, PlayerClient, project


@pytest.fixture
def anna(api: ApiClient) -> PlayerClient:
    return PlayerClient(api, "Anna")


@pytest.fixture
def ben(api: ApiClient) -> PlayerClient:
    return PlayerClient(api, "Ben")


def ids(player: PlayerClient, query: str = "") -> list[str]:
    return [game["id"] for game in player.get(f"/v1/me/games{query}")["games"]]


def test_games_are_listed_by_their_newest_change(memory: redis.Redis, anna: PlayerClient) -> None:
    first, second = anna.set_up({"name": "Carla"}, start_seat=1), anna.set_up({"open": True})
    project(memory)
    assert ids(anna) == [second.id, first.id]
    seat, ask = first.ask()
    first.choose(seat, ask["ask"], ask["options"][0]["choice"])
    project(memory)
    assert ids(anna) == [first.id, second.id]


def test_games_that_wait_for_the_player_can_be_asked_for(
    memory: redis.Redis, anna: PlayerClient, ben: PlayerClient
) -> None:
    mine, his = anna.set_up({"open": True}, start_seat=0), anna.set_up({"open": True}, start_seat=1)
    for game in (mine, his):
        ben.sit(game)
    project(memory)
    assert ids(anna, "?awaiting=true") == [mine.id]
    assert ids(ben, "?awaiting=true") == [his.id]
    (row,) = anna.get("/v1/me/games?awaiting=true")["games"]
    assert (row["seat"], row["awaiting"], row["status"], row["version"]) == (0, True, "playing", 2)
    assert [seat["name"] for seat in row["seats"]] == ["Anna", "Ben"]
    seat, ask = mine.ask()
    mine.choose(seat, ask["ask"], ask["options"][0]["choice"])
    project(memory)
    assert ids(anna, "?awaiting=true") == []
    assert set(ids(ben, "?awaiting=true")) == {mine.id, his.id}


def test_pages_lead_through_the_whole_list(memory: redis.Redis, anna: PlayerClient) -> None:
    games = [anna.set_up({"open": True}).id for _ in range(7)]
    project(memory)
    found, address = [], "/v1/me/games?limit=3"
    while address:
        page = anna.get(address)
        found += [game["id"] for game in page["games"]]
        address = page["next"]
    assert sorted(found) == sorted(games)
    assert len(found) == len(games)
    for cursor in ("x", "AAAA", "%2B"):
        assert anna.api.get(f"/v1/me/games?cursor={cursor}", anna.token).status_code == 422


def test_a_row_says_who_may_see_the_game_whom_it_awaits_and_when_it_ended(
    memory: redis.Redis, anna: PlayerClient
) -> None:
    seats = [{"player": True}, {"name": "Ben"}]
    plan = {"edition": "classic", "visibility": "private", "options": {"start_seat": 1}, "seats": seats}
    made = anna.api.post("/v1/games", plan, anna.token).get_json()
    project(memory)
    (row,) = anna.get("/v1/me/games")["games"]
    assert (row["visibility"], row["awaits"], row["finished"]) == ("private", [1], None)
    game = Game(anna.api, made)
    game.tokens[0] = anna.token
    for token in game.tokens.values():
        assert anna.api.post(f"{game.address}/void", {}, token).status_code == 200
    project(memory)
    (row,) = anna.get("/v1/me/games")["games"]
    assert (row["awaits"], row["finished"]) == ([], row["updated"])


def test_a_cursor_is_good_in_its_own_list_and_order_only(memory: redis.Redis, anna: PlayerClient) -> None:
    for _ in range(2):
        anna.set_up({"open": True})
    project(memory)
    lists = ("/v1/me/games?limit=1", "/v1/games?limit=1", "/v1/games?limit=1&order=changed")
    cursors = {address: anna.get(address)["cursor"] for address in lists}
    assert all(cursors.values())
    for address in lists:
        for origin, cursor in cursors.items():
            reply = anna.api.get(f"{address}&cursor={cursor}", anna.token)
            assert reply.status_code == (200 if address == origin else 422)
    for cursor in cursors.values():
        assert anna.api.get(f"/v1/exports?cursor={cursor}").status_code == 422


def test_who_leaves_for_good_has_one_game_less(memory: redis.Redis, anna: PlayerClient) -> None:
    game = anna.set_up({"open": True})
    project(memory)
    assert ids(anna) == [game.id]
    assert anna.api.post(f"{game.address}/leave", {}, anna.token).status_code == 200
    project(memory)
    assert ids(anna) == []


def test_everybody_may_know_how_many_games_were_won(
    memory: redis.Redis, anna: PlayerClient, ben: PlayerClient
) -> None:
    for number in range(2):
        game = anna.set_up({"open": True})
        ben.sit(game)
        if not number:
            game.play()
    anna.set_up({"open": True})
    project(memory)
    project(memory)
    profile = anna.get(f"/v1/players/{anna.id}")
    assert profile["games"] == {"lobby": 1, "playing": 1, "over": 1}
    results = [anna.get(f"/v1/players/{one.id}")["results"] for one in (anna, ben)]
    assert [result["edition"] for (result,) in results] == ["classic", "classic"]
    assert [result["games"] for (result,) in results] == [1, 1]
    assert sum(result["won"] for (result,) in results) >= 1


def test_a_rebuild_makes_the_same_lists_again(
    memory: redis.Redis, anna: PlayerClient, ben: PlayerClient
) -> None:
    over, going = anna.set_up({"open": True}), anna.set_up({"open": True})
    for game in (over, going):
        ben.sit(game)
    over.play()
    project(memory)
    addresses = ("/v1/me/games", "/v1/me/games?awaiting=true", "/v1/me/events", f"/v1/players/{anna.id}")
    before = [player.get(address) for player in (anna, ben) for address in addresses]
    assert rebuild_lobby(build_backend(memory)) == {}
    assert [player.get(address) for player in (anna, ben) for address in addresses] == before
    for key in memory.scan_iter("croupier:{players}:[rgac]*"):
        if b":rows:" in key or b":games:" in key or b":awaiting:" in key or b":counts:" in key:
            memory.delete(key)
    assert anna.get("/v1/me/games")["games"] == []
    rebuild_lobby(build_backend(memory))
    assert [player.get(address) for player in (anna, ben) for address in addresses] == before


def test_nothing_is_kept_for_who_was_erased(
    memory: redis.Redis, anna: PlayerClient, ben: PlayerClient
) -> None:
    game = anna.set_up({"open": True})
    ben.sit(game)
    project(memory)
    assert anna.api.send("DELETE", "/v1/me", None, anna.token).status_code == 204
    rebuild_lobby(build_backend(memory))
    assert not [key for key in memory.scan_iter("croupier:{players}:*") if anna.id.encode() in key]
    (row,) = ben.get("/v1/me/games")["games"]
    assert [seat["name"] for seat in row["seats"]] == ["Goldie", "Ben"]


def test_what_one_has_just_done_is_listed_on_request(anna: PlayerClient, ben: PlayerClient) -> None:
    """No projector runs: the list is made current by whoever asks for it."""
    game = anna.set_up({"open": True})
    current = f"?game={game.id}&min_version="
    assert ids(anna, f"{current}1") == [game.id]
    ben.sit(game)
    assert ids(ben) == []
    assert ids(ben, f"{current}2") == [game.id]
    assert ids(anna, f"{current}2&awaiting=true&wait=1") == ([game.id] if game.ask()[0] == 0 else [])
    late = ben.api.get(f"/v1/me/games{current}3", ben.token)
    assert (late.status_code, late.get_json()["code"]) == (404, "unknown_version")
    for query in ("?min_version=1", f"?game={game.id}", "?wait=1", "?game=x&min_version=1"):
        assert ben.api.get(f"/v1/me/games{query}", ben.token).status_code == 422


def test_a_list_tells_nobody_of_a_private_game(anna: PlayerClient, ben: PlayerClient) -> None:
    plan = {"edition": "classic", "visibility": "private", "seats": [{"player": True}, {"open": True}]}
    game = anna.api.post("/v1/games", plan, anna.token).get_json()["id"]
    query = f"?game={game}&min_version=1"
    assert ids(anna, query) == [game]
    assert ben.api.get(f"/v1/me/games{query}", ben.token).status_code == 404
