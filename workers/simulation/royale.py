"""Simulates Royale: plays the move by the rules, and the rest of the round without tiles."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from events.values import CASINO, CASINO_NUMBERS, GREY, LENT, NEUTRAL, OWNER, Owner
from rules import EDITIONS, State
from rules.choice import read_choice
from rules.legal import choices, prompt_of
from rules.lookahead import has_thrown, pay_out_now, seat_asked_within_move, unfinished_payout
from rules.scoring import CHIP, money, totals
from workers.bots.evaluator import LONGEST_MOVE, Evaluator, dollars_won
from workers.bots.protocol import Candidate, Question
from workers.bots.valuation import SOME_THROWS, SampledChance, Throw
from workers.simulation.endgame import CERTAIN, Dice, Endgame, Move, Wide, weigh_exactly
from workers.simulation.lanes import count_faces, even_numbers
from workers.simulation.racing import Stage, race, scale
from workers.simulation.winning import THOUSAND, chance_to_win, list_candidates


class Leaf(Struct, frozen=True):
    """Holds a table after the move, how often it comes, and what the seat may expect besides.

    `dollars` is what a bet or a hidden choice brings on average that is not played out.
    """

    state: State
    often: int
    dollars: float


class FirstMove(Evaluator):
    """Carries out a move by the rules. Questions inside it are answered as the greedy level would.

    Bets and hidden choices are not played out: their expected money is used.
    """

    def leaves(self, view: State, choice: str, throws: Sequence[Throw]) -> list[Leaf]:
        """Return the table after the choice, or one for each throw if black dice are thrown in the move."""
        found = list[Leaf]()
        self.begin_option()
        for throw in throws:
            leaf, lucky = self._follow(view, choice, throw)
            found.append(leaf)
            if not lucky or self.is_exhausted:
                break
        return found

    def _follow(self, view: State, choice: str, throw: Throw) -> tuple[Leaf, bool]:
        """Return the table after the choice with this throw, and whether the throw decided any of it."""
        chance = SampledChance(self._seed, throw.pair)
        table = self._try(view, self._seat, choice, chance)
        lucky = has_thrown(table.events)
        for _ in range(LONGEST_MOVE):
            state = table.state
            asked = seat_asked_within_move(table, view.ask)
            options = () if asked is None else choices(state, asked)
            if asked is None or self.tried + len(options) > self._most:
                break
            dollars = self._expected_dollars(state, options) if asked == self._seat else None
            if dollars is not None:
                return Leaf(state, throw.often, dollars), lucky
            table = self._try(state, asked, self._best_now(state, asked, options, chance), chance)
            lucky = lucky or has_thrown(table.events)
        return Leaf(table.state, throw.often, 0), lucky

    def _expected_dollars(self, state: State, options: Sequence[str]) -> float | None:
        """Return what a bet, a hidden choice or a guess brings on average; None for other questions."""
        won = [dollars for option in options if (dollars := dollars_won(state, option)) is not None]
        if won:
            return max(won)
        mixture = self.mix(state, options)
        return None if mixture is None else mixture.valuation.own - self.weigh_now(state).own


Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]
Index = NDArray[np.intp]

CASINOS = 6
# What passing costs, in thousands of dollars.
CHIP_THOUSANDS = 10
# The most weight that a seat can have at a casino, with the big die and two black ones.
MOST_DICE = 15
ONES = np.array([number.bit_count() for number in range(1 << MOST_DICE + 1)], np.int32)


def pay(weights: Ints, notes: Ints, players: int) -> Ints:
    """Return what each casino pays each seat, by lane, seat and casino.

    The higher note goes to the seat with most dice, the other to the next, and tied seats get nothing.
    `weights` are by lane, owner and casino, with the seats before the imaginary players.
    """
    bits = np.where(weights > 0, np.left_shift(1, weights), 0)
    there = bits[:, 0]
    several = np.zeros_like(bits[:, 0])
    for owner in range(1, bits.shape[1]):
        several = several | (there & bits[:, owner])
        there = there | bits[:, owner]
    alone = (there & ~several)[:, None]
    above = ONES[alone >> (weights[:, :players] + 1)]
    won = np.where(above == 0, notes[:, None, :, 0], np.where(above == 1, notes[:, None, :, 1], 0))
    found: Ints = won * ((bits[:, :players] & alone) > 0)
    return found


class RoyaleLanes:
    """Holds the tables by lane. Money is in thousands; `paid` is what each casino would pay each seat now."""

    def __init__(
        self, weights: Ints, hands: tuple[Ints, Ints], chips: Ints, notes: Ints, closed: Flags
    ) -> None:
        self.weights = weights
        self.small, self.big = hands
        self.chips = chips
        self.notes = notes
        self.closed = closed
        self.players = chips.shape[1]
        self.paid = pay(weights, notes, self.players)

    def has_dice(self, seat: int) -> Flags:
        """Return where the seat has dice, by lane."""
        return (self.small[:, seat] > 0) | (self.big[:, seat] > 0)

    @property
    def is_done(self) -> bool:
        """Return whether no seat has dice in any lane."""
        return not (self.small.any() or self.big.any())

    def offers(self, seat: int, small: Ints, big: Ints) -> tuple[Flags, Ints]:
        """Return where dice may go, by lane and casino, and what each casino would pay each seat then."""
        more = small + 2 * big
        weights = self.weights.copy()
        weights[:, seat] += more
        return (more > 0) & ~self.closed, pay(weights, self.notes, self.players)

    def place(self, seat: int, rows: Index, casinos: Index, small: Ints, big: Ints, paid: Ints) -> None:
        """Place the seat's dice in these lanes, at these casinos; `paid` is what each would pay then."""
        few = small[rows, casinos]
        one = big[rows, casinos]
        self.weights[rows, seat, casinos] += few + 2 * one
        self.small[rows, seat] -= few
        self.big[rows, seat] -= one
        self.paid[rows, :, casinos] = paid[rows, :, casinos]

    def pass_turn(self, seat: int, rows: Index) -> None:
        """Pass the seat's turn in these lanes, which costs a chip."""
        self.chips[rows, seat] -= 1

    def won(self) -> Ints:
        """Return what every seat gets of the casinos and has in chips, by lane and seat."""
        found: Ints = self.paid.sum(axis=2) + CHIP_THOUSANDS * self.chips
        return found

    def count_won(self) -> Ints:
        """Return the number of notes and chips of each seat, by lane and seat."""
        found: Ints = (self.paid > 0).sum(axis=2) + self.chips
        return found


