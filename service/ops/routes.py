"""HTTP operations for operators and visiting programs: health, metrics, robots.txt, security.txt."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import ceil

from msgspec import Struct
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from events.inspection import Inspection
from events.redis import CAUSES
from events.store import Unavailable
from service import metrics
from service.http.auth import PUBLIC_ACCESS
from service.http.limits import UNLIMITED
from service.http.operation import Call, operation
from service.http.problems import Fault, Problem
from service.http.responses import Reply
from service.http.services import Services
from service.incidents import resolve_cause
from service.ops.health import Lag, select_behind
from service.steady_clock import ClockReport

SURVIVES_LOCAL = "a crash of the server that keeps its disk"


class Health(Struct, frozen=True):
    status: str


class RedisSettings(Struct, frozen=True, omit_defaults=True):
    """Settings on which it depends whether games are kept; `appendfsync` only where the server tells it.

    `partitions` is the number that the games are spread by, which never changes.
    """

    appendonly: bool
    maxmemory_policy: str
    role: str
    appendfsync: str | None = None
    partitions: int | None = None


class Durability(Struct, frozen=True, omit_defaults=True):
    """What an acknowledged choice survives; `replicas`, those that keep up, only if the server tells it."""

    setting: str
    survives: str
    replicas: int | None = None


class Readiness(Struct, frozen=True):
    """How the server that keeps the games is set; a warning can be lived with.

    Anyone may ask, so it has no versions, paths and addresses; `croupier doctor` and the log have them.
    `status` is `ready`, or `degraded` where games are kept and something that they need is `behind`, or the
    clock of the machine was set a short while ago, or no replica can be spared.
    """

    status: str
    redis: RedisSettings
    durability: Durability
    warnings: list[str]
    behind: list[Lag]
    clock: ClockReport


@operation(
    "GET /livez",
    "Whether the process lives",
    Health,
    access=PUBLIC_ACCESS,
    query=None,
    uncached=True,
    rate_limit=UNLIMITED,
)
def livez(call: Call[None]) -> Reply:
    """Reply that the process runs."""
    return Reply(Health("alive"))


@operation(
    "GET /readyz",
    "Whether games can be kept, and how Redis is set",
    Readiness,
    access=PUBLIC_ACCESS,
    query=None,
    errors=("not_ready",),
    uncached=True,
    rate_limit=UNLIMITED,
)
def readyz(call: Call[None]) -> Reply:
    """Reply whether games can be stored now. Raises Problem if they cannot."""
    try:
        inspection = call.services.inspect()
        if inspection.cause:
            raise _not_ready(inspection.cause, inspection.unfit + inspection.troubles)
        behind = select_behind(call.services.lags())
        room = call.services.room.list_warnings()
    except Unavailable as fault:
        # What the client says of it names the address of the server.
        raise _not_ready(fault.cause, []) from None
    clock = call.services.clock.report()
    warnings = [
        *inspection.warnings,
        *room,
        *_clock_warnings(clock),
    ]
    status = "degraded" if behind or clock.held or inspection.is_short else "ready"
    found = inspection.found
    redis = RedisSettings(
        found.appendonly,
        found.maxmemory_policy,
        found.role,
        appendfsync=found.appendfsync,
        partitions=inspection.partitions,
    )
    return Reply(
        Readiness(
            status,
            redis,
            _describe_durability(inspection),
            warnings=warnings,
            behind=behind,
            clock=clock,
        )
    )


def _describe_durability(inspection: Inspection) -> Durability:
    """Return what an acknowledged choice survives."""
    wanted = inspection.wanted_replicas
    if not wanted:
        return Durability("local", SURVIVES_LOCAL, inspection.replicas)
    servers = "the loss of the master" if wanted == 1 else f"the loss of the master and {wanted - 1} more"
    return Durability(f"replicated:{wanted}", servers, inspection.replicas)


def _clock_warnings(clock: ClockReport) -> list[str]:
    """Return what to tell of a clock that was set."""
    if not clock.ahead:
        return []
    where = "ahead of" if clock.ahead > 0 else "behind"
    told = f"the clock of the machine was set and is {abs(clock.ahead):.0f} s {where} the time of the service"
    if not clock.held:
        return [f"{told}, which slowly follows it"]
    return [f"{told}: nothing is answered or closed by the clock for {ceil(clock.held)} s"]


def _not_ready(cause: str, faults: list[str]) -> Problem:
    """Return the problem of a service that cannot store games."""
    cause = resolve_cause(cause)
    return Problem("not_ready", CAUSES[cause], cause=cause, errors=[Fault(fault) for fault in faults])


@operation(
    "GET /metrics",
    "Figures of all processes, for Prometheus",
    {"text/plain": str},
    access=PUBLIC_ACCESS,
    query=None,
    uncached=True,
    rate_limit=UNLIMITED,
)
def show_metrics(call: Call[None]) -> Reply:
    """Reply with the metrics of all processes."""
    return Reply(metrics.render_metrics(_measure(call.services)), media=metrics.CONTENT_TYPE)


def _measure(services: Services) -> list[Metric]:
    """Return the figures that are measured now; without samples of lags if Redis cannot be asked.

    That it cannot is itself one of the figures.
    """
    available = GaugeMetricFamily("croupier_log_available", "Whether a choice would be kept now")
    behind = GaugeMetricFamily(
        "croupier_behind_seconds", "How far each process is behind, or silent", labels=["process"]
    )
    try:
        available.add_metric([], services.inspect().cause is None)
        for process, seconds in _worst(services.lags()).items():
            behind.add_metric([process], seconds)
    except Unavailable:
        available.add_metric([], 0)
    return [available, behind, *_measure_clock(services.clock.report())]


def _measure_clock(clock: ClockReport) -> list[Metric]:
    """Return the figures of the clock."""
    return [
        GaugeMetricFamily(
            "croupier_clock_ahead_seconds",
            "How far the clock of the machine is ahead of the time of the service",
            value=clock.ahead,
        ),
        GaugeMetricFamily(
            "croupier_clock_held_seconds",
            "For how long nothing is answered or closed by the clock, because it was set",
            value=clock.held,
        ),
        CounterMetricFamily(
            "croupier_clock_jumps", "How often the clock of the machine was set", value=clock.jumps
        ),
    ]


def _worst(lags: list[Lag]) -> dict[str, float]:
    """Return one figure for each process, the worst: a process may be both behind and silent."""
    worst: dict[str, float] = {}
    for lag in lags:
        worst[lag.process] = max(lag.seconds, worst.get(lag.process, 0.0))
    return worst


# Guides and the front page are for search engines. Games are not, since anybody with a link may watch one.
ROBOTS = b"""User-agent: *
Allow: /$
Allow: /docs
Allow: /llms.txt
Disallow: /
"""
TEXT = "text/plain; charset=utf-8"
DAY = {"Cache-Control": "public, max-age=86400"}
NO_CONTACT = (
    "This service names no security contact. Its operator can set `SECURITY_CONTACT`; "
    "what is not about this server belongs to the project, see SECURITY.md there."
)
# The file must not be older than a year (RFC 9116); an address that is never looked at should run out.
VALID_FOR = timedelta(days=90)


@operation(
    "GET /robots.txt",
    "What search engines may read: the front page and the guides",
    {"text/plain": str},
    access=PUBLIC_ACCESS,
    query=None,
    rate_limit=UNLIMITED,
)
def show_robots(call: Call[None]) -> Reply:
    """Reply with the rules for search engines."""
    return Reply(ROBOTS, media=TEXT, headers=DAY)


@operation(
    "GET /.well-known/security.txt",
    "Where vulnerabilities of this service are reported (RFC 9116), if its operator says so",
    {"text/plain": str},
    access=PUBLIC_ACCESS,
    query=None,
    errors=("not_found",),
    rate_limit=UNLIMITED,
)
def show_security(call: Call[None]) -> Reply:
    """Reply with the contact of the setting. Raises Problem if there is none."""
    contact = call.services.security_contact
    if not contact:
        raise Problem("not_found", NO_CONTACT)
    today = datetime.fromtimestamp(call.services.clock.timestamp(), UTC).date()
    lines = [
        f"Contact: {contact}",
        f"Expires: {today + VALID_FOR}T00:00:00Z",
        "Preferred-Languages: en, de",
    ]
    return Reply("\n".join([*lines, ""]).encode(), media=TEXT, headers=DAY)
