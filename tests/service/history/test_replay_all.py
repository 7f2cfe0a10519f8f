"""`croupier replay-all`: games decided again, by their own release or by another."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from events.commit import convert_raw
from events.redis import connect
from events.redis_store import RedisStore
from events.store import MemoryStore
from events.types import DiceRolled, GameEnded
from service.cli import main as croupier
from service.fairness.replay import Replayed, replay
from service.history.export import GameFiles
from service.history.replay_all import Progress, ReplayQueryChanged, replay_all
from service.ops.redis_server import RedisServer
from tests.stored.stored_games import FINISHED, read_finished
from tests.support.finished_games import finished_log
from tests.support.games import TABLES, answer_at_random, make_games, people, start_game


def store_with(*tables: tuple[str, dict[str, Any], int]) -> MemoryStore:
    store = MemoryStore()
    for edition, options, players in tables:
        game, commits, seed = finished_log(edition, players, tuple(options.items()))
        store.create_with_history(game, commits, {"seed": seed})
    return store


def test_every_game_is_equal_under_its_own_release() -> None:
    """Those that go on and forks included."""
    store = store_with(*TABLES)
    games = make_games(store)
    running = start_game(games, "cards")
    answer_at_random(games, running, Random(1))
    origin = finished_log("classic", 2, ())[0]
    GameFiles(games).forks.fork(origin, 9, people(2))
    done = replay_all(store)
    assert (done.games, done.differ, done.unknown, done.differing) == (len(TABLES) + 2, 0, 0, ())


def test_a_roll_that_was_changed_is_found_at_its_version() -> None:
    _, commits, seed = finished_log()
    where = next(n for n, commit in enumerate(commits) if n and isinstance(commit.events[1], DiceRolled))
    roll = commits[where].events[1]
    assert isinstance(roll, DiceRolled)
    false = replace(roll, own=tuple(reversed(roll.own)) if len({*roll.own}) > 1 else (7,))
    events = (commits[where].events[0], false, *commits[where].events[2:])
    altered = [*commits[:where], replace(commits[where], events=events), *commits[where + 1 :]]
    assert replay(altered, seed).version == where + 1
    assert replay(commits, "77" * 32).version == 1


def test_another_release_tells_what_would_differ() -> None:
    """Games of release 1 in which BAD LUCK counted after PRIME TIME (D8) pay otherwise under release 2."""
    path = next(path for path in FINISHED if "B1" in path.name and "C2" in path.name)
    commits = [convert_raw(raw) for raw in read_finished(path)]
    seed = str(next(event.seed for event in commits[-1].events if isinstance(event, GameEnded)))
    assert replay(commits, seed).version is None
    other = replay(commits, seed, release="2")
    assert other.version
    assert other.payouts
    assert replay(commits, seed, release="99").unknown


def test_what_was_interrupted_goes_on_and_counts_nothing_twice(tmp_path: Path) -> None:
    store, place = store_with(*TABLES[:3]), tmp_path / "done"
    whole = replay_all(store)
    first = sorted(store.list_games())[0]
    place.write_text(f'{{"after": "{first}", "games": 1}}')
    assert replay_all(store, place=place) == whole
    assert replay_all(store, place=place) == whole


def test_games_of_one_edition_are_looked_at_alone() -> None:
    assert replay_all(store_with(*TABLES), edition="modern").games == 2


def test_an_edition_that_is_none_is_refused_with_those_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with RedisServer(tmp_path) as server:
        monkeypatch.setenv("REDIS_URL", server.url)
        assert croupier(["replay-all", "--edition", "clasic"]) == 2
    told = capsys.readouterr()
    assert "no edition clasic; did you mean classic? There are classic, modern, royale, cards" in told.err
    assert not told.out


def test_what_cannot_be_replayed_is_told() -> None:
    store = MemoryStore()
    game, commits, _ = finished_log()
    store.create_with_history(game, commits, {})
    assert replay_all(store) == Progress(
        game, 1, unknown=1, differing=(f"{game}: it cannot be read: 'seed'",)
    )
    assert replay((replace(commits[1], version=1),), "00" * 32) == Replayed(
        unknown="it does not begin with a creation"
    )


def test_the_command_replays_what_the_data_folder_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    game, commits, seed = finished_log()
    with RedisServer(tmp_path) as server, connect(server.url) as client:
        RedisStore(client).create_with_history(game, commits, {"seed": seed})
        monkeypatch.setenv("REDIS_URL", server.url)
        assert croupier(["replay-all"]) == 0
        assert croupier(["replay-all", "--release", "1", "--edition", "classic"]) == 0
    assert "games under their own releases: 1; differ: 0;" in capsys.readouterr().out


def test_how_far_one_question_has_come_says_nothing_of_another(tmp_path: Path) -> None:
    store, place = store_with(*TABLES[:3]), tmp_path / "done"
    replay_all(store, place=place)
    for release, edition in (("2", ""), ("", "modern")):
        with pytest.raises(ReplayQueryChanged, match="their own releases and all editions; ask for the same"):
            replay_all(store, release, edition, place)
    place.write_text("something else")
    with pytest.raises(ReplayQueryChanged, match="name another file"):
        replay_all(store, place=place)


def test_the_command_says_what_to_do_with_a_file_of_another_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ["replay-all", "--resume", str(tmp_path / "done")]
    with RedisServer(tmp_path) as server:
        monkeypatch.setenv("REDIS_URL", server.url)
        assert croupier(asked) == 0
        assert croupier([*asked, "--release", "2"]) == 2
    assert "name another file to begin" in capsys.readouterr().err
