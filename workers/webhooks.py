"""Delivers events to webhooks: the webhooks process."""

from __future__ import annotations

import logging
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from datetime import UTC, datetime
from random import uniform
from threading import Event, Lock, Thread
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace
from redis import Redis
from redis.exceptions import RedisError

from events.redis_store import BELL
from events.store import Unavailable
from service import logs
from service.config import Settings
from service.container import Backend, open_backend
from service.incidents import OutageLog, resolve_cause
from service.run_folder import beat
from service.timestamps import stamp
from service.webhooks.courier import GONE, Courier, Outcome, name_message
from service.webhooks.destinations import Destinations, read_networks
from service.webhooks.outbox import (
    SLOW_SECONDS,
    Delivery,
    LeaseLost,
    Outbox,
    Standing,
    Waiting,
    is_test,
)
from service.webhooks.sources import Feeds
from service.webhooks.webhooks import UnknownWebhook, Webhook, Webhooks
from workers import process

# Seconds before each repeat; the last one counts for all further repeats. Each is drawn from about half to
# one and a half times as much, so that servers that come back are not asked by all at once.
DELAYS = (2.0, 3.0, 5.0, 8.0, 15.0, 30.0, 60.0, 300.0, 900.0, 1800.0, 3600.0, 7200.0)
JITTER = (0.6, 1.4)
# An event that could not be delivered for so long is given up; a webhook that failed for so long is off.
LIFETIME = 24 * 3600.0
# Webhooks that are delivered at once, and their requests, by the standing of their servers: those that are
# slow, or were never heard of, wait for each other and not for those that are quick.
LANES: Mapping[Standing, tuple[int, int]] = {"quick": (64, 128), "slow": (32, 64), "new": (16, 32)}
# Webhooks that one process leases, and those among them of one standing.
MOST_LEASED = 1_500
MOST_OF_LANE = 500
# A webhook for which there is no place in its lane is looked at again after so long.
NO_PLACE_SECONDS = 1.0
# Games of one webhook at once.
MOST_GAMES = 8
# A server all of whose replies were failures for so long gets one request at a time.
FAILING_SECONDS = 5.0
# After so long a webhook makes room for others that wait; a quick one also as soon as it turns out slow.
SLICE_SECONDS = 10.0
# Events that are read from the feed at a time, and that may wait for one webhook.
PAGE = 200
MOST_WAITING = 1_000
# How often the feed is read while deliveries are under way.
LOOK_SECONDS = 0.25
RENEW_SECONDS = 1.0
TICK = 0.5
PAUSE = 2.0
LONGEST_SILENCE = 0.5
# Deliveries that are under way at a stop are cut after so long.
STOP_SECONDS = 2.0

log = logs.logger(process="webhooks")
Clock = Callable[[], datetime]


class Tools(Struct, frozen=True):
    """What deliveries use."""

    webhooks: Webhooks
    outbox: Outbox
    feeds: Feeds
    courier: Courier
    has_owner: Callable[[str], bool]
    clock: Clock


def draw_delay(attempts: int, pause: float = 0.0) -> float:
    """Return the seconds until the next attempt, after so many that failed and a pause that was asked for."""
    usual = DELAYS[min(attempts, len(DELAYS)) - 1] * uniform(*JITTER)
    return max(usual, pause)


def _renew(webhook: Webhook, waiting: Waiting) -> Waiting:
    """Return what waits for a webhook as if it had not been tried, where that was before a change of it."""
    return Waiting(waiting.events) if waiting.since < webhook.fresh_from else waiting


