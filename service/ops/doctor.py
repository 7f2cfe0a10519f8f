"""Tells an operator what `/readyz` keeps from strangers, versions and addresses: `croupier doctor`."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from shutil import disk_usage

from redis import exceptions

from events.inspection import Inspection, inspect_server
from events.layout import LAYOUTS
from events.objects import open_objects
from events.redis import CAUSES, connect, is_well_formed
from events.store import Unavailable
from service.config import Settings
from service.incidents import resolve_cause
from service.ops.preflight import address_of
from service.ops.redis_server import find_running_url
from service.progress import count_things
from service.text import escape, print_line

MEGABYTE = 1_000_000


def main(settings: Settings) -> int:
    """Print what is found, and return 0 if games can be stored, else 1."""
    print_line(f"croupier {version('croupier')} on Python {platform.python_version()}, {platform.platform()}")
    print_line(_describe_folder(settings.data_dir))
    print_line(_describe_archive(settings))
    url = settings.redis_url or find_running_url(settings.data_dir)
    if url is None:
        print_line("FAULT: no Redis runs in that folder, and REDIS_URL names none")
        return 1
    found = _inspect(url, settings)
    for line in _describe(url, found):
        print_line(escape(line))
    return 1 if isinstance(found, str) or found.cause else 0


def _describe_folder(folder: Path) -> str:
    """Return where the embedded Redis keeps its data, and how much room is there."""
    place = folder.resolve()
    if not place.exists():
        return f"data folder: {escape(str(place))}, which does not exist"
    return f"data folder: {escape(str(place))}, {disk_usage(place).free // MEGABYTE:,} MB free on its disk"


def _describe_archive(settings: Settings) -> str:
    """Return where finished games go, and whether the archive answers."""
    place = escape(settings.archive_place)
    after = f"after {settings.archive_after:g} hours" if settings.archive_after else "never"
    try:
        sum(1 for _ in open_objects(settings.archive_place).list("00"))
    except Unavailable as fault:
        return f"FAULT: archive of finished games: {place}: {escape(str(fault))}"
    return f"archive of finished games: {place}; they go there {after}"


def _inspect(url: str, settings: Settings) -> Inspection | str:
    """Return what the server says of itself, or why it says nothing."""
    if not is_well_formed(url):
        return "REDIS_URL is not understood by the Redis client: check its options"
    with connect(url, replicas=settings.durable_replicas) as client:
        try:
            return inspect_server(client, settings.trust_redis)
        except (Unavailable, exceptions.ResponseError) as fault:
            return str(fault)


def _describe(url: str, found: Inspection | str) -> Iterator[str]:
    """Yield a line about the server and one for each fault and warning."""
    if isinstance(found, str):
        yield f"Redis: {address_of(url)}"
        yield f"FAULT: {found}"
        return
    server = found.found
    appendonly = "yes" if server.appendonly else "no"
    yield f"Redis: {address_of(url)}, {server.server} {server.version}, {server.role}"
    yield (
        f"its settings: appendonly {appendonly}, appendfsync {server.appendfsync or 'unknown'}, "
        f"maxmemory-policy {server.maxmemory_policy}"
    )
    if found.partitions:
        slots = len(LAYOUTS[found.partitions].player_slots)
        yield f"games are in {found.partitions} partitions, for as long as this store exists"
        yield f"players are in {count_things(slots, 'slot')}"
    for fault in found.unfit + found.troubles:
        yield f"FAULT: {fault}"
    if found.cause:
        yield f"cause: {resolve_cause(found.cause)}: {CAUSES[resolve_cause(found.cause)]}"
    for warning in found.warnings:
        yield f"warning: {warning}"
    if not found.cause:
        yield "games can be stored"
