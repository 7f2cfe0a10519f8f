"""Thousands of connections or creations of a stranger, while somebody plays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from service.ops.redis_server import find_running_url
from tests.support.bot_flood import PLAN, percentile_95, play_and_time
from tests.support.crowds import HALF_A_BODY, HALF_A_FILE, HALF_A_HEAD, crowd, stream_request
from tests.support.faults import Watcher
from tests.support.http_client import HttpClient
from tests.support.request_flood import flood_bad_bodies, flood_creations, flood_reads, put_games
from tests.support.service_process import run_service

ANNA, STRANGER, LIVEZ = "127.0.0.1", "127.0.0.2", "/livez"
FINISHED = 120
QUIET_SECONDS, CROWD_SECONDS = 10, 30
CHOICE_SECONDS, BOT_SECONDS = 0.1, 0.5


def run(folder: Path, number: int, say: Callable[[str], bytes], descriptors: int | None = None) -> bool:
    with run_service(folder / "data", descriptors, RATE_LIMITS="off") as (base, _):
        print(f"  quiet: {play_and_time(base, ANNA, QUIET_SECONDS)}", flush=True)
        with crowd(base, number, say(base), STRANGER), Watcher(base, LIVEZ) as watcher:
            waits = play_and_time(base, ANNA, CROWD_SECONDS)
    print(f"  crowded: {waits}", flush=True)
    quick = percentile_95(waits.choices) < CHOICE_SECONDS and percentile_95(waits.bots) < BOT_SECONDS
    return is_alive(watcher) and quick


def is_alive(watcher: Watcher) -> bool:
    looks = watcher.select(LIVEZ)
    good = sum(look.status == 200 for look in looks)
    slowest = max(look.seconds for look in looks)
    print(f"  {good} of {len(looks)} /livez answered, the slowest after {slowest * 1000:.0f} ms", flush=True)
    return good == len(looks)


def open_streams(base: str) -> bytes:
    return stream_request(HttpClient(base).post("/v1/games", PLAN)["id"])


def half_bodies(folder: Path) -> bool:
    return run(folder, 8_300, lambda base: HALF_A_BODY)


def half_files(folder: Path) -> bool:
    return run(folder, 8_300, lambda base: HALF_A_FILE)


def half_heads(folder: Path) -> bool:
    return run(folder, 8_300, lambda base: HALF_A_HEAD)


def silent_connections(folder: Path) -> bool:
    return run(folder, 8_300, lambda base: b"")


def too_many_streams(folder: Path) -> bool:
    return run(folder, 2_013, open_streams, 1024)


def flood_of_creations(folder: Path) -> bool:
    """With the limits as they are by default."""
    with run_service(folder / "data", None, RATE_LIMITS="on") as (base, _):
        print(f"  quiet: {play_and_time(base, ANNA, QUIET_SECONDS)}", flush=True)
        with flood_creations(base, STRANGER) as told, Watcher(base, LIVEZ) as watcher:
            waits = play_and_time(base, ANNA, CROWD_SECONDS)
    print(f"  crowded: {waits}; the stranger was told {dict(told)}", flush=True)
    quick = percentile_95(waits.choices) < CHOICE_SECONDS and percentile_95(waits.bots) < BOT_SECONDS
    return is_alive(watcher) and quick and told["429"] > told["201"]


def dear_reads(folder: Path) -> bool:
    """More games than a process remembers, with the limits as they are by default."""
    with run_service(folder / "data", None, RATE_LIMITS="on") as (base, _):
        games = put_games(find_running_url(folder / "data") or "", FINISHED)
        print(f"  quiet: {play_and_time(base, ANNA, QUIET_SECONDS)}", flush=True)
        with flood_reads(base, STRANGER, games) as told, Watcher(base, LIVEZ) as watcher:
            waits = play_and_time(base, ANNA, CROWD_SECONDS)
    print(f"  crowded: {waits}; the stranger was told {dict(told)}", flush=True)
    quick = percentile_95(waits.choices) < CHOICE_SECONDS and percentile_95(waits.bots) < BOT_SECONDS
    return is_alive(watcher) and quick


def bad_bodies(folder: Path) -> bool:
    """Small bodies that took up to 580 ms each in 0.2.0, with the limits as they are by default."""
    with run_service(folder / "data", None, RATE_LIMITS="on") as (base, _):
        quiet = play_and_time(base, ANNA, QUIET_SECONDS)
        print(f"  quiet: {quiet}", flush=True)
        with flood_bad_bodies(base, STRANGER) as told, Watcher(base, LIVEZ) as watcher:
            waits = play_and_time(base, ANNA, CROWD_SECONDS)
    print(f"  crowded: {waits}; the stranger was told {dict(told)}", flush=True)
    as_quick = percentile_95(waits.choices) < min(CHOICE_SECONDS, 3 * percentile_95(quiet.choices))
    return is_alive(watcher) and as_quick and percentile_95(waits.bots) < BOT_SECONDS
