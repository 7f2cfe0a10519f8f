"""The analysis of a finished game: whose choices were bad, whose dice were good."""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import pairwise
from math import ceil
from random import Random
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
import redis
from msgspec.structs import replace

from events.commands import Choose
from events.commit import Commit
from rules.legal import legal
from rules.state import view
from service.analysis.plots import HEIGHT, LEFT, TOP, WIDTH
from service.analysis.results import Analysis, AnalysisOrder, AnalysisPart, ChoiceSeen, decode_result
from service.container import Backend, build_backend
from service.fairness.dice import luck_of_bot
from service.games.games import Games
from service.games.writer import Caller
from tests.support.api_client import ApiClient, Game, check_tag, long_key
from tests.support.games import make_games, play_game, start_game
from workers.analysis import analysis
from workers.analysis.analysis import NOTABLE, sum_up
from workers.analysis.steps import TaskContext, TaskStep
from workers.bots import BOTS
from workers.bots.asking import AskBot, BotFailed, BotRequest, ask_here
from workers.bots.protocol import Decision, Level
from workers.jobs import play_shift, work_on

EXPERT = BOTS["expert"]
SVG = "{http://www.w3.org/2000/svg}"


def play_badly(games: Games, game: str, bad: int) -> None:
    """One seat always takes what the expert likes least, everybody else what it likes best."""
    while (ask := (state := games.snapshot(game).state).ask) is not None:
        seat = ask.awaited[0]
        luck = Random(state.asked).randbytes(16)
        ranked = ask_here(EXPERT, BotRequest("expert", view(state, seat), seat, luck)).candidates
        games.choose(game, Caller(seat), ask.id, ranked[-1 if seat == bad else 0].choice)


def analyse(api: ApiClient, backend: Backend, game: Game) -> Any:
    first = api.get(f"{game.address}/analysis")
    assert first.status_code == 202
    assert first.headers["Location"] == f"{game.address}/analysis"
    while play_shift(backend):
        pass
    return api.call("GET", f"{game.address}/analysis")


@pytest.mark.long
def test_a_seat_that_always_takes_the_worst_option_is_told_so(api: ApiClient, memory: redis.Redis) -> None:
    game, backend = api.create_for(2), build_backend(memory)
    play_badly(backend.games, game.id, bad=0)
    found = analyse(api, backend, game)
    bad, good = found["seats"]
    assert bad["lost"] > 10 * good["lost"]
    assert best_share(bad) < 0.85 < best_share(good)
    assert "more than anybody else" in bad["text"]
    assert "more than anybody else" not in good["text"]
    assert [seat["name"] for seat in found["seats"]] == ["Anna", "Ben"]
    check_sums(found)
    draw(api, game, found)
    data, picture = (
        check_tag(api, f"{game.address}/analysis", media) for media in ("application/json", "image/svg+xml")
    )
    assert data != picture


def best_share(seat: Any) -> float:
    """Where nothing is left to win or lose, the worst is as good as the best."""
    return float(seat["best_choices"] / seat["choices"])


def check_sums(found: Any) -> None:
    for seat in found["seats"]:
        own = [one for one in found["choices"] if one["seat"] == seat["seat"]]
        free = [one for one in own if not one["forced"]]
        assert len(own) > len(free) == seat["choices"] >= seat["best_choices"]
        looks = [*own, *(one for one in found["endings"] if one["seat"] == seat["seat"])]
        for part, whole in (("luck", "luck"), ("others", "others"), ("loss", "lost")):
            assert sum(one[part] for one in looks) == pytest.approx(seat[whole], abs=1e-9)
        parts = seat["even"] + seat["luck"] + seat["others"] - seat["lost"]
        assert parts == pytest.approx(seat["won"], abs=1e-9)
        check_steps(seat["even"], looks, seat["won"])
    assert sum(seat["others"] - seat["lost"] for seat in found["seats"]) == pytest.approx(0, abs=0.001)
    versions = [one["version"] for one in found["choices"]]
    assert versions == sorted(versions)
    assert all(one in (*found["choices"], *found["endings"]) for one in found["turning_points"])


def check_steps(start: float, looks: list[Any], won: float) -> None:
    """From choice to choice, and from the last one to the end, nothing is left over."""
    last = start
    for one in looks:
        assert last + one["luck"] + one["others"] == pytest.approx(one["before"], abs=1e-9)
        assert one["before"] - one["loss"] == pytest.approx(one["after"], abs=1e-9)
        assert not one["loss"] or not (one["forced"] or one["ending"])
        last = one["after"]
    assert (last, looks[-1]["ending"]) == (won, True)


