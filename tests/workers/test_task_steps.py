"""Bots that fail while somebody waits for advice: they are asked again, or the next lower level answers."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from events.store import MemoryStore
from rules.legal import choices
from rules.state import State, view
from service.analysis.results import Advice, AdviceOrder, decode_result
from service.games.games import Games
from tests.support.bots import RANDOM, states_of_game
from workers.analysis import advice
from workers.analysis.advice import average
from workers.analysis.steps import TaskContext, retry_after_death
from workers.bots.asking import BotAbsent, BotDied, BotFailed, BotRequest, ask_here
from workers.bots.protocol import Candidate, Decision, Level, merit
from workers.bots.subprocess import LONGEST_ANSWER


def order(bot: str, budget: int = 0) -> bytes:
    state = next(iter(states_of_game("classic", {}, [RANDOM] * 2, 1)))
    seat = state.ask.awaited[0] if state.ask else 0
    return msgspec.json.encode(AdviceOrder(view(state, seat), seat, bot, budget))


def work_off(desk: TaskContext, wanted: bytes) -> Advice:
    memory = b""
    while not (step := advice.step(desk, wanted, memory)).result:
        memory = step.memory
    return decode_result(step.result, Advice)


def test_an_option_without_figures_ranks_below_every_option_with_a_chance() -> None:
    unknown = Candidate("a", money=50_000)
    assert merit(unknown) == (0, 50_000)
    assert merit(unknown) < merit(Candidate("b", win=0.01, money=0))


class Failing:
    """These levels give no answer."""

    def __init__(self, *levels: str) -> None:
        self.levels, self.asked = levels, Counter[str]()

    def ask(self, level: Level, request: BotRequest) -> Decision:
        self.asked[level.name] += 1
        if level.name in self.levels:
            raise BotFailed("took too long")
        return ask_here(level, request)


class Dying:
    """Dies so many times, each after a while, by a clock of its own; where less is left, it is not there."""

    def __init__(self, takes: float, times: int) -> None:
        self._takes, self._times, self._now = takes, times, 0.0
        self.asked, self.granted, self.ends = list[str](), list[float](), list[float]()

    def clock(self) -> float:
        return self._now

    def ask(self, level: Level, request: BotRequest, seconds: float) -> Decision:
        self.asked.append(level.name)
        self.granted.append(seconds)
        self._now += min(seconds, self._takes)
        self.ends.append(self._now)
        if len(self.asked) > self._times:
            return ask_here(level, request)
        raise BotDied("ended with exit code -9") if seconds >= self._takes else BotAbsent("was left no time")


@pytest.mark.parametrize("budget", [0, 600])
def test_the_next_lower_level_advises_for_one_that_fails_and_the_reply_says_so(budget: int) -> None:
    failing = Failing("expert", "steady")
    found = work_off(TaskContext(Games(MemoryStore()), failing.ask), order("expert", budget))
    assert (found.bot, found.instead_of, found.fault) == ("greedy", "expert", "expert took too long")
    assert (failing.asked["expert"], failing.asked["steady"]) == (1, 1)
    assert found.options


def test_where_every_level_fails_the_task_does() -> None:
    failing = Failing("greedy", "casual", "novice", "random")
    with pytest.raises(BotFailed):
        work_off(TaskContext(Games(MemoryStore()), failing.ask), order("greedy"))


def test_a_bot_that_died_is_asked_once_more() -> None:
    dying = Dying(takes=1.0, times=1)
    found = work_off(
        TaskContext(Games(MemoryStore()), retry_after_death(dying.ask, dying.clock)), order("expert")
    )
    assert (found.bot, found.instead_of) == ("expert", "")
    assert dying.asked == ["expert", "expert"]


@pytest.mark.parametrize("takes", [0.5, 5.4, 8.2])
def test_both_asks_together_take_no_longer_than_one_may(takes: float) -> None:
    """RQ ends a job after ten seconds. Who died and has no time for more has failed: a lower one answers."""
    dying = Dying(takes, times=2)
    found = work_off(
        TaskContext(Games(MemoryStore()), retry_after_death(dying.ask, dying.clock)), order("expert")
    )
    assert (found.bot, found.fault) == ("steady", "expert ended with exit code -9")
    assert dying.asked[:2] == ["expert", "expert"]
    assert dying.granted[:2] == pytest.approx([LONGEST_ANSWER, LONGEST_ANSWER - takes])
    assert dying.ends[1] <= LONGEST_ANSWER


def test_runs_are_averaged_in_the_order_that_the_bot_gives_them() -> None:
    """One that goes by its figures is ordered by their means; one that does not keeps its own order."""
    by_merit = [
        (Candidate("a", 2, 0.6), Candidate("b", 1, 0.5)),
        (Candidate("b", 1, 0.8), Candidate("a", 2, 0.4)),
    ]
    assert [one.choice for one in average(by_merit)] == ["b", "a"]
    drawn = [(Candidate("a", 1, 0.5), Candidate("b", 2, 0.6))] * 2
    assert [one.choice for one in average(drawn)] == ["a", "b"]
    often = [(Candidate("b"), Candidate("a", 1, 0.1), Candidate("c", 1, 0.4))] * 2
    once = (Candidate("a", 1, 0.1), Candidate("c", 1, 0.4), Candidate("b"))
    assert [one.choice for one in average([once, *often])] == ["b", "c", "a"]


@pytest.mark.parametrize("bot", ["random", "greedy", "expert"])
@pytest.mark.parametrize("prompt", ["A1.hide", "A1.guess", "G1.part", "G1.take", "turn.place"])
def test_after_what_the_bot_chose_the_options_go_by_their_figures(bot: str, prompt: str) -> None:
    wanted = find_view(prompt)
    options = work_off(DESK, msgspec.json.encode(AdviceOrder(*wanted, bot, 0))).options
    figures = [(option.win, option.money) for option in options[1:]]
    assert len(figures) > 0
    assert figures == sorted(figures, reverse=True)
    hides = prompt in ("A1.hide", "G1.part")
    assert [option.why.endswith("nobody can guess it.") for option in options] == [hides] + [False] * len(
        figures
    )


DESK = TaskContext(Games(MemoryStore()), ask_here)


def find_view(prompt: str) -> tuple[State, int]:
    """With several options."""
    codes = {"A1": ("A1",), "G1": ("G1",)}.get(prompt[:2], ())
    return next(
        (view(state, seat), seat)
        for state in states_of_game("royale", {"tile_codes": codes} if codes else {}, [RANDOM] * 3, 2)
        if state.ask is not None and state.ask.prompt == prompt
        for seat in state.ask.awaited
        if len(choices(state, seat)) > 1
    )


class Late:
    """Its process is not up before it was asked so many times."""

    def __init__(self, times: int) -> None:
        self.times = times

    def ask(self, level: Level, request: BotRequest) -> Decision:
        if level.name != "random" and self.times > 0:
            self.times -= 1
            raise BotAbsent("did not start in time")
        return ask_here(level, request)


@pytest.mark.parametrize(("times", "bot"), [(1, "greedy"), (3, "greedy"), (4, "casual")])
def test_a_process_that_starts_late_is_waited_for_before_a_lower_level_advises(times: int, bot: str) -> None:
    late = Late(times)
    assert work_off(TaskContext(Games(MemoryStore()), late.ask), order("greedy")).bot == bot
    assert late.times == 0
