"""Follows a log of Royale with tiles from its first commit to its last and whistles at the first foul.

Of all other games `verifier/verify.py` is the second opinion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from tests.referee.attendance import ASIDE, Attendance
from tests.referee.books import BOOKS, CASINOS, CHIP, NOTES, Book, Event, Foul, Unwatched, fair, ranked_pairs
from tests.referee.tiles.laying import CODES, laid
from tests.referee.tiles.log import Watch
from tests.referee.tiles.round import Round
from tests.referee.tiles.table import Table

CARDS_IN_BANK = 54


def judge(commits: Iterable[dict[str, Any]]) -> Referee:
    """The referee after the last commit; Foul says where and what was wrong."""
    referee = Referee()
    for commit in commits:
        for thing in (commit["command"], *commit["events"]):
            try:
                referee.see(thing)
            except Foul as foul:
                raise Foul(f"version {commit['version']}, {thing['type']}: {foul}") from foul
    return referee


class Referee:
    """What lies where, as far as the log has told."""

    book: Book
    table: Table

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}
        self.players = self.round = self.starter = 0
        self.pile, self.under = Counter[int](), list[int]()
        self.stock: dict[str, list[int]] = {}
        self.purses: dict[int, list[int]] = {}
        self.chips, self.handed_out = Counter[int](), Counter[int]()
        self.opening, self.next_starter = False, 0
        self.tiles: Watch | None = None
        self.sides_seen, self.bank = set[str](), Counter[int]()
        self.payments = 0
        self.over = False
        self.attendance = Attendance()
        self._seen: dict[str, Callable[[Event], None]] = {
            "game_created": self._created,
            "game_started": self._started,
            "round_started": self._round_started,
            "notes_moved": self._notes_moved,
            "chips_moved": self._chips_moved,
            "game_ended": self._ended,
            "game_closed": self._closed,
            "tiles_laid": self._tiles_laid,
            "dice_rolled": lambda event: fair(False, "the tiles were not laid out"),
        }

    def see(self, event: Event) -> None:
        work = self._seen.get(event["type"])
        self.attendance.see(event)
        if event["type"] in ASIDE:
            return
        if self.tiles is not None:
            self._see_tiles(self.tiles, event)
        elif work is not None:
            fair(not self.over, "something happened after the end")
            work(event)

    # The game and its rounds

    def _created(self, event: Event) -> None:
        book = BOOKS.get((event["edition"], event["rules"]))
        if book is None or not event["options"].get("tiles"):
            raise Unwatched(f"this referee has no book of {event['edition']}, release {event['rules']}")
        self.book, self.options = book, event["options"]
        self.players = len(event["seats"])

    def _started(self, event: Event) -> None:
        self.pile = Counter(event["notes"])
        fair(self.pile == NOTES, "these are not the notes of the book")
        told, box = set(event.get("tiles", [])), CODES if self.book.tells_tiles else set()
        fair(told == box, "these are not the tiles of the book")
        self.purses = {seat: [] for seat in range(self.players)}

    def _round_started(self, event: Event) -> None:
        self.round += 1
        named = self.options.get("start_seat") if self.round == 1 else self.next_starter
        wanted = event["starter"] if named is None else named
        fair(event["round"] == self.round <= self.book.rounds, "the rounds are miscounted")
        fair(event["starter"] == wanted, f"seat {wanted} should start, not seat {event['starter']}")
        self.starter, self.opening, self.stock = event["starter"], True, {}
        self.handed_out.clear()

    def _check_stock(self) -> None:
        self.opening = False
        fair(set(self.stock) == {*CASINOS}, f"notes lie at {sorted(self.stock)}")
        fault = ranked_pairs(self.stock)
        fair(fault is None, str(fault))
        each = dict.fromkeys(range(self.players), self.book.chips)
        fair(self.handed_out == each, "the chips were not handed out")

    # Tiles

    def _tiles_laid(self, event: Event) -> None:
        laid(event["tiles"], self.options, self.sides_seen)
        self.sides_seen.update(event["tiles"])
        self._check_stock()
        fair(self.round > 1 or self.bank.total() == CARDS_IN_BANK, f"{self.bank.total()} cards are the bank")
        self.table = Table(
            self.book, self.players, self.starter, self.purses, self.chips, self.bank, self.under
        )
        self.tiles = Watch(Round(self.table, event["tiles"], self.stock).played())

    def _see_tiles(self, tiles: Watch, event: Event) -> None:
        if event["type"] == "game_closed":
            self.tiles = None
            self._closed(event)
            return
        if event["type"] == "close":
            return
        tiles.see(event)
        if event["type"] == "round_ended":
            fair(event["round"] == self.round, "the rounds are miscounted")
            self.tiles, self.next_starter = None, tiles.result
            self.payments += self.table.payments

    # Things that move

    def _notes_moved(self, event: Event) -> None:
        source, target, notes = event["source"], event["target"], event["notes"]
        if source == "pile":
            fair(Counter(notes) <= self.pile, "notes were drawn that nobody has")
            self.pile -= Counter(notes)
            self._drawn(target, notes)
            return
        fair(source == "under" and not self.pile, "notes moved before the tiles were laid out")
        fair(notes == self.under[: len(notes)], "the bottom of the pile is out of order")
        del self.under[: len(notes)]
        self.stock.setdefault(target, []).extend(notes)

    def _drawn(self, target: str, notes: list[int]) -> None:
        if target == "bank":
            fair(self.round == 1 and self.opening, "cards went to the bank")
            self.bank.update(notes)
        else:
            self.stock.setdefault(target, []).extend(notes)

    def _chips_moved(self, event: Event) -> None:
        fair(event["source"] == "bank" and self.opening, "chips were paid in the middle of a round")
        self.handed_out[_seat(event["target"])] += event["chips"]
        self.chips[_seat(event["target"])] += event["chips"]

    # The end

    def _ended(self, event: Event) -> None:
        fair(self.round == self.book.rounds, "the game ended too early")
        totals = [self._total(seat) for seat in range(self.players)]
        fair(event["totals"] == totals, f"totals: expected {totals}, found {event['totals']}")
        standing = [(total, len(self.purses[seat]) + self.chips[seat]) for seat, total in enumerate(totals)]
        winners = [seat for seat in range(self.players) if standing[seat] == max(standing)]
        fair(event["winners"] == winners, f"winners: expected {winners}, found {event['winners']}")
        self.over = True

    def _closed(self, event: Event) -> None:
        fair("winners" not in event, "a game that is closed has no winners")
        self.over = True

    def _total(self, seat: int) -> int:
        return sum(self.purses[seat]) + CHIP * self.chips[seat]


def _seat(place: str) -> int:
    """The number behind a purse, an owner or a casino."""
    number = place.rpartition("-")[2]
    fair(number.isdigit(), f"{place} is no place for this")
    return int(number)
