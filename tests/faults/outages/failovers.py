"""A master is killed, stopped for a while, or cut off and killed, and another server takes over.

It is the one of a set with sentinels, or one of a cluster. Games with bots of all editions are played
meanwhile. What was acknowledged is compared with the logs, and the list of games with them, too.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from time import monotonic
from typing import Protocol

from msgspec import Struct

from events.redis import connect
from events.redis_store import RedisStore
from service.load.load import Load, LoadPlan, LoadReport
from service.ops.redis_server import RedisServer
from service.progress import Progress
from tests.faults.outages.attacked import now, wait_for
from tests.support.cluster import ClusterSet, run_cluster
from tests.support.http_client import HttpService
from tests.support.sentinel import DOWN_AFTER_SECONDS, Node, run_sentinel_set
from tests.support.service_process import is_up, run_service
from tests.support.waiting import wait_until

REPLICATED, LOCAL = "replicated:1", "local"
ROUNDS = 5
LOAD_SECONDS = 20.0
# Played before anything happens.
CALM_SECONDS = 3.0
STOP_SECONDS = 5.0
CUT_SECONDS = 2.5
# Without an acknowledged choice, after Sentinel has noticed that the master is gone.
LONGEST_SILENCE = 4.0
# Until all that is derived is right again.
SETTLE_SECONDS = 10.0
# The only refusals: of a player who saw what a bot chose, before it was lost with the master; and of one who
# wants to end a game that is over.
GONE_BACK = ("409 unknown_ask", "409 stale_ask", "409 already_answered", "409 game_over")


class Servers(Protocol):
    """A set with sentinels, or a cluster."""

    @property
    def url(self) -> str: ...

    def pick_master(self, number: int) -> Node: ...

    def replicas_of(self, master: Node) -> list[Node]: ...

    def repair(self) -> None: ...


class Fault(Struct, frozen=True):
    """What is done to a master; `silence` is what that takes before the master is gone."""

    strike: Callable[[Servers, Node], None]
    silence: float = 0.0


def kill(servers: Servers, master: Node) -> None:
    master.kill()


def stop(servers: Servers, master: Node) -> None:
    """Stop the master until another one has been named, and let it go on: it still thinks it is one."""
    master.send_signal(signal.SIGSTOP)
    wait_for(STOP_SECONDS)
    master.send_signal(signal.SIGCONT)


def cut_off_and_kill(servers: Servers, master: Node) -> None:
    """What is written to the master from here on is nowhere else when it is killed."""
    replicas = servers.replicas_of(master)
    for replica in replicas:
        replica.send_signal(signal.SIGSTOP)
    with master.client() as client:
        client.client_kill_filter(_type="replica")
    wait_for(CUT_SECONDS)
    master.kill()
    for replica in replicas:
        replica.send_signal(signal.SIGCONT)


def move_slots(servers: Servers, master: Node) -> None:
    """Move slots of a master of a cluster to another one, at once, twice."""
    assert isinstance(servers, ClusterSet)
    masters = [servers.pick_master(number) for number in range(3)]
    for target in masters:
        if target is not master:
            servers.move_slots(master, target)


FAULTS = {
    "killed": Fault(kill),
    "stopped and let go on": Fault(stop),
    "cut off and killed": Fault(cut_off_and_kill, CUT_SECONDS),
}


MOVE = Fault(move_slots)


def run(folder: Path, fault: Fault, durability: str = REPLICATED, rounds: int = ROUNDS) -> bool:
    """Play while the master that sentinels name is lost; whether everything was as it has to be."""
    with run_sentinel_set(folder / "servers") as servers:
        return run_on(servers, folder, fault, durability, rounds)


def run_in_cluster(folder: Path, fault: Fault, durability: str = REPLICATED, rounds: int = ROUNDS) -> bool:
    """Play while one master after the other of a cluster is lost, with two replicas each."""
    with run_cluster(folder / "servers", replicas=2) as servers, RedisServer(folder / "queue") as queue:
        return run_on(servers, folder, fault, durability, rounds, QUEUE_URL=queue.url)


def run_on(
    servers: Servers, folder: Path, fault: Fault, durability: str, rounds: int, **environment: str
) -> bool:
    """Play while masters are lost, as often as that; whether everything was as it has to be."""
    has_held = True
    choices = lost = 0
    told = {**environment, "REDIS_URL": servers.url, "DURABILITY": durability}
    with run_service(folder / "data", None, **told) as (base, _):
        for number in range(rounds):
            report = play_through(base, servers, fault, number)
            settled = measure_settling(base, servers)
            choices += report.choices
            lost += report.lost
            print(f"   {describe(report)}; settled after {settled:.1f} s", flush=True)
            has_held &= judge(report, fault, durability) and settled <= SETTLE_SECONDS
            servers.repair()
    print(f"   {choices:,} acknowledged choices, {lost} lost")
    # A trial in which nothing can be lost proves nothing.
    return has_held and (lost > 0) == (durability == LOCAL and fault.silence > 0)


def play_through(base: str, servers: Servers, fault: Fault, number: int) -> LoadReport:
    """Play, lose a master, and play on."""
    plan = LoadPlan(base, games=8, seconds=LOAD_SECONDS, players=2, bots=1, seed=number)
    master = servers.pick_master(number)
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(Load(plan, Progress(StringIO())).run)
        wait_for(CALM_SECONDS)
        fault.strike(servers, master)
        return playing.result()


def judge(report: LoadReport, fault: Fault, durability: str) -> bool:
    """Whether the players saw nothing else than what is allowed."""
    is_safe = durability == REPLICATED
    faults = [finding for finding in report.findings if is_safe or finding.kind == "doubled"]
    others = [
        code for code in (*report.repeated, *report.refused) if code.startswith("5") and code[:3] != "503"
    ]
    strange = [code for code in report.refused if is_safe and code not in GONE_BACK]
    is_short = report.silence <= DOWN_AFTER_SECONDS + LONGEST_SILENCE + fault.silence
    for what in (*faults[:5], *others, *strange):
        print(f"   WRONG: {what}")
    return is_short and not faults and not others and not strange and not report.ended_early


def describe(report: LoadReport) -> str:
    return (
        f"{report.choices:,} choices, {report.lost} lost, {report.doubled} doubled, "
        f"silence {report.silence:.1f} s, repeated {report.repeated}, refused {report.refused}, "
        f"given up {report.given_up}"
    )


def measure_settling(base: str, servers: Servers) -> float:
    """How long it takes until /readyz is 200 and the list says what the logs say."""
    begun = now()
    wait_until(lambda: is_up(f"{base}/readyz") and is_listed(base, servers.url), "the list as the logs are")
    return monotonic() - begun


def is_listed(base: str, url: str) -> bool:
    """Whether the list has every game, at the version of its log."""
    service = HttpService(base)
    listed: dict[str, int] = {}
    address: str | None = "/v1/games?limit=100"
    while address:
        reply = service.call("GET", address)
        if reply.status != 200:
            return False
        listed |= {row["id"]: row["version"] for row in reply.json["games"]}
        address = reply.json["next"]
    with connect(url) as client:
        store = RedisStore(client)
        return listed == {game: store.head(game)[0] for game in store.list_games()}
