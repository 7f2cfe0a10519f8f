"""Dice that anybody can check afterwards; docs/fairness.md says how, step by step."""

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

SEED_BYTES = 32
_WIDEST = 65_536


def new_seed() -> bytes:
    return secrets.token_bytes(SEED_BYTES)


def commitment(seed: bytes) -> str:
    """What is published before the first roll."""
    return sha256(seed).hexdigest()


def luck_of_bot(seed: bytes, game: str, version: int, seat: int, build: str) -> bytes:
    """What a bot draws from when it answers at this version: nobody's to guess before the seed is public.

    No roll or draw of a game is made of a text that begins like this, so it tells nothing about them.
    """
    return digest(seed, f"bot|{game}|{version}|{seat}|{build}".encode(), "sha256")


class FairDice:
    """Every result is a function of the seed, the game, the seats' entropy and a running number."""

    __slots__ = ("_prefix", "_seed")

    def __init__(self, seed: bytes, game: str, entropy: Sequence[str]) -> None:
        self._seed = seed
        self._prefix = f"{game}|{_mix_entropy(tuple(entropy))}|"

    def dice(self, number: int, count: int) -> tuple[int, ...]:
        block = 0
        rolled = b""
        while len(rolled) < count:
            rolled += faces(self._block("dice", number, block))
            block += 1
        return tuple(rolled[:count])

    def draw(self, number: int) -> Below:
        stream = self._bytes("draw", number)

        def below(bound: int) -> int:
            if not 1 <= bound <= _WIDEST:
                raise ValueError(f"cannot pick below {bound}")
            return _pick(stream, bound)

        return below

    def salt(self, number: int) -> str:
        return self._block("salt", number, 0)[:SALT_BYTES].hex()

    def seed(self) -> str:
        return self._seed.hex()

    def _bytes(self, purpose: str, number: int) -> Iterator[int]:
        for block in count():
            yield from self._block(purpose, number, block)

    def _block(self, purpose: str, number: int, block: int) -> bytes:
        return digest(self._seed, f"{self._prefix}{purpose}|{number}|{block}".encode(), "sha256")


@lru_cache(maxsize=1_000)
def _mix_entropy(entropy: tuple[str, ...]) -> str:
    """Entropy is free text: hashed one by one, no two tables can read the same."""
    return sha256(b"".join(sha256(text.encode()).digest() for text in entropy)).hexdigest()


def _pick(stream: Iterator[int], bound: int) -> int:
    """One byte for bounds up to 256, else two, high byte first; uneven remainders are drawn again."""
    wide = bound > 256
    span = _WIDEST if wide else 256
    while True:
        value = next(stream) * 256 + next(stream) if wide else next(stream)
        if value < span - span % bound:
            return value % bound


def dice_for(seed: bytes, state: State, command: Command) -> FairDice:
    """The dice a command is decided with; the last one to sit down is already counted in."""
    match command:
        case Create(game, _, seats):
            return FairDice(seed, game, [plan.entropy for plan in seats])
        case Sit(taken, _, entropy):
            own = [entropy if seat == taken else known.entropy for seat, known in enumerate(state.seats)]
            return FairDice(seed, state.game, own)
        case _:
            return FairDice(seed, state.game, [seat.entropy for seat in state.seats])
