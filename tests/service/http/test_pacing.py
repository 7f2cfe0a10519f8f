"""Refusals of an address that gets very many: held back, so that they leave the process to others."""

from __future__ import annotations

import fakeredis
from flask import Flask, g

from service.config import LimitSettings
from service.http.limits import (
    BURST_SECONDS,
    LONGEST_REST,
    SERVER_SECONDS,
    SHARE,
    RateLimits,
    RefusalPacing,
    RequestCounts,
    make_policies,
)
from tests.support.app import ANNA, EVE


class Time:
    """A clock that rests move."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.rests: list[float] = []

    def clock(self) -> float:
        return self.now

    def rest(self, seconds: float) -> None:
        self.rests.append(seconds)
        self.now += seconds


def test_a_few_refusals_are_sent_at_once() -> None:
    time = Time()
    pacing = RefusalPacing(time.clock, time.rest)
    for _ in range(20):
        pacing.rest_after(EVE, 0.001)
    assert time.rests == []


def test_many_refusals_take_no_more_than_their_share() -> None:
    time = Time()
    pacing = RefusalPacing(time.clock, time.rest)
    started_at = time.now
    for _ in range(1_000):
        pacing.rest_after(EVE, 0.001)
    worked = 1_000 * (0.001 + SERVER_SECONDS)
    assert worked / (time.now - started_at) <= SHARE * 1.1


def test_nobody_else_rests() -> None:
    time = Time()
    pacing = RefusalPacing(time.clock, time.rest)
    for _ in range(1_000):
        pacing.rest_after(EVE, 0.001)
    time.rests.clear()
    pacing.rest_after(ANNA, BURST_SECONDS / 2)
    assert time.rests == []


def test_no_reply_is_held_back_for_ever() -> None:
    time = Time()
    RefusalPacing(time.clock, time.rest).rest_after(EVE, 60)
    assert time.rests == [LONGEST_REST]


def test_who_rests_long_enough_is_answered_at_once_again() -> None:
    time = Time()
    pacing = RefusalPacing(time.clock, time.rest)
    pacing.rest_after(EVE, 1)
    time.rests.clear()
    time.now += 1 / SHARE
    pacing.rest_after(EVE, 0.001)
    assert time.rests == []


def test_only_refusals_of_counted_requests_rest() -> None:
    time = Time()
    counts = RequestCounts(fakeredis.FakeRedis(server=fakeredis.FakeServer()))
    limits = RateLimits(LimitSettings(), counts, RefusalPacing(time.clock, time.rest))
    with Flask("test").app_context():
        g.counted_by = ()
        limits.charge(1, is_refused=True)
        g.counted_by = ((make_policies("reading", "9 per minute", "one address"), EVE),)
        limits.charge(1, is_refused=False)
        assert time.rests == []
        limits.charge(1, is_refused=True)
        assert len(time.rests) == 1
