"""The analysis of a finished game: whose choices were bad, whose dice were good."""

from __future__ import annotations

from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
import redis

from rules.view import view
from service.factory import Backend, build_backend
from tests.support.api_client import ApiClient, Game
from workers.bots import BOTS
from workers.bots.asking import Request, ask_here
from workers.jobs import play_shift

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
    assert bad["best_choices"] < bad["choices"] / 2
    assert good["best_choices"] > good["choices"] * 0.6
    assert "more than anybody else" in bad["text"]
    assert "more than anybody else" not in good["text"]
    assert [seat["name"] for seat in found["seats"]] == ["Anna", "Ben"]
    check_sums(found)
    draw(api, game)


def check_sums(found: Any) -> None:
    for seat in found["seats"]:
        own = [one for one in found["choices"] if one["seat"] == seat["seat"]]
        assert len(own) == seat["choices"]
        assert sum(one["loss"] for one in own) == pytest.approx(seat["lost"], abs=0.001)
        assert seat["even"] + seat["luck"] - seat["lost"] == pytest.approx(seat["won"], abs=0.001)
    versions = [one["version"] for one in found["choices"]]
    assert versions == sorted(versions)
    assert {one["version"] for one in found["turning_points"]} <= set(versions)


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
