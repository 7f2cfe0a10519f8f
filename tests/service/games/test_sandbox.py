"""Sandbox games: the same seed and choices give the same events on every service, and count nowhere."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from math import inf
from random import Random
from typing import Any

import pytest
import redis
from msgspec.structs import replace

from rules.editions import EDITIONS
from rules.releases import Editions
from service.container import build_backend
from service.fairness.dice import commitment, read_sandbox_seed
from service.fairness.verify import verify
from service.fairness.verify_files import in_words
from service.http.register import OPERATIONS
from service.incidents import PoisonLog
from service.lobby.rebuild import rebuild_lobby
from service.logs import logger
from tests.support.api_client import ApiClient, Game, PlayerClient, project
from tests.support.app import open_app, open_memory
from tests.support.forgeries import reseal
from tests.support.games import ENDLESS
from tests.support.profiles import sample
from tests.support.second_opinion import second_opinion
from workers.reconciler import Tally
from workers.turns import TurnPlayer

NDJSON = "application/x-ndjson"
ANNA: dict[str, Any] = {"name": "Anna", "entropy": "four leaf clover"}
BOTS: list[dict[str, Any]] = [{"bot": "random"}, {"bot": "greedy"}]
SEED = {"seed": "Würfel 1"}


@contextmanager
def open_service(client: redis.Redis | None = None) -> Iterator[tuple[redis.Redis, ApiClient]]:
    """A service of its own, with an empty store."""
    with open_memory() as memory:
        used = client or memory
        with open_app(used) as app:
            yield used, ApiClient(app.test_client())


def create(api: ApiClient, *seats: dict[str, Any], token: str | None = None, **plan: Any) -> Game:
    body = {"edition": "classic", "seats": [*seats], "sandbox": SEED, **plan}
    reply = api.post("/v1/games", body, token)
    assert reply.status_code == 201, reply.data
    assert reply.get_json()["sandbox"] is True
    return Game(api, reply.get_json())


def play(memory: redis.Redis, game: Game, eager: bool = True, seed: int = 1) -> None:
    """People pick by a random number, and bots answer before or after they have, as workers happen to."""
    random, turns = Random(seed), TurnPlayer(build_backend(memory).games)
    while True:
        if eager:
            turns.play_turns(game.id, ENDLESS)
        table = game.table(0)
        if table["status"] == "over":
            return
        mine = [ask for ask in table["asks"] if ask["yours"] and "answer" not in ask]
        if mine:
            choice = random.choice([option["choice"] for option in mine[0]["options"]])
            assert game.choose(0, mine[0]["ask"], choice).status_code == 200
        turns.play_turns(game.id, ENDLESS)


def commits_of(api: ApiClient, game: Game) -> list[dict[str, Any]]:
    lines = api.get(f"{game.address}/export", game.tokens.get(0)).text.splitlines()
    return [json.loads(line) for line in lines[1:]]


def events_of(api: ApiClient, game: Game) -> list[Any]:
    """Of each commit, without what names the game itself."""
    text = json.dumps([[commit["by"], commit["events"]] for commit in commits_of(api, game)])
    return list(json.loads(text.replace(game.id, "this game")))


def tally(memory: redis.Redis) -> None:
    """List, count and rate everything, at a time when all results have settled."""
    project(memory)
    backend = build_backend(memory)
    later = datetime.now(UTC) + timedelta(minutes=1)
    counting = Tally(backend, lambda: later, PoisonLog(logger(), "test"))
    for _ in range(5):
        counting.step(lambda: inf)


@pytest.mark.parametrize(
    ("edition", "options"),
    sample(
        [
            ("classic", {"neutral_dice": True}),
            ("modern", {}),
            ("royale", {"tiles": 6}),
            ("cards", {}),
            ("cards", {"sequential": True, "chip_cards": True}),
        ],
        2,
    ),
)
def test_two_services_give_the_same_events_for_the_same_seed_and_choices(
    edition: str, options: dict[str, Any]
) -> None:
    """Dice, draws, salts, bots, and who answers first where all are asked at once."""
    found = []
    for eager in (True, False):
        with open_service() as (memory, api):
            if not eager:
                # Ids, seeds and tokens of this service differ from those of the first.
                api.create_for(2)
            game = create(api, ANNA, *BOTS, edition=edition, options=options)
            play(memory, game, eager)
            found.append((game.id, events_of(api, game)))
    assert found[0][0] != found[1][0]
    assert found[0][1] == found[1][1]


def test_a_real_server_gives_the_same_events_and_another_seed_gives_others(real_redis: redis.Redis) -> None:
    found = []
    for client, seed in ((None, "Würfel 1"), (real_redis, "Würfel 1"), (None, "Würfel 2")):
        with open_service(client) as (memory, api):
            game = create(api, ANNA, *BOTS, sandbox={"seed": seed})
            play(memory, game)
            found.append(events_of(api, game))
    assert found[0] == found[1] != found[2]
    assert found[0][0][1][0]["commitment"] == commitment(read_sandbox_seed("Würfel 1"))


def test_what_the_clock_answers_is_the_same_everywhere() -> None:
    """Also with the bot `random`, and where a person and bots are asked together."""
    found = []
    for _ in range(2):
        with open_service() as (memory, api):
            game = create(api, ANNA, *BOTS, edition="cards", options={"turn_seconds": 1})
            turns = TurnPlayer(build_backend(memory).games, lambda: datetime.now(UTC) + timedelta(days=1))
            turns.play_turns(game.id, ENDLESS)
            assert game.table()["status"] == "over"
            found.append(events_of(api, game))
    assert found[0] == found[1]


def test_rematches_and_forks_of_a_sandbox_game_are_sandbox_games_and_the_same_everywhere() -> None:
    found = []
    for eager in (True, False):
        with open_service() as (memory, api):
            game = create(api, ANNA, *BOTS)
            play(memory, game, eager)
            again = api.post(f"{game.address}/rematch", {}, game.tokens[0]).get_json()
            fork = api.post(f"{game.address}/forks", {"at": 9}).get_json()
            assert (again["sandbox"], fork["sandbox"]) == (True, True)
            for made in (Game(api, again), Game(api, fork)):
                play(memory, made, eager, seed=2)
                assert made.table()["sandbox"] is True
                assert verify(commits_of(api, made)).luck == "chosen"
                text = json.dumps(events_of(api, made))
                # The log of a fork names its origin with a hash.
                origin = made.table().get("fork", {}) and commits_of(api, game)[8]["hash"]
                found.append(text.replace(game.id, "the game").replace(origin or "-", "its hash"))
    assert found[:2] == found[2:]
    assert found[0] != found[1]


def test_only_the_id_of_a_player_differs_between_two_services() -> None:
    found = []
    for _ in range(2):
        with open_service() as (memory, api):
            host, guest = PlayerClient(api, "Hanna"), PlayerClient(api, "Gert")
            game = create(api, {"player": True}, {"open": True}, token=host.token)
            game.tokens[0] = host.token
            guest.sit(game)
            api.post(f"{game.address}/leave", {}, guest.token)
            play(memory, game)
            text = json.dumps(events_of(api, game))
            found.append(text.replace(host.id, "host").replace(guest.id, "guest"))
    assert found[0] == found[1]
    assert '"name_commitment"' not in found[0]


@pytest.fixture
def played(memory: redis.Redis, api: ApiClient) -> tuple[PlayerClient, Game]:
    """A sandbox game of a player that is over, with all that is derived from it."""
    player = PlayerClient(api, "Hanna")
    game = create(api, {"player": True}, {"name": "Zacharias"}, *BOTS, token=player.token)
    game.tokens[0] = player.token
    play_both(memory, game)
    tally(memory)
    return player, game


def play_both(memory: redis.Redis, game: Game) -> None:
    """Two people, who answer in turn."""
    turns = TurnPlayer(build_backend(memory).games)
    while (table := game.table())["status"] != "over":
        asked = [seat for seat in table["asks"][0]["seats"] if table["seats"][seat]["kind"] == "human"]
        for seat in asked:
            (ask,) = game.table(seat)["asks"]
            game.choose(seat, ask["ask"], ask["options"][0]["choice"])
        turns.play_turns(game.id, ENDLESS)


def test_a_sandbox_game_is_in_no_public_reply(
    memory: redis.Redis, api: ApiClient, played: tuple[PlayerClient, Game]
) -> None:
    """Over every operation that needs no token and names no game."""
    player, game = played
    waiting = create(api, ANNA, {"open": True})
    project(memory)
    queries = ["", "?status=over", "?status=lobby", "?status=playing", "?edition=classic", "?name=Zacharias"]
    queries += [f"?player={player.id}", "?open_seats=1", "?finished_after=2020-01-01T00:00:00Z"]
    addresses = [f"/v1/games{query}" for query in queries] + [f"/v1/players/{player.id}"]
    # The examples of the contract have ids from tests.
    reads = [each for each in OPERATIONS if each.method == "GET" and each.path.startswith("/v1")]
    addresses += [each.path for each in reads if "{" not in each.path]
    for _ in range(2):
        for address in addresses:
            shown = api.get(address).text
            assert game.id not in shown, address
            assert waiting.id not in shown, address
        # Nor after everything was derived anew.
        rebuild_lobby(build_backend(memory))
        tally(memory)
    stats = api.get("/v1/stats").get_json()
    assert (stats["tables"], stats["rolls"], stats["waiting"]) == ([], [], 0)
    assert all(row["player"] is None for board in stats["ratings"] for row in board["rows"])
    profile = api.get(f"/v1/players/{player.id}").get_json()
    assert not profile.get("rating")
    assert sum(result["finished"] for result in profile["results"]) == 0


def test_players_see_their_own_sandbox_games(played: tuple[PlayerClient, Game]) -> None:
    player, game = played
    (row,) = player.get("/v1/me/games")["games"]
    assert (row["id"], row["sandbox"]) == (game.id, True)
    told = {event["what"] for event in player.get("/v1/me/events?after=0")["events"]}
    assert {"joined", "started", "asked", "over"} <= told
    assert game.table()["sandbox"] is True


def test_verifiers_say_that_its_dice_were_chosen(api: ApiClient, played: tuple[PlayerClient, Game]) -> None:
    commits = commits_of(api, played[1])
    verdict = verify(commits)
    assert (verdict.ok, verdict.luck) == (True, "chosen")
    assert "SANDBOX" in in_words(verdict)
    holds, said = second_opinion(commits)
    assert holds
    assert "SANDBOX" in said
    audit = api.get(f"{played[1].address}/audit").get_json()
    assert audit["verified"]["luck"] == "chosen"
    assert any("sandbox" in line for line in audit["unjudged"])


def test_verifiers_find_a_lie_about_a_sandbox(api: ApiClient, played: tuple[PlayerClient, Game]) -> None:
    """Its dice come from another name, also where the rules are not known."""
    commits = commits_of(api, played[1])
    unknown = Editions((replace(EDITIONS.newest["classic"], release=99),))
    assert (verify(commits, unknown).ok, verify(commits, unknown).luck) == (None, "chosen")
    for part in (commits[0]["command"], commits[0]["events"][0]):
        del part["sandbox"]
    forged = reseal(commits)
    assert [verify(forged).ok, verify(forged, unknown).ok, second_opinion(forged)[0]] == [False] * 3


@pytest.mark.long
@pytest.mark.parametrize("edition", sample(["classic", "modern", "royale", "cards"], 2))
def test_every_level_of_bot_plays_the_same_game_everywhere(edition: str) -> None:
    found = []
    for _ in range(2):
        with open_service() as (memory, api):
            game = create(api, *({"bot": bot} for bot in ("expert", "steady", "greedy")), edition=edition)
            TurnPlayer(build_backend(memory).games).play_turns(game.id, ENDLESS)
            found.append(events_of(api, game))
    assert found[0] == found[1]
    assert "game_ended" in [event["type"] for event in found[0][-1][1]]


def test_an_imported_sandbox_game_stays_marked_and_is_in_no_list(
    api: ApiClient, played: tuple[PlayerClient, Game]
) -> None:
    file = api.get(f"{played[1].address}/export").data
    with open_service() as (memory, other):
        made = other.post("/v1/imports", file, Content_Type=NDJSON).get_json()
        project(memory)
        table = other.get(f"/v1/games/{made['id']}").get_json()
        assert table["sandbox"] is True
        assert table["imported"]
        assert other.get("/v1/games?status=over").get_json()["games"] == []


@pytest.mark.parametrize(
    "sandbox",
    [
        True,
        "seed",
        None,
        [],
        {},
        {"seed": ""},
        {"seed": 1},
        {"seed": None},
        {"seed": "x" * 201},
        {"seed": "a\nb"},
        {"seed": "s", "more": 1},
    ],
)
def test_a_seed_must_be_a_text_of_bounded_length(api: ApiClient, sandbox: Any) -> None:
    body = {"edition": "classic", "seats": [ANNA, *BOTS], "sandbox": sandbox}
    reply = api.post("/v1/games", body)
    assert reply.status_code == 422, reply.data
    assert "sandbox" in reply.get_json()["detail"]


def test_a_repeated_creation_compares_the_seed(api: ApiClient) -> None:
    key = "0b6f0a3e-3a0f-4b8c-9a36-5c6a4f2f7c11"
    body = {"edition": "classic", "seats": [ANNA, *BOTS], "sandbox": {"seed": "one"}}
    first = api.post("/v1/games", body, Idempotency_Key=key)
    again = api.post("/v1/games", body, Idempotency_Key=key)
    assert first.get_json()["id"] == again.get_json()["id"]
    for other in ({**body, "sandbox": {"seed": "two"}}, {**body, "sandbox": None}):
        other = {name: part for name, part in other.items() if part is not None}
        assert api.post("/v1/games", other, Idempotency_Key=key).status_code == 422
