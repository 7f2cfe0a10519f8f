"""W12: a game that is over is played on from one of its tables, and its log proves where it comes from."""

import json
from random import Random
from typing import Any

import pytest
from redis import Redis

from events.store import MemoryStore
from events.types import DiceRolled
from events.values import SeatPlan
from rules.errors import Reason, Rejected
from service.container import build_backend
from service.fairness.export_file import write_file
from service.fairness.verify import verify
from service.games.games import Games
from service.history.export import GameFiles
from tests.support.api_client import ApiClient, Game, PlayerClient, long_key, project
from tests.support.finished_games import finished_log, put_finished
from tests.support.forgeries import reseal
from tests.support.games import TABLES, answer_at_random, export_game, make_games, people, play_answers
from tests.support.second_opinion import is_fair, second_opinion

Raws = list[dict[str, Any]]


def games_with(edition: str = "classic", players: int = 2, **options: Any) -> tuple[Games, str, MemoryStore]:
    """A service with one finished game in it."""
    game, commits, seed = finished_log(edition, players, tuple(options.items()))
    store = MemoryStore()
    store.create_with_history(game, commits, {"seed": seed})
    return make_games(store), game, store


def play_on(games: Games, game: str) -> Raws:
    for _ in play_answers(games, game, seed=7):
        pass
    return export_game(games, game)


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_a_fork_begins_with_that_table_and_verifies_to_its_end(
    edition: str, options: dict[str, Any], players: int
) -> None:
    """W12."""
    games, origin, _ = games_with(edition, players, **options)
    at = games.snapshot(origin).version // 2
    made = GameFiles(games).forks.fork(origin, at, people(players))
    before, after = games.snapshot(origin, at).state, games.snapshot(made.game).state
    assert (after.origin.game, after.origin.at) == (origin, at) if after.origin else False
    assert (after.notes, after.dice, after.hands, after.agenda, after.drawn) == (
        *(before.notes, before.dice, before.hands, before.agenda, before.drawn),
    )
    raws = play_on(games, made.game)
    assert raws[:at] == export_game(games, origin)[:at]
    assert verify(raws).game == made.game
    assert verify(raws).ok
    assert is_fair(raws)


def test_from_there_on_the_dice_are_its_own() -> None:
    games, origin, _ = games_with()
    forks = [GameFiles(games).forks.fork(origin, 9, people(2)).game for _ in range(2)]
    rolls = set()
    for game in (origin, *forks):
        for _ in range(0 if game == origin else 4):
            answer_at_random(games, game, Random(1))
        events = [event for commit in games.commits(game)[9:14] for event in commit.events]
        rolls.add(tuple(event.own for event in events if isinstance(event, DiceRolled)))
    assert len(rolls) == 3


def test_a_fork_of_a_fork_of_an_imported_game_is_played_to_its_end_and_verifies(
    memory: Redis, api: ApiClient
) -> None:
    file = write_file(finished_log("modern", 3)[1])
    posted = api.post("/v1/imports", file, Content_Type="application/x-ndjson")
    game, games, raws = posted.get_json()["id"], build_backend(memory).games, Raws()
    for at in (12, 20):
        made = fork(api, game, at, [{"name": "Anna"}, {"bot": "random"}, {"name": "Ben"}])
        assert made["fork"] == {"game": game, "at": at}
        game = made["id"]
        raws = play_on(games, game)
    assert [raw["command"]["type"] for raw in raws].count("fork") == 2
    assert verify(raws).ok
    assert is_fair(raws)
    exported = api.get(f"/v1/games/{game}/export").get_data()
    assert json.loads(exported.splitlines()[0])["fork"]["at"] == 20
    assert second_opinion([json.loads(line) for line in exported.splitlines()[1:]])[0]


def fork(api: ApiClient, game: str, at: int, seats: Any, **headers: str) -> Any:
    reply = api.post(f"/v1/games/{game}/forks", {"at": at, "seats": seats}, **headers)
    assert reply.status_code == 201, reply.data
    assert reply.headers["Location"] == f"/v1/games/{reply.get_json()['id']}"
    return reply.get_json()


