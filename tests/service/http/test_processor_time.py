"""The processor time of a request, and what it costs its caller."""

from __future__ import annotations

from threading import Thread
from time import thread_time

from flask import Flask, request
from greenlet import greenlet

from service.http.limits import DEAR_SHARE, ORDINARY_SECONDS, READING, make_policies
from service.http.processor_time import SwitchClock, start_stopwatch
from service.http.services import SERVICES
from tests.support.app import ANNA, EVE, Open, client_at


class Seconds:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_greenlet_is_not_charged_for_what_others_do_while_it_waits() -> None:
    """In a thread of its own, whose switches alone are followed."""
    seconds = Seconds()
    found: list[float] = []

    def work() -> None:
        clock = SwitchClock(seconds)
        clock.start()

        def compute() -> None:
            seconds.now += 50

        begun = clock.read()
        seconds.now += 1
        greenlet(compute).switch()
        seconds.now += 2
        found.append(clock.read() - begun)

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert found == [3.0]


def test_a_stopwatch_reads_the_processor_time_that_was_spent() -> None:
    stopwatch = start_stopwatch()
    burn(0.02)
    assert 0.02 <= stopwatch.read() < 5


def burn(seconds: float) -> None:
    end = thread_time() + seconds
    while thread_time() < end:
        pass


def open_dear(open_limited: Open, seconds: float) -> Flask:
    """An application with one more operation, which takes so much of the processor."""
    app = open_limited(reading="600 per minute")
    app.test_client_class = None

    def show_dear() -> str:
        app.extensions[SERVICES].limits.check(READING, request)
        burn(seconds)
        return "done"

    app.add_url_rule("/dear", view_func=show_dear)
    return app


def requests_left(app: Flask, address: str) -> int:
    told = client_at(app, address).get("/v1/editions").headers["RateLimit"]
    return int(told.split(";r=")[1].split(";")[0])


def test_a_dear_request_counts_as_several(open_limited: Open) -> None:
    """One of 600 in a minute is worth ten milliseconds beyond what is ordinary."""
    app = open_dear(open_limited, seconds=0.105)
    assert client_at(app, EVE).get("/dear").status_code == 200
    assert requests_left(app, EVE) <= 600 - 1 - 10 - 1
    assert requests_left(app, ANNA) == 599


def test_dear_requests_run_out_sooner(open_limited: Open) -> None:
    app = open_limited(reading="10 per minute")
    with app.test_request_context("/v1/editions", environ_base={"REMOTE_ADDR": EVE}):
        app.preprocess_request()
        limits = app.extensions[SERVICES].limits
        limits.check(READING, request)
        limits.charge(60, is_refused=False)
    assert client_at(app, EVE).get("/v1/editions").status_code == 429
    assert client_at(app, ANNA).get("/v1/editions").status_code == 200


def test_an_ordinary_request_counts_once(open_limited: Open) -> None:
    app = open_limited(reading="600 per minute")
    with app.test_request_context("/v1/editions", environ_base={"REMOTE_ADDR": EVE}):
        app.preprocess_request()
        limits = app.extensions[SERVICES].limits
        limits.check(READING, request)
        limits.charge(ORDINARY_SECONDS, is_refused=False)
    assert requests_left(app, EVE) == 598


def test_all_that_a_limit_allows_may_take_a_share_of_its_period() -> None:
    for rate in ("200 per 10 seconds", "10000 per 10 seconds", "120 per minute"):
        (policy,) = make_policies("any", rate, "one address")
        whole = DEAR_SHARE * policy.item.get_expiry()
        assert policy.count_dear(whole) == policy.item.amount
