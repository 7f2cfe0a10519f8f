"""How often a caller may ask for what: every operation is of a kind, and every kind has its rates."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from wsgiref.types import WSGIEnvironment

from limits import RateLimitItem, parse_many
from msgspec import Struct

from service import metrics
from service.api.addresses import Proxies
from service.api.bearer import read_bearer
from service.api.envelope import MORE_HEADERS
from service.api.problems import Problem
from service.api.request_counts import RequestCounts
from service.limit_settings import LimitSettings

PLAYING, READING, STREAMING, SITTING, CREATING = "playing", "reading", "streaming", "sitting", "creating"
# Whole games read again: each takes as long as dozens of choices.
REVIEWING = "reviewing"
THINKING = "thinking"
ARCHIVING = "archiving"
IMPORTING = "importing"
TOKEN = "token"
# What is longer is nobody's, and not worth to be remembered.
LONGEST_TOKEN = 200
# What nobody is ever refused.
UNLIMITED = ""
Gate = Callable[[WSGIEnvironment], None]


class Policy(Struct, frozen=True):
    """So many in so many seconds; `of_whom` is how the caller is told."""

    name: str
    item: RateLimitItem
    of_whom: str

    @property
    def text(self) -> str:
        return f'"{self.name}";q={self.item.amount};w={self.item.get_expiry()}'


def usual_kind(method: str, path: str) -> str:
    """Of an operation that does not declare one."""
    if method == "GET":
        return READING
    return PLAYING if "{game}" in path else CREATING


def make_policies(name: str, rates: str, of_whom: str) -> tuple[Policy, ...]:
    items = parse_many(rates)
    names = [name, *(f"{name}-{item.get_expiry()}s" for item in items[1:])]
    return tuple(Policy(name, item, of_whom) for name, item in zip(names, items, strict=True))


def let_pass(environ: WSGIEnvironment) -> None:
    """For what is not limited."""


class RateLimits:
    """Headers are those of draft-ietf-httpapi-ratelimit-headers-10."""

    def __init__(self, settings: LimitSettings, counts: RequestCounts, proxies: Proxies) -> None:
        self._settings, self._counts, self._proxies = settings, counts, proxies

    def gate(self, kind: str) -> Gate:
        """Called with every request of that kind. Raises Problem where there are too many."""
        if kind == UNLIMITED or not self._settings.are_on:
            return let_pass
        by_address = make_policies(kind, getattr(self._settings, kind), "one address")
        by_token = make_policies(TOKEN, self._settings.token, "one token")
        told = ", ".join(policy.text for policy in by_address)
        told_all = ", ".join(policy.text for policy in (*by_address, *by_token))

        def check(environ: WSGIEnvironment) -> None:
            token = read_bearer(environ) or ""
            left: list[str] = []
            refusals = self._count(by_address, self._proxies.find_caller(environ), left)
            is_counted = 0 < len(token) <= LONGEST_TOKEN
            if is_counted:
                refusals += self._count(by_token, token, left)
            policies = told_all if is_counted else told
            environ[MORE_HEADERS] = (("RateLimit", ", ".join(left)), ("RateLimit-Policy", policies))
            if refusals:
                raise _refuse(*refusals[0], kind)

        return check

    def _count(self, policies: tuple[Policy, ...], who: str, left: list[str]) -> list[tuple[Policy, int]]:
        """Those that are exceeded, each with seconds to wait; `left` is told what is left of each."""
        exceeded = []
        for policy in policies:
            count, end = self._counts.count(policy.name, policy.item, who)
            rest, seconds = policy.item.amount - count, ceil(end)
            if rest < 0:
                exceeded.append((policy, seconds))
                rest = 0
            left.append(f'"{policy.name}";r={rest};t={seconds}')
        return exceeded


def _refuse(policy: Policy, seconds: int, kind: str) -> Problem:
    metrics.count_limit_hit(policy.name)
    most, length = policy.item.amount, policy.item.get_expiry()
    what = "requests in all" if policy.of_whom == "one token" else f"requests for {kind}"
    detail = f"{policy.of_whom} has {most} {what} in {length} seconds; come again in {seconds}"
    return Problem("too_many_requests", detail, {"Retry-After": str(seconds)})
