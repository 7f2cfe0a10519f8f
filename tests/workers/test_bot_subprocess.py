"""The process that bots think in is stopped and killed: only who was asked just then has failed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread, current_thread
from traceback import extract_stack

import pytest

from events.store import MemoryStore
from rules.state import view
from service.games.games import Games
from tests.support.bots import RANDOM, states_of_game
from tests.support.failing_bots import BOTS as FAILING
from tests.support.games import after, start_mixed_game
from tests.support.service_process import descendants, descendants_matching
from tests.support.waiting import wait_until
from workers.bots import BOTS
from workers.bots.asking import BotAbsent, BotDied, BotHung, BotRequest
from workers.bots.fallback import FallbackChain
from workers.bots.subprocess import BotSubprocess, SubprocessLimits
from workers.turns import TurnPlayer

LEVELS, GATED = "tests.support.failing_bots", "tests.support.gated_bots"
# Nobody is too slow for these.
PATIENT = SubprocessLimits(30.0, 30.0)
LONG = 60.0
# How many may be lost in a row.
FEW = 2
GREEDY = FAILING["greedy"]


@pytest.fixture
def process() -> Iterator[BotSubprocess]:
    apart = BotSubprocess(LEVELS, PATIENT, most_lost=FEW)
    yield apart
    apart.stop()


@pytest.fixture(scope="module")
def request_of() -> dict[str, BotRequest]:
    """A question to each level."""
    state = next(states_of_game("classic", {}, [RANDOM] * 2, 1))
    seat = state.ask.awaited[0] if state.ask else 0
    return {name: BotRequest(name, view(state, seat), seat, bytes(32)) for name in FAILING}


def children(levels: str = LEVELS) -> list[int]:
    return descendants_matching(os.getpid(), f"workers.bots.subprocess .*{levels}")


def signal_child(number: signal.Signals) -> int:
    (child,) = children()
    os.kill(child, number)
    return child


def kill_child() -> None:
    child = signal_child(signal.SIGKILL)
    wait_until(lambda: not descendants(os.getpid()).get(child), "the end of the child")


def test_who_was_killed_while_nobody_asked_is_started_again_and_asked(
    process: BotSubprocess, request_of: dict[str, BotRequest]
) -> None:
    first = process.ask(GREEDY, request_of["greedy"], LONG)
    for _ in range(3):
        kill_child()
        assert process.ask(GREEDY, request_of["greedy"], LONG) == first


def test_who_was_killed_while_it_started_is_started_again_and_asked(
    process: BotSubprocess, request_of: dict[str, BotRequest]
) -> None:
    process.start()
    kill_child()
    assert process.ask(GREEDY, request_of["greedy"], LONG).choice


def is_waiting(thread: Thread) -> bool:
    """For a reply: the question was sent."""
    frame = sys._current_frames().get(thread.ident or 0)
    return frame is not None and "_receive" in [called.name for called in extract_stack(frame)]


def kill_while_asked(asker: Thread) -> None:
    wait_until(lambda: is_waiting(asker), "the question")
    kill_child()


def test_who_was_killed_before_it_read_the_question_is_started_again_and_asked(
    process: BotSubprocess, request_of: dict[str, BotRequest]
) -> None:
    first = process.ask(GREEDY, request_of["greedy"], LONG)
    signal_child(signal.SIGSTOP)
    killer = Thread(target=kill_while_asked, args=[current_thread()])
    killer.start()
    assert process.ask(GREEDY, request_of["greedy"], LONG) == first
    killer.join()


def test_who_dies_over_the_question_has_failed(
    process: BotSubprocess, request_of: dict[str, BotRequest]
) -> None:
    with pytest.raises(BotDied, match="exit code -9"):
        process.ask(FAILING["dying"], request_of["dying"], LONG)


def test_who_is_stopped_has_failed_and_is_killed(request_of: dict[str, BotRequest]) -> None:
    # Long enough for an answer on a busy machine; the stopped process is waited for as long.
    apart = BotSubprocess(LEVELS, SubprocessLimits(2.0, 2.0))
    first = apart.ask(GREEDY, request_of["greedy"], LONG)
    stopped = signal_child(signal.SIGSTOP)
    with pytest.raises(BotHung, match="took too long"):
        apart.ask(GREEDY, request_of["greedy"], LONG)
    assert stopped not in children()
    assert apart.ask(GREEDY, request_of["greedy"], LONG) == first
    apart.stop()


def test_who_was_left_less_time_than_others_has_not_failed(
    process: BotSubprocess, request_of: dict[str, BotRequest]
) -> None:
    first = process.ask(GREEDY, request_of["greedy"], LONG)
    with pytest.raises(BotAbsent, match="was left no time"):
        process.ask(FAILING["hanging"], request_of["hanging"], 1.5)
    assert process.ask(GREEDY, request_of["greedy"], LONG) == first


def test_who_stops_while_it_starts_is_not_waited_for_again(
    request_of: dict[str, BotRequest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    monkeypatch.setenv("CROUPIER_TEST_GATE", str(gate))
    apart = BotSubprocess(GATED, PATIENT, longest_start=0.2)
    apart.start()
    stopped = children(GATED)
    with pytest.raises(BotAbsent, match="did not start in time"):
        apart.ask(GREEDY, request_of["greedy"], 1.0)
    assert len(children(GATED)) == len(stopped) == 1
    assert children(GATED) != stopped
    gate.write_bytes(b"")
    assert apart.ask(GREEDY, request_of["greedy"], LONG).choice
    apart.stop()


def test_where_none_can_be_started_there_is_nobody_to_ask(request_of: dict[str, BotRequest]) -> None:
    apart = BotSubprocess("tests.support.no_such_bots", most_lost=1)
    with pytest.raises(BotAbsent, match="ended with exit code 1"):
        apart.ask(GREEDY, request_of["greedy"], LONG)
    apart.stop()


def test_after_the_last_of_many_kills_the_level_of_the_seat_answers_again(process: BotSubprocess) -> None:
    games, rungs = Games(MemoryStore()), {"random": BOTS["random"], "greedy": GREEDY}
    game = start_mixed_game(games, "greedy", "greedy", "greedy")
    stand_in = TurnPlayer(games, chain=FallbackChain(process.ask, rungs, seconds=LONG))
    for _ in range(FEW + 1):
        stand_in.play_turns(game, after(1))
        kill_child()
    stand_in.play_turns(game, after(2))
    notes = [commit.bot for commit in games.commits(game)[1:]]
    assert [note and (note.name, note.fault) for note in notes] == [("greedy", "")] * (FEW + 3)
