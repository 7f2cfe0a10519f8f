"""Plays against a deployment over HTTP and reports what it measured: `croupier load`.

It knows no rules: it takes one of the options that each ask offers. A request that has no reply, or 503, is
sent again with the same idempotency key. In the end the logs of all games are compared with what was
acknowledged.
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from http.client import HTTPException
from math import ceil
from random import Random
from threading import Event, Lock
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import msgspec
from msgspec import Struct

from service.config import say
from service.load.http_client import HttpClient, HttpPlayer, Refused, Reply, SeatedGame
from service.load.ledger import Finding, Ledger
from service.load.local_processes import ProcessorTime
from service.progress import Progress
from service.text import escape, print_line

NOTHING_LOST = 0
FAULTS_FOUND = 1
NOT_PLAYED = 2
# How long a request may take, and how long it is repeated before its game is given up, in seconds.
REPLY_SECONDS = 20.0
PATIENCE = 60.0
# Between two attempts, unless the reply says how long to wait.
PAUSE = 0.2
# After so many refusals in a row a game is given up.
MOST_REFUSALS = 5
UNAVAILABLE = 503
LIMITED = 429
LEAST_REFUSAL = 400
# How many findings are printed.
MOST_SHOWN = 10


class CannotPlay(Exception):
    """Says why no load can be made, in words for the caller."""


class LoadPlan(Struct, frozen=True):
    """Says how much is played: `games` at a time, each with so many people and bots.

    With `to_the_end`, games that have begun when the time is over are played on until they end. People think
    for `pause` seconds before they answer.
    """

    url: str
    games: int = 8
    seconds: float = 30.0
    editions: tuple[str, ...] = ()
    players: int = 3
    bots: int = 0
    level: str = "random"
    seed: int = 1
    to_the_end: bool = False
    pause: float = 0.0


class Latency(Struct, frozen=True):
    """Milliseconds: so many were measured, and this is how long half of them took at most, and so on."""

    count: int
    p50: float
    p95: float
    p99: float
    longest: float


def describe_latency(seconds: Sequence[float]) -> Latency | None:
    """Return the distribution of durations; None if there are none."""
    if not seconds:
        return None
    ordered = sorted(seconds)

    def at(share: float) -> float:
        return round(ordered[ceil(share * len(ordered)) - 1] * 1000, 2)

    return Latency(len(ordered), p50=at(0.5), p95=at(0.95), p99=at(0.99), longest=at(1.0))


class LoadReport(Struct, frozen=True):
    """What a run has measured and found.

    The latency of a choice lasts from its first attempt until it is acknowledged; that of a bot from the
    reply after which it is asked until its answer is here. `ended_early` says why the run did. `silence` is
    the longest time without an acknowledged choice, in seconds. `processor_ms` is processor time a choice, by
    process; what the players read is part of it.
    """

    url: str
    seconds: float
    ended_early: str
    games: int
    finished: int
    choices: int
    choices_per_second: float
    choice_ms: Latency | None
    bot_ms: Latency | None
    silence: float
    repeated: dict[str, int]
    refused: dict[str, int]
    given_up: int
    answers_in_logs: int
    unacknowledged: int
    lost: int
    doubled: int
    broken: int
    findings: list[Finding]
    processor_ms: dict[str, float] | None


class Meter:
    """Counts what all players of a run do; they are threads."""

    def __init__(self) -> None:
        self.choices: list[float] = []
        self.bots: list[float] = []
        self.repeated: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.given_up = 0
        self.silence = 0.0
        self._last = monotonic()
        self._counting = Lock()

    def record_reply(self, address: str, seconds: float) -> None:
        """Record how long a request took that was carried out, from its first attempt on."""
        if not address.endswith("/choices"):
            return
        with self._counting:
            now = monotonic()
            self.silence = max(self.silence, now - self._last)
            self._last = now
            self.choices.append(seconds)

    def record_repeat(self, why: str) -> None:
        """Record that a request is sent again."""
        with self._counting:
            self.repeated[why] += 1

    def record_refusal(self, code: str) -> None:
        """Record a refusal."""
        with self._counting:
            self.refused[code] += 1

    def record_surrender(self) -> None:
        """Record that a game was given up."""
        with self._counting:
            self.given_up += 1


class Caller:
    """Sends requests on one connection, again and again until there is a reply, and measures choices."""

    def __init__(self, url: str, meter: Meter, patience: float = PATIENCE) -> None:
        """Send to this service, and repeat a request for that many seconds."""
        self._client = HttpClient(url, REPLY_SECONDS)
        self._meter = meter
        self._patience = patience
        self._waiting: dict[str, float] = {}

    def __call__(self, method: str, address: str, body: Any = None, token: str | None = None, /) -> Any:
        """Return the JSON of a reply. Raises Refused, and CannotPlay if there is no reply for too long."""
        begun = monotonic()
        reply = self.send(method, address, body, token)
        found = reply.json
        self._meter.record_reply(address, monotonic() - begun)
        if "/events?" in address:
            self._measure_bot(address, begun, bool(found["commits"]))
        return found

    def _measure_bot(self, address: str, begun: float, is_answered: bool) -> None:
        """Measure how long a bot takes; a call that waited in vain is made again with the same address."""
        start = self._waiting.setdefault(address, begun)
        if is_answered:
            self._meter.bots.append(monotonic() - start)
            self._waiting.clear()

    def send(
        self,
        method: str,
        address: str,
        body: Any = None,
        token: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Reply:
        """Send a request until it has a reply, with one key. Raises Refused and CannotPlay."""
        sent = dict(headers or {})
        if method == "POST":
            sent["Idempotency-Key"] = str(uuid4())
        end = monotonic() + self._patience
        while True:
            reply = self._try(method, address, body, token, sent)
            if reply is not None and reply.status < LEAST_REFUSAL:
                return reply
            if reply is not None and reply.status not in (UNAVAILABLE, LIMITED):
                code = _read_code(reply)
                self._meter.record_refusal(code)
                raise Refused(f"{method} {address}: {code}")
            pause = PAUSE if reply is None else _read_pause(reply)
            if monotonic() + pause > end:
                raise CannotPlay(_explain_silence(reply, self._patience))
            self._meter.record_repeat("no reply" if reply is None else _read_code(reply))
            sleep(pause)

    def _try(
        self, method: str, address: str, body: Any, token: str | None, headers: dict[str, str]
    ) -> Reply | None:
        """Return the reply to one attempt; None if there is none."""
        try:
            return self._client.call(method, address, body, token, headers)
        except (OSError, HTTPException):
            self._client.close()
            return None

    def close(self) -> None:
        self._client.close()


def _read_code(reply: Reply) -> str:
    """Return status and code of a refusal."""
    code = ""
    with suppress(msgspec.DecodeError, AttributeError):
        code = str(reply.json.get("code", ""))
    return f"{reply.status} {code}".rstrip()


def _read_pause(reply: Reply) -> float:
    """Return how long a reply asks to wait."""
    told = reply.headers.get("Retry-After", "")
    return float(told) if told.isdecimal() else PAUSE


def _explain_silence(reply: Reply | None, patience: float) -> str:
    if reply is None:
        return f"the service has not answered for {patience:g} s"
    if reply.status == LIMITED:
        return "a rate limit of the service is reached; set RATE_LIMITS=off there, or play fewer games"
    return f"the service has answered {_read_code(reply)} for {patience:g} s"


class Seat:
    """Plays one game after the other, for all people of it, until the run is over."""

    def __init__(self, number: int, plan: LoadPlan, editions: Sequence[str], meter: Meter) -> None:
        """Draw everything that is left to chance from the seed of the plan and this number."""
        random = Random(f"{plan.seed} {number}")
        self._plan = plan
        self._editions = editions
        self._number = number
        self._meter = meter
        self._caller = Caller(plan.url, meter)
        self.player = HttpPlayer(self._caller, random)
        self.games: list[SeatedGame] = []

    def play(self, stopped: Event) -> None:
        """Play until `stopped` is set. Raises CannotPlay."""
        try:
            while not stopped.is_set():
                game = self._create()
                self.games.append(game)
                self._play_game(game, Event() if self._plan.to_the_end else stopped)
        except CannotPlay:
            stopped.set()
            raise

    def _create(self) -> SeatedGame:
        """Create a game of the next edition."""
        edition = self._editions[(self._number + len(self.games)) % len(self._editions)]
        people = [{"name": f"Load {seat + 1}"} for seat in range(self._plan.players)]
        bots = [{"bot": self._plan.level}] * self._plan.bots
        try:
            made = self._caller("POST", "/v1/games", {"edition": edition, "seats": [*people, *bots]})
        except Refused as refusal:
            raise CannotPlay(f"the service creates no game of {edition}: {refusal}") from refusal
        return SeatedGame(made)

    def _play_game(self, game: SeatedGame, stopped: Event) -> None:
        """Play until the game or the run is over; give the game up if it is refused again and again."""
        refusals = 0
        table: Any = None
        while not stopped.is_set():
            try:
                table = self._caller("GET", game.address) if table is None else table
                if table["status"] == "over":
                    return
                if self._plan.pause:
                    stopped.wait(self._plan.pause)
                table = self.player.go_on(game, table)
                refusals = 0
            except Refused:
                table = None
                refusals += 1
                if refusals == MOST_REFUSALS:
                    self._meter.record_surrender()
                    return

    def leave(self) -> None:
        """Let all people of the game that goes on agree to end it without winners; ignore what fails.

        It is not measured: a game that has just ended by itself refuses this, and that is no fault.
        """
        self._caller.close()
        with suppress(Refused, CannotPlay), closing(Caller(self._plan.url, Meter())) as caller:
            for token in self.games[-1].tokens.values() if self.games else ():
                caller("POST", f"{self.games[-1].address}/void", {}, token)


class Load:
    """One run."""

    def __init__(self, plan: LoadPlan, progress: Progress, meter: Meter | None = None) -> None:
        """Prepare to play; nothing is sent yet."""
        self._plan = plan
        self._progress = progress
        self._meter = meter or Meter()
        self.stopped = Event()

    def run(self) -> LoadReport:
        """Play, read the logs, and return the report. Raises CannotPlay."""
        plan = self._plan
        editions = plan.editions or self._list_editions()
        seats = [Seat(number, plan, editions, self._meter) for number in range(plan.games)]
        processor_time = ProcessorTime(plan.url)
        begun = monotonic()
        with ThreadPoolExecutor(plan.games) as pool:
            playing = [pool.submit(seat.play, self.stopped) for seat in seats]
            self._wait(begun)
            faults = [fault for each in playing if (fault := each.exception())]
            took = monotonic() - begun
            spent = processor_time.measure()
            for seat in seats:
                if not plan.to_the_end:
                    seat.leave()
        for fault in faults:
            if not isinstance(fault, CannotPlay) or not self._meter.choices:
                raise fault
        ledger = self._check(seats)
        return self._report(took, ledger, spent, "".join(str(fault) for fault in faults[:1]))

    def _list_editions(self) -> tuple[str, ...]:
        """Return what can be played. Raises CannotPlay if nothing answers there, or another program."""
        with closing(Caller(self._plan.url, self._meter, patience=PAUSE)) as caller:
            try:
                return tuple(edition["id"] for edition in caller("GET", "/v1/editions")["editions"])
            except (Refused, KeyError, msgspec.DecodeError) as fault:
                raise CannotPlay(f"this is no Croupier: {fault}") from fault

    def _wait(self, begun: float) -> None:
        """Show the progress until the time is over, a player stops the run, or the caller does (Ctrl-C)."""
        with suppress(KeyboardInterrupt):
            while monotonic() - begun < self._plan.seconds:
                self._progress.show(self._describe_progress(monotonic() - begun))
                if self.stopped.wait(0.1):
                    break
        self.stopped.set()
        self._progress.finish(self._describe_progress(monotonic() - begun))

    def _describe_progress(self, passed: float) -> str:
        choices = len(self._meter.choices)
        rate = choices / passed if passed else 0.0
        repeats = sum(self._meter.repeated.values())
        return (
            f"{passed:.0f} of {self._plan.seconds:g} s: {choices:,} choices, {rate:,.0f}/s, "
            f"{repeats:,} requests repeated"
        )

    def _check(self, seats: Sequence[Seat]) -> Ledger:
        """Read the logs of all games and compare them with what was acknowledged. Raises CannotPlay."""
        ledger = Ledger()
        total = sum(len(seat.games) for seat in seats)
        with closing(Caller(self._plan.url, Meter())) as caller:
            for seat in seats:
                for game in seat.games:
                    self._progress.show(f"checking the logs: {ledger.games:,} of {total:,} games")
                    promises = [promise for promise in seat.player.promises if promise.game == game.id]
                    self._check_game(caller, game, promises, ledger)
        self._progress.finish(f"checking the logs: {ledger.games:,} of {total:,} games")
        return ledger

    def _check_game(self, caller: Caller, game: SeatedGame, promises: Sequence[Any], ledger: Ledger) -> None:
        try:
            is_over = caller("GET", game.address)["status"] == "over"
            log = caller.send("GET", f"{game.address}/events", headers={"Accept": "application/x-ndjson"})
        except Refused as refusal:
            ledger.games += 1
            lost = [Finding(game.id, "lost", f"version {each.version}: {refusal}") for each in promises]
            ledger.findings += lost or [Finding(game.id, "broken", str(refusal))]
        else:
            ledger.check(game, promises, log.body, is_over)

    def _report(self, took: float, ledger: Ledger, used: dict[str, float], ended_early: str) -> LoadReport:
        meter = self._meter
        choices = len(meter.choices)
        processor_ms = None
        if used and choices:
            processor_ms = {
                kind: round(1000 * seconds / choices, 3) for kind, seconds in sorted(used.items())
            }
        return LoadReport(
            url=self._plan.url,
            seconds=round(took, 2),
            ended_early=ended_early,
            games=ledger.games,
            finished=ledger.finished,
            choices=choices,
            choices_per_second=round(choices / took, 1),
            choice_ms=describe_latency(meter.choices),
            bot_ms=describe_latency(meter.bots),
            silence=round(meter.silence, 2),
            repeated=dict(meter.repeated),
            refused=dict(meter.refused),
            given_up=meter.given_up,
            answers_in_logs=ledger.answers,
            unacknowledged=ledger.unacknowledged,
            lost=ledger.count("lost"),
            doubled=ledger.count("doubled"),
            broken=ledger.count("broken"),
            findings=ledger.findings,
            processor_ms=processor_ms,
        )


def main(plan: LoadPlan, as_json: bool) -> int:
    """Run `croupier load` and return the exit status."""
    try:
        _check_address(plan.url)
        # A shell that starts this in the background has SIGINT ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        report = Load(plan, Progress()).run()
    except CannotPlay as fault:
        say(escape(str(fault)))
        return NOT_PLAYED
    if as_json:
        print_line(msgspec.json.format(msgspec.json.encode(report)).decode())
    else:
        for line in describe_report(report):
            print_line(escape(line))
    if report.findings:
        return FAULTS_FOUND
    return NOT_PLAYED if report.ended_early else NOTHING_LOST


def _check_address(url: str) -> None:
    """Raise CannotPlay if this is not the address of a service."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and parts.hostname is not None and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise CannotPlay(f"{url} is not the address of a service, such as http://127.0.0.1:8000")


