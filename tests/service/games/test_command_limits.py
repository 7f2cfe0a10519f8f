"""However people behave, a game can be taken home: what they can repeat while it waits is limited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from events.commands import Leave, Return, Start, Void
from events.commit import BotNote, Commit
from events.values import SeatPlan
from rules.errors import Reason, Rejected
from service.fairness.export_file import LARGEST_FILE, MOST_COMMITS, write_file
from service.games.command_limits import MOST_ARRIVALS, MOST_CHANGES, MOST_FORKS
from service.games.games import Games
from service.games.heavy_work import Stretch
from service.games.writer import Caller
from service.history.export import GameFiles
from service.history.imports import CommitJudge
from service.text import LONGEST_ENTROPY, LONGEST_NAME
from tests.support.api_client import ApiClient
from tests.support.games import export_game, make_games, play_answers, play_game, start_game, ticking_clock
from tests.support.second_opinion import is_fair

# The longest that four bytes a letter make of it.
NAME, ENTROPY = "\U0001f3b2" * LONGEST_NAME, "\U0001f3b2" * LONGEST_ENTROPY
WORDY_BOT = BotNote("greedy", "f" * 40, 100_000, "f" * 64, "expert", "gave an answer that is not allowed")

LONGEST_GAMES: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("royale", {"tiles": 6}, 5),
    ("cards", {"chip_cards": True, "sequential": True}, 5),
    ("modern", {"bandit": True}, 6),
)


def repeat(act: Callable[[int], object], most: int) -> Rejected:
    """So often, and once more."""
    for number in range(most):
        act(number)
    with pytest.raises(Rejected) as refused:
        act(most)
    assert (refused.value.reason, refused.value.rule) == (Reason.TOO_OFTEN, "W14")
    return refused.value


def test_a_seat_may_change_its_mind_so_often_and_the_others_still_may() -> None:
    """W14."""
    games = make_games()
    game = start_game(games, players=3)
    refused = repeat(
        lambda number: games.execute(game, Caller(0), Void(0, agrees=number % 2 == 0)), MOST_CHANGES
    )
    assert "seat 0" in refused.detail
    games.execute(game, Caller(1), Void(1, agrees=True))
    for _ in play_answers(games, game):
        pass
    assert is_fair(export_game(games, game))


def test_a_seat_may_leave_so_often_and_come_back_and_leave_for_good() -> None:
    """W14; whoever was away so often is not kept out."""
    games = make_games()
    game = start_game(games, players=3)

    def go(_: int) -> None:
        games.execute(game, Caller(0), Leave(0, for_good=False))
        games.execute(game, Caller(0), Return(0))

    repeat(go, MOST_CHANGES)
    assert games.snapshot(game).state.seats[0].stand_in is None
    games.execute(game, Caller(0), Leave(0, for_good=True))
    assert games.snapshot(game).state.seats[0].bot


def test_so_many_people_may_sit_down_at_a_table_and_its_host_still_starts_it() -> None:
    """W14."""
    games = make_games()
    game = games.create("classic", {}, [SeatPlan(name="Anna"), SeatPlan(), SeatPlan()]).game

    def visit(number: int) -> None:
        games.sit(game, f"Guest {number}")
        games.execute(game, Caller(1), Leave(1, for_good=False))

    repeat(visit, MOST_ARRIVALS)
    games.execute(game, Caller(0), Start(0, "random"))
    assert games.snapshot(game).state.status == "playing"


def fork_on(games: Games, game: str) -> str:
    """At once ended by those who play it, one version before their end."""
    at = len(games.commits(game)) - 1
    made = GameFiles(games).forks.fork(game, at, [SeatPlan(name="Dora"), SeatPlan(bot="random")]).game
    games.execute(made, Caller(0), Void(0, agrees=True))
    return made


def test_a_game_is_the_fork_of_a_fork_so_many_times_and_each_begins_anew() -> None:
    """W14."""
    games = make_games()
    game = [start_game(games)]
    games.execute(game[0], Caller(0), Void(0, agrees=True))
    games.execute(game[0], Caller(1), Void(1, agrees=True))
    refused = repeat(lambda _: game.append(fork_on(games, game[-1])), MOST_FORKS)
    assert "fork" in refused.detail
    assert is_fair(export_game(games, game[-1]))


def test_the_service_says_so_and_a_repeated_request_is_answered_all_the_same(api: ApiClient) -> None:
    """W14."""
    made = api.create_for(2)
    keys = [f"{number:032}" for number in range(MOST_CHANGES)]
    replies = [
        api.post(
            f"{made.address}/void", {"agrees": number % 2 == 0}, made.tokens[0], Idempotency_Key=key
        ).get_json()
        for number, key in enumerate(keys)
    ]
    refused = api.post(f"{made.address}/void", {"agrees": True}, made.tokens[0])
    assert (refused.status_code, refused.get_json()["code"]) == (409, "too_often")
    again = api.post(f"{made.address}/void", {"agrees": False}, made.tokens[0], Idempotency_Key=keys[-1])
    assert (again.status_code, again.get_json()) == (200, replies[-1])


def test_a_file_in_which_somebody_did_it_more_often_is_not_brought() -> None:
    """W14; it verifies, as games from before do."""
    games = make_games()
    game = start_game(games)
    votes = [
        games.execute(game, Caller(0), Void(0, agrees=number % 2 == 0)) for number in range(MOST_CHANGES)
    ]
    commits = list(games.commits(game))
    judge = CommitJudge(ticking_clock()(), Stretch())
    assert [fault for commit in commits for fault in judge.find_faults(commit, commit.version)] == []
    last = votes[-1].commit
    assert last is not None
    (fault,) = judge.find_faults(last, last.version)
    assert "changed its mind 20 times" in fault


def size(commit: Commit | None) -> int:
    assert commit is not None
    return len(msgspec.json.encode(commit)) + len(b"\n")


def measure_repeatable(players: int = 6) -> tuple[int, int]:
    """Bytes and commits of all that can be repeated, as often as it may be, by people who talk at length."""
    games = make_games()
    talkative = SeatPlan(name=NAME, entropy=ENTROPY)
    game = games.create("modern", {}, [talkative, *[SeatPlan()] * (players - 1)]).game
    sat = games.sit(game, NAME, ENTROPY)
    visit = size(games.commits(game)[sat.version - 1]) + size(
        games.execute(game, Caller(1), Leave(1, for_good=False)).commit
    )
    games.execute(game, Caller(0), Start(0, "random"))
    votes = size(games.execute(game, Caller(0), Void(0, agrees=True)).commit)
    assert games.snapshot(game).state.status == "over"
    fork = GameFiles(games).forks.fork(game, 4, [talkative] * players)
    forking = size(games.commits(fork.game)[fork.version - 1])
    change = max(votes, size(games.execute(fork.game, Caller(0), Leave(0, for_good=False)).commit))
    rounds, seats = MOST_FORKS + 1, players
    changes = rounds * seats * MOST_CHANGES * 3
    commits = changes + 2 * MOST_ARRIVALS + MOST_FORKS
    return changes * change + MOST_ARRIVALS * visit + MOST_FORKS * forking, commits


def test_the_largest_game_fits_into_a_file_and_into_an_import() -> None:
    """W14; games at random four times over, each answer from a bot that says all it can, and all the rest."""
    games, played = make_games(), list[tuple[int, int]]()
    for edition, options, players in LONGEST_GAMES:
        game = play_game(games, edition, options, players)
        commits = games.commits(game)
        notes = len(commits) * len(msgspec.json.encode(WORDY_BOT))
        played.append((len(write_file(commits)) + notes, len(commits)))
    repeated, more = measure_repeatable()
    assert 4 * max(bytes for bytes, _ in played) + repeated < LARGEST_FILE
    # Whoever was taken over comes back before each answer.
    assert 8 * max(commits for _, commits in played) + more < MOST_COMMITS
