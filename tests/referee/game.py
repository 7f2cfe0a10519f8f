"""Follows a log from its first commit to its last and whistles at the first thing against the book."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from tests.referee.attendance import ASIDE, Attendance
from tests.referee.books import (
    BOOKS,
    CARDS_OF_A_COLOUR,
    CASINOS,
    CHIP,
    COLOURS,
    DECK,
    SETS,
    Book,
    Event,
    Foul,
    Payment,
    Unwatched,
    Weights,
    bandit_ranking,
    fair,
    payments,
    ranking,
    tied,
)
from tests.referee.cards import Cards
from tests.referee.dice import Dice
from tests.referee.tiles.laying import CODES, laid
from tests.referee.tiles.log import Watch
from tests.referee.tiles.round import Round
from tests.referee.tiles.table import Table

BANDIT = "bandit"
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
    dice: Dice
    cards: Cards
    table: Table

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}
        self.players = self.round = self.starter = 0
        self.pile, self.under = Counter[int](), list[int]()
        self.stock: dict[str, list[int]] = {}
        self.paid: list[Payment] = []
        self.returned: dict[str, set[str]] = {}
        self.purses: dict[int, list[int]] = {}
        self.chips, self.handed_out = Counter[int](), Counter[int]()
        self.chip_cards: dict[str, Counter[str]] = {}
        self.laid = Counter[str]()
        self.earned: set[tuple[int, int]] = set()
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
            "turn_started": self._turn_started,
            "dice_rolled": self._rolled,
            "dice_placed": self._placed,
            "dice_moved": lambda event: self.dice.moved(event),
            "dice_returned": self._returned,
            "notes_moved": self._notes_moved,
            "chips_moved": self._chips_moved,
            "chip_cards_moved": self._chip_cards_moved,
            "cards_dealt": lambda event: self.cards.dealt(event),
            "cards_played": self._cards_played,
            "revealed": lambda event: self.cards.reveal(event),
            "round_ended": self._round_ended,
            "game_ended": self._ended,
            "game_closed": self._closed,
            "tiles_laid": self._tiles_laid,
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
        if book is None:
            raise Unwatched(f"this referee has no book of {event['edition']}, release {event['rules']}")
        self.book, self.options = book, event["options"]
        self.players = len(event["seats"])

    def _started(self, event: Event) -> None:
        self.pile = Counter(event["notes"])
        fair(self.pile == self.book.notes, "these are not the notes of the book")
        fair(
            all(Counter(deck) == DECK for deck in event.get("decks", [])),
            "these are not the cards of the book",
        )
        colours = Counter[str](event.get("chip_cards", []))
        whole = [CARDS_OF_A_COLOUR] * COLOURS if self.options.get("chip_cards") else []
        fair(list(colours.values()) == whole, "these are not the chip cards of the book")
        told = set(event.get("tiles", []))
        box = CODES if self.book.tells_tiles and self.options.get("tiles") else set()
        fair(told == box, "these are not the tiles of the book")
        self.chip_cards = {"pile": colours}
        self.purses = {seat: [] for seat in range(self.players)}

    def _round_started(self, event: Event) -> None:
        self.round += 1
        named = self.options.get("start_seat") if self.round == 1 else self.next_starter
        wanted = event["starter"] if named is None else named
        fair(event["round"] == self.round <= self.book.rounds, "the rounds are miscounted")
        fair(event["starter"] == wanted, f"seat {wanted} should start, not seat {event['starter']}")
        self.starter, self.opening = event["starter"], True
        self.stock, self.paid, self.returned = {}, [], {}
        self.handed_out.clear()
        self.laid.clear()
        neutral = bool(self.options.get("neutral_dice"))
        self.dice = Dice(self.book, self.players, self.starter, neutral)
        self.cards = Cards(self.players, self.starter, bool(self.options.get("sequential")))

    def _open(self) -> None:
        """The first turn begins: the table must have been laid."""
        if not self.opening:
            return
        fair(not self.options.get("tiles"), "the tiles were not laid out")
        self._check_stock()
        self.dice.dealt()

    def _check_stock(self) -> None:
        self.opening = False
        wanted = {*CASINOS, *([BANDIT] if self.options.get("bandit") else [])}
        fair(set(self.stock) == wanted, f"notes lie at {sorted(self.stock)}")
        fault = self.book.stocked(self.stock)
        fair(fault is None, str(fault))
        each = {seat: self.book.chips for seat in range(self.players) if self.book.chips}
        fair(self.handed_out == each, "the chips were not handed out")
        one = dict.fromkeys(CASINOS, 1) if self.options.get("chip_cards") else {}
        fair(self.laid == one, "the chip cards were not laid out")

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

    # Turns

    def _rolled(self, event: Event) -> None:
        if event.get("seat") is not None:
            self._open()
            self.earned.clear()
        self.dice.rolled(event)

    def _placed(self, event: Event) -> None:
        weight = self.dice.placed(event)
        counted = weight + (event.get("neutral", 0) if self.book.neutral_earns else 0)
        if event["target"] in CASINOS and counted >= 2:
            self.earned.add((event["seat"], event["number"]))

    def _turn_started(self, event: Event) -> None:
        self._open()
        self.earned.clear()
        self.cards.turn_started(event.get("seat"))

    def _cards_played(self, event: Event) -> None:
        self.cards.played(event)
        brought = Counter[int]()
        for card in event["cards"]:
            brought[int(card[0])] += 2 if card.endswith("d") else 1
        for number, weight in brought.items():
            self.dice.lay(f"casino-{number}", f"seat-{event['seat']}", weight)
        self.earned |= {(event["seat"], number) for number, weight in brought.items() if weight >= 2}

    # Things that move

    def _notes_moved(self, event: Event) -> None:
        source, target, notes = event["source"], event["target"], event["notes"]
        if source == "pile":
            fair(Counter(notes) <= self.pile, "notes were drawn that nobody has")
            self.pile -= Counter(notes)
            self._drawn(target, notes)
        elif source == "under":
            fair(
                not self.pile and notes == self.under[: len(notes)], "the bottom of the pile is out of order"
            )
            del self.under[: len(notes)]
            self.stock.setdefault(target, []).extend(notes)
        else:
            self.paid.append((source, target, tuple(notes), event.get("winner")))

    def _drawn(self, target: str, notes: list[int]) -> None:
        if target == "bank":
            fair(self.round == 1 and self.opening, "cards went to the bank")
            self.bank.update(notes)
        else:
            self.stock.setdefault(target, []).extend(notes)

    def _chips_moved(self, event: Event) -> None:
        giver, taker = event["source"], event["target"]
        if giver == "bank":
            self.handed_out[_seat(taker)] += event["chips"]
            self.chips[_seat(taker)] += event["chips"]
            fair(self.opening, "chips were paid in the middle of a round")
        else:
            self.chips[_seat(giver)] -= event["chips"]
            fair(event["chips"] == 1 and self.chips[_seat(giver)] >= 0, "a pass costs one chip")
            self.dice.passed(_seat(giver))

    def _chip_cards_moved(self, event: Event) -> None:
        source, target, cards = event["source"], event["target"], Counter[str](event["cards"])
        fair(
            cards.total() == 1 and cards <= self.chip_cards.get(source, Counter()), "no such chip card there"
        )
        if source == "pile":
            fair(self.opening, "a chip card was laid out of turn")
            self.laid[target] += 1
        else:
            taken = (_seat(target), _seat(source))
            fair(taken in self.earned, f"seat {taken[0]} has not earned a chip card at {source}")
            self.earned.remove(taken)
        self.chip_cards[source] -= cards
        self.chip_cards.setdefault(target, Counter()).update(cards)

    def _returned(self, event: Event) -> None:
        self.returned.setdefault(event["place"], set()).update(event["owners"])

    # The payout

    def _weights(self, place: str) -> Weights:
        return self.dice.lying.get(place, {})

    def _round_ended(self, event: Event) -> None:
        fair(event["round"] == self.round, "the rounds are miscounted")
        done = self.dice.over() if self.book.small else self.cards.over()
        fair(done, "the round was not over")
        ties = {place: tied(self._weights(place)) for place in CASINOS}
        ties = {place: owners for place, owners in ties.items() if owners}
        fair(self.returned == ties, f"ties: expected {ties}, found {self.returned}")
        due = self._due()
        fair(self.paid == due, f"payout: expected {due}, found {self.paid}")
        self._settle(due)
        self.next_starter = self._starter()

    def _due(self) -> list[Payment]:
        """Casinos from 1 to 6, then the bandit."""
        due = list[Payment]()
        for place in CASINOS:
            due += payments(place, self.stock[place], ranking(self._weights(place)), self.book.leftovers)
        if BANDIT in self.stock:
            due += payments(BANDIT, self.stock[BANDIT], bandit_ranking(self.dice.stacks), self.book.leftovers)
        return due

    def _settle(self, due: list[Payment]) -> None:
        self.payments += len(due)
        for _, target, notes, _ in due:
            if target.startswith("purse"):
                self.purses[_seat(target)] += notes
            elif target == "under":
                self.under += notes

    def _starter(self) -> int:
        """Left of the last starter; who rolled last; who took the dearer card highest up."""
        if self.book.starter == "left":
            return (self.starter + 1) % self.players
        if self.book.starter == "last to roll":
            return self.dice.last or 0
        firsts = [ranking(self._weights(place))[:1] for place in reversed(CASINOS)]
        seats = [_seat(owner) for first in firsts for owner in first if owner.startswith("seat")]
        return seats[0] if seats else self.starter

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
        sets = self.chip_cards.get(f"purse-{seat}", Counter())
        return sum(self.purses[seat]) + CHIP * self.chips[seat] + sum(SETS[count] for count in sets.values())


def _seat(place: str) -> int:
    """The number behind a purse, an owner or a casino."""
    number = place.rpartition("-")[2]
    fair(number.isdigit(), f"{place} is no place for this")
    return int(number)
