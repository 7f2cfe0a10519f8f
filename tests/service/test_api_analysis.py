"""The analysis of a finished game: whose choices were bad, whose dice were good."""

from __future__ import annotations

from random import Random
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
import redis

from rules.view import view
from service.factory import Backend, build_backend
from service.tasks.analysis import Analysis, AnalysisOrder
from tests.support.api_client import ApiClient, Game
from tests.support.games import make_games, play_game
from workers.bots import BOTS
from workers.bots.asking import BotFailed, Request, ask_here
from workers.bots.decision import Decision, Level
from workers.jobs import play_shift
from workers.tasks import analysis
from workers.tasks.steps import Desk

EXPERT = BOTS["expert"]


def play_badly(backend: Backend, game: Game, bad: int) -> None:
    """One seat always takes what the expert likes least, everybody else what it likes best."""
    while (ask := (state := backend.games.snapshot(game.id).state).ask) is not None:
        seat = ask.awaited[0]
        luck = Random(state.asked).randbytes(16)
        ranked = ask_here(EXPERT, Request("expert", view(state, seat), seat, luck)).candidates
        backend.games.choose(game.id, seat, ask.id, ranked[-1 if seat == bad else 0].choice)


def analyse(api: ApiClient, backend: Backend, game: Game) -> Any:
    first = api.get(f"{game.address}/analysis")
    assert first.status_code == 202
    assert first.headers["Location"] == f"{game.address}/analysis"
    while play_shift(backend):
        pass
    return api.call("GET", f"{game.address}/analysis")


def test_a_seat_that_always_takes_the_worst_option_is_told_so(api: ApiClient, memory: redis.Redis) -> None:
    game, backend = api.create_for(2), build_backend(memory)
    play_badly(backend, game, bad=0)
    found = analyse(api, backend, game)
    bad, good = found["seats"]
    assert bad["lost"] > 10 * good["lost"]
    assert best_share(bad) < 0.85 < best_share(good)
    assert "more than anybody else" in bad["text"]
    assert "more than anybody else" not in good["text"]
    assert [seat["name"] for seat in found["seats"]] == ["Anna", "Ben"]
    check_sums(found)
    draw(api, game)


def best_share(seat: Any) -> float:
    """Where nothing is left to win or lose, the worst is as good as the best."""
    return float(seat["best_choices"] / seat["choices"])


def check_sums(found: Any) -> None:
    for seat in found["seats"]:
        own = [one for one in found["choices"] if one["seat"] == seat["seat"]]
        assert len(own) == seat["choices"]
        assert sum(one["loss"] for one in own) == pytest.approx(seat["lost"], abs=0.001)
        parts = seat["even"] + seat["luck"] + seat["others"] - seat["lost"]
        assert parts == pytest.approx(seat["won"], abs=0.001)
        check_steps(seat["even"], own)
    assert sum(seat["others"] - seat["lost"] for seat in found["seats"]) == pytest.approx(0, abs=0.001)
    versions = [one["version"] for one in found["choices"]]
    assert versions == sorted(versions)
    assert {one["version"] for one in found["turning_points"]} <= set(versions)


def check_steps(start: float, own: list[Any]) -> None:
    """From choice to choice nothing is left over."""
    last = start
    for one in own:
        assert last + one["luck"] + one["others"] == pytest.approx(one["before"], abs=0.001)
        assert one["before"] - one["loss"] == pytest.approx(one["after"], abs=0.001)
        last = one["after"]


def test_what_others_throw_away_is_no_luck(api: ApiClient, memory: redis.Redis) -> None:
    """Two who play well against one who always takes the worst: they have its losses, half each."""
    game, backend = api.create_for(3), build_backend(memory)
    play_badly(backend, game, bad=1)
    found = analyse(api, backend, game)
    check_sums(found)
    first, bad, last = found["seats"]
    assert bad["lost"] > 2 * max(first["lost"], last["lost"])
    for seat, other in ((first, last), (last, first)):
        assert seat["others"] == pytest.approx((bad["lost"] + other["lost"]) / 2, abs=0.001)
    assert bad["others"] == pytest.approx((first["lost"] + last["lost"]) / 2, abs=0.001)


def test_a_choice_that_the_bot_fails_over_does_not_cost_the_analysis() -> None:
    games = make_games()
    game, asked = play_game(games, "classic", {}, 2), list[str]()

    def ask(level: Level, request: Request) -> Decision:
        asked.append(level.name)
        if len(asked) == 3:
            raise BotFailed("took too long")
        return ask_here(level, Request(request.level, request.view, request.seat, request.luck, 2))

    order, memory = msgspec.json.encode(AnalysisOrder(game, games.snapshot(game).version)), b""
    while not (step := analysis.step(Desk(games, ask), order, memory)).result:
        memory = step.memory
    found = msgspec.json.decode(step.result, type=Analysis)
    assert (found.unjudged, len(found.choices)) == (1, len(asked) - 1)


def draw(api: ApiClient, game: Game) -> None:
    """Well-formed, a curve for each seat, and named."""
    reply = api.get(f"{game.address}/analysis", Accept="image/svg+xml")
    assert (reply.status_code, reply.mimetype) == (200, "image/svg+xml")
    picture = ElementTree.fromstring(reply.data)
    assert len(picture.findall("{http://www.w3.org/2000/svg}polyline")) == 2
    texts = [text.text or "" for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert any(text.startswith("0: Anna: luck") for text in texts)


def test_a_game_that_goes_on_or_was_called_off_is_not_analysed(api: ApiClient) -> None:
    game = api.create_for(2)
    for _ in range(2):
        reply = api.get(f"{game.address}/analysis")
        assert (reply.status_code, reply.get_json()["code"]) == (409, "not_over")
        for seat in (0, 1):
            api.post(f"{game.address}/void", {}, game.tokens[seat])
    assert game.table()["status"] == "over"