def describe_report(report: LoadReport) -> list[str]:
    """Return the report as lines."""
    lines = [
        f"{report.choices:,} choices in {report.seconds:g} s: {report.choices_per_second:,.1f}/s, "
        f"in {report.games:,} games, {report.finished:,} of them over",
        f"a choice: {_describe_latency(report.choice_ms)}",
        f"a bot's answer: {_describe_latency(report.bot_ms)}",
        f"longest time without an acknowledged choice: {report.silence:g} s",
        f"requests that were repeated: {_describe_counts(report.repeated)}",
        f"requests that were refused: {_describe_counts(report.refused)}",
        f"compared with the logs: {report.answers_in_logs:,} answers there, {report.lost:,} lost, "
        f"{report.doubled:,} doubled, {report.broken:,} games broken; "
        f"{report.unacknowledged:,} were stored and not acknowledged before the end",
    ]
    if report.ended_early:
        lines.insert(0, f"ENDED EARLY: {report.ended_early}")
    if report.processor_ms is not None:
        told = ", ".join(f"{kind} {spent:g} ms" for kind, spent in report.processor_ms.items())
        lines.append(f"processor time a choice: {told}")
    lines += [
        f"{finding.kind.upper()}: {finding.game}: {finding.detail}"
        for finding in report.findings[:MOST_SHOWN]
    ]
    if len(report.findings) > MOST_SHOWN:
        lines.append(f"and {len(report.findings) - MOST_SHOWN:,} more")
    return lines


def _describe_latency(latency: Latency | None) -> str:
    if latency is None:
        return "none was measured"
    return (
        f"p50 {latency.p50:g} ms, p95 {latency.p95:g} ms, p99 {latency.p99:g} ms, "
        f"longest {latency.longest:g} ms, of {latency.count:,}"
    )


def _describe_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number:,} × {what}" for what, number in counts.items()) or "none"
