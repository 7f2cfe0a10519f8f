"""W12: forks of forks, wherever they are taken, prove themselves; those that cannot are told apart."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis import Redis

from events.commands import Void
from events.commit import convert_raw
from events.store import MemoryStore
from rules.errors import Reason, Rejected
from service.container import build_backend
from service.fairness.replay import replay
from service.fairness.verify import verify
from service.games.games import Games
from service.games.writer import Caller
from service.history.export import GameFiles
from tests.support.api_client import ApiClient
from tests.support.finished_games import finished_log
from tests.support.forgeries import reseal
from tests.support.games import export_game, make_games, people, play_answers
from tests.support.profiles import examples
from tests.support.second_opinion import is_fair, second_opinion

LATER = datetime(2027, 1, 1, tzinfo=UTC)
FIRST = 15


def games_with_origin() -> tuple[Games, str]:
    game, commits, seed = finished_log()
    store = MemoryStore()
    store.create_with_history(game, commits, {"seed": seed})
    return make_games(store), game


def fork_and_end(games: Games, game: str, at: int, answers: int = 3) -> str:
    """Some answers, and then all agree that it is enough."""
    made = GameFiles(games).forks.fork(game, at, people(2)).game
    for _ in play_answers(games, made, answers):
        pass
    for seat in range(2) if games.snapshot(made).state.status != "over" else ():
        games.execute(made, Caller(seat), Void(seat, agrees=True))
    return made


def last_to_fork(games: Games, game: str) -> int:
    return games.snapshot(game).version - 1


def hold_proven(games: Games, game: str, elsewhere: Games) -> None:
    """By the audit, by both verifiers, and by a service that it is brought to."""
    raws = export_game(games, game)
    verdict = verify(raws)
    assert (verdict.ok, verdict.game) == (True, game)
    assert is_fair(raws)
    file = GameFiles(games).export(game).file
    assert GameFiles(elsewhere).imports.take_in(file).new
    assert GameFiles(elsewhere).export(game).file == file


def test_a_fork_is_forked_at_each_of_its_versions() -> None:
    """What it inherited is of the game that it comes from, and so is what is forked off that."""
    games, origin = games_with_origin()
    first, elsewhere = fork_and_end(games, origin, FIRST), Games(MemoryStore(), lambda: LATER)
    for at in range(1, last_to_fork(games, first) + 1):
        made = fork_and_end(games, first, at)
        hold_proven(games, made, elsewhere)
        told = games.snapshot(made).state.origin
        assert told is not None
        assert (told.game, told.at) == (origin if at <= FIRST else first, at)


@examples(10, long=60)
@given(st.data())
def test_a_fork_of_a_fork_of_a_fork_proves_itself(data: st.DataObject) -> None:
    games, game = games_with_origin()
    elsewhere = Games(MemoryStore(), lambda: LATER)
    for _ in range(3):
        at = data.draw(st.integers(1, last_to_fork(games, game)))
        game = fork_and_end(games, game, at, data.draw(st.integers(0, 9)))
        hold_proven(games, game, elsewhere)


def test_forks_of_a_fork_that_was_imported_prove_themselves() -> None:
    games, origin = games_with_origin()
    first, there = fork_and_end(games, origin, FIRST), Games(MemoryStore(), lambda: LATER)
    GameFiles(there).imports.take_in(GameFiles(games).export(first).file)
    for at in (1, FIRST, FIRST + 1):
        hold_proven(there, fork_and_end(there, first, at), Games(MemoryStore(), lambda: LATER))


def test_the_audit_of_a_fork_of_what_a_fork_inherited_is_good(memory: Redis, api: ApiClient) -> None:
    origin, commits, seed = finished_log()
    games = build_backend(memory).games
    build_backend(memory).store.create_with_history(origin, commits, {"seed": seed})
    first = fork_and_end(games, origin, FIRST)
    body = {"at": FIRST, "seats": [{"name": "Dora"}, {"name": "Emil"}]}
    made = api.post(f"/v1/games/{first}/forks", body).get_json()
    assert made["fork"] == {"game": origin, "at": FIRST}
    for seat in range(2):
        games.execute(made["id"], Caller(seat), Void(seat, agrees=True))
    assert api.get(f"/v1/games/{made['id']}/audit").get_json()["verified"]["ok"] is True


def misnamed() -> tuple[list[dict[str, Any]], str, str]:
    """As services once wrote it: forked off a fork at 9, which is a table of the game before; both ids."""
    games, origin = games_with_origin()
    first = fork_and_end(games, origin, FIRST)
    raws = export_game(games, fork_and_end(games, first, 9))
    for told in (raws[9]["command"], raws[9]["events"][0]):
        told["origin"]["game"] = first
    raws[9]["events"][0]["seed"] = games.snapshot(first).state.seed
    return reseal(raws), first, origin


def test_one_that_names_the_fork_in_between_is_told_so_by_everybody() -> None:
    """The seed of what came before stands nowhere in it: nobody can prove it, and nobody says so."""
    raws, first, origin = misnamed()
    verdict, (holds, said) = verify(raws), second_opinion(raws)
    assert (verdict.ok, verdict.version, holds) == (False, 10, False)
    assert verdict.fault == f"it says it is forked off {first}, and what is before is of {origin}"
    assert said == f"NOT verified: commit 10: {verdict.fault}"
    commits = [convert_raw(raw) for raw in raws]
    replayed = replay(commits, raws[-1]["events"][-1]["seed"])
    assert (replayed.version, origin in replayed.unknown) == (None, True)


@pytest.mark.parametrize("false", [{"at": 8}, {"head": "00" * 32}])
def test_one_that_names_another_version_or_hash_is_told_so_by_both(false: dict[str, Any]) -> None:
    games, origin = games_with_origin()
    raws = export_game(games, fork_and_end(games, origin, 9))
    for told in (raws[9]["command"], raws[9]["events"][0]):
        told["origin"] |= false
    verdict, (_, said) = verify(reseal(raws)), second_opinion(raws)
    assert verdict.fault == "it is forked off another version or hash than it says"
    assert said == f"NOT verified: commit 10: {verdict.fault}"


@pytest.mark.parametrize("at", [5, 9, 11])
def test_what_cannot_be_proven_is_not_forked(memory: Redis, api: ApiClient, at: int) -> None:
    raws, first, _ = misnamed()
    game, store = raws[9]["command"]["game"], build_backend(memory).store
    seed = raws[-1]["events"][-1]["seed"]
    store.create_with_history(game, [convert_raw(raw) for raw in raws], {"seed": seed})
    with pytest.raises(Rejected) as refusal:
        build_backend(memory).files.forks.fork(game, at, people(2))
    assert refusal.value.reason is Reason.UNPROVEN
    body = {"at": at, "seats": [{"name": "Dora"}, {"name": "Emil"}]}
    reply = api.post(f"/v1/games/{game}/forks", body)
    assert (reply.status_code, reply.get_json()["code"]) == (409, "unproven")
    assert f"commit 10, it says it is forked off {first}" in reply.get_json()["detail"]
