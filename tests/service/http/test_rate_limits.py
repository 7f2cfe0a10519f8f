"""What is too often: told before, refused then, and never of health."""

from __future__ import annotations

import re

import fakeredis
import pytest
from werkzeug.test import TestResponse

from service import metrics
from service.config import LimitSettings, Settings
from service.http.app import create_app
from service.http.limits import (
    ARCHIVING,
    CREATING,
    IMPORTING,
    PLAYING,
    READING,
    REVIEWING,
    SITTING,
    STREAMING,
    THINKING,
    UNLIMITED,
)
from service.http.operation import Operation
from service.http.register import OPERATIONS
from tests.service.ops.test_metrics import read_metric
from tests.support.app import ANNA, EVE, HEALTHY_REDIS, Open, client_at
from tests.support.contract import contract
from tests.support.finished_games import finished_file

PLAN = {"edition": "classic", "seats": [{"name": "Anna"}, {"open": True}]}


def check_refused(reply: TestResponse) -> None:
    assert (reply.status_code, reply.get_json()["code"]) == (429, "too_many_requests")
    seconds = int(reply.headers["Retry-After"])
    assert 0 < seconds <= 60
    assert f"Try again in {seconds} seconds." in reply.get_json()["detail"]


def count_hits() -> float:
    return read_metric(metrics.render_metrics(), "croupier_limit_hits_total", limit="creating")


def test_creating_is_refused_beyond_its_rate_and_nobody_else_pays(open_limited: Open) -> None:
    app = open_limited(creating="2 per minute")
    eve, anna = client_at(app, EVE), client_at(app, ANNA)
    hits = count_hits()
    replies = [eve.post("/v1/games", PLAN) for _ in range(4)]
    assert [reply.status_code for reply in replies] == [201, 201, 429, 429]
    check_refused(replies[2])
    assert "One address may send 2 requests for creating in 60 seconds" in replies[2].get_json()["detail"]
    assert anna.post("/v1/games", PLAN).status_code == 201
    assert eve.get("/v1/games").status_code == 200
    now = count_hits()
    assert now == hits + 2


def test_a_reply_tells_what_is_allowed_and_what_is_left(open_limited: Open) -> None:
    eve = client_at(open_limited(creating="2 per minute; 9 per hour", token="7 per minute"), EVE)
    first = eve.post("/v1/games", PLAN)
    assert first.headers["RateLimit-Policy"] == '"creating";q=2;w=60, "creating-3600s";q=9;w=3600'
    assert re.fullmatch(
        r'"creating";r=1;t=\d+, "creating-3600s";r=8;t=\d+', first.headers["RateLimit"], re.ASCII
    )
    token = first.get_json()["seats"][0]["token"]
    seen = eve.get(first.headers["Location"], token)
    assert seen.headers["RateLimit-Policy"] == '"reading";q=20000;w=10, "token";q=7;w=60'
    assert re.fullmatch(r'"reading";r=19999;t=\d+, "token";r=6;t=\d+', seen.headers["RateLimit"])


def test_a_token_has_a_rate_of_its_own_wherever_it_is_used(open_limited: Open) -> None:
    app = open_limited(token="3 per minute")
    game = client_at(app, ANNA).create({"name": "Anna"}, {"name": "Ben"})
    for address in (ANNA, EVE, ANNA):
        assert client_at(app, address).get(game.address, game.tokens[0]).status_code == 200
    check_refused(client_at(app, EVE).get(game.address, game.tokens[0]))
    assert client_at(app, EVE).get(game.address, game.tokens[1]).status_code == 200
    assert client_at(app, EVE).get(game.address).status_code == 200


def test_a_token_is_the_same_however_it_is_spelt(open_limited: Open) -> None:
    app = open_limited(token="3 per minute")
    game = client_at(app, ANNA).create({"name": "Anna"}, {"name": "Ben"})
    spellings = ("Bearer {}", "bEarer  {}", "BEARER" + 300 * " " + "{} ", "bearer {}  ")
    replies = [
        client_at(app, EVE).get(game.address, Authorization=spelt.format(game.tokens[0]))
        for spelt in spellings
    ]
    assert [reply.status_code for reply in replies] == [200, 200, 200, 429]


def test_a_wrong_token_counts_too(open_limited: Open) -> None:
    """Whoever guesses is refused before anything is looked up."""
    app = open_limited(reading="3 per minute")
    game = client_at(app, ANNA).create({"name": "Anna"}, {"name": "Ben"})
    replies = [client_at(app, EVE).get(game.address, f"guess-{number}") for number in range(4)]
    assert [reply.status_code for reply in replies] == [401, 401, 401, 429]


def test_what_is_too_long_for_a_token_is_not_remembered(open_limited: Open) -> None:
    eve = client_at(open_limited(token="1 per minute", reading="3 per minute"), EVE)
    replies = [eve.get("/v1/editions", "x" * 5_000) for _ in range(4)]
    assert [reply.status_code for reply in replies] == [200, 200, 200, 429]
    assert "token" not in replies[0].headers["RateLimit-Policy"]


def test_off_means_off(open_limited: Open) -> None:
    eve = client_at(open_limited(rate_limits="off", creating="1 per hour"), EVE)
    replies = [eve.post("/v1/games", PLAN) for _ in range(3)]
    assert [reply.status_code for reply in replies] == [201, 201, 201]
    assert "RateLimit" not in replies[0].headers


def test_all_processes_count_together(open_limited: Open) -> None:
    one, other = (client_at(open_limited(creating="3 per minute"), EVE) for _ in range(2))
    replies = [api.post("/v1/games", PLAN).status_code for api in (one, other, one, other, one)]
    assert replies == [201, 201, 201, 429, 429]


