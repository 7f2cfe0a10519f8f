"""What the seed alone decides, whatever the rules: every roll, and the salt of every opened secret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import asdict

from events.chain import Broken
from events.commit import Commit
from events.seat_types import SeatLeft, SeatTaken
from events.secrecy import Secret
from events.types import DiceRolled, Event
from service.fairness.dice import FairDice
from service.fairness.segments import Segment


def check_rolls(segments: Sequence[Segment]) -> None:
    """Raises Broken at the first commit with a roll or a salt that is not the seed's."""
    before: Event | None = None
    number = -1
    for segment in segments:
        dice = FairDice(segment.seed, segment.game, _entropy(segment))
        for commit, event in _chance_events(segment.commits):
            number = _next_number(commit, event, number, before)
            _check_chance(commit, event, dice, number)
            before = event


def _check_chance(commit: Commit, event: Event, dice: FairDice, number: int) -> None:
    if isinstance(event, DiceRolled):
        _check_roll(commit, event, dice)
    _check_salts(commit, event, dice.salt(number))


def _entropy(segment: Segment) -> list[str]:
    """Of all seats: nothing is rolled before the last one is taken (P7)."""
    entropy = [plan.entropy for plan in segment.seats]
    for version, event in _seat_changes(segment.commits):
        if not 0 <= event.seat < len(entropy):
            raise Broken(version, f"there is no seat {event.seat}")
        # Whoever leaves the lobby takes along what they brought; in play a bot goes on with it.
        if not (isinstance(event, SeatLeft) and event.bot):
            entropy[event.seat] = getattr(event, "entropy", "")
    return entropy


def _seat_changes(commits: Sequence[Commit]) -> Iterator[tuple[int, SeatTaken | SeatLeft]]:
    for commit in commits:
        for event in commit.events:
            if isinstance(event, (SeatTaken, SeatLeft)):
                yield commit.version, event


def _chance_events(commits: Sequence[Commit]) -> Iterator[tuple[Commit, Event]]:
    for commit in commits:
        for event in commit.events:
            if getattr(event, "chance", None) is not None:
                yield commit, event


def _next_number(commit: Commit, event: Event, last: int, before: Event | None) -> int:
    """None is left out, and only events that tell of one draw share one: else rolls could be chosen."""
    number: int = getattr(event, "chance", -1)
    shared = number == last and type(event) is type(before) and not isinstance(event, DiceRolled)
    if number != last + 1 and not shared:
        raise Broken(commit.version, f"its running number is {number} where {last + 1} is next")
    return number


def _check_roll(commit: Commit, event: DiceRolled, dice: FairDice) -> None:
    """Small dice come first, then the big one; those of a seat before its neutral ones."""
    big = () if event.big is None else (event.big,)
    lots = (event.own, big, event.neutral) if event.seat is not None else (event.neutral, big, event.black)
    faces = iter(dice.dice(event.chance, sum(map(len, lots))))
    for lot in lots:
        rolled = tuple(next(faces) for _ in lot)
        # Black dice lie as they fell, all others in rising order.
        expected = rolled if lot is event.black else tuple(sorted(rolled))
        if lot != expected:
            raise Broken(commit.version, f"its roll {event.chance} should be {expected} and is {lot}")


def _check_salts(commit: Commit, event: Event, salt: str) -> None:
    for thing in asdict(event).values():
        if isinstance(thing, Secret) and thing.salt not in (None, salt):
            raise Broken(commit.version, "a secret's salt is not the one that the seed gives")