SEATS = [{"name": "Dora"}, {"name": "Emil"}]


def test_whoever_forks_gets_tokens_and_the_table_says_where_it_comes_from(
    memory: Redis, api: ApiClient
) -> None:
    origin = put_finished(memory)
    made = Game(api, fork(api, origin, 9, SEATS))
    assert (made.table()["fork"], made.table()["version"]) == ({"game": origin, "at": 9}, 10)
    assert [seat["name"] for seat in made.table()["seats"]] == ["Dora", "Emil"]
    seat, ask = made.ask()
    assert made.choose(seat, ask["ask"], ask["options"][0]["choice"]).status_code == 200
    assert made.id in [row["id"] for row in api.get("/v1/games?status=playing").get_json()["games"]]


def test_the_same_key_makes_one_fork(memory: Redis, api: ApiClient) -> None:
    origin, key = put_finished(memory), long_key("fork")
    first = fork(api, origin, 9, SEATS, Idempotency_Key=key)
    assert fork(api, origin, 9, SEATS, Idempotency_Key=key) == first
    other = api.post(f"/v1/games/{origin}/forks", {"at": 8, "seats": SEATS}, Idempotency_Key=key)
    assert other.get_json()["code"] == "key_reused"
    weak = api.post(f"/v1/games/{origin}/forks", {"at": 8, "seats": SEATS}, Idempotency_Key="k")
    assert weak.get_json()["code"] == "weak_key"


def test_a_table_that_cannot_be_forked_is_refused(memory: Redis, api: ApiClient) -> None:
    origin = put_finished(memory)
    last = build_backend(memory).games.snapshot(origin).version

    def refusal(game: str, at: int, seats: Any = SEATS) -> str:
        return str(api.post(f"/v1/games/{game}/forks", {"at": at, "seats": seats}).get_json()["code"])

    assert refusal(origin, last + 1) == "unknown_version"
    assert refusal(origin, last) == "game_over"
    assert refusal(origin, 9, SEATS[:1]) == "bad_seats"
    assert refusal(origin, 9, [{"open": True}, *SEATS[:1]]) == "invalid_body"
    running = api.create({"name": "Anna"}, {"name": "Ben"}, {"open": True})
    assert refusal(running.id, 1) == "not_over"
    api.post(f"{running.address}/cancel", {}, running.tokens[0])
    assert refusal(running.id, 1, [*SEATS, {"bot": "random"}]) == "not_started"


def test_nobody_forks_a_game_that_still_hides_something() -> None:
    games = make_games()
    game = games.create("cards", {}, people(2)).game
    with pytest.raises(Rejected) as refusal:
        GameFiles(games).forks.fork(game, 1, people(2))
    assert refusal.value.reason is Reason.NOT_OVER


def test_a_fork_of_a_private_game_is_not_for_bots_alone(memory: Redis, api: ApiClient) -> None:
    """W12. Not even whoever made it could see or end it, and it would count among their open games."""
    plan = {"edition": "classic", "seats": SEATS, "visibility": "private"}
    private = Game(api, api.call("POST", "/v1/games", plan))
    for _ in play_answers(build_backend(memory).games, private.id):
        pass

    def status(*seats: Any) -> int:
        return api.post(f"{private.address}/forks", {"at": 9, "seats": seats}, private.tokens[0]).status_code

    bot, remote = {"bot": "random"}, {"remote": {"name": "Robot", "seconds": 9, "fallback": "random"}}
    body = {"at": 9, "seats": [bot, bot]}
    told = api.post(f"{private.address}/forks", body, private.tokens[0]).get_json()
    assert (told["code"], told["rule"], told["errors"][0]["pointer"]) == ("bad_seats", "W12", "/seats")
    assert len(build_backend(memory).store.list_games()) == 1
    assert [status(bot, seat) for seat in ({"name": "Anna"}, remote)] == [201, 201]
    assert api.post(f"/v1/games/{put_finished(memory)}/forks", body).status_code == 201