class Round:
    """Delivers what waits for one webhook, in the order of each game; games do not wait for each other."""

    def __init__(self, tools: Tools, webhook: Webhook, requests: ThreadPoolExecutor, stopped: Event) -> None:
        """Deliver to a webhook that this process has leased."""
        self._tools = tools
        self._webhook = webhook
        self._requests = requests
        self._stopped = stopped
        backlog = tools.outbox.load(webhook.id)
        self._cursor = backlog.cursor
        self._games = {game: _renew(webhook, waiting) for game, waiting in backlog.games.items()}
        self._is_slow = False
        self._failing_since = backlog.failing_since
        self._under_way: dict[Future[Outcome], str] = {}
        self._next_look = 0.0

    def run(self) -> float | None:
        """Deliver until nothing is due, or others need the place; return when something is due next.

        Raises LeaseLost, Unavailable, and UnknownWebhook if it was deleted.
        """
        end = monotonic() + SLICE_SECONDS
        while True:
            goes_on = monotonic() < end and not self._stopped.is_set() and not self._is_slow
            if goes_on and monotonic() >= self._next_look:
                self._read_feed()
            if goes_on:
                self._send_due()
            if not self._under_way:
                break
            done, _ = wait(self._under_way, LOOK_SECONDS, FIRST_COMPLETED)
            for future in done:
                self._settle(self._under_way.pop(future), future.result())
        return self._find_next()

    def _find_next(self) -> float | None:
        """Return when something is due next; None if nothing waits."""
        if self._webhook.enabled:
            return min((waiting.at for waiting in self._games.values()), default=None)
        return min((waiting.at for game, waiting in self._games.items() if is_test(game)), default=None)

    def _read_feed(self) -> None:
        """Read what is new in the feed, and keep what the webhook wants."""
        self._next_look = monotonic() + LOOK_SECONDS
        if not self._webhook.enabled or self._count_waiting() >= MOST_WAITING:
            return
        page = self._tools.feeds.read(self._webhook.owner, self._cursor, PAGE)
        if page.next == self._cursor:
            return
        changed: dict[str, Waiting] = {}
        for event in page.events:
            if event.type in self._webhook.types:
                before = changed.get(event.game) or self._games.get(event.game) or Waiting(())
                changed[event.game] = replace(before, events=(*before.events, event))
        self._tools.outbox.save(self._webhook.id, changed, page.next)
        self._cursor = page.next
        self._games |= changed
        if page.events:
            # There may be more.
            self._next_look = 0.0

    def _count_waiting(self) -> int:
        return sum(len(waiting.events) for waiting in self._games.values())

    def _send_due(self) -> None:
        """Send the first event of each game that is due, as many at once as may be."""
        now = self._tools.clock().timestamp()
        busy = set(self._under_way.values())
        # A server that fails and fails gets one request at a time, and holds no more of ours. One that fails
        # now and then does not: its games would wait for each other.
        is_failing = self._failing_since is not None and now >= self._failing_since + FAILING_SECONDS
        most = 1 if is_failing else MOST_GAMES
        for game, waiting in self._games.items():
            if len(self._under_way) >= most:
                return
            is_wanted = self._webhook.enabled or is_test(game)
            if is_wanted and game not in busy and waiting.at <= now:
                future = self._requests.submit(self._tools.courier.send, self._webhook, waiting.events[0])
                self._under_way[future] = game

    def _settle(self, game: str, outcome: Outcome) -> None:
        """Record what came of the first event of a game."""
        if self._stopped.is_set() and not outcome.arrived:
            # It may have been cut by our own stop: the next process tries it again.
            return
        self._is_slow = self._is_slow or outcome.seconds > SLOW_SECONDS
        waiting = self._games[game]
        now = self._tools.clock().timestamp()
        since = waiting.since or now
        if not is_test(game):
            self._failing_since = None if outcome.arrived else self._failing_since or now
        # A webhook that is about to be switched off gives nothing up: it may be switched on again.
        is_too_old = now - since >= LIFETIME and not self._is_dead(now)
        is_given_up = not outcome.arrived and (is_test(game) or is_too_old)
        if outcome.arrived or is_given_up:
            rest = waiting.events[1:]
            left = Waiting(rest) if rest else None
        else:
            attempts = waiting.attempts + 1
            at = now + draw_delay(attempts, outcome.pause)
            left = replace(waiting, attempts=attempts, at=at, since=since)
        delivery = self._describe(waiting, outcome, now, None if is_given_up else left)
        self._tools.outbox.save(
            self._webhook.id, {game: left}, delivery=delivery, failing_since=self._failing_since
        )
        if left is None:
            del self._games[game]
        else:
            self._games[game] = left
        self._switch_off_if_dead(game, outcome, now)

    def _is_dead(self, now: float) -> bool:
        """Return whether everything has failed for so long that the webhook is switched off."""
        return self._failing_since is not None and now - self._failing_since >= LIFETIME

    def _describe(self, waiting: Waiting, outcome: Outcome, now: float, left: Waiting | None) -> Delivery:
        """Return an attempt as its owner sees it."""
        event = waiting.events[0]
        is_repeated = not outcome.arrived and left is not None
        return Delivery(
            id=name_message(self._webhook.id, event),
            at=_stamp(now),
            game=event.game,
            version=event.version,
            type=event.type,
            attempt=waiting.attempts + 1,
            status=outcome.status,
            latency_ms=round(outcome.seconds * 1000),
            error=outcome.error,
            next=_stamp(left.at) if left is not None and is_repeated else None,
        )

    def _switch_off_if_dead(self, game: str, outcome: Outcome, now: float) -> None:
        """Switch the webhook off if its server says that it is gone, or has failed for a day.

        Raises LeaseLost, for the webhook is another one then.
        """
        if not self._webhook.enabled or is_test(game):
            return
        if outcome.status == GONE:
            self._tools.webhooks.switch_off(self._webhook, "gone")
        elif self._is_dead(now):
            self._tools.webhooks.switch_off(self._webhook, "failing")
        else:
            return
        log.info("webhook_switched_off", webhook=self._webhook.id, status=outcome.status)
        raise LeaseLost(self._webhook.id)


