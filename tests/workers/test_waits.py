"""Long waits are told, but not one by one."""

from __future__ import annotations

import json

from service import metrics
from service.queue.fair_queue import QueuedGame
from tests.support.app import capture_log
from workers.jobs import SILENCE_SECONDS, WaitLog


def waited(seconds: float) -> QueuedGame:
    return QueuedGame("g_1", "eve", False, "0", seconds)


def test_a_wait_of_more_than_a_second_is_told_and_then_no_other_for_a_while() -> None:
    waits = WaitLog()
    with capture_log() as log:
        for second in range(int(SILENCE_SECONDS) + 1):
            waits.record(waited(0.9), 100.0 + second)
            waits.record(waited(3.0 + second), 100.0 + second)
    first, second_line = map(json.loads, log.getvalue().splitlines())
    assert (first["event"], first["level"]) == ("games_waited_long", "warning")
    assert (first["seconds"], first["games"]) == (3.0, 1)
    assert (second_line["seconds"], second_line["games"]) == (13.0, 10)


def test_every_wait_is_measured() -> None:
    before = count_waits()
    WaitLog().record(waited(0.02), 0.0)
    assert count_waits() == before + 1


def count_waits() -> float:
    lines = metrics.render_metrics().decode().splitlines()
    return sum(
        float(line.split()[-1]) for line in lines if line.startswith("croupier_queue_wait_seconds_count")
    )
