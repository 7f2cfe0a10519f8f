"""Derives dice and draws from a seed, so that they can be checked afterwards: `FairDice`.

docs/fairness.md says how to check them, step by step.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from hmac import digest
from itertools import count

from events.commands import Command, Create, Sit
from events.secrecy import SALT_BYTES
from rules import State
from rules.chance import Below, faces
from rules.state import SANDBOX

SEED_BYTES = 32
_WIDEST = 65_536


def new_seed() -> bytes:
    """Return a new random seed."""
    return secrets.token_bytes(SEED_BYTES)


def commitment(seed: bytes) -> str:
    """Return the hash of a seed, which is published before the first roll."""
    return sha256(seed).hexdigest()


def read_sandbox_seed(text: str) -> bytes:
    """Return the seed that a text stands for in a sandbox game."""
    return sha256(text.encode()).digest()


def derive_sandbox_seed(seed: bytes, follower: str) -> bytes:
    """Return the seed of a game that follows a sandbox game: `rematch`, or `fork|17` at version 17.

    It is the same wherever the game before was the same.
    """
    return digest(seed, f"{SANDBOX}|{follower}".encode(), "sha256")


def luck_of_bot(seed: bytes, state: State, version: int, seat: int, build: str) -> bytes:
    """Return the bytes that a bot draws its random numbers from when it answers at this version.

    They cannot be guessed before the seed is public. They tell nothing about the dice: no roll or draw of a
    game is derived from a text that begins like this one. A fork with the same dice has commits more than its
    origin; they do not count, so that its bots answer as those of the origin did.
    """
    number = version - state.dice_forks
    return digest(seed, f"bot|{state.dice_name}|{number}|{seat}|{build}".encode(), "sha256")


class FairDice:
    """Derives every result from the seed, the name in the dice, the seats' entropy and a running number."""

    __slots__ = ("_prefix", "_seed")

    def __init__(self, seed: bytes, name: str, entropy: Sequence[str]) -> None:
        """Derive from this seed; `name` is the id of the game, or what its `dice_name` says instead."""
        self._seed = seed
        self._prefix = f"{name}|{_mix_entropy(tuple(entropy))}|"

    def dice(self, number: int, count: int) -> tuple[int, ...]:
        """Return `count` thrown faces for a running number."""
        block = 0
        rolled = b""
        while len(rolled) < count:
            rolled += faces(self._block("dice", number, block))
            block += 1
        return tuple(rolled[:count])

    def draw(self, number: int) -> Below:
        """Return a function that picks random numbers below a bound, for a running number."""
        stream = self._bytes("draw", number)

        def below(bound: int) -> int:
            if not 1 <= bound <= _WIDEST:
                raise ValueError(f"cannot pick below {bound}")
            return _pick(stream, bound)

        return below

    def salt(self, number: int) -> str:
        """Return the salt of the secrets of a running number, in hexadecimal."""
        return self._block("salt", number, 0)[:SALT_BYTES].hex()

    def seed(self) -> str:
        """Return the seed in hexadecimal."""
        return self._seed.hex()

    def _bytes(self, purpose: str, number: int) -> Iterator[int]:
        """Yield random bytes without end for a purpose and a running number."""
        for block in count():
            yield from self._block(purpose, number, block)

    def _block(self, purpose: str, number: int, block: int) -> bytes:
        """Return the 32 random bytes with that number, for a purpose and a running number."""
        return digest(self._seed, f"{self._prefix}{purpose}|{number}|{block}".encode(), "sha256")


@lru_cache(maxsize=1_000)
def _mix_entropy(entropy: tuple[str, ...]) -> str:
    """Return one hash of the entropy of all seats.

    Entropy is free text: each is hashed alone first, so that no two lists give the same bytes.
    """
    return sha256(b"".join(sha256(text.encode()).digest() for text in entropy)).hexdigest()


def _pick(stream: Iterator[int], bound: int) -> int:
    """Return a number below `bound` from a stream of bytes, each number equally likely.

    Takes one byte for bounds up to 256, else two, high byte first; uneven remainders are drawn again.
    """
    wide = bound > 256
    span = _WIDEST if wide else 256
    while True:
        value = next(stream) * 256 + next(stream) if wide else next(stream)
        if value < span - span % bound:
            return value % bound


def dice_for(seed: bytes, state: State, command: Command) -> FairDice:
    """Return the dice that a command is decided with; a seat that is taken by it counts already."""
    match command:
        case Create(game, _, seats, sandbox=sandbox):
            return FairDice(seed, SANDBOX if sandbox else game, [plan.entropy for plan in seats])
        case Sit(taken, _, entropy):
            own = [entropy if seat == taken else known.entropy for seat, known in enumerate(state.seats)]
            return FairDice(seed, state.dice_name, own)
        case _:
            return FairDice(seed, state.dice_name, [seat.entropy for seat in state.seats])
