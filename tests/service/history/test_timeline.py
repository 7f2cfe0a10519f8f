"""Looking back at a game over HTTP: explanations, differences, the timeline, what a seat knew."""

from __future__ import annotations

from typing import Any

import pytest
import redis

from events.values import SeatPlan
from service.fairness.export_file import write_file
from service.history.timeline import look_at, read_contexts
from service.players.places import find_keys
from tests.support.api_client import ApiClient, Game, PlayerClient
from tests.support.games import make_games, play_answers, play_game
from tests.support.stores import CountingStore
from tests.support.waiting import wait_until


@pytest.fixture(params=["classic", "cards"])
def played(api: ApiClient, request: pytest.FixtureRequest) -> Game:
    game = api.create_for(2, edition=request.param)
    game.play()
    return game


def received(facts: list[dict[str, Any]], owner: str) -> int:
    own = [fact for fact in facts if fact.get("owner") == owner]
    return sum(sum(fact.get("notes", ())) - sum(fact.get("handed", ())) for fact in own)


def test_all_explanations_together_say_where_the_money_came_from(played: Game) -> None:
    table, call = played.table(), played.api.call
    told = [call("GET", f"{played.address}/explain/{at}") for at in range(1, table["version"] + 1)]
    assert [reply["version"] for reply in told] == [*range(1, table["version"] + 1)]
    for seat in table["seats"]:
        facts = [fact for reply in told for fact in reply["facts"]]
        assert received(facts, f"seat-{seat['seat']}") == seat["money"]
    assert all(told[-1]["sentences"])
    assert "Anna" in " ".join(told[-1]["sentences"])


def test_explanations_come_in_two_languages(played: Game) -> None:
    address = f"{played.address}/explain/{played.version()}"
    english, german = (played.api.call("GET", f"{address}?language={name}") for name in ("en", "de"))
    assert [_untold(fact) for fact in english["facts"]] == [_untold(fact) for fact in german["facts"]]
    assert "The game is over" in english["sentences"][-1]
    assert "Das Spiel ist aus" in german["sentences"][-1]
    reply = played.api.get(f"{address}?language=fr")
    assert (reply.status_code, "en, de" in reply.get_json()["errors"][0]["detail"]) == (422, True)


def _untold(fact: dict[str, Any]) -> dict[str, Any]:
    """A fact without its text, which may be a label."""
    return {name: value for name, value in fact.items() if name != "text"}


@pytest.mark.parametrize("version", ["0", "999", "-1", "x", "1e3", "9" * 30])
def test_there_is_nothing_to_explain_at_a_version_that_is_not_there(api: ApiClient, version: str) -> None:
    reply = api.get(f"{api.create_for(2).address}/explain/{version}")
    assert (reply.status_code, reply.get_json()["code"]) == (404, "unknown_version")


def test_a_sealed_choice_is_explained_to_its_seat_alone(api: ApiClient) -> None:
    game = api.create_for(2, edition="cards")
    seat, ask = game.ask()
    assert game.choose(seat, ask["ask"], ask["options"][0]["choice"]).status_code == 200
    tokens = {"own": game.tokens[seat], "other": game.tokens[1 - seat], "nobody": None}
    told = {who: api.call("GET", f"{game.address}/explain/2", None, token) for who, token in tokens.items()}
    assert told["own"]["facts"][0]["text"] == ask["options"][0]["label"]
    assert told["other"] == told["nobody"]
    assert "text" not in told["nobody"]["facts"][0]


def test_a_difference_leads_from_one_table_to_the_other(played: Game) -> None:
    last = played.version()
    before, after = (played.table(query=f"?at={version}") for version in (2, last))
    reply = played.api.call("GET", f"{played.address}/diff?from=2&to={last}")
    assert (reply["from"], reply["to"]) == (2, last)
    for change in reply["changes"]:
        assert follow(before, change["path"]) == change.get("before")
        put(before, change["path"], change)
    assert before == after
    assert len(reply["sentences"]) >= last - 2


def follow(table: Any, path: str) -> Any:
    for part in path.split("/")[1:]:
        table = table[int(part)] if isinstance(table, list) else table.get(part)
    return table


