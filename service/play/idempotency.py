"""What tells a repeated request from a new one, and where its first result is found."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

from events.commands import Choose
from events.commit import Commit
from events.secrecy import Secret
from events.store import Store
from rules.rejection import Reason, Rejected
from service.play.snapshots import Outdated

# Refusals behind which an earlier answer of the same seat may stand.
SETTLED = frozenset({Reason.STALE_ASK, Reason.ALREADY_ANSWERED, Reason.GAME_OVER})
# What is repeated was mostly sent a moment ago: so many of the newest commits are looked through first.
FIRST_PAGE = 32
_encoder = msgspec.json.Encoder(order="sorted")


class Request(Struct, frozen=True):
    """`key` is the client's, `stored_key` what the log keeps of it, `fingerprint` a hash of the rest."""

    key: str | None
    stored_key: str
    fingerprint: str


def identify_request(scope: str, key: str | None, body: Any) -> Request:
    """A key counts within its scope; one of our own lets us repeat an append whose reply was lost."""
    stored = secrets.token_hex(12) if key is None else _hash(scope, key)[:32]
    return Request(key, stored, sha256(_encoder.encode((scope, body))).hexdigest())


def find_request(store: Store, game: str, request: Request) -> int | None:
    """The version that carried out what came with this key before. Raises KeyReused."""
    if request.key is None:
        return None
    return store.find_request(game, request.stored_key, request.fingerprint)


def find_earlier(
    store: Store, game: str, request: Request, answer: Choose, refusal: Rejected | Outdated
) -> int:
    """The version that took the same answer before. Raises the refusal that fits where none did."""
    version = find_request(store, game, request)
    if version is not None:
        return version
    settled = isinstance(refusal, Outdated) or refusal.reason in SETTLED
    commit = _find_answer(store, game, answer) if settled else None
    if commit is None:
        raise refusal
    if not _is_same(commit, answer):
        raise _other_choice(answer) if isinstance(refusal, Rejected) else refusal
    # A game that is over takes no new keys: those it had are dropped after a while.
    if request.key is not None and not _is_over(refusal):
        store.remember_request(game, request.stored_key, request.fingerprint, commit.version)
    return commit.version


def _is_over(refusal: Rejected | Outdated) -> bool:
    return isinstance(refusal, Rejected) and refusal.reason == Reason.GAME_OVER


def _find_answer(store: Store, game: str, answer: Choose) -> Commit | None:
    """The commit that took an answer of this seat to this ask, from the newest back."""
    end, size = store.head(game)[0], FIRST_PAGE
    while end > 0:
        start = max(0, end - size)
        for commit in reversed(store.read(game, start, end - start)):
            given = commit.command
            if isinstance(given, Choose) and (given.ask, given.seat) == (answer.ask, answer.seat):
                return commit
        end, size = start, size * 4
    return None


def _is_same(commit: Commit, answer: Choose) -> bool:
    given = commit.command
    if not isinstance(given, Choose):
        return False
    return answer.choice == (given.choice.contents if isinstance(given.choice, Secret) else given.choice)


def _other_choice(answer: Choose) -> Rejected:
    return Rejected(Reason.ALREADY_ANSWERED, f"seat {answer.seat} has answered ask {answer.ask} otherwise")


def _hash(scope: str, key: str) -> str:
    return sha256(f"{scope}|{key}".encode()).hexdigest()


def scope_of_answer(seat: int, by: str | None) -> str:
    """Clock and bots have keys of their own: no person can take those in advance and stop them."""
    return f"seat-{seat}" if by is None else f"{by} for {seat}"
