"""W12: a game that is over is played on from one of its tables, and its log proves where it comes from."""

import json
from random import Random
from typing import Any

import pytest
from redis import Redis

from events.commands import Choose
from events.secrecy import Secret
from events.store import MemoryStore
from events.types import DiceRolled
from events.values import SeatPlan
from rules.errors import Reason, Rejected
from service.container import build_backend
from service.fairness.export_file import write_file
from service.fairness.verify import verify
from service.games.games import Games
from service.games.writer import Caller
from service.history.export import GameFiles
from tests.support.api_client import ApiClient, Game, PlayerClient, long_key, project
from tests.support.finished_games import finished_log, put_finished
from tests.support.forgeries import reseal
from tests.support.games import (
    ENDLESS,
    TABLES,
    answer_at_random,
    export_game,
    make_games,
    people,
    play_answers,
)
from tests.support.second_opinion import is_fair, second_opinion
from workers.turns import TurnPlayer

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


@pytest.mark.parametrize(("edition", "options", "players"), TABLES[::3])
def test_a_fork_with_the_same_dice_leads_to_the_same_game_with_the_same_choices(
    edition: str, options: dict[str, Any], players: int
) -> None:
    """W12. Fair by both verifiers, which say that anybody could know its dice."""
    games, origin, _ = games_with(edition, players, **options)
    forks = GameFiles(games).forks
    made = forks.fork(origin, 9, people(players), same_dice=True).game
    for commit in games.commits(origin)[9:]:
        command = commit.command
        assert isinstance(command, Choose)
        choice = command.choice.contents if isinstance(command.choice, Secret) else command.choice
        games.choose(made, Caller(command.seat), command.ask, choice)
    assert [commit.events for commit in games.commits(made)[10:]] == [
        commit.events for commit in games.commits(origin)[9:]
    ]
    # A fork of it may have the same dice once more, or others.
    for same_dice in (True, False):
        again = forks.fork(made, 14, people(players), same_dice=same_dice).game
        raws = play_on(games, again)
        luck = "known" if same_dice else "drawn"
        assert (verify(raws).ok, verify(raws).luck) == (True, luck), verify(raws)
        assert is_fair(raws)
        assert ("SAME DICE" in second_opinion(raws)[1]) == same_dice


@pytest.mark.long
def test_bots_answer_as_before_in_a_fork_with_the_same_dice(memory: Redis, api: ApiClient) -> None:
    """What a bot leaves to chance is made from the same seed and name."""
    origin = api.create({"bot": "random"}, {"bot": "random"}, {"bot": "greedy"})
    turns = TurnPlayer(build_backend(memory).games)
    turns.play_turns(origin.id, ENDLESS)
    seats = [api.post(f"{origin.address}/forks", {"at": 9, "dice": dice}).get_json() for dice in DICE]
    for made in seats:
        turns.play_turns(made["id"], ENDLESS)
    games = build_backend(memory).games
    before = [commit.events for commit in games.commits(origin.id)[9:]]
    after = [[commit.events for commit in games.commits(made["id"])[10:]] for made in seats]
    assert [events == before for events in after] == [True, False]
    decisions = f"/v1/games/{seats[0]['id']}/decisions/12"
    assert api.post(f"{decisions}/rerun", {}).status_code in (200, 202)
    audits = [api.get(f"/v1/games/{made['id']}/audit").get_json() for made in seats]
    assert [audit["verified"]["luck"] for audit in audits] == ["known", "drawn"]
    assert ["finished game" in audit["unjudged"][-1] for audit in audits] == [True, False]


DICE = ("same", "fresh")


def test_seats_of_a_fork_are_as_they_were_unless_named(memory: Redis, api: ApiClient) -> None:
    """A registered player sits there only as the caller: nobody else makes them play."""
    anna, ben = PlayerClient(api, "Anna"), PlayerClient(api, "Ben")
    remote = {"remote": {"name": "Robot", "seconds": 9, "fallback": "greedy"}}
    origin = anna.set_up({"name": "Carla"}, {"bot": "steady"}, remote, {"open": True})
    ben.sit(origin)
    for _ in play_answers(build_backend(memory).games, origin.id):
        pass
    for token, seats in (
        (None, ["greedy", "Carla", "steady", "Robot", "greedy"]),
        (anna.token, ["Anna", "Carla", "steady", "Robot", "greedy"]),
        (ben.token, ["greedy", "Carla", "steady", "Robot", "Ben"]),
    ):
        made = api.post(f"{origin.address}/forks", {"at": 9}, token).get_json()
        assert [seat.get("name") or seat["bot"] for seat in made["seats"]] == seats
        assert [seat["seat"] for seat in made["seats"] if "token" in seat] == [1, 3]
        table = api.get(f"/v1/games/{made['id']}").get_json()
        assert table["seats"][3]["remote"] == {"seconds": 9, "fallback": "greedy"}


def test_what_would_change_the_same_dice_is_refused(memory: Redis, api: ApiClient) -> None:
    origin = put_finished(memory)
    lucky = [{"name": "Dora", "entropy": "luck"}, {"name": "Emil"}]
    told = api.post(f"/v1/games/{origin}/forks", {"at": 9, "seats": lucky, "dice": "same"}).get_json()
    assert (told["code"], told["errors"][0]["pointer"]) == ("bad_seats", "/seats/0/entropy")
    for dice in ("", "old", None, True, ["same"]):
        reply = api.post(f"/v1/games/{origin}/forks", {"at": 9, "seats": SEATS, "dice": dice})
        assert (reply.status_code, reply.get_json()["code"]) == (422, "invalid_body")
    key = long_key("same dice")
    fork(api, origin, 9, SEATS, Idempotency_Key=key)
    body = {"at": 9, "seats": SEATS, "dice": "same"}
    reused = api.post(f"/v1/games/{origin}/forks", body, Idempotency_Key=key)
    assert reused.get_json()["code"] == "key_reused"


@pytest.mark.parametrize(
    "lie",
    [
        lambda fork: fork.update(commitment="0" * 64),
        lambda fork: fork["seats"][0].update(entropy="luck"),
        lambda fork: fork.pop("same_dice"),
    ],
)
def test_both_verifiers_find_a_lie_about_the_same_dice(lie: Any) -> None:
    games, origin, _ = games_with()
    raws = play_on(games, GameFiles(games).forks.fork(origin, 9, people(2), same_dice=True).game)
    lie(raws[9]["command"])
    lie(raws[9]["events"][0])
    assert verify(reseal(raws)).ok is False
    assert second_opinion(reseal(raws))[0] is False