@pytest.mark.long
def test_what_others_throw_away_is_no_luck() -> None:
    """Two who play well against one who always takes the worst: they have its losses, half each."""
    games = make_games()
    game = start_game(games, players=3, key=long_key(1))
    play_badly(games, game, bad=1)
    found = msgspec.to_builtins(analyse_here(games, game, [], playouts=EXPERT.budget), enc_hook=str)
    check_sums(found)
    first, bad, last = found["seats"]
    assert bad["lost"] > 2 * max(first["lost"], last["lost"])
    for seat, other in ((first, last), (last, first)):
        assert seat["others"] == pytest.approx((bad["lost"] + other["lost"]) / 2, abs=0.001)
    assert bad["others"] == pytest.approx((first["lost"] + last["lost"]) / 2, abs=0.001)


def test_a_choice_that_the_bot_fails_over_does_not_cost_the_analysis() -> None:
    games, asked = make_games(), list[BotRequest]()
    game = play_game(games, "classic", {}, 2)
    found = analyse_here(games, game, asked, failing=[3])
    assert (found.unjudged, len(found.choices)) == (1, len(list_answers(games, game)) - 1)


def list_answers(games: Games, game: str) -> list[Commit]:
    return [one for one in games.commits(game) if isinstance(one.command, Choose)]


def test_a_doubt_that_the_bot_fails_over_keeps_its_first_figures_and_is_no_mistake() -> None:
    games = make_games()
    game = play_game(games, "classic", {}, 2)
    choices = len(list_answers(games, game))
    whole = analyse_here(games, game, [])
    doubt = analysis.list_doubts(first_looks(games, game))[0]
    found = analyse_here(games, game, [], failing=[choices + 1])
    judged, rejudged = (one_at(each, doubt.version) for each in (found, whole))
    assert (judged.looks, judged.loss, judged.mistake) == (1, doubt.loss, False)
    assert rejudged.looks > 0
    assert found.unjudged == 0


def one_at(found: Analysis, version: int) -> ChoiceSeen:
    return next(one for one in found.choices if one.version == version)


def first_looks(games: Games, game: str) -> tuple[ChoiceSeen, ...]:
    """What is judged where every further look fails."""
    choices = len(list_answers(games, game))
    return analyse_here(games, game, [], failing=range(choices + 1, 10 * choices)).choices


def parts_of(games: Games, game: str) -> Iterator[AnalysisPart]:
    """What the reply 202 shows, step by step."""
    for step in steps_of(games, game, lambda level, request: ask_here(level, replace(request, budget=2))):
        assert 0 < step.done <= step.of
        if not step.result:
            yield msgspec.json.decode(step.memory, type=AnalysisPart)


def test_the_graph_grows_in_the_order_of_the_game_before_the_analysis_is_done() -> None:
    games = make_games()
    game = play_game(games, "royale", {}, 3)
    parts = list(parts_of(games, game))
    assert 0 < len(parts[0].seen) < len(list_answers(games, game))
    for before, after in pairwise(parts):
        assert after.seen[: len(before.seen)] == before.seen


def test_the_reply_202_has_what_was_judged_so_far(api: ApiClient, memory: redis.Redis) -> None:
    backend = build_backend(memory)
    address = f"/v1/games/{play_game(backend.games, 'classic', {}, 2)}/analysis"
    task = api.get(address).get_json()
    assert task["judged"] == []
    work_on(backend.tasks, TaskContext(backend.games, ask_here), task["id"])
    part = api.get(address).get_json()
    assert 0 < len(part["judged"]) <= part["done"] < part["of"]
    assert "judged" not in api.get(f"/v1/tasks/{task['id']}").get_json()


def test_a_mistake_has_a_better_choice_with_figures_and_a_sentence() -> None:
    games = make_games()
    game = play_game(games, "classic", {}, 2)
    found = analyse_here(games, game, [], playouts=20)
    mistakes = [one for one in found.choices if one.mistake]
    assert mistakes
    for one in mistakes:
        assert one.better is not None
        assert one.better.choice == one.best != one.choice
        assert one.better.win == pytest.approx(one.before, abs=0.0001)
        assert one.better.why.endswith(".")
        table = games.snapshot(game, one.version - 1).state
        labels = {option.choice: option.label for option in legal(table, one.seat)}
        assert (one.better.label, one.better.made) == (labels[one.best], labels[one.choice])
        assert one.loss >= NOTABLE
    assert all(one.better is None for one in found.choices if not one.mistake)


