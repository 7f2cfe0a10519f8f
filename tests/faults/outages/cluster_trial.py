"""Sixty games of all editions with bots are played in a cluster, while each master is lost in every way.

Two API processes, two projectors and two workers serve them; each master has two replicas. In the end every
game is played out and verified. Before, the processor time of a choice is compared with that on one server.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from io import StringIO
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any

from events.cluster import ClusterClient
from events.layout import CLUSTER_PARTITIONS, LAYOUTS, find_layout
from events.redis import connect
from events.redis_store import RedisStore
from service.games.deadlines import bots_due
from service.games.games import Games
from service.load.load import Load, LoadPlan, LoadReport, Meter
from service.ops.redis_server import RedisServer
from service.progress import Progress
from tests.faults.outages import failovers
from tests.faults.outages.attacked import wait_for
from tests.support.cluster import ClusterSet, run_cluster
from tests.support.http_client import HttpService
from tests.support.sentinel import Node
from tests.support.service_process import is_up, run_service
from tests.support.waiting import wait_until

GAMES = 60
# Before each answer. Without it, all of this on two cores is measured by what the machine can do.
THINKING_SECONDS = 1.0
MASTERS = 3
# Runs on one server and on the cluster, at the same pace and at once: the machine is as busy for both.
PAIRS = 5
PAIR_SECONDS = 10.0
PAIR_PAUSE = 0.3
MOST_PROCESSOR_TIME = 1.25
SETTLE_SECONDS = failovers.SETTLE_SECONDS
# Games of other masters are watched for so long after each fault.
WATCH_SECONDS = 10.0
# A game that waits for a new master waits longer than this, which is what the servers take to notice.
LONGEST_WAIT = 2.0
FAULTS = {**failovers.FAULTS, "giving slots away": failovers.MOVE}


class TimedMeter(Meter):
    """Also keeps when each request of a game was answered, and how long it took; some wait on purpose."""

    def __init__(self) -> None:
        super().__init__()
        self.timed: list[tuple[float, float, str]] = []

    def record_reply(self, address: str, seconds: float) -> None:
        super().record_reply(address, seconds)
        if address.startswith("/v1/games/") and "wait=" not in address:
            self.timed.append((monotonic(), seconds, address.split("/")[3]))


def run(folder: Path) -> bool:
    """Play while masters are lost, as often as that; whether everything was as it has to be."""
    with run_cluster(folder / "servers", replicas=2) as servers, RedisServer(folder / "queue") as queue:
        told = {"REDIS_URL": servers.url, "QUEUE_URL": queue.url, "DURABILITY": failovers.REPLICATED}
        is_cheap = compare_processor_time(folder, told)
        with run_service(folder / "data", None, **told) as (base, _), second_projector(told):
            return play_through_all(base, servers) and is_cheap


def compare_processor_time(folder: Path, told: Mapping[str, str]) -> bool:
    """Whether a choice takes the API little more on the cluster than on one server."""
    ratios: list[float] = []
    with ExitStack() as stack:
        single, _ = stack.enter_context(run_service(folder / "single"))
        cluster, _ = stack.enter_context(run_service(folder / "compared", None, **told))
        for number in range(PAIRS):
            with ThreadPoolExecutor(2) as pool:
                one, other = pool.map(partial(measure_api, number), (single, cluster))
            ratios.append(other / one)
            print(f"   API a choice: {one:.2f} ms on one server, {other:.2f} ms on the cluster", flush=True)
    print(f"   ratio {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})", flush=True)
    return median(ratios) <= MOST_PROCESSOR_TIME


def measure_api(seed: int, base: str) -> float:
    """The processor time of the API for each choice, in milliseconds."""
    plan = LoadPlan(base, games=8, seconds=PAIR_SECONDS, players=3, seed=seed, pause=PAIR_PAUSE)
    report = Load(plan, Progress(StringIO())).run()
    assert report.processor_ms
    return report.processor_ms["api"]


@contextmanager
def second_projector(told: Mapping[str, str]) -> Iterator[None]:
    """A projector beside that of the service."""
    command = [sys.executable, "-m", "workers.projector"]
    process = subprocess.Popen(command, env={**os.environ, **told, "LOG_LEVEL": "error"})
    try:
        yield
    finally:
        process.kill()
        process.wait()


def play_through_all(base: str, servers: ClusterSet) -> bool:
    """Play until every fault has struck every master, and on until all games are over."""
    plan = LoadPlan(
        base, games=GAMES, seconds=3600.0, players=2, bots=1, to_the_end=True, pause=THINKING_SECONDS
    )
    meter = TimedMeter()
    load = Load(plan, Progress(StringIO()), meter)
    held: list[bool] = []
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(load.run)
        try:
            for number in range(MASTERS):
                held += [strike(base, servers, meter, name, number) for name in FAULTS]
        finally:
            load.stopped.set()
        report = playing.result()
    return judge(base, servers, report) and all(held)


def strike(base: str, servers: ClusterSet, meter: TimedMeter, name: str, number: int) -> bool:
    """Do something to a master; whether other games went on, and what is derived was right soon."""
    wait_for(failovers.CALM_SECONDS)
    master = servers.pick_master(number)
    partitions = list_partitions(servers, master)
    begun = monotonic()
    FAULTS[name].strike(servers, master)
    settled = measure_settling(base, servers)
    wait_for(max(0.0, begun + WATCH_SECONDS - monotonic()))
    others, own = split_waits(meter, partitions, begun)
    servers.repair()
    print(
        f"   master {number + 1} {name}: settled after {settled:.1f} s; games of others {describe(others)}, "
        f"its own {describe(own)}",
        flush=True,
    )
    return settled <= SETTLE_SECONDS and max(others, default=0.0) <= LONGEST_WAIT


def list_partitions(servers: ClusterSet, master: Node) -> set[int]:
    """The partitions whose games a master has."""
    with connect(servers.url) as client:
        assert isinstance(client, ClusterClient)
        layout = find_layout(client)
        keys = {number: layout.feed_key(number) for number in range(layout.partitions)}
        return {number for number, key in keys.items() if client.master_of(key).port == master.port}


def split_waits(meter: TimedMeter, partitions: set[int], begun: float) -> tuple[list[float], list[float]]:
    """How long requests took since then, in games of other masters and in those of this one."""
    layout = LAYOUTS[CLUSTER_PARTITIONS]
    waits: dict[bool, list[float]] = {True: [], False: []}
    for at, seconds, game in [*meter.timed]:
        if at >= begun:
            waits[layout.partition(game) in partitions].append(seconds)
    return waits[False], waits[True]


def describe(waits: list[float]) -> str:
    if not waits:
        return "asked nothing"
    return f"{len(waits):,} requests, p50 {median(waits):.2f} s, longest {max(waits):.2f} s"


def measure_settling(base: str, servers: ClusterSet) -> float:
    """How long it takes until the list has what the logs have now, and bots have answered who are due now."""
    begun = monotonic()
    wait_until(lambda: is_up(f"{base}/readyz"), "a service that is ready")
    with connect(servers.url) as client:
        games = Games(RedisStore(client))
        heads = {game: games.store.head(game)[0] for game in games.store.list_games()}
        due = {game: heads[game] for game in heads if bots_due(games.snapshot(game).state)}

        ready = monotonic() - begun

        def is_listed() -> bool:
            listed = read_list(base)
            return all(listed.get(game, 0) >= version for game, version in heads.items())

        wait_until(is_listed, "the list as the logs were")
        listed = monotonic() - begun
        wait_until(lambda: all(games.store.head(game)[0] > due[game] for game in due), "answers of bots")
    answered = monotonic() - begun
    print(
        f"   ready after {ready:.1f} s, listed after {listed:.1f}, "
        f"{len(due)} bots have answered after {answered:.1f}"
    )
    return answered


def read_list(base: str) -> dict[str, int]:
    """The versions of all games in the list; none while it cannot be read."""
    service = HttpService(base)
    listed: dict[str, int] = {}
    address: str | None = "/v1/games?limit=100"
    while address:
        reply = service.call("GET", address)
        if reply.status != 200:
            return {}
        listed |= {row["id"]: row["version"] for row in reply.json["games"]}
        address = reply.json["next"]
    return listed


def judge(base: str, servers: ClusterSet, report: LoadReport) -> bool:
    """Whether nothing was lost or doubled, every game is over and verified, and the list says so."""
    service = HttpService(base)
    audits: list[Any] = [
        service.call("GET", f"/v1/games/{game}/audit").json["verified"]["ok"] for game in read_list(base)
    ]
    print(f"   {failovers.describe(report)}")
    print(
        f"   {report.choices:,} acknowledged choices, {report.lost} lost, {report.doubled} doubled; "
        f"{report.finished} of {report.games} games over, {audits.count(True)} of {len(audits)} verified"
    )
    wait_until(lambda: failovers.is_listed(base, servers.url), "the list as the logs are")
    others = [code for code in (*report.repeated, *report.refused) if code[0] == "5" and code[:3] != "503"]
    for what in (*report.findings[:5], *others):
        print(f"   WRONG: {what}")
    is_played_out = report.finished == report.games and all(audits)
    return is_played_out and not report.findings and not others and not report.given_up
