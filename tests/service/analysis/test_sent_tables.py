"""Tables that strangers send, genuine and spoiled: advice, or a refusal that says what is wrong."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from random import Random
from typing import Any

import pytest
from marshmallow import ValidationError

from rules.state import State, view
from service.analysis.routes import read_sent_table
from service.analysis.schemas import AdviceWanted
from service.http.problems import Problem
from tests.support.api_client import ApiClient
from tests.support.sent_tables import EVERY_TABLE, Sent, sent_tables, spoil
from workers.bots import BOTS
from workers.bots.asking import BotRequest, ask_here

# More than is thought about at once, so that the reply tells of the task.
LARGE = 6_000
SPOILED, POSTED, ADVISED = 1_500, 150, 40


@cache
def pool() -> list[Sent]:
    return [sent for table in EVERY_TABLE for sent in sent_tables(*table, seed=5)]


@pytest.mark.long
def test_whatever_is_sent_is_refused_with_pointers_or_can_be_thought_about() -> None:
    random, accepted = Random(11), list[tuple[State, int]]()
    for _ in range(SPOILED):
        sent = random.choice(pool())
        with suppress(ValidationError, Problem):
            wanted = AdviceWanted().load({"table": spoil(sent.table, random), "seat": sent.seat})
            accepted.append(read_sent_table(wanted))
    assert SPOILED / 5 < len(accepted) < SPOILED * 4 / 5
    for seen, seat in random.sample(accepted, ADVISED):
        check_advice(seen, seat)


@pytest.mark.long
def test_spoiled_tables_never_make_the_service_fail(api: ApiClient) -> None:
    random = Random(12)
    for _ in range(POSTED):
        sent = random.choice(pool())
        body = {"table": spoil(sent.table, random), "seat": sent.seat, "budget": LARGE}
        reply = api.post("/v1/advice", body)
        assert reply.status_code in (202, 422), reply.get_data(as_text=True)
        if reply.status_code == 422:
            assert all("pointer" in fault for fault in reply.get_json()["errors"])


def check_advice(seen: State, seat: int) -> None:
    """Raises BotFailed where the task would fail."""
    for level in (BOTS["greedy"], BOTS["expert"]):
        candidates = ask_here(level, BotRequest(level.name, seen, seat, b"", 4, thorough=True)).candidates
        assert all(one.money is not None and one.win is not None for one in candidates), seen.ask


@pytest.mark.long
@pytest.mark.parametrize(("edition", "options", "players"), EVERY_TABLE, ids=str)
def test_all_that_a_seat_can_be_asked_gets_figures_for_every_option(
    edition: str, options: dict[str, Any], players: int
) -> None:
    """Also a move that is forced, and one that has to be mixed."""
    asked: dict[tuple[str, bool], Sent] = {}
    for sent in sent_tables(edition, options, players, seed=6):
        ask = sent.state.ask
        assert ask is not None
        forced = len(ask.options) == 1
        asked.setdefault((ask.prompt, forced), sent)
    for sent in asked.values():
        check_advice(view(sent.state, sent.seat), sent.seat)
