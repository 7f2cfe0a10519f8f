"""Answers in the log: sealed where they are secret, found again when they are repeated."""

from __future__ import annotations

from collections.abc import Iterable

from events.commands import Choose
from events.commit import Commit
from events.secrecy import Secret
from rules.rejection import Reason, Rejected

# Refusals behind which an earlier answer of the same seat may stand.
SETTLED = frozenset({Reason.STALE_ASK, Reason.ALREADY_ANSWERED, Reason.GAME_OVER})


def earlier_answer(commits: Iterable[Commit], answer: Choose, refusal: Exception) -> int | None:
    """The version that took this very answer. A different one of the same seat is a refusal of its own."""
    for commit in commits:
        given = commit.command
        if isinstance(given, Choose) and (given.ask, given.seat) == (answer.ask, answer.seat):
            if _opened(given) == answer.choice:
                return commit.version
            raise _otherwise(answer) if isinstance(refusal, Rejected) else refusal
    return None


def _opened(command: Choose) -> str:
    return command.choice.contents if isinstance(command.choice, Secret) else command.choice


def _otherwise(answer: Choose) -> Rejected:
    return Rejected(Reason.ALREADY_ANSWERED, f"seat {answer.seat} has answered ask {answer.ask} otherwise")