def test_a_forged_header_buys_nothing(open_limited: Open) -> None:
    eve = client_at(open_limited(creating="1 per minute"), EVE)
    replies = [
        eve.post("/v1/games", PLAN, X_Forwarded_For=forged, Forwarded=f"for={forged}")
        for forged in ("203.0.113.1", "203.0.113.2", "203.0.113.3")
    ]
    assert [reply.status_code for reply in replies] == [201, 429, 429]


def test_behind_a_trusted_proxy_callers_are_told_apart(open_limited: Open) -> None:
    proxy = client_at(open_limited(creating="1 per minute", proxies="192.0.2.0/24"), EVE)
    first = [
        proxy.post("/v1/games", PLAN, X_Forwarded_For=f"1.2.3.4, 203.0.113.{number}").status_code
        for number in (1, 2, 1, 2)
    ]
    assert first == [201, 201, 429, 429]


def test_neighbours_in_an_ipv6_network_are_one_caller(open_limited: Open) -> None:
    app = open_limited(creating="1 per minute")
    replies = [client_at(app, f"2001:db8:1:{net}::{host}").post("/v1/games", PLAN).status_code
               for net, host in ((2, 1), (2, 2), (3, 1))]  # fmt: skip
    assert replies == [201, 429, 201]


def test_without_redis_each_process_limits_by_itself() -> None:
    server = fakeredis.FakeServer()
    settings = Settings(limits=LimitSettings(reading="3 per minute"))
    app = create_app(settings, fakeredis.FakeRedis(server=server), lambda: HEALTHY_REDIS)
    api, server.connected = client_at(app, EVE), False
    replies = [api.get("/v1/editions").status_code for _ in range(5)]
    assert replies == [200, 200, 200, 429, 429]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.id)
def test_every_operation_is_of_a_kind_that_has_a_rate(operation: Operation, open_limited: Open) -> None:
    responses = contract()["paths"][operation.path][operation.method.lower()]["responses"]
    # Page and guides are a few files that browsers keep.
    if operation.handle.__module__.startswith(("service.page.", "service.guides.", "service.ops.")):
        assert operation.rate_limit == UNLIMITED
        assert "429" not in responses
        return
    assert operation.rate_limit in (
        PLAYING,
        READING,
        REVIEWING,
        STREAMING,
        SITTING,
        CREATING,
        ARCHIVING,
        IMPORTING,
        THINKING,
    )
    assert {"RateLimit", "RateLimit-Policy", "Retry-After"} <= responses["429"]["headers"].keys()
    for response in responses.values():
        assert {"RateLimit", "RateLimit-Policy"} <= response["headers"].keys()


def test_an_earlier_table_is_dearer_than_the_newest(open_limited: Open) -> None:
    eve = client_at(open_limited(reviewing="2 per minute"), EVE)
    game = eve.create({"name": "Anna"}, {"name": "Ben"})
    replies = [eve.get(f"{game.address}?{at}") for at in ("at=1", "%61t=1", "at=1")]
    assert [reply.status_code for reply in replies] == [200, 200, 429]
    assert [eve.get(game.address).status_code for _ in range(3)] == [200] * 3
    assert eve.get(f"{game.address}/audit").status_code == 429


def test_health_is_never_refused(open_limited: Open) -> None:
    api = client_at(open_limited(reading="1 per hour", token="1 per hour"), EVE)
    for address in ("/livez", "/readyz", "/metrics"):
        replies = [api.get(address, "any") for _ in range(3)]
        assert [reply.status_code for reply in replies] == [200, 200, 200]
        assert "RateLimit" not in replies[0].headers


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("POST /v1/games", CREATING),
        ("POST /v1/games/{game}/rematch", CREATING),
        ("POST /v1/games/{game}/seats", SITTING),
        ("POST /v1/games/{game}/choices", PLAYING),
        ("GET /v1/games/{game}", READING),
        ("GET /v1/games/{game}/audit", REVIEWING),
        ("GET /v1/games/{game}/diff", REVIEWING),
        ("GET /v1/games/{game}/explain/{version}", REVIEWING),
        ("GET /v1/games/{game}/export", REVIEWING),
        ("GET /v1/games/{game}/knowledge", REVIEWING),
        ("GET /v1/games/{game}/timeline", REVIEWING),
        ("GET /v1/games/{game}/events", STREAMING),
    ],
)
def test_what_is_dear_is_tight_and_what_is_play_is_generous(call: str, kind: str) -> None:
    (found,) = [one for one in OPERATIONS if f"{one.method} {one.path}" == call]
    assert found.rate_limit == kind


def test_an_address_brings_so_many_games_a_day(open_limited: Open) -> None:
    """They stay for ever, so their number is limited and not only their rate."""
    app = open_limited(importing="5 per minute; 2 per day")
    eve = client_at(app, EVE)
    send = {"Content_Type": "application/x-ndjson"}
    replies = [eve.post("/v1/imports", finished_file(seed=seed), **send) for seed in (1, 2, 3)]
    assert [reply.status_code for reply in replies] == [201, 201, 429]
    assert "2 requests for importing in 86400 seconds" in replies[2].get_json()["detail"]
    assert client_at(app, ANNA).post("/v1/imports", finished_file(), **send).status_code == 201
    free = client_at(open_limited(rate_limits="off", importing="1 per day"), EVE)
    assert [free.post("/v1/imports", finished_file(), **send).status_code for _ in range(3)] == [201] * 3
