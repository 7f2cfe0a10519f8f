"""What finished games in the archive cost those that go on: `python -m bench games [number of games]`.

A store with 20,000 finished games beside one with 1,000, each with 200 that go on: the start, the list, the
idle processor time and a choice, and how long a follower that has lost its cursor takes.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from io import StringIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any

import msgspec
from msgspec.structs import replace
from redis import Redis

from bench.due import copy_waiting_games, wait_until
from bench.ratio import Ratio
from events.archive import Archive, PrivatePart, Stub, object_name
from events.chain import GENESIS, link
from events.commands import Create
from events.commit import Commit
from events.follower import PROJECTOR, RedisCursor
from events.objects import FolderObjects
from events.redis import connect
from events.types import GameCreated
from service.container import Backend, build_backend
from service.fairness.export_file import write_file
from service.games.snapshots import EMPTY_SNAPSHOT, fold_commits
from service.load.load import Load, LoadPlan
from service.load.local_processes import ProcessorTime
from service.lobby.archived_games import SealedGame
from service.lobby.rebuild import rebuild_lobby
from service.lobby.rows import write_line
from service.ops.redis_server import RedisServer
from service.progress import Progress
from service.stats.counts import summarise
from tests.support.finished_games import finished_log
from tests.support.http_client import HttpService
from tests.support.service_process import run_service
from workers.projector import make_projector

FEW, MANY = 1_000, 20_000
LIVE = 200
MOST = 1.2
ROUNDS = 5
IDLE_SECONDS = 10.0
PLAY_SECONDS = 6.0
READS = 100
LISTS = ("/v1/games", "/v1/games?status=playing", "/v1/games?status=over", "/v1/games?order=changed")


def measure() -> Iterator[Ratio]:
    many = next((int(word) for word in sys.argv[1:] if word.isdecimal()), MANY)
    with ExitStack() as stack:
        folders = [
            Path(stack.enter_context(TemporaryDirectory(prefix="croupier-bench-"))) / "data" for _ in range(2)
        ]
        for folder, number in zip(folders, (FEW, many), strict=True):
            fill(folder, number)
        found: list[list[dict[str, float]]] = [[], []]
        for _ in range(ROUNDS):
            for folder, taken in zip(folders, found, strict=True):
                taken.append(measure_service(folder))
        for name in found[0][0]:
            few, ours = (median(one[name] for one in taken) for taken in found)
            what, _, unit = name.partition(", ")
            yield Ratio(f"{what}, {many:,} finished", ours, few, unit, MOST, at_most=True)
        times = [[catch_up(folder) for folder in folders] for _ in range(ROUNDS)]
        few, ours = map(median, zip(*times, strict=True))
        yield Ratio(f"lost cursor, {many:,} finished", ours, few, "s", MOST, at_most=True)


def fill(folder: Path, number: int) -> None:
    """One finished game under many ids in the archive, and games that go on."""
    archive = folder / "archive"
    with RedisServer(folder) as server, connect(server.url) as client:
        backend = build_backend(client, archive=Archive(FolderObjects(archive)))
        _, commits, seed = finished_log()
        for at in range(number):
            archive_copy(backend, archive, copy_game(commits, f"g_finished{at:014d}"[:24]), seed)
        copy_waiting_games(client, LIVE + 1)
        rebuild_lobby(backend)
        # A server does this by itself when its file has doubled: the file has what there is, not what was.
        client.bgrewriteaof()
        wait_until(lambda: not is_rewriting(client), "the file of the server")


def is_rewriting(client: Redis) -> bool:
    told: Any = client.info("persistence")
    return bool(told["aof_rewrite_in_progress"] or told["aof_rewrite_scheduled"])


def copy_game(commits: Sequence[Commit], game: str) -> list[Commit]:
    """The same game under another id, with a chain of its own."""
    copies: list[Commit] = []
    prev = GENESIS
    for commit in commits:
        command, events = commit.command, commit.events
        if isinstance(command, Create):
            command = replace(command, game=game)
            events = tuple(
                replace(event, game=game) if isinstance(event, GameCreated) else event for event in events
            )
        copies.append(link(replace(commit, command=command, events=events, prev=prev, hash="")))
        prev = copies[-1].hash
    return copies


def archive_copy(backend: Backend, archive: Path, commits: Sequence[Commit], seed: str) -> None:
    """Put a game into the archive without syncing each file, and list it as the archiver does."""
    snapshot = fold_commits(EMPTY_SNAPSHOT, commits)
    game = snapshot.state.game
    snapshot = replace(snapshot, game=game)
    line = write_line(snapshot)
    ended = int(commits[-1].version)
    sealed = SealedGame(line, dict(summarise(commits, snapshot.state).counts), {"exports:*": ended})
    private = PrivatePart(vault={"seed": seed}, derived=sealed.encode())
    for name, content in (
        (object_name(game), write_file(commits)),
        (object_name(game, ".private.json.gz"), msgspec.json.encode(private)),
    ):
        path = archive / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(content, mtime=0))
    backend.store.add_stub(game, Stub(commits[-1].version, commits[-1].hash))
    assert backend.archiver
    backend.archiver.seal(game)


def measure_service(folder: Path) -> dict[str, float]:
    """Start the whole service, and measure it."""
    begun = monotonic()
    with run_service(folder) as (base, _):
        started = monotonic() - begun
        service = HttpService(base)
        sleep(3)
        idle = ProcessorTime(base)
        sleep(IDLE_SECONDS)
        share = 100 * sum(idle.measure().values()) / IDLE_SECONDS
        lists = median(time_reading(service, path) for _ in range(READS) for path in LISTS)
        plan = LoadPlan(base, games=2, seconds=PLAY_SECONDS, players=2, editions=("classic",))
        report = Load(plan, Progress(StringIO())).run()
    assert report.processor_ms
    assert not report.findings
    return {
        "start, s": started,
        "list, ms": lists * 1000,
        "idle, % of a core": share,
        "choice, ms of all processes": sum(report.processor_ms.values()),
    }


def time_reading(service: HttpService, path: str) -> float:
    """How long a reply takes."""
    begun = monotonic()
    assert service.call("GET", path).status == 200
    return monotonic() - begun


def catch_up(folder: Path) -> float:
    """How long a follower without a cursor reads; the archive is away, so that none of it can be read."""
    archive = folder / "archive"
    hidden = folder / "hidden"
    with RedisServer(folder) as server, connect(server.url) as client:
        RedisCursor(client, PROJECTOR).forget()
        archive.rename(hidden)
        try:
            backend = build_backend(client, archive=Archive(FolderObjects(archive)))
            cursor = RedisCursor(client, PROJECTOR, 0.01)
            projector = make_projector(backend, cursor)
            begun = monotonic()
            while len(RedisCursor(client, PROJECTOR).positions()) < backend.store.partitions:
                projector.step()
            return monotonic() - begun
        finally:
            if archive.exists():
                archive.rmdir()
            hidden.rename(archive)