def _stamp(seconds: float) -> str:
    return stamp(datetime.fromtimestamp(seconds, UTC))


class Bell:
    """Hears whose feeds have something new: one subscription, in a thread of its own."""

    def __init__(self, client: Redis, rung: Event) -> None:
        """Subscribe to that client's Redis, and set `rung` when there is news."""
        self._redis = client
        self._rung = rung
        self._lock = Lock()
        self._owners: set[str] = set()
        self._has_missed = True

    def hear(self) -> tuple[set[str], bool]:
        """Return the owners with news since the last call, and whether some may have been missed."""
        with self._lock:
            heard = self._owners, self._has_missed
            self._owners = set()
            self._has_missed = False
        return heard

    def put_back(self, owners: set[str], has_missed: bool) -> None:
        """Hear again what could not be acted on."""
        with self._lock:
            self._owners |= owners
            self._has_missed |= has_missed

    def listen(self, stopped: Event) -> None:
        """Listen until `stopped` is set; subscribe again after a fault."""
        while not stopped.is_set():
            try:
                with closing(self._redis.pubsub()) as bell:  # type: ignore[no-untyped-call]
                    bell.subscribe(BELL)
                    while not stopped.is_set():
                        self._note(bell.get_message(timeout=LONGEST_SILENCE))
            except RedisError:
                stopped.wait(LONGEST_SILENCE)

    def _note(self, message: dict[str, object] | None) -> None:
        """Note what a message says. News from before a subscription was missed."""
        if message is None:
            return
        data = message["data"]
        if message["type"] == "subscribe":
            self.put_back(set(), True)
        elif isinstance(data, bytes) and data.startswith((b"p_", b"k_")):
            self.put_back({data.partition(b"|")[0].decode("ascii", "replace")}, False)
        else:
            return
        self._rung.set()


class Lane:
    """Threads for webhooks of one standing: so many webhooks at once, and so many requests of all of them."""

    def __init__(self, name: str, most_webhooks: int, most_requests: int) -> None:
        """Start no thread before it is needed."""
        self.rounds = ThreadPoolExecutor(most_webhooks, f"webhook-{name}")
        self.requests = ThreadPoolExecutor(most_requests, f"request-{name}")


