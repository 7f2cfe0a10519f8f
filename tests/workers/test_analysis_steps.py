"""Judges that are not there, or fail over every choice: nothing is kept that says less than it seems to."""

from __future__ import annotations

import msgspec
import pytest
import redis
from msgspec.structs import replace

from events.commands import Choose
from service.analysis.results import Analysis, AnalysisOrder, decode_result
from service.analysis.tasks import FAULT_SECONDS, Task, Tasks, shared_id
from service.container import build_backend
from tests.support.games import make_games, play_game
from workers.analysis.analysis import AnalysisProgress
from workers.analysis.steps import TaskContext
from workers.bots.asking import AskBot, BotAbsent, BotFailed, BotRequest, ask_here
from workers.bots.protocol import Candidate, Decision, Level
from workers.jobs import work_on

GAMES = make_games()
GAME = play_game(GAMES, "classic", {}, 2)
ORDER = msgspec.json.encode(AnalysisOrder(GAME, GAMES.snapshot(GAME).version))
TASK = Task(shared_id("analysis", GAME), "analysis", ORDER, "somebody")


def nobody_there(level: Level, request: BotRequest) -> Decision:
    raise BotAbsent("did not start in time")


def fails(level: Level, request: BotRequest) -> Decision:
    raise BotFailed("took too long")


def fails_over_the_first_seat(level: Level, request: BotRequest) -> Decision:
    return fails(level, request) if request.seat == 0 else judge(level, request)


def judge(level: Level, request: BotRequest) -> Decision:
    """With few playouts."""
    return ask_here(level, replace(request, budget=2))


def work_off(tasks: Tasks, ask: AskBot) -> Task:
    """Until it is finished, in one way or the other."""
    while work_on(tasks, TaskContext(GAMES, ask), TASK.id) is not None:
        pass
    found = tasks.find(TASK.id)
    assert found is not None
    return found


def read(task: Task) -> Analysis:
    return decode_result(task.result, Analysis)


@pytest.mark.long
def test_where_there_is_nobody_to_judge_the_task_fails_and_is_tried_anew(fake: redis.Redis) -> None:
    backend, now = build_backend(fake), [1_000.0]
    tasks = Tasks(fake, backend.queue, backend.scheduler.call_worker, lambda: now[0])
    tasks.submit(TASK)
    failed = work_off(tasks, nobody_there)
    assert (failed.fault, failed.result) == ("did not start in time", b"")
    now[0] += 2 * FAULT_SECONDS
    assert not tasks.submit(TASK).is_finished
    found = read(work_off(tasks, judge))
    assert found.unjudged == 0
    assert len(found.choices) == len(list_answers())


def list_answers() -> list[Choose]:
    return [one.command for one in GAMES.commits(GAME) if isinstance(one.command, Choose)]


def test_a_seat_of_which_nothing_could_be_judged_is_told_so(fake: redis.Redis) -> None:
    tasks = build_backend(fake).tasks
    tasks.submit(TASK)
    found = read(work_off(tasks, fails))
    assert (found.unjudged, found.choices) == (len(list_answers()), ())
    assert {seat.text for seat in found.seats} == {"None of its choices could be judged."}


def test_what_could_not_be_judged_of_one_seat_is_not_told_of_another(fake: redis.Redis) -> None:
    tasks = build_backend(fake).tasks
    tasks.submit(TASK)
    found = read(work_off(tasks, fails_over_the_first_seat))
    assert found.unjudged == sum(one.seat == 0 for one in list_answers())
    first, second = (seat.text for seat in found.seats)
    assert first == "None of its choices could be judged."
    assert "were the best or as good" in second


def test_progress_is_stored_under_the_names_that_earlier_workers_used() -> None:
    progress = AnalysisProgress(version=4, unjudged=(1,), rankings=((Candidate("place-1", win=0.5),),))
    stored = msgspec.json.encode(progress)
    assert set(msgspec.json.decode(stored)) == {"version", "seen", "unjudged", "heard", "verdicts"}
    assert msgspec.json.decode(stored, type=AnalysisProgress) == progress
