"""Compares what a service has acknowledged with the logs of its games: `Ledger`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import Any

from msgspec import Struct

from events.chain import Broken, check_chain
from events.commit import Unreadable
from service.fairness.export_file import read_export
from service.fairness.verify import verify
from service.load.http_client import Promise, SeatedGame


class Finding(Struct, frozen=True):
    """Says what is wrong with a game: an answer that is `lost` or `doubled`, or a log that is `broken`."""

    game: str
    kind: str
    detail: str


class Ledger(Struct):
    """What was found in the logs of some games. Answers that nobody was told of are counted, too.

    They are no fault: their requests had no reply when the run ended.
    """

    games: int = 0
    finished: int = 0
    answers: int = 0
    unacknowledged: int = 0
    findings: list[Finding] = []

    def count(self, kind: str) -> int:
        """Return how many findings are of a kind."""
        return sum(finding.kind == kind for finding in self.findings)

    def check(self, game: SeatedGame, promises: Iterable[Promise], log: bytes, is_over: bool) -> None:
        """Compare a game's log, as `/events` gives it in lines, with what was acknowledged.

        A log of a game that is over is verified by the rules, too.
        """
        self.games += 1
        self.finished += is_over
        try:
            commits = list(read_export(BytesIO(log)))
            check_chain(commits)
        except (Unreadable, Broken) as fault:
            self.findings.append(Finding(game.id, "broken", str(fault)))
            return
        if is_over:
            verdict = verify(commits)
            if verdict.ok is False:
                self.findings.append(
                    Finding(game.id, "broken", f"version {verdict.version}: {verdict.fault}")
                )
        answers = list(list_answers(game, commits))
        promised = list(promises)
        self.answers += len(answers)
        self.findings += find_lost(promised, answers)
        self.findings += find_doubled(answers)
        known = {(promise.ask, promise.seat) for promise in promised}
        self.unacknowledged += sum((answer.ask, answer.seat) not in known for answer in answers)


def list_answers(game: SeatedGame, commits: Iterable[Any]) -> Iterator[Promise]:
    """Yield the answers in a log that were given for the seats that are played here.

    A sealed answer of a game that is not over is told without its choice.
    """
    for commit in commits:
        command = commit["command"]
        if command["type"] == "choose" and command["seat"] in game.tokens:
            choice = command["choice"]
            opened = choice.get("value", "") if isinstance(choice, dict) else choice
            yield Promise(game.id, command["ask"], command["seat"], opened, commit["version"])


def find_lost(promises: Sequence[Promise], answers: Sequence[Promise]) -> Iterator[Finding]:
    """Yield the acknowledged answers that the log does not have at their version."""
    logged = {(answer.ask, answer.seat, answer.version): answer.choice for answer in answers}
    for promise in promises:
        choice = logged.get((promise.ask, promise.seat, promise.version))
        if choice is None:
            detail = (
                f"version {promise.version} is not the answer of seat {promise.seat} to ask {promise.ask}"
            )
            yield Finding(promise.game, "lost", detail)
        elif choice not in ("", promise.choice):
            detail = f"version {promise.version} has another choice than {promise.choice}"
            yield Finding(promise.game, "lost", detail)


def find_doubled(answers: Sequence[Promise]) -> Iterator[Finding]:
    """Yield the asks that one seat has answered more than once."""
    for (game, ask, seat), number in Counter((each.game, each.ask, each.seat) for each in answers).items():
        if number > 1:
            yield Finding(game, "doubled", f"seat {seat} has answered ask {ask} {number} times")