class Deliverer:
    """Leases webhooks that are due and delivers them. Any number of processes may run."""

    def __init__(self, tools: Tools, bell: Bell, stopped: Event) -> None:
        """Deliver with these tools until `stopped` is set."""
        self._tools = tools
        self._bell = bell
        self._stopped = stopped
        self._leased: dict[str, Standing] = {}
        self._lock = Lock()
        self._lanes = {standing: Lane(standing, *sizes) for standing, sizes in LANES.items()}
        self._renewed_at = 0.0

    def step(self) -> float:
        """Start what is due, and return the seconds until the next look. Raises Unavailable."""
        now = self._tools.clock().timestamp()
        self._wake(now)
        self._tools.courier.cut_off()
        if monotonic() >= self._renewed_at + RENEW_SECONDS:
            self._renewed_at = monotonic()
            self._tools.outbox.renew(self.list_leased(), now)
        room = MOST_LEASED - len(self._leased)
        if room <= 0:
            return LOOK_SECONDS
        taken = self._tools.outbox.take(now, room)
        with self._lock:
            places = Counter(self._leased.values())
        for webhook, standing in taken.webhooks.items():
            places[standing] += 1
            if places[standing] > MOST_OF_LANE:
                self._tools.outbox.release(webhook, now + NO_PLACE_SECONDS, now)
                continue
            lane = self._lanes[standing]
            with self._lock:
                self._leased[webhook] = standing
            lane.rounds.submit(self._deliver, webhook, lane)
        return min(TICK, taken.rest)

    def _wake(self, now: float) -> None:
        """Let webhooks be looked at whose owners have news."""
        owners, has_missed = self._bell.hear()
        try:
            if has_missed:
                self._tools.outbox.wake_all(now)
            else:
                self._tools.outbox.wake(sorted(owners), now)
        except Unavailable:
            self._bell.put_back(owners, has_missed)
            raise

    def list_leased(self) -> list[str]:
        """Return the webhooks that are being delivered, or wait for a thread."""
        with self._lock:
            return list(self._leased)

    def _deliver(self, name: str, lane: Lane) -> None:
        """Deliver what waits for a webhook, and give up its lease. Runs in a thread."""
        try:
            webhook = self._tools.webhooks.read(name)
            if webhook is not None and not self._tools.has_owner(webhook.owner):
                self._tools.webhooks.delete(webhook)
            elif webhook is not None:
                following = Round(self._tools, webhook, lane.requests, self._stopped).run()
                self._tools.outbox.release(name, following, self._tools.clock().timestamp())
            else:
                self._tools.outbox.release(name, None, self._tools.clock().timestamp())
        except (LeaseLost, UnknownWebhook):
            log.debug("webhook_lease_lost", webhook=name)
        except Unavailable:
            # The lease ends by itself; the main loop logs the outage.
            log.debug("webhook_round_broken_off", webhook=name)
        except Exception as fault:
            log.error("webhook_round_failed", webhook=name, exc_info=fault)
        finally:
            with self._lock:
                del self._leased[name]

    def close(self) -> None:
        """Wait a little for deliveries that are under way, and cut the rest."""
        end = monotonic() + STOP_SECONDS
        while self.list_leased() and monotonic() < end:
            wait_for = Event()
            wait_for.wait(0.05)
        self._tools.courier.cut_off(everything=True)
        for lane in self._lanes.values():
            lane.rounds.shutdown(wait=True, cancel_futures=True)
            lane.requests.shutdown(wait=True, cancel_futures=True)


def make_tools(backend: Backend, networks: str) -> Tools:
    """Return the tools of a process; webhooks may go to these networks beside public addresses."""
    return Tools(
        webhooks=backend.webhooks,
        outbox=Outbox(backend.redis),
        feeds=backend.webhook_feeds,
        courier=Courier(Destinations(read_networks(networks))),
        has_owner=lambda owner: _has_owner(backend, owner),
        clock=backend.clock,
    )


def _has_owner(backend: Backend, owner: str) -> bool:
    """Return whether the player or the API key of a webhook is still there. Raises Unavailable."""
    if owner.startswith("k_"):
        return backend.api_keys.is_there(owner)
    return backend.players.read(owner) is not None


def serve(url: str, stopped: Event) -> None:
    """Deliver until `stopped` is set."""
    settings = Settings.from_env(os.environ)
    # It would log a traceback for every server whose headers are malformed.
    logging.getLogger("urllib3.connection").setLevel(logging.ERROR)
    with open_backend(url) as backend:
        rung = Event()
        bell = Bell(backend.redis, rung)
        Thread(target=bell.listen, args=(stopped,), name="bell", daemon=True).start()
        deliverer = Deliverer(make_tools(backend, settings.webhook_networks), bell, stopped)
        outages = OutageLog(log)
        while not stopped.is_set():
            beat()
            rung.clear()
            rung.wait(_step_safely(deliverer, outages))
        deliverer.close()


def _step_safely(deliverer: Deliverer, outages: OutageLog) -> float:
    """Run one step and return the seconds until the next; log an outage of Redis and wait PAUSE."""
    try:
        rest = deliverer.step()
    except Unavailable as fault:
        outages.record_outage(resolve_cause(fault.cause), str(fault))
        return PAUSE
    outages.record_recovery()
    return rest


if __name__ == "__main__":
    sys.exit(process.run(serve))