def put(table: Any, path: str, change: dict[str, Any]) -> None:
    parent, _, name = path.rpartition("/")
    inner = follow(table, parent)
    if "after" in change:
        inner[int(name) if isinstance(inner, list) else name] = change["after"]
    else:
        inner.pop(name)


@pytest.mark.parametrize("query", ["?from=2&to=1", "?from=0&to=1", "?from=a&to=1"])
def test_versions_to_compare_come_in_order(api: ApiClient, query: str) -> None:
    assert api.get(f"{api.create_for(2).address}/diff{query}").status_code == 422


def test_a_timeline_says_where_what_happened(played: Game) -> None:
    line = played.api.call("GET", f"{played.address}/timeline")
    version = played.version()
    assert [mark["version"] for mark in line["commits"]] == [*range(1, version + 1)]
    assert [mark["round"] for mark in line["rounds"]] == [1, 2, 3, 4]
    assert [mark["last"] for mark in line["rounds"]] == [mark["version"] for mark in line["payouts"]]
    assert (line["ended"], line["payouts"][-1]["version"]) == (version, version)
    assert {mark["ask"] for mark in line["asks"]} == set(range(1, len(line["asks"]) + 1))


def test_after_the_end_everybody_learns_what_a_seat_knew(api: ApiClient) -> None:
    game = api.create_for(2, edition="cards")
    then = game.table(0)
    own = api.call("GET", f"{game.address}/knowledge", None, game.tokens[0])
    assert (own["seat"], own["table"]) == (0, then)
    refused = api.get(f"{game.address}/knowledge?seat=0", game.tokens[1])
    assert (refused.status_code, refused.get_json()["code"]) == (403, "not_yours")
    assert api.get(f"{game.address}/knowledge?seat=0").status_code == 403
    assert api.get(f"{game.address}/knowledge").status_code == 422
    assert api.get(f"{game.address}/knowledge?seat=5", game.tokens[0]).status_code == 422
    game.play()
    shown = api.call("GET", f"{game.address}/knowledge?seat=0&at=1")
    assert shown["table"] == then
    assert "hidden" in shown["table"]["seats"][1]["hand"]
    assert sum(shown["unseen_notes"]) + sum(sum(place["notes"]) for place in then["casinos"]) == 3_120_000


def test_players_are_called_what_they_are_called_now(api: ApiClient) -> None:
    """An erased one has no name in any explanation; the log never had it."""
    player = PlayerClient(api, "Zoe the Great")
    game = player.set_up({"name": "Ben"}, start_seat=0)
    address = f"{game.address}/explain/1"
    assert "Zoe the Great starts" in api.get(address).text
    assert api.send("DELETE", "/v1/me", None, player.token).status_code == 204
    wait_until(lambda: "Zoe" not in api.get(address).text, "the name is forgotten")
    assert "erased player starts" in api.get(address).text
    german = " ".join(api.call("GET", f"{address}?language=de")["sentences"])
    assert "und Unbekannt (gelöscht) fängt an" in german


def test_who_is_called_what_the_erased_are_called_is_not_told_as_one(
    api: ApiClient, memory: redis.Redis
) -> None:
    """The name is reserved, and was not in 0.2."""
    anna = PlayerClient(api, "Anna")
    memory.hset(find_keys(memory).record(anna.id), "name", "erased player")
    game = anna.set_up({"name": "Ben"}, start_seat=0)
    german = " ".join(api.call("GET", f"{game.address}/explain/1?language=de")["sentences"])
    assert "und erased player fängt an" in german


def test_before_a_fork_those_are_named_who_played_there(api: ApiClient) -> None:
    """W12: with others in its seats nothing that was done before becomes theirs."""
    origin = api.create_for(2)
    origin.play()
    seats = [{"name": "Dora"}, {"name": "Emil"}]
    fork = api.post(f"{origin.address}/forks", {"at": 9, "seats": seats}).get_json()["id"]
    told = " ".join(api.call("GET", f"/v1/games/{fork}/diff?from=1&to=9")["sentences"])
    assert ("Anna places" in told, "Dora" in told, "Emil" in told) == (True, False, False)
    same = [api.call("GET", f"/v1/games/{game}/explain/5")["sentences"] for game in (origin.id, fork)]
    assert same[0] == same[1]