@pytest.mark.parametrize("edition", ["classic", "royale", "cards"])
def test_the_judge_looks_several_times_with_the_budget_and_not_the_luck_of_the_table(edition: str) -> None:
    games, asked = make_games(), list[BotRequest]()
    game = play_game(games, edition, {}, 2)
    found, end = analyse_here(games, game, asked), games.snapshot(game)
    answers = list_answers(games, game)
    most = len(answers) + analysis.LOOKS * ceil(analysis.MOST_DOUBTED * len(answers))
    assert len(answers) < len(asked) <= most
    assert {one.budget * analysis.LOOKS for one in asked} == {found.budget}
    assert found.budget == analysis.LOOKS * analysis.LOOK == analysis.LOOKS * EXPERT.budget // 2
    drawn = {
        luck_of_bot(bytes.fromhex(end.state.seed), end.state, version, seat, EXPERT.build)
        for version in range(end.version)
        for seat in (0, 1)
    }
    lucks = {one.luck for one in asked}
    assert (len(lucks), lucks & drawn) == (len(asked), set())


def analyse_here(
    games: Games, game: str, asked: list[BotRequest], failing: Container[int] = (), playouts: int = 2
) -> Analysis:
    """With few playouts, and with a bot that fails at some of the looks."""

    def ask(level: Level, request: BotRequest) -> Decision:
        asked.append(request)
        if len(asked) in failing:
            raise BotFailed("took too long")
        return ask_here(level, replace(request, budget=playouts))

    *_, last = steps_of(games, game, ask)
    return decode_result(last.result, Analysis)


def steps_of(games: Games, game: str, ask: AskBot) -> Iterator[TaskStep]:
    order, memory = msgspec.json.encode(AnalysisOrder(game, games.snapshot(game).version)), b""
    while not (step := analysis.step(TaskContext(games, ask), order, memory)).result:
        yield step
        memory = step.memory
    yield step


def test_what_the_end_brought_is_a_turning_point_where_nothing_changed_more() -> None:
    """Whoever nearly had won lost by the last roll."""
    games = make_games()
    end = games.snapshot(play_game(games, "classic", {}, 3))
    winner, loser, third = range(3)
    end = replace(end, state=replace(end.state, winners=(winner,)))
    seen = [see(version, third, 0.3, 0.2) for version in range(2, 10)]
    seen += [see(10, loser, 0.95, 0.95), see(11, winner, 0.1, 0.1)]
    points = sum_up(EXPERT, seen, end).turning_points
    assert [(one.version, one.seat, one.luck) for one in points if one.ending] == [
        (end.version, loser, -0.95)
    ]


def test_luck_and_what_others_gave_turn_a_game_together() -> None:
    games = make_games()
    end = games.snapshot(play_game(games, "classic", {}, 2))
    seen = [see(version, 0, 0.6, 0.4) for version in range(2, 9)]
    seen.append(ChoiceSeen(9, 1, "place-1", "place-1", 0.8, 0.8, 0.0, 0.15, 0.15, None))
    assert 9 in [one.version for one in sum_up(EXPERT, seen, end).turning_points]


def see(version: int, seat: int, before: float, after: float) -> ChoiceSeen:
    return ChoiceSeen(version, seat, "place-1", "place-2", before, after, before - after, 0.0, 0.0, None)


def draw(api: ApiClient, game: Game, found: Any) -> None:
    """Well-formed, a curve for each seat up to what it won, and all marks are explained."""
    reply = api.get(f"{game.address}/analysis", Accept="image/svg+xml")
    assert (reply.status_code, reply.mimetype) == (200, "image/svg+xml")
    picture = ElementTree.fromstring(reply.data)
    curves = [curve.attrib["points"].split() for curve in picture.iter(f"{SVG}polyline")]
    ends = [tuple(map(float, points[-1].split(","))) for points in curves]
    right, top = LEFT + WIDTH, TOP + HEIGHT
    assert ends == [(right, top - HEIGHT * seat["won"]) for seat in found["seats"]]
    texts = {text.text or "": text.attrib["x"] for text in picture.iter(f"{SVG}text")}
    assert float(texts[str(found["endings"][0]["version"])]) == right
    assert any(text.startswith("0: Anna: luck") for text in texts)
    assert any(text.startswith("turning point:") for text in texts)


def test_a_game_that_goes_on_or_was_called_off_is_not_analysed(api: ApiClient) -> None:
    game = api.create_for(2)
    for told in ("when it is over", "ended early and has no result"):
        reply = api.get(f"{game.address}/analysis")
        assert (reply.status_code, reply.get_json()["code"]) == (409, "not_over")
        assert told in reply.get_json()["detail"]
        for seat in (0, 1):
            api.post(f"{game.address}/void", {}, game.tokens[seat])
    assert game.table()["status"] == "over"