def test_a_private_game_is_forked_by_its_table_alone_and_its_fork_is_as_private(
    memory: Redis, api: ApiClient
) -> None:
    """It begins with all that the other keeps from strangers."""
    plan = {"edition": "classic", "seats": SEATS, "visibility": "private"}
    private = Game(api, api.call("POST", "/v1/games", plan))
    for _ in play_answers(build_backend(memory).games, private.id):
        pass
    body = {"at": 9, "seats": SEATS}
    assert api.post(f"{private.address}/forks", body).get_json()["code"] == "unknown_game"
    made = Game(api, api.post(f"{private.address}/forks", body, private.tokens[0]).get_json())
    assert made.table(0)["visibility"] == "private"
    for what in ("", "/events", "/export", "/timeline"):
        assert api.get(f"{made.address}{what}").get_json()["code"] == "unknown_game"
        assert api.get(f"{made.address}{what}", private.tokens[0]).get_json()["code"] == "unknown_game"
        assert api.get(f"{made.address}{what}", made.tokens[1]).status_code == 200
    # By a process that has it all to read again.
    assert build_backend(memory).games.codes.is_private(made.id) is True
    assert api.get("/v1/games").get_json()["games"] == []


def test_players_hear_of_their_own_part_of_a_fork(memory: Redis, api: ApiClient) -> None:
    """Those who played what came before are told nothing of what others make of it."""
    anna, ben = PlayerClient(api, "Anna"), PlayerClient(api, "Ben")
    origin = anna.set_up({"name": "Carla"})
    for _ in play_answers(build_backend(memory).games, origin.id):
        pass
    reply = api.post(f"{origin.address}/forks", {"at": 9, "seats": [{"player": True}, *SEATS[:1]]}, ben.token)
    made = reply.get_json()["id"]
    project(memory)
    assert made not in {event["game"] for event in anna.get("/v1/me/events")["events"]}
    told = [event for event in ben.get("/v1/me/events")["events"] if event["game"] == made]
    assert {(event["what"], event["version"]) for event in told} <= {("joined", 10), ("asked", 10)}
    assert told
    assert [game["id"] for game in ben.get("/v1/me/games")["games"]] == [made]


def test_what_was_asked_is_asked_anew_with_full_time() -> None:
    games, origin, _ = games_with("classic", 2, turn_seconds=30, total_seconds=100)
    made = GameFiles(games).forks.fork(origin, 9, people(2))
    snapshot = games.snapshot(made.game)
    assert snapshot.ask_opened_at == snapshot.created_at == snapshot.changed_at == snapshot.last_human_at
    assert snapshot.left == (100_000, 100_000)
    assert verify(play_on(games, made.game)).ok


@pytest.mark.parametrize(
    "lie",
    [
        lambda fork: fork["origin"].update(game="g_other"),
        lambda fork: fork["origin"].update(at=3),
        lambda fork: fork["origin"].update(head="0" * 64),
        lambda fork: fork.update(commitment="0" * 64),
        lambda fork: fork.update(game="g_other"),
        lambda fork: fork["seats"][0].update(entropy="luck"),
    ],
)
def test_both_verifiers_find_a_lie_about_a_fork(lie: Any) -> None:
    games, origin, _ = games_with()
    raws = play_on(games, GameFiles(games).forks.fork(origin, 9, people(2)).game)
    lie(raws[9]["command"])
    lie(raws[9]["events"][0])
    verdict, (holds, said) = verify(reseal(raws)), second_opinion(reseal(raws))
    assert (verdict.ok, holds) == (False, False)
    assert verdict.version
    assert "commit " in said


def test_both_verifiers_find_another_seed_of_the_origin() -> None:
    games, origin, _ = games_with()
    raws = play_on(games, GameFiles(games).forks.fork(origin, 9, people(2)).game)
    raws[9]["events"][0]["seed"] = "77" * 32
    assert verify(reseal(raws)).version == 10
    assert "commit 10: the seed" in second_opinion(reseal(raws))[1]


def test_a_table_where_a_player_sits_twice_is_refused() -> None:
    games, origin, _ = games_with()
    with pytest.raises(Rejected) as refusal:
        GameFiles(games).forks.fork(origin, 9, [SeatPlan(player="p_1"), SeatPlan(player="p_1")])
    assert refusal.value.reason is Reason.BAD_SEATS
