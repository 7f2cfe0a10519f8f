"""Fair dice: what docs/fairness.md promises."""

import hmac
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.commands import Choose, Create, Sit
from events.secrecy import seal
from events.values import SeatPlan
from rules.state import EMPTY, Seat, State
from service.fairness.dice import FairDice, commitment, dice_for, new_seed

SEED = bytes(range(32))
PAGE = Path(__file__).parents[3] / "docs" / "fairness.md"


def example() -> dict[str, Any]:
    block = re.search(r"```json\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert block
    found: dict[str, Any] = json.loads(block[1])
    return found


class ByTheBook:
    """The page, read by somebody who has not seen the code."""

    def __init__(self, seed: bytes, game: str, entropy: Sequence[str]) -> None:
        self.seed, self.game = seed, game
        hashes = [sha256(text.encode("utf-8")).digest() for text in entropy]
        self.mixed = sha256(b"".join(hashes)).hexdigest()

    def block(self, purpose: str, number: int, i: int) -> bytes:
        message = "|".join([self.game, self.mixed, purpose, str(number), str(i)])
        return hmac.new(self.seed, message.encode("ascii"), "sha256").digest()

    def stream(self, purpose: str, number: int) -> Iterator[int]:
        for i in count():
            yield from self.block(purpose, number, i)

    def dice(self, number: int, many: int) -> list[int]:
        kept = (byte % 6 + 1 for byte in self.stream("dice", number) if byte < 252)
        return list(islice(kept, many))

    def picks(self, number: int, bounds: Sequence[int]) -> list[int]:
        stream, found = self.stream("draw", number), []
        for n in bounds:
            m = 256 if n <= 256 else 65536
            value = m
            while value >= m - m % n:
                value = next(stream)
                if m == 65536:
                    value = value * 256 + next(stream)
            found.append(value % n)
        return found


def test_the_worked_example_of_the_page_holds() -> None:
    page = example()
    seed, dice, picks = bytes.fromhex(page["seed"]), page["dice"], page["picks"]
    fair, book = (kind(seed, page["game"], page["entropy"]) for kind in (FairDice, ByTheBook))
    assert isinstance(fair, FairDice)
    assert isinstance(book, ByTheBook)
    assert commitment(seed) == page["commitment"]
    assert (book.mixed, book.block("dice", 0, 0).hex()) == (page["mixed"], page["block"])
    assert list(fair.dice(dice["number"], dice["count"])) == dice["faces"]
    below = fair.draw(picks["number"])
    assert [below(bound) for bound in picks["below"]] == picks["picked"]
    assert fair.salt(page["salt"]["number"]) == page["salt"]["salt"]
    assert fair.seed() == page["seed"]


def test_the_sealed_value_of_the_page_holds() -> None:
    """Both for somebody who reads the page and for what the service seals."""
    page = example()
    salt, written, hidden = page["salt"]["salt"], page["sealed"]["json"], page["sealed"]["hidden"]
    assert sha256(bytes.fromhex(salt) + written.encode()).hexdigest() == hidden
    assert seal(tuple(json.loads(written)), salt, (0,)).hidden == hidden


@given(
    st.binary(min_size=32, max_size=32),
    st.lists(st.text(max_size=20), max_size=6),
    st.integers(0, 5000),
    st.integers(0, 200),
    st.lists(st.integers(1, 65536), max_size=40),
)
def test_a_reimplementation_from_the_page_agrees(
    seed: bytes, entropy: list[str], number: int, many: int, bounds: list[int]
) -> None:
    fair, book = FairDice(seed, "g_any", entropy), ByTheBook(seed, "g_any", entropy)
    assert list(fair.dice(number, many)) == book.dice(number, many)
    below = fair.draw(number)
    assert [below(bound) for bound in bounds] == book.picks(number, bounds)
    assert fair.salt(number) == book.block("salt", number, 0)[:16].hex()


def chi_square(found: Counter[int], kinds: int) -> float:
    expected = found.total() / kinds
    return sum((found[kind] - expected) ** 2 / expected for kind in range(kinds))


def test_no_face_is_favoured() -> None:
    """Without rejection the faces 5 and 6 would lag by 2 in 100, which this number of dice shows clearly."""
    dice = FairDice(SEED, "g_many", ())
    faces = Counter(face - 1 for number in range(25_000) for face in dice.dice(number, 8))
    assert set(faces) == set(range(6))
    # Above this lies one result in a thousand, for five degrees of freedom.
    assert chi_square(faces, 6) < 20.52


@pytest.mark.parametrize(("bound", "limit"), [(6, 20.52), (54, 90.57), (300, 380.4)])
def test_no_pick_is_favoured(bound: int, limit: float) -> None:
    dice = FairDice(SEED, "g_many", ())
    picks = Counter(dice.draw(number)(bound) for number in range(30_000))
    assert chi_square(picks, bound) < limit


def test_the_same_number_gives_the_same_result_however_often() -> None:
    dice = FairDice(SEED, "g_one", ("luck",))
    again = FairDice(SEED, "g_one", ("luck",))
    assert dice.dice(7, 8) == again.dice(7, 8) == dice.dice(7, 8)
    assert dice.dice(7, 3) == dice.dice(7, 8)[:3]
    assert dice.draw(7)(54) == again.draw(7)(54)
    assert dice.salt(7) == again.salt(7)


OTHERS = (
    FairDice(bytes(32), "g_one", ("a", "bc")),
    FairDice(SEED, "g_two", ("a", "bc")),
    FairDice(SEED, "g_one", ("ab", "c")),
    FairDice(SEED, "g_one", ("bc", "a")),
    FairDice(SEED, "g_one", ("a", "bc", "")),
    FairDice(SEED, "g_one", ("a|bc",)),
)


@pytest.mark.parametrize("other", OTHERS)
def test_seed_game_and_every_seats_entropy_matter(other: FairDice) -> None:
    dice = FairDice(SEED, "g_one", ("a", "bc"))
    assert dice.dice(1, 30) != other.dice(1, 30)
    assert dice.salt(1) != other.salt(1)


def test_running_numbers_and_purposes_share_nothing() -> None:
    dice = FairDice(SEED, "g_one", ())
    salts = {dice.salt(number) for number in range(1000)}
    assert len(salts) == 1000
    assert len({dice.dice(number, 30) for number in range(1000)}) == 1000
    below = dice.draw(1)
    assert bytes(below(256) for _ in range(16)).hex() != dice.salt(1)


@pytest.mark.parametrize("bound", [0, -1, 65_537])
def test_an_impossible_pick_is_refused(bound: int) -> None:
    with pytest.raises(ValueError, match="cannot pick below"):
        FairDice(SEED, "g_one", ()).draw(0)(bound)


def test_seeds_are_32_bytes_and_never_the_same() -> None:
    seeds = {new_seed() for _ in range(100)}
    assert len(seeds) == 100
    assert {len(seed) for seed in seeds} == {32}


def test_the_last_one_to_sit_down_is_counted_in() -> None:
    """All entropy is in the first draw (P7)."""
    plan = (SeatPlan(name="Anna", entropy="clover"), SeatPlan())
    lobby = State(game="g_one", seats=(Seat("Anna", None, "clover"), Seat(None)))
    full = State(game="g_one", seats=(Seat("Anna", None, "clover"), Seat("Ben", None, "walk")))
    sitting = dice_for(SEED, lobby, Sit(1, "Ben", "walk"))
    choosing = dice_for(SEED, full, Choose(1, 0, "place-1"))
    creating = dice_for(SEED, EMPTY, Create("g_one", "classic", plan, ""))
    assert (
        sitting.dice(0, 30) == choosing.dice(0, 30) == FairDice(SEED, "g_one", ("clover", "walk")).dice(0, 30)
    )
    assert creating.dice(0, 30) == FairDice(SEED, "g_one", ("clover", "")).dice(0, 30)