def test_who_leaves_is_told_by_the_name_that_they_had(api: ApiClient) -> None:
    game = api.create_for(2)
    api.post(f"{game.address}/leave", {"for_good": True}, game.tokens[0])
    (sentence,) = api.call("GET", f"{game.address}/explain/2")["sentences"]
    assert sentence == "Anna leaves for good, and greedy has the seat from now on."
    lobby = api.create({"name": "Anna"}, {"name": "Ben"}, {"open": True})
    api.post(f"{lobby.address}/leave", {}, lobby.tokens[1])
    (sentence,) = api.call("GET", f"{lobby.address}/explain/2")["sentences"]
    assert sentence == "Ben leaves and the seat is open again."


def test_a_file_that_names_a_player_of_this_service_says_nothing_of_them(api: ApiClient) -> None:
    """Not in its own tables and explanations, nor in those of its fork from before it began."""
    zoe = PlayerClient(api, "Zoe the Great")
    games = make_games()
    seats = (SeatPlan(player=zoe.id, name_commitment="0" * 64), SeatPlan(name="Ben"))
    game = games.create("classic", {"start_seat": 0}, seats).game
    for _ in play_answers(games, game):
        pass
    api.post("/v1/imports", write_file(games.commits(game)), Content_Type="application/x-ndjson")
    plan = {"at": 9, "seats": [{"name": "Dora"}, {"name": "Emil"}]}
    fork = api.post(f"/v1/games/{game}/forks", plan).get_json()["id"]
    for name in (game, fork):
        for address in ("explain/1", "explain/5", "diff?from=1&to=9", "?at=5", "knowledge?seat=1&at=5"):
            shown = api.get(f"/v1/games/{name}{'' if address[0] == '?' else '/'}{address}")
            assert shown.status_code == 200 or address.startswith("knowledge")
            assert "Zoe" not in shown.text, (name, address)


def test_labels_that_were_offered_call_players_by_their_names(api: ApiClient) -> None:
    zoe = PlayerClient(api, "Zoe the Great")
    game = zoe.set_up({"name": "Ben"}, {"name": "Carla"}, edition="royale", tile_codes=["A1"], start_seat=1)
    guesser = zoe.id
    game.play()
    table = api.call("GET", game.address)
    told = api.call("GET", f"{game.address}/diff?from=1&to={table['version']}")["sentences"]
    offered = [sentence for sentence in told if "guesses wrong" in sentence]
    assert offered
    assert not [sentence for sentence in offered if guesser in sentence]


def test_two_versions_far_apart_cost_no_more_readings_than_two_near() -> None:
    store = CountingStore()
    games = make_games(store)
    game = play_game(games, "classic", {}, 3)
    readings = []
    for last in (3, games.snapshot(game).version):
        reader = make_games(store)
        store.calls.clear()
        _, seen = look_at(reader, game, None, None)
        assert len([*read_contexts(reader, game, 2, last, seen, lambda table: table)]) == last - 1
        readings.append(len(store.calls))
    assert readings[0] == readings[1] <= 6


def test_versions_to_compare_are_not_any_number_apart(api: ApiClient) -> None:
    reply = api.get(f"{api.create_for(2).address}/diff?from=1&to=1002")
    assert (reply.status_code, "at most 1000 more" in reply.get_json()["errors"][0]["detail"]) == (422, True)


@pytest.mark.parametrize("query", ["from=0", "from=x", "to=-1", "to=0"])
def test_a_version_to_compare_that_is_none_is_called_as_it_was_sent(api: ApiClient, query: str) -> None:
    name = query.partition("=")[0]
    reply = api.get(f"{api.create_for(2).address}/diff?{query}").get_json()
    (fault,) = reply["errors"]
    assert (reply["code"], fault["parameter"]) == ("invalid_query", name)
    assert fault["detail"].endswith(" at least 1.")


def test_a_parameter_that_is_none_is_told_with_the_names_that_are_sent(api: ApiClient) -> None:
    reply = api.get(f"{api.create_for(2).address}/diff?first=1").get_json()
    assert reply["errors"][0]["detail"].endswith("here are from, to.")
