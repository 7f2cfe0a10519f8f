"""Limits requests, open games and open streams of each caller.

`RateLimits.gate` returns the check of an operation; `GameQuota` and `StreamQuota` count what is open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha256
from math import ceil
from time import monotonic, sleep, time

from flask import Request, g
from limits import RateLimitItem, parse_many
from limits.storage import RedisStorage
from msgspec import Struct
from redis import Redis
from redis.exceptions import RedisError

from events.recently_used import RecentlyUsed
from events.store import Unavailable
from events.text import Text
from service import metrics
from service.config import LimitSettings
from service.games.games import Games
from service.games.snapshots import UnknownGame
from service.http.addresses import network_of
from service.http.headers import read_bearer
from service.http.problems import Problem
from service.keys.keys import ApiKey
from service.lobby.open_games import OpenGames
from service.ops.room import Room

# One hash tag, so that all of it lies in one slot of a cluster, and in none of a game's.
_PREFIX = "croupier:{limits}"
MOST_CALLERS = 20_000
# A process shares its count through Redis when it has this share of the limit.
PORTION = 100
# A Redis that does not answer is left alone for so long; meanwhile each process counts for itself.
AWAY_SECONDS = 2.0


class Window:
    """Holds the count of one caller in one period; `untold` is the part that Redis does not know yet."""

    __slots__ = ("count", "end", "untold")

    def __init__(self, end: float) -> None:
        """Begin a period that ends then."""
        self.count = self.untold = 0
        self.end = end


class RequestCounts:
    """Counts requests over all processes.

    Limits of a hundred and less are exact; of larger ones each process may let a hundredth more through.
    """

    def __init__(self, client: Redis, clock: Callable[[], float] = time) -> None:
        """Share counts through that client's Redis."""
        pool = client.connection_pool
        self._storage = RedisStorage("redis://", connection_pool=pool, key_prefix=_PREFIX)
        self._clock = clock
        self._windows: RecentlyUsed[Window] = RecentlyUsed(MOST_CALLERS)
        self._away_until = 0.0

    def count(self, name: str, item: RateLimitItem, who: str, times: int = 1) -> tuple[int, float]:
        """Count a request, as several if it was dear.

        Return the count in this window, and the seconds until the next window.
        """
        now = self._clock()
        key = f"{name}|{who}"
        window = self._windows.find(key)
        if window is None or now >= window.end:
            length = item.get_expiry()
            window = Window((now // length + 1) * length)
            self._windows.keep(key, window)
        if window.count <= item.amount:
            self._add(window, times, name=name, item=item, who=who, now=now)
        return window.count, window.end - now

    def _add(
        self, window: Window, times: int, *, name: str, item: RateLimitItem, who: str, now: float
    ) -> None:
        """Add to the count, and share it when enough has come together."""
        window.count += times
        window.untold += times
        if window.untold * PORTION >= item.amount and now >= self._away_until:
            self._share_count(window, item.key_for(name, _hash(who), int(window.end)), item.get_expiry())

    def _share_count(self, window: Window, key: str, seconds: int) -> None:
        """Add to the count in Redis what it does not know yet, and read what others have counted."""
        told = window.untold
        window.untold = 0
        try:
            window.count = max(window.count, self._storage.incr(key, seconds, told))
        except RedisError:
            window.untold += told
            self._away_until = self._clock() + AWAY_SECONDS


def _hash(who: str) -> str:
    """Return a hash of a caller, because no token may leave the process."""
    return sha256(who.encode()).hexdigest()[:32]


# The part of a process that the refusals of one address may take.
SHARE = 0.1
# Refusals that took this much of the processor are sent at once.
BURST_SECONDS = 0.05
# What the server takes for a request beside what is measured: to parse it, and to send the reply.
SERVER_SECONDS = 0.000_5
LONGEST_REST = 2.0


class RefusalPacing:
    """Keeps, for each address, until when the time that its refusals took would last at their share."""

    def __init__(
        self, clock: Callable[[], float] = monotonic, rest: Callable[[float], object] = sleep
    ) -> None:
        """Begin with no caller; `rest` waits for so many seconds."""
        self._clock = clock
        self._rest = rest
        self._paid_until: RecentlyUsed[float] = RecentlyUsed(MOST_CALLERS)

    def rest_after(self, address: str, seconds: float) -> None:
        """Wait if the refusals of this address take too much; `seconds` is what this one took."""
        now = self._clock()
        paid_until = max(self._paid_until.find(address) or 0.0, now) + (seconds + SERVER_SECONDS) / SHARE
        self._paid_until.keep(address, paid_until)
        ahead = paid_until - now - BURST_SECONDS / SHARE
        if ahead > 0:
            self._rest(min(ahead, LONGEST_REST))


PLAYING = "playing"
READING = "reading"
STREAMING = "streaming"
SITTING = "sitting"
CREATING = "creating"
# Whole games read again: each takes as long as dozens of choices.
REVIEWING = "reviewing"
THINKING = "thinking"
ARCHIVING = "archiving"
IMPORTING = "importing"
TOKEN = "token"
# A longer text is no token, and not counted.
LONGEST_TOKEN = 200
# The rate limit of operations that have none.
UNLIMITED = ""
Gate = Callable[[Request], None]
# What a request may take of the processor for its own count. A choice takes a fifth of it.
ORDINARY_SECONDS = 0.005
# All requests that a limit allows may together take this share of its period beyond what is ordinary.
DEAR_SHARE = 0.1


class RatePolicy(Struct, frozen=True):
    """Holds a limit of so many requests in a period; `of_whom` says in words whose are counted."""

    name: str
    item: RateLimitItem
    of_whom: str

    def count_dear(self, seconds: float) -> int:
        """Return as how many more requests one counts that took so many seconds beyond what is ordinary."""
        return int(seconds * self.item.amount / (DEAR_SHARE * self.item.get_expiry()))

    @property
    def text(self) -> str:
        """Return the policy as the header RateLimit-Policy has it."""
        return f'"{self.name}";q={self.item.amount};w={self.item.get_expiry()}'


def default_rate_limit(method: str, path: str) -> str:
    """Return the name of the limit for an operation that does not declare one."""
    if method == "GET":
        return READING
    return PLAYING if "{game}" in path else CREATING


def make_policies(name: str, rates: str, of_whom: str) -> tuple[RatePolicy, ...]:
    """Return the policies of a limit, one for each of its rates."""
    items = parse_many(rates)
    names = [name, *(f"{name}-{item.get_expiry()}s" for item in items[1:])]
    return tuple(RatePolicy(name, item, of_whom) for name, item in zip(names, items, strict=True))


def let_pass(request: Request) -> None:
    """Do nothing: the check of operations without a limit."""


class RateLimits:
    """Checks requests against their limits.

    The headers are those of draft-ietf-httpapi-ratelimit-headers-10.
    """

    def __init__(
        self, settings: LimitSettings, counts: RequestCounts, pacing: RefusalPacing | None = None
    ) -> None:
        """Read the rates from these settings."""
        self._settings = settings
        self._counts = counts
        self._pacing = pacing or RefusalPacing()
        self._gate = cache(self._make_gate)
        self._policies_of_key = lru_cache(MOST_CALLERS)(
            lambda kind, rates: make_policies(kind, rates, "one API key")
        )

    def check(self, kind: str, request: Request, key: ApiKey | None = None) -> None:
        """Count a request against that limit. Raises Problem when there are too many requests.

        A request with a valid key is counted for the key, and not for its address.
        """
        if key is None:
            self._gate(kind)(request)
        else:
            self._check_key(kind, key)

    def _check_key(self, kind: str, key: ApiKey) -> None:
        """Count a request against the limits of a key. Raises Problem."""
        if kind == UNLIMITED or not self._settings.enabled:
            return
        policies = self._policies_of_key(kind, getattr(key.limits, kind))
        left: list[str] = []
        refusals = self._count(policies, key.id, left)
        g.counted_by = ((policies, key.id),)
        g.rate_limit_headers = (
            ("RateLimit", ", ".join(left)),
            ("RateLimit-Policy", ", ".join(policy.text for policy in policies)),
        )
        if refusals:
            raise _refuse(*refusals[0], kind)

    def _make_gate(self, kind: str) -> Gate:
        """Return the check for that limit."""
        if kind == UNLIMITED or not self._settings.enabled:
            return let_pass
        by_address = make_policies(kind, getattr(self._settings, kind), "one address")
        by_token = make_policies(TOKEN, self._settings.token, "one token")
        told = ", ".join(policy.text for policy in by_address)
        told_all = ", ".join(policy.text for policy in (*by_address, *by_token))

        def check(request: Request) -> None:
            token = read_bearer(request.environ) or ""
            address = network_of(request.remote_addr or "")
            left: list[str] = []
            refusals = self._count(by_address, address, left)
            is_counted = 0 < len(token) <= LONGEST_TOKEN
            if is_counted:
                refusals += self._count(by_token, token, left)
            g.counted_by = (
                ((by_address, address), (by_token, token)) if is_counted else ((by_address, address),)
            )
            policies = told_all if is_counted else told
            g.rate_limit_headers = (("RateLimit", ", ".join(left)), ("RateLimit-Policy", policies))
            if refusals:
                raise _refuse(*refusals[0], kind)

        return check

    def charge(self, seconds: float, is_refused: bool) -> None:
        """Count the current request as several if it took more of the processor than is ordinary.

        Hold a refusal back if those of the address take too much of this process.
        """
        dear = seconds - ORDINARY_SECONDS
        for policies, who in g.counted_by if dear > 0 else ():
            for policy in policies:
                times = policy.count_dear(dear)
                if times:
                    self._counts.count(policy.name, policy.item, who, times)
        if is_refused and g.counted_by:
            _, address = g.counted_by[0]
            self._pacing.rest_after(address, seconds)

    def _count(
        self, policies: tuple[RatePolicy, ...], who: str, left: list[str]
    ) -> list[tuple[RatePolicy, int]]:
        """Return the limits that are exceeded, each with the seconds to wait; add what is left to `left`."""
        exceeded = []
        for policy in policies:
            count, end = self._counts.count(policy.name, policy.item, who)
            rest = policy.item.amount - count
            seconds = ceil(end)
            if rest < 0:
                exceeded.append((policy, seconds))
                rest = 0
            left.append(f'"{policy.name}";r={rest};t={seconds}')
        return exceeded


_EXCEEDED = {
    "one API key": "one API key may send {most} requests for {kind} in {length} seconds. "
    "Try again in {seconds} seconds.",
    "one token": "one token may send {most} requests in all in {length} seconds. "
    "Try again in {seconds} seconds.",
    "one address": "one address may send {most} requests for {kind} in {length} seconds. "
    "Try again in {seconds} seconds.",
}


def _refuse(policy: RatePolicy, seconds: int, kind: str) -> Problem:
    """Return the problem for a limit that is exceeded, and count it."""
    metrics.count_limit_hit(policy.name)
    most = policy.item.amount
    length = policy.item.get_expiry()
    detail = Text(_EXCEEDED[policy.of_whom], kind=kind, most=most, length=length, seconds=seconds)
    return Problem("too_many_requests", detail, {"Retry-After": str(seconds)})


RETRY_SECONDS = 60


def check_room(room: Room, is_repeated: Callable[[], bool]) -> None:
    """Raise Problem when there is no room for what the request would store, unless it is a repeat."""
    if room.is_short() and not is_repeated():
        metrics.count_limit_hit("room")
        raise Problem(
            "no_room", "The service is full. The memory that is left is kept for games in progress."
        )


OPEN_OF = {
    "address": "One address may have {most} open games. End or cancel one, or wait until one ends.",
    "key": "One API key may have {most} open games. End or cancel one, or wait until one ends.",
}
ENDED_BY = {
    "address": "One address may end {most} games a day. Try again in {seconds} seconds.",
    "key": "One API key may end {most} games a day. Try again in {seconds} seconds.",
}


class GameQuota:
    """Limits how many games one creator, known by the address or the API key, may have open and end in a day.

    A limit of 0 allows any number. Whoever it is, new games need room in Redis.
    """

    def __init__(self, settings: LimitSettings, open_games: OpenGames, games: Games, room: Room) -> None:
        """Allow as many games as the settings say."""
        self._settings = settings
        self._open_games = open_games
        self._games = games
        self._room = room

    def check(self, creator: str, is_repeated: Callable[[], bool], key: ApiKey | None = None) -> None:
        """Raise Problem when the creator may not open another game, unless the request is a repeat.

        A key has limits of its own.
        Where it cannot be counted, because that server of a cluster is away, games of the others are created.
        """
        with suppress(Unavailable):
            check_room(self._room, is_repeated)
            if self._settings.enabled:
                self._check_counts(creator, is_repeated, key)

    def _check_counts(self, creator: str, is_repeated: Callable[[], bool], key: ApiKey | None) -> None:
        """Raise Problem when the creator has as many games as allowed, and Unavailable."""
        limits = key.limits if key else self._settings
        whose = "key" if key else "address"
        most_ended = limits.max_daily_games
        most = limits.max_open_games
        if most_ended and self._open_games.count_ended(creator) >= most_ended and not is_repeated():
            metrics.count_limit_hit("daily_games")
            seconds = self._open_games.seconds_left_today()
            detail = Text(ENDED_BY[whose], most=most_ended, seconds=seconds)
            raise Problem("too_many_games", detail, {"Retry-After": str(seconds)})
        if not most or self._open_games.count(creator) < most:
            return
        self._open_games.look_again(creator, self._is_open)
        if self._open_games.count(creator) >= most and not is_repeated():
            metrics.count_limit_hit("open_games")
            detail = Text(OPEN_OF[whose], most=most)
            raise Problem("too_many_games", detail, {"Retry-After": str(RETRY_SECONDS)})

    def record(self, creator: str, game: str) -> None:
        """Record the game at once, if possible: the projector, which records it too, may be behind."""
        with suppress(Unavailable):
            self._open_games.update(game, creator, is_open=True)

    def _is_open(self, game: str) -> bool:
        """Return whether a game exists and is not over."""
        try:
            return self._games.snapshot(game).state.status != "over"
        except UnknownGame:
            return False


class TooManyStreams(Exception):
    """Says that one address or key has as many streams open as it may; the argument is that number."""


class StreamQuota:
    """Limits how many streams one address or API key may have open, 0 for any number.

    Each process counts for itself and allows its share of the limit. The kernel spreads connections over the
    processes, so that an address is refused at about the limit.
    """

    def __init__(
        self, most: int, processes: int = 1, most_of: Callable[[str], int | None] = lambda caller: None
    ) -> None:
        """Allow `most` streams over all processes; `most_of` returns the number of a caller with its own."""
        self._most = most
        self._most_of = most_of
        self._processes = processes
        self._counts: Counter[str] = Counter()

    def enter(self, caller: str) -> None:
        """Count a stream. An empty caller is not counted. Raises TooManyStreams."""
        if not (self._most and caller):
            return
        own = self._most_of(caller)
        most = self._most if own is None else own
        if most and self._counts[caller] >= ceil(most / self._processes):
            raise TooManyStreams(most)
        self._counts[caller] += 1

    def leave(self, caller: str) -> None:
        """Count a stream that has ended."""
        if caller in self._counts:
            self._counts[caller] -= 1
            if not self._counts[caller]:
                del self._counts[caller]
