"""Statistics equal what anybody counts from the exports, and come back from the log alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import inf
from typing import Any

import msgspec
import pytest
import redis

from service.catalog.bots import read_findings
from service.container import build_backend
from service.incidents import PoisonLog
from service.lobby.rebuild import rebuild_lobby
from service.logs import logger
from service.stats.counts import (
    BOARD,
    BOARDS,
    RATINGS,
    Rating,
    Result,
    Summary,
    chi_square,
    exceedance,
    rate_bots,
)
from service.stats.ratings import NEW, Known, Ratings, name_pairs, players_of, rate
from tests.support.api_client import ApiClient, Game, PlayerClient, project
from tests.support.bots import open_worker
from tests.support.games import ENDLESS
from workers.reconciler import Reconciler, Tally
from workers.turns import TurnPlayer

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
    memory.delete(*memory.scan_iter("croupier:{lobby}:stats:*"))
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


ANNA = "player:p_anna"
BEN = "player:p_ben"
GREEDY = "bot:greedy"
SETTLED = Rating(25.0, 3.0)


def result_of(*who: str, own: Sequence[float] = (), winner: int = 0) -> Result:
    """A game of `classic` in which the winner has most money."""
    totals = tuple(90 if seat == winner else 50 for seat in range(len(who)))
    shares = tuple(own) or (1.0,) * len(who)
    return Result("classic", who=who, totals=totals, winners=(winner,), own=shares)


def rate_once(result: Result, pairs: int = 0, **ratings: Rating) -> dict[str, Rating]:
    """Ratings by the name of the player; those who are not named are newcomers."""
    known = {who: ratings.get(who.removeprefix("player:p_"), NEW) for who in players_of(result)}
    rated = rate(result, Known(known, dict.fromkeys(name_pairs(result), pairs)))
    return {who.removeprefix("player:p_"): rating for who, rating in rated.items()}


def test_only_players_are_rated_and_only_against_opponents_with_a_rating() -> None:
    assert list(rate_once(result_of(ANNA, GREEDY, "bot:expert"))) == ["anna"]
    assert rate_once(result_of(ANNA, "")) == {}
    assert rate_once(result_of("", GREEDY)) == {}
    assert rate_once(result_of(GREEDY, "bot:expert")) == {}
    assert rate_once(result_of(ANNA, ANNA)) == {}
    assert rate_once(result_of(ANNA, "bot:unheard_of")) == {}


def test_nameless_seats_change_nothing() -> None:
    beaten = rate_once(result_of(ANNA, GREEDY, ""))["anna"]
    rich = Result("classic", who=(ANNA, GREEDY, ""), totals=(90, 50, 99), winners=(2,), own=(1.0, 1.0, 1.0))
    assert rate_once(rich)["anna"].mu == beaten.mu > NEW.mu


def test_opponent_of_whom_nothing_is_known_tells_nothing() -> None:
    rated = rate_once(result_of(ANNA, BEN), anna=SETTLED)
    assert (rated["anna"].mu, rated["anna"].games) == (SETTLED.mu, 1)
    assert rated["ben"].mu < NEW.mu


def test_many_games_of_one_pair_weigh_less() -> None:
    gains = [
        rate_once(result_of(ANNA, BEN), pairs, anna=SETTLED, ben=SETTLED)["anna"].mu - SETTLED.mu
        for pairs in (0, 10, 90)
    ]
    assert gains[1:] == pytest.approx([gains[0] / 2, gains[0] / 10], rel=1e-3)


def test_player_with_several_seats_is_rated_once() -> None:
    rated = rate_once(result_of(ANNA, ANNA, GREEDY))
    assert (rated["anna"].games, rated["anna"].won) == (1, 1)


def test_what_a_stand_in_wins_is_not_the_players() -> None:
    won = rate_once(result_of(ANNA, GREEDY))["anna"]
    hardly = rate_once(result_of(ANNA, GREEDY, own=(0.1, 1.0)))["anna"]
    assert hardly.mu - NEW.mu == pytest.approx((won.mu - NEW.mu) / 10, rel=1e-3)
    assert (hardly.games, hardly.won) == (1, 0)
    lost = [rate_once(result_of(ANNA, GREEDY, own=(own, 1.0), winner=1))["anna"].mu for own in (1.0, 0.1)]
    assert lost[0] == lost[1] < NEW.mu


def test_places_on_a_board_cannot_be_bought() -> None:
    """Neither by beating the weakest bot again and again, nor by newcomers who lose on purpose."""
    expert = rate_bots("classic", 2)["expert"]
    farmer = NEW
    for games in range(500):
        farmer = rate_once(result_of(ANNA, "bot:random"), games, anna=farmer)["anna"]
    assert farmer.ordinal < expert.ordinal
    buyer = NEW
    for _ in range(500):
        buyer = rate_once(result_of(ANNA, BEN), anna=buyer)["anna"]
    assert buyer.mu == NEW.mu


# From games to boards


def read_rows(api: ApiClient) -> list[dict[str, Any]]:
    return [row for board in api.call("GET", "/v1/stats")["ratings"] for row in board["rows"]]


def rated_players(api: ApiClient) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in read_rows(api) if row["player"]}


def play_with_bots(memory: redis.Redis, game: Game) -> None:
    """People take what they are offered first, and never think."""
    turns = TurnPlayer(build_backend(memory).games)
    turns.play_turns(game.id, ENDLESS)
    while game.table()["status"] != "over":
        seat, ask = game.ask()
        assert game.choose(seat, ask["ask"], ask["options"][0]["choice"]).status_code == 200
        turns.play_turns(game.id, ENDLESS)


def test_bots_have_the_ratings_of_the_arena(api: ApiClient) -> None:
    """Those of the nearest number of players where a bot was not measured with so many."""
    measured = read_findings().ratings
    boards = api.call("GET", "/v1/stats")["ratings"]
    rows = [(board["edition"], board["players"], row) for board in boards for row in board["rows"]]
    assert len(rows) == len(measured) * len(boards)
    for edition, players, row in rows:
        known = [one for one in measured[row["bot"]] if one.edition == edition]
        found = min(known, key=lambda one: abs(one.players - players))
        assert (row["mu"], row["sigma"]) == (found.mu, found.sigma)
        assert 0 <= row["won"] <= row["games"]


def test_late_result_is_rated_alone(memory: redis.Redis) -> None:
    stats = build_backend(memory).stats
    ratings = Ratings(memory)
    for game, ended in (("second", 200.0), ("first", 100.0), ("first", 100.0)):
        stats.store(game, Summary({"played": 1}, result_of(ANNA, GREEDY)), ended)
        ratings.catch_up(1_000.0)
        assert not ratings.catch_up(1_000.0)
    (board,) = [board for board in stats.read_boards(9) if (board.edition, board.players) == ("classic", 2)]
    (row,) = [row for row in board.rows if row.who == ANNA]
    after_one = rate_once(result_of(ANNA, GREEDY))["anna"]
    assert row.rating == rate_once(result_of(ANNA, GREEDY), 1, anna=after_one)["anna"]


class SlowRatings(Ratings):
    """Stops between reading and writing, and another process takes a step meanwhile."""

    def __init__(self, client: redis.Redis, meanwhile: Callable[[], object]) -> None:
        super().__init__(client)
        self._meanwhile = meanwhile

    def _read_pairs(self, pairs: Sequence[str], counts: Mapping[str, int]) -> dict[str, int]:
        found = super()._read_pairs(pairs, counts)
        self._meanwhile()
        return found


def test_two_that_rate_at_once_lose_no_game(memory: redis.Redis) -> None:
    """Each has another game, with the same player: the clock of one machine is behind."""
    stats = build_backend(memory).stats
    summary = Summary({"played": 1}, result_of(ANNA, GREEDY))

    def rate_a_late_one() -> None:
        stats.store("first", summary, 100.0)
        Ratings(memory).catch_up(150.0)

    stats.store("second", summary, 200.0)
    SlowRatings(memory, rate_a_late_one).catch_up(1_000.0)
    while Ratings(memory).catch_up(1_000.0):
        pass
    (board,) = [board for board in stats.read_boards(9) if (board.edition, board.players) == ("classic", 2)]
    assert [row.rating.games for row in board.rows if row.who == ANNA] == [2]


def test_a_rebuild_leaves_what_was_counted_and_rated(api: ApiClient, memory: redis.Redis) -> None:
    play_with_bots(memory, PlayerClient(api, "Zoe").set_up({"bot": "random"}))
    tally(memory)
    before = api.call("GET", "/v1/stats")
    assert rated_players(api)
    rebuild_lobby(build_backend(memory))
    assert {**api.call("GET", "/v1/stats"), "waiting": 0} == before


def test_players_are_rated_by_name(api: ApiClient, memory: redis.Redis) -> None:
    player = PlayerClient(api, "Zoe")
    game = player.set_up({"bot": "random"})
    play_with_bots(memory, game)
    tally(memory)
    row = rated_players(api)["Zoe"]
    won = 0 in game.table()["winners"]
    assert (row["player"], row["games"], row["won"]) == (player.id, 1, int(won))
    assert (row["mu"] > NEW.mu) == won


@pytest.mark.parametrize("games", [3, pytest.param(200, marks=pytest.mark.long)])
def test_games_thrown_on_purpose_change_no_rating_of_a_bot(
    api: ApiClient, memory: redis.Redis, games: int
) -> None:
    before = read_rows(api)
    for _ in range(games):
        seats = [{"name": "Nobody"}, {"bot": "greedy"}]
        game = Game(api, api.call("POST", "/v1/games", {"edition": "classic", "seats": seats}))
        play_with_bots(memory, game)
        project(memory)
    tally(memory)
    assert read_rows(api) == before
    (table,) = api.call("GET", "/v1/stats")["tables"]
    assert table["finished"] == games


def test_person_who_never_answered_has_no_rating(api: ApiClient, memory: redis.Redis) -> None:
    player = PlayerClient(api, "Zoe")
    game = player.set_up({"bot": "random"}, on_timeout="takeover:greedy")
    assert api.post(f"{game.address}/leave", {}, player.token).status_code == 200
    TurnPlayer(build_backend(memory).games).play_turns(game.id, ENDLESS)
    assert game.table()["status"] == "over"
    tally(memory)
    assert rated_players(api) == {}
    assert api.call("GET", "/v1/stats")["tables"][0]["finished"] == 1


def test_game_with_advice_counts_nowhere(api: ApiClient, memory: redis.Redis) -> None:
    player = PlayerClient(api, "Zoe")
    game = player.set_up({"bot": "random"})
    games = build_backend(memory).games
    TurnPlayer(games).play_turns(game.id, ENDLESS)
    with open_worker(memory):
        wanted = {"game": game.id, "bot": "random"}
        assert api.post("/v1/advice", wanted, player.token).status_code == 200
    play_with_bots(memory, game)
    games.forget_leftovers(game.id)
    tally(memory)
    stats = api.call("GET", "/v1/stats")
    assert (stats["tables"], stats["rolls"], stats["waiting"]) == ([], [], 0)
    assert rated_players(api) == {}


@pytest.mark.long
def test_statistics_of_the_last_release_are_made_anew(api: ApiClient, memory: redis.Redis) -> None:
    """What is derived is read again from the log once, in the background, and old boards are dropped."""
    game = PlayerClient(api, "Zoe").set_up({"bot": "random"})
    play_with_bots(memory, game)
    backend = build_backend(memory)
    Reconciler(backend).step()
    tally(memory)
    rated = rated_players(api)
    former = "croupier:{lobby}:stats:"
    memory.delete(*memory.scan_iter(former + "*"))
    memory.sadd(former + "boards", "classic|2")
    memory.zadd(former + "board:classic|2", {"classic|2|bot:greedy": 99})
    backend.due.clear()
    Reconciler(backend).step()
    tally(memory)
    assert rated_players(api) == rated
    assert not memory.exists(former + "boards", former + "board:classic|2")


@pytest.mark.long
def test_statistics_are_filtered_by_edition_players_and_number_of_games(
    memory: redis.Redis, api: ApiClient
) -> None:
    play_all(api, (*TABLES, TABLES[0]))
    tally(memory)

    def tables(query: str) -> list[tuple[str, int]]:
        told = api.get(f"/v1/stats{query}").get_json()
        return [(table["edition"], table["players"]) for table in told["tables"]]

    assert tables("?edition=classic") == [("classic", 2), ("classic", 3)]
    assert tables("?players=3") == [("classic", 3), ("royale", 3)]
    assert tables("?edition=classic&players=3&min_games=1") == [("classic", 3)]
    assert tables("?min_games=2") == [("classic", 2)]
    one = api.get("/v1/stats?edition=royale").get_json()
    assert {part["edition"] for part in (*one["tiles"], *one["rolls"], *one["ratings"])} == {"royale"}
    # What is counted for all tables of an edition together says nothing of tables of three.
    three = api.get("/v1/stats?players=3").get_json()
    assert (three["tiles"], three["rolls"]) == ([], [])
    assert {board["players"] for board in three["ratings"]} <= {3}
    greedy = api.get("/v1/stats?bot=greedy").get_json()
    assert (greedy["tiles"], greedy["rolls"]) == ([], [])
    assert {bot["bot"] for table in greedy["tables"] for bot in table["bots"]} <= {"greedy"}
    assert {row["bot"] for board in greedy["ratings"] for row in board["rows"]} == {"greedy"}
    many = api.get("/v1/stats?min_games=100000000").get_json()
    assert (many["tables"], many["tiles"]) == ([], [])
    assert all(board["rows"] == [] for board in many["ratings"])
    for query in ("?edition=poker", "?players=1", "?players=seven", "?min_games=-1", "?bots=1", "?bot=deep"):
        assert api.get(f"/v1/stats{query}").status_code == 422


def test_boards_are_searched_for_players_with_enough_games(memory: redis.Redis, api: ApiClient) -> None:
    backend = build_backend(memory)
    board = "classic|2"
    memory.sadd(BOARDS, board)
    for number in range(60):
        who = f"{board}|player:p_{number:022d}"
        rating = Rating(mu=60 - number / 100, sigma=1.0, games=50 if number >= 40 else 1)
        memory.hset(RATINGS, who, msgspec.json.encode(rating))
        memory.zadd(BOARD + board, {who: rating.ordinal})
    (found,) = [
        one for one in backend.stats.read_boards(25, 50) if (one.edition, one.players) == ("classic", 2)
    ]
    assert sum(row.who.startswith("player:") for row in found.rows) == 20