SMALL_DICE = 7
# Seats may pass, so that the number of turns has no limit; after so many, hardly any dice are left.
MOST_TURNS = 14
# In thousands: the price of a die in hand, and the most that a random whim adds.
DIE = 8
WHIM = 8
# The best rival counts in full, all of them together a tenth; worth is in tenths of a thousand.
TENTHS = 10
NEVER = -(10**8)


class RoyaleRest:
    """Plays the rest of the round by a simple rule.

    `extra` is what seats have besides, and `prizes` what they get for coming to a casino. Lanes of the same
    playout have the same luck.
    """

    def __init__(self, lanes: RoyaleLanes, extra: Ints, prizes: Ints, playouts: int, chance: Random) -> None:
        self._lanes = lanes
        self._playouts = playouts
        self._chance = chance
        self._prizes = prizes
        self.extra = extra
        self._number = np.tile(np.arange(playouts), len(extra) // playouts)

    def play(self, order: tuple[int, ...], rolls: Flags) -> None:
        """Play until no seat has dice.

        In the lanes of `rolls` the last seat in order has a turn before the first.
        """
        if rolls.any():
            self._take_turn(order[-1], rolls)
        for _ in range(MOST_TURNS):
            for seat in order:
                self._take_turn(seat, self._lanes.has_dice(seat))
            if self._lanes.is_done:
                return

    def _take_turn(self, seat: int, playing: Flags) -> None:
        """Play one turn of the seat in these lanes: it places dice, or passes if that costs less."""
        small, big = self._roll(seat)
        legal, paid = self._lanes.offers(seat, small, big)
        worth = np.where(legal, self._worth(seat, small + 2 * big, paid), NEVER)
        best = worth.argmax(axis=1)
        most = worth.max(axis=1)
        passes = playing & (self._lanes.chips[:, seat] > 0) & (most < -TENTHS * CHIP_THOUSANDS)
        rows = np.flatnonzero(playing & ~passes & (most > NEVER))
        self._lanes.place(seat, rows, best[rows], small, big, paid)
        self.extra[rows, seat] += self._prizes[rows, best[rows]]
        self._lanes.pass_turn(seat, np.flatnonzero(passes))

    def _worth(self, seat: int, dice: Ints, paid: Ints) -> Ints:
        """Return what placing at each casino is worth, less the price of the dice, by lane and casino."""
        whims = even_numbers(self._chance, TENTHS * WHIM, self._playouts, CASINOS)[self._number]
        return self._gain(seat, paid) + TENTHS * (self._prizes - DIE * dice) + whims

    def _roll(self, seat: int) -> tuple[Ints, Ints]:
        """Return the seat's small dice and its big one, by lane and face."""
        counted = count_faces(even_numbers(self._chance, CASINOS, self._playouts, SMALL_DICE))
        small = counted[self._number, self._lanes.small[:, seat]]
        face = even_numbers(self._chance, CASINOS, self._playouts)[self._number, None]
        big = (face == np.arange(CASINOS)) & (self._lanes.big[:, seat, None] > 0)
        return small, big.astype(np.int32)

    def _gain(self, seat: int, paid: Ints) -> Ints:
        """Return how much better the seat would stand against its rivals, by lane and casino."""
        now = (self._lanes.won() + self.extra)[:, :, None]
        return _stand(seat, now + paid - self._lanes.paid) - _stand(seat, now)


def _stand(seat: int, sums: Ints) -> Ints:
    """Return how the seat stands against its rivals, by lane and casino.

    `sums` are by lane, seat and casino.
    """
    rivals = np.delete(sums, seat, axis=1)
    found: Ints = TENTHS * (sums[:, seat] - rivals.max(axis=1)) - rivals.sum(axis=1)
    return found


# What it is worth to activate a tile once more, in thousands. The other tiles pay in the payout.
PRIZES = {
    "A1": 15,
    "A2": 16,
    "B2": 14,
    "D1": 25,
    "D2": 5,
    "E1": 12,
    "E2": 8,
    "F1": 10,
    "F2": 18,
    "G2": 10,
    "H1": 22,
    "H2": 25,
}
Row = tuple[int, ...]


class RoyaleTable(Struct, frozen=True):
    """Holds a table as numbers, to be played out in a lane.

    `weights` are by owner and casino, with the seats before the imaginary players; of `notes` the higher one
    comes first. `extra` is what a seat will have at the end of the round besides chips and what casinos pay.
    `held` counts the notes in its purse. `prizes` is what a tile may bring a seat that comes to its casino.
    The seats have their turns in `order`; if `rolls` is set, the last of them has one before.
    """

    weights: tuple[Row, ...]
    small: Row
    big: Row
    chips: Row
    notes: tuple[Row, ...]
    closed: Row
    extra: Row
    held: Row
    prizes: Row
    rolls: int
    order: Row


def read_table(leaf: Leaf, seat: int) -> RoyaleTable:
    """Return the leaf as numbers. What tiles would pay now counts as paid, even if they change later."""
    state = leaf.state
    seats = range(len(leaf.state.seats))
    is_over = bool(unfinished_payout(state))
    weights = tuple(_weights(state, owners) for owners in _owners(len(seats)))
    notes = tuple(_two_notes(() if is_over else state.notes_at(number)) for number in CASINO_NUMBERS)
    return RoyaleTable(
        weights=weights,
        small=tuple(0 if is_over else state.supply_of(other).small for other in seats),
        big=tuple(0 if is_over else state.supply_of(other).big for other in seats),
        chips=tuple(state.chips_of(other) for other in seats),
        notes=notes,
        closed=tuple(int(number in state.closed) for number in CASINO_NUMBERS),
        extra=_extra(leaf, seat, weights, notes),
        held=tuple(len(state.notes_of(other)) for other in seats),
        prizes=tuple(PRIZES.get(code, 0) for code in (*state.tiles, *[""] * 6)[:6]),
        rolls=int(_rolls(state)),
        order=state.order,
    )


def _owners(players: int) -> tuple[tuple[Owner, ...], ...]:
    """Return the groups of owners whose dice count together."""
    return (*((OWNER[seat], LENT[seat]) for seat in range(players)), (NEUTRAL,), (GREY,))


def _weights(state: State, owners: tuple[Owner, ...]) -> Row:
    """Return the weight of these owners' dice at each casino."""
    return tuple(
        sum(state.dice_of(owner, CASINO[number]).weight for owner in owners) for number in CASINO_NUMBERS
    )


def _two_notes(notes: Row) -> Row:
    """Return the two highest notes in thousands, the higher one first; 0 for a missing one."""
    return (*sorted((note // THOUSAND for note in notes), reverse=True), 0, 0)[:2]


def _extra(leaf: Leaf, seat: int, weights: tuple[Row, ...], notes: tuple[Row, ...]) -> Row:
    """Return what each seat has in its purse and would get from tiles now, in thousands.

    For the asked seat, what it may expect of a bet is added.
    """
    state = leaf.state
    paid = pay(np.array([weights], np.int32), np.array([notes], np.int32), len(state.seats))[0].sum(axis=1)
    after = totals(pay_out_now(state, SampledChance(0)))
    extra = [
        (sum_ - CHIP * state.chips_of(other)) // THOUSAND - int(paid[other])
        for other, sum_ in enumerate(after)
    ]
    extra[seat] += round(leaf.dollars / THOUSAND)
    return tuple(extra)


def _rolls(state: State) -> bool:
    """Return whether the move ended with a new roll of the seat, which is played as any other roll."""
    return state.roll is not None and state.ask is not None and state.ask.prompt == "turn.place"


# The releases whose casinos, dice and chips this module copies.
RELEASES = ("1", "2")
# From a budget of FEWEST on: options that are played out, and playouts of each for a budget of ENOUGH. By the
# bot's own estimate, 160 playouts of each option lost a quarter of a game in 100 with every choice of four
# players; these lose a fifth of that.
FEWEST = 20
ENOUGH = 60
STAGES = (Stage(99, 80), Stage(4, 80), Stage(3, 160), Stage(2, 240))
# Playouts for figures about hidden choices, which are only shown.
MOST_LANES = 160
# Playouts for each one of the budget where no tiles lie: there the move itself says less.
PLAIN = 2
# Answers tried by the rules, all options together.
MOST_TRIALS = 240
# Thousands of dollars of a lead that make the odds e times as good, by players and rounds to come.
TEMPERATURES = {2: (0, 60, 85), 3: (0, 60, 85), 4: (0, 60, 85), 5: (0, 60, 85)}


def claims(question: Question) -> bool:
    """Return whether the question is one of Royale that can be decided by figures.

    It cannot where something is hidden or guessed: a bot mixes its choices there.
    """
    view = question.view
    ask = question.view.ask
    if view.edition != "royale" or view.release not in RELEASES or ask is None:
        return False
    prompt = prompt_of(view, ask)
    return not prompt.secret and prompt.guesses is None


def weigh(question: Question) -> tuple[Candidate, ...]:
    """Return each option with its expected money and chance to win."""
    exact = weigh_endgame(question)
    if exact is not None:
        return exact
    view = question.view
    seat = question.seat
    budget = question.budget
    rounds = EDITIONS.of(view).rounds - view.round
    leaves = read_options(question)

    def play(question: Question, playouts: int) -> tuple[Candidate, ...]:
        tables = [table for option in question.options for table in leaves[option].share(playouts)]
        sums, counts = play_out(tables, playouts, question.chance)
        win = chance_to_win(sums, counts, seat, rounds, TEMPERATURES)
        return list_candidates(question, sums[:, seat] - totals(view)[seat] // THOUSAND, win)

    if budget < FEWEST:
        return play(question, budget * (1 if view.tiles else PLAIN))
    return race(question, scale(STAGES, budget, ENOUGH), play)


def weigh_endgame(question: Question) -> tuple[Candidate, ...] | None:
    """Return each option with exact figures if few dice are left and no tiles lie on the table; else None."""
    view = question.view
    seat = question.seat
    placing = view.ask is not None and view.ask.prompt == "turn.place"
    if question.budget < FEWEST or view.tiles or not placing:
        return None
    table = read_table(Leaf(view, 1, 0), seat)
    rounds = EDITIONS.of(view).rounds - view.round
    cash = tuple(money(view, other) // THOUSAND for other in range(len(view.seats)))

    def judge(sums: Wide, notes: Wide) -> Wide:
        chances = chance_to_win(sums.astype(np.int32), notes.astype(np.int32), seat, rounds, TEMPERATURES)
        return np.rint(chances * CERTAIN).astype(np.int64)

    endgame = Endgame(
        seat=seat,
        weights=tuple(zip(*table.weights, strict=True)),
        notes=table.notes,
        small=table.small,
        big=table.big,
        white=(0,) * len(cash),
        chips=table.chips,
        money=cash,
        held=table.held,
        judge=judge,
    )
    return weigh_exactly(endgame, question.options, [_read_move(view, option) for option in question.options])


def _read_move(view: State, option: str) -> Move:
    """Return the dice that an option places; None if it passes."""
    choice = read_choice(option)
    if not choice.words or view.roll is None:
        return None
    face = choice.number
    return face - 1, Dice(view.roll.own.count(face), int(view.roll.big == face), 0)


def play_out(tables: Sequence[RoyaleTable], playouts: int, chance: Random) -> tuple[Ints, Ints]:
    """Return what each seat has at the end of the round, and its notes and chips, by lane and seat."""
    lanes = stack_lanes(tables)
    rest = RoyaleRest(lanes, _stack(tables, "extra"), _stack(tables, "prizes"), playouts, chance)
    rest.play(tables[0].order, _stack(tables, "rolls") > 0)
    return lanes.won() + rest.extra, lanes.count_won() + _stack(tables, "held")


class Leaves(Struct, frozen=True):
    """Holds the tables that an option leads to, also as numbers: one for each throw in the move."""

    leaves: tuple[Leaf, ...]
    tables: tuple[RoyaleTable, ...]

    def share(self, playouts: int) -> list[RoyaleTable]:
        """Return a table for each playout; each throw gets its share of them."""
        return [self.tables[number] for number in share_playouts(self.leaves, playouts)]


def read_options(question: Question) -> dict[str, Leaves]:
    """Return what each option leads to."""
    first = FirstMove(question.seat, question.chance.getrandbits(32), len(question.options), MOST_TRIALS)
    found = dict[str, Leaves]()
    for option in question.options:
        leaves = tuple(first.leaves(question.view, option, SOME_THROWS))
        found[option] = Leaves(leaves, tuple(read_table(leaf, question.seat) for leaf in leaves))
    return found


def share_playouts(leaves: Sequence[Leaf], playouts: int) -> Sequence[int]:
    """Return the number of the leaf that each playout begins with."""
    often = np.cumsum([leaf.often for leaf in leaves])
    middles = (2 * np.arange(playouts) + 1) * often[-1]
    return [int(number) for number in np.searchsorted(2 * playouts * often, middles, side="right")]


def stack_lanes(tables: Sequence[RoyaleTable]) -> RoyaleLanes:
    """Return the tables as lanes."""
    weights, small, big, chips, notes, closed = (
        _stack(tables, name) for name in ("weights", "small", "big", "chips", "notes", "closed")
    )
    return RoyaleLanes(weights, (small, big), chips, notes, closed > 0)


def _stack(tables: Sequence[RoyaleTable], name: str) -> Ints:
    """Return this field of all tables as an array by lane."""
    return np.array([getattr(table, name) for table in tables], np.int32)
