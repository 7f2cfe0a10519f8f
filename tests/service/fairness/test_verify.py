"""`croupier verify`: accepts a true game, names the first lie in any other."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.chain import redact_commit
from events.commands import Create
from events.commit import decode_raw, encode
from events.store import MemoryStore
from events.values import SeatPlan
from service.cli import main as croupier
from service.fairness.verify import Verdict, verify
from service.games.cache import Snapshots
from service.games.games import Games
from service.games.idempotency import identify_request
from service.games.tokens import SecretsCache
from service.games.writer import PendingCommit, Writer
from tests.support.forgeries import Raws, change_die, events_of, reseal
from tests.support.games import (
    TABLES,
    answer_at_random,
    export_game,
    exported_game,
    make_games,
    play_answers,
    play_game,
    start_game,
    ticking_clock,
)
from tests.support.profiles import examples

# What is true


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_a_finished_game_of_every_edition_is_verified(
    edition: str, options: dict[str, Any], players: int
) -> None:
    """S1: the export of a game that is over opens everything."""
    raws = exported_game(edition, players, **options)
    verdict = verify(raws)
    assert verdict == Verdict(
        ok=True,
        commits=len(raws),
        events=sum(len(commit["events"]) for commit in raws),
        game=raws[0]["command"]["game"],
        head=raws[-1]["hash"],
    )


def test_the_stored_form_is_verified_too() -> None:
    games = make_games()
    played = play_game(games, "cards", {}, 2)
    assert verify([decode_raw(encode(commit)) for commit in games.commits(played)]).ok


def test_entropy_of_those_who_sat_down_later_is_counted_in() -> None:
    games = make_games()
    game = games.create("classic", {}, [SeatPlan(name="Anna", entropy="clover"), SeatPlan()]).game
    games.sit(game, "Ben", "a long walk")
    for _ in play_answers(games, game):
        pass
    assert verify(export_game(games, game)).ok


def test_commits_may_be_made_at_the_same_time() -> None:
    raws = exported_game()
    raws[5]["at"] = raws[4]["at"]
    assert verify(reseal(raws)).ok


def test_a_clock_that_is_set_back_leaves_a_log_that_is_verified() -> None:
    times = (datetime(2026, 11, 15, tzinfo=UTC) - timedelta(seconds=n) for n in count())
    games = Games(MemoryStore(), lambda: next(times))
    assert verify(export_game(games, play_game(games, "classic", {}, 2))).ok


# What is not


def test_the_first_divergence_is_named_with_what_should_stand_there() -> None:
    raws = exported_game()
    change_die(raws)
    where = next(
        n for n, (lied, true) in enumerate(zip(raws, exported_game(), strict=True), 1) if lied != true
    )
    verdict = verify(reseal(raws))
    assert verdict.version == where
    assert "dice_rolled" in (verdict.fault or "")


def test_an_opened_secret_must_be_the_one_that_was_sealed() -> None:
    raws = exported_game("cards")
    hand = events_of(raws, "cards_dealt")[0]["cards"]
    hand["value"] = ["6d"] * 5
    assert "does not match its commitment" in (verify(reseal(raws)).fault or "")


def test_an_audience_that_was_not_there_is_found() -> None:
    raws = exported_game("cards")
    events_of(raws, "cards_dealt")[0]["cards"]["audience"] = [0, 1]
    assert not verify(reseal(raws)).ok


def test_a_game_is_created_once() -> None:
    """Every commit follows from the one before by the rules; only that the table was laid anew is wrong."""
    store = MemoryStore()
    games = make_games(store)
    game = games.create("classic", {}, [SeatPlan(name="Anna"), SeatPlan()]).game
    command = store.read(game)[0].command
    assert isinstance(command, Create)
    anew = PendingCommit(replace(command, seats=(SeatPlan(name="Anna"), SeatPlan(name="Ben"))), "creator")
    snapshots = Snapshots(store)
    writer = Writer(store, snapshots, SecretsCache(store, snapshots), ticking_clock())
    writer.write(game, snapshots.load(game), anew, identify_request("create", None, ()))
    for _ in play_answers(games, game):
        pass
    verdict = verify(export_game(games, game))
    assert (verdict.ok, verdict.version) == (False, 2)
    assert "created once" in (verdict.fault or "")


def test_covered_events_are_compared_by_their_commitments() -> None:
    raws = exported_game("cards")
    for event in events_of(raws, "cards_dealt"):
        event["cards"] = {"hidden": event["cards"]["hidden"]}
    assert verify(raws).ok


def test_a_covered_answer_cannot_be_decided_again() -> None:
    raws = exported_game("cards")
    for commit in raws:
        choice = commit["command"].get("choice")
        if isinstance(choice, dict):
            commit["command"]["choice"] = {"hidden": choice["hidden"]}
    assert "covered" in (verify(raws).fault or "")


def test_a_game_that_goes_on_is_not_verified() -> None:
    games = make_games()
    running = start_game(games)
    answer_at_random(games, running, Random(1))
    verdict = verify([decode_raw(encode(redact_commit(commit))) for commit in games.commits(running)])
    assert (verdict.ok, verdict.version, verdict.commits) == (False, 2, 2)
    assert "before the game is over" in (verdict.fault or "")


# Files


def lines(raws: Raws) -> bytes:
    return b"".join(msgspec.json.encode(commit) + b"\n" for commit in raws)


FORMS: dict[str, Callable[[Raws], bytes]] = {
    "ndjson": lines,
    "ndjson with blank lines": lambda raws: b"\n" + lines(raws) + b"\n\n",
    "list": msgspec.json.encode,
    "page": lambda raws: msgspec.json.encode({"commits": raws, "next": "/v1/games/x/events?after=9"}),
    "pages": lambda raws: lines([{"commits": raws[:9], "next": ""}, {"commits": raws[9:]}]),
    "indented": lambda raws: msgspec.json.format(msgspec.json.encode(raws), indent=2),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_an_export_is_read(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game"
    path.write_bytes(FORMS[form](exported_game()))
    assert croupier(["verify", str(path)]) == 0
    assert "verified. Game g_" in capsys.readouterr().out


@pytest.mark.parametrize("form", FORMS)
def test_a_member_that_is_there_twice_is_refused(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, written = tmp_path / "game", FORMS[form](exported_game())
    path.write_bytes(written.replace(b'"by"', b'"version": 1, "by"', 1))
    assert croupier(["verify", str(path)]) == 1
    assert "the member version twice" in capsys.readouterr().out


def test_the_command_says_what_is_wrong_and_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raws = exported_game()
    change_die(raws)
    path = tmp_path / "game.ndjson"
    path.write_bytes(lines(raws))
    assert croupier(["verify", str(path)]) == 1
    assert "NOT verified at version" in capsys.readouterr().out


GARBAGE = (
    b"",
    b"\n\n",
    b"hello",
    b"\xff\xfe\x00",
    b"null",
    b"[]",
    b"{}",
    b'{"commits": []}',
    b'{"commits": 7}',
    b"[1, 2]",
    b'[{"version": 1}]',
    b'{"version": 1}\n{"version": ',
    b"[" * 100_000,
    b"[" * 900 + b"]" * 900,
    b'{"a":' * 900 + b"1" + b"}" * 900,
    b'["\\ud800"]',
    b"[NaN]",
    b"[1e999]",
)


@pytest.mark.parametrize("garbage", GARBAGE)
def test_garbage_gets_a_message_not_a_traceback(
    garbage: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "garbage"
    path.write_bytes(garbage)
    assert croupier(["verify", str(path)]) == 1
    assert capsys.readouterr().out


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert croupier(["verify", str(tmp_path / "none")]) == 1
    assert "cannot be read" in capsys.readouterr().out


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def _places(thing: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    if isinstance(thing, (dict, list)):
        for name in thing if isinstance(thing, dict) else range(len(thing)):
            found += _places(thing[name], (*path, name))
    return found


@examples(40, long=200)
@given(st.data())
def test_anything_else_anywhere_in_a_commit_is_refused(data: st.DataObject) -> None:
    """Except for what is the server's word alone: when, and by whom."""
    raws = exported_game()
    commit = data.draw(st.sampled_from(raws))
    places = [place for place in _places(commit)[1:] if place[0] in ("command", "events", "rules")]
    *way, last = data.draw(st.sampled_from(places))
    inner: Any = commit
    for name in way:
        inner = inner[name]
    lie = data.draw(JSON)
    assume(msgspec.json.encode(lie) != msgspec.json.encode(inner[last]))
    inner[last] = lie
    assert not verify(reseal(raws)).ok
