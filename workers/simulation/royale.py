"""Simulates Royale: plays the move by the rules, and the rest of the round without tiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from events.values import CASINO, CASINO_NUMBERS, GREY, LENT, NEUTRAL, OWNER, PURSE, Owner
from rules import EDITIONS, State
from rules.choice import read_choice
from rules.legal import choices, prompt_of
from rules.lookahead import has_thrown, pay_out_now, seat_asked_within_move, unfinished_payout
from rules.scoring import CHIP, money, total, totals
from workers.bots.evaluator import LONGEST_MOVE, Evaluator, dollars_won
from workers.bots.protocol import Candidate, Question
from workers.bots.valuation import SOME_THROWS, SampledChance, Throw
from workers.simulation.endgame import CERTAIN, Dice, Endgame, Move, Wide, weigh_exactly
from workers.simulation.net import Net
from workers.simulation.racing import Stage, race, scale
from workers.simulation.royale_lanes import (
    CASINOS,
    CHIP_THOUSANDS,
    Ints,
    Rewards,
    RoyaleLanes,
    RoyaleRest,
    pay,
)
from workers.simulation.royale_net import RoyaleRound
from workers.simulation.royale_value import RoyaleNetPlayouts
from workers.simulation.weights import load_net
from workers.simulation.winning import FINEST, THOUSAND, Figures, chance_to_win, list_candidates


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


# For a small budget: what it is worth to activate a tile once more, in thousands.
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
NONE: Row = (0,) * CASINOS


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
    races: Row = NONE
    days: Row = NONE
    fines: Row = NONE


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


# In thousands: what bad luck costs, the token of a race, and what a pay day brings for each casino.
FINE = 50
TOKEN = 100
DAY = 10
# What the winner of a casino gets from its tile, on average.
OF_WINNER = {"B1": 25, "G1": 45}
# What a seat gets that activates a tile, by the space of its counter if it has one. A1, A2, B2 and E1 are as
# an activation brought by the rules, roughly; the others, and OF_WINNER, are guesses that were not tuned.
OF_ACTIVATION = {
    "A1": (18,),
    "A2": (10, 13, 17, 20, 23, 27),
    "B2": (15,),
    "D2": (8,),
    "E1": (20, 4, 30, 4, 10, 4),
    "E2": (8,),
    "F1": (22,),
    "F2": (30,),
    "G2": (14,),
    "H1": (28,),
    "H2": (32,),
}
NOTHING = (0,)


def know_tiles(table: RoyaleTable, state: State) -> RoyaleTable:
    """Return the table with what its tiles may still bring: races, pay days, fines, and other prizes.

    What the winner of a casino gets from its tile counts as part of the higher note.
    """
    if unfinished_payout(state) or not state.tiles:
        return table
    tiles = (*state.tiles, *[""] * CASINOS)[:CASINOS]
    has_token = state.tokens.get("C1") not in PURSE
    return replace(
        table,
        notes=tuple(
            (high + OF_WINNER.get(code, 0), low) for (high, low), code in zip(table.notes, tiles, strict=True)
        ),
        extra=_undo_fine(table, state) if "C2" in tiles else table.extra,
        prizes=tuple(_prize(state, code) for code in tiles),
        races=tuple(TOKEN * (code == "C1" and has_token) for code in tiles),
        days=tuple(DAY * (code == "D1") for code in tiles),
        fines=tuple(FINE * (code == "C2") for code in tiles),
    )


def _prize(state: State, code: str) -> int:
    """Return what it is worth to activate the tile now."""
    prizes = OF_ACTIVATION.get(code, NOTHING)
    return prizes[state.counters.get(code, 0) % len(prizes)]


def _undo_fine(table: RoyaleTable, state: State) -> Row:
    """Return what each seat has besides, without the fine that it would pay now, or all it has if less."""
    weights, notes = (np.array([part], np.int32) for part in (table.weights, table.notes))
    paid = pay(weights, notes, len(table.chips))[0].sum(axis=1)
    extra = list(table.extra)
    number = state.tiles.index("C2") + 1
    dice = [state.own_dice(seat, number).weight for seat in range(len(extra))]
    for seat in (seat for seat, weight in enumerate(dice) if weight == min(dice)):
        won = int(paid[seat])
        is_left = table.extra[seat] + won + CHIP_THOUSANDS * table.chips[seat] > 0
        extra[seat] += FINE if is_left else min(FINE, total(state, seat) // THOUSAND + won)
    return tuple(extra)


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
# With the net. The work grows with the options and the dice to place: where their product is larger than
# MUCH_WORK, playouts are fewer.
LEARNED_STAGES = (Stage(99, 48), Stage(3, 112), Stage(2, 320))
MUCH_WORK = 64
# With the net and less than ENOUGH, as in an analysis: a stage takes long, however few its playouts are.
QUICK_STAGES = (Stage(99, 40), Stage(3, 140))
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
    if question.budget < FEWEST:
        return _weigh_simply(question)
    leaves = read_options(question, know_tiles)
    net = find_net(question, leaves)
    judging = Judging(question.seat, EDITIONS.of(question.view).rounds - question.view.round, net)

    def play(question: Question, playouts: int) -> tuple[Candidate, ...]:
        return judging.weigh(question, leaves, playouts)

    if net is None:
        return race(question, scale(STAGES, question.budget, ENOUGH), play)
    if question.budget < ENOUGH:
        return race(question, scale(QUICK_STAGES, question.budget, ENOUGH), play)
    work = max(MUCH_WORK, len(question.options) * max(count_dice(one) for one in leaves.values()))
    return race(question, scale(LEARNED_STAGES, question.budget * MUCH_WORK, ENOUGH * work), play)


def count_dice(leaves: Leaves) -> int:
    """Return the most dice that all seats together have in hand on these tables."""
    return max(sum((*table.small, *table.big)) for table in leaves.tables)


def _weigh_simply(question: Question) -> tuple[Candidate, ...]:
    """Return each option with its figures from a few playouts that do not know the tiles."""
    view = question.view
    judging = Judging(question.seat, EDITIONS.of(view).rounds - view.round, None)
    playouts = question.budget * (1 if view.tiles else PLAIN)
    return judging.weigh(question, read_options(question), playouts)


def find_net(question: Question, leaves: Mapping[str, Leaves]) -> Net | None:
    """Return the trained net; None if it cannot judge all options.

    It was trained on tables right after a move of the seat, while dice are left.
    """
    tables = [table for one in leaves.values() for table in one.tables]
    for table in tables:
        if table.rolls or table.order[-1] != question.seat or not any((*table.small, *table.big)):
            return None
    return load_net(question.view.edition, len(question.view.seats))


class Judging(Struct, frozen=True):
    """Judges options for a seat with so many rounds to come: by playouts, and by the net if there is one."""

    seat: int
    rounds: int
    net: Net | None

    def weigh(self, question: Question, leaves: Mapping[str, Leaves], playouts: int) -> tuple[Candidate, ...]:
        """Return each option with the means over so many playouts.

        With the net, its rivals play by the net in half of them, and by the simple rule in the other half.
        """
        before = totals(question.view)[self.seat] // THOUSAND
        if self.net is None:
            tables = share_lanes(question, leaves, playouts)
            sums, counts = play_out(tables, playouts, question.chance)
            return list_candidates(question, sums[:, self.seat] - before, self._outcome(sums, counts))
        half = -(-playouts // 2)
        tables = share_lanes(question, leaves, half)
        arms = len(question.options)
        money, win = (
            np.concatenate([part.reshape(arms, half) for part in parts], axis=1).reshape(-1)
            for parts in zip(
                *(self._ask(self.net, tables, half, question.chance, learned) for learned in (True, False)),
                strict=True,
            )
        )
        return list_candidates(question, money - before, win)

    def _outcome(self, sums: Ints, counts: Ints) -> Figures:
        """Return the seat's chance to win with these sums at the end of the round, by lane."""
        return chance_to_win(sums, counts, self.seat, self.rounds, TEMPERATURES)

    def _ask(
        self, net: Net, tables: Sequence[RoyaleTable], playouts: int, chance: Random, learned: bool
    ) -> tuple[Figures, Figures]:
        """Return what the seat has in the end and its chance to win, by lane; `learned` is of its rivals."""
        played = RoyaleNetPlayouts(net, make_round(tables, self.rounds), playouts, chance, learned=learned)
        sums, counts = played.run(tables[0].order)
        win = played.join(self._outcome(sums, counts + _stack(tables, "held")))
        found: Figures = np.rint(win * FINEST) / FINEST
        return sums[:, self.seat].astype(np.float64), found


def share_lanes(question: Question, leaves: Mapping[str, Leaves], playouts: int) -> list[RoyaleTable]:
    """Return the tables of all options, so many for each."""
    return [table for option in question.options for table in leaves[option].share(playouts)]


def make_round(tables: Sequence[RoyaleTable], rounds: int) -> RoyaleRound:
    """Return rounds in lanes that begin with these tables."""
    left = np.full(len(tables), rounds, np.int32)
    return RoyaleRound(stack_lanes(tables), stack_extra(tables), make_rewards(tables), left)


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
    rest = RoyaleRest(lanes, stack_extra(tables), make_rewards(tables), playouts, chance)
    rest.play(tables[0].order, _stack(tables, "rolls") > 0)
    sums = lanes.won() + rest.extra
    # A seat that has less than its fine pays all it has.
    return sums if lanes.fines is None else np.maximum(sums, 0), lanes.count_won() + _stack(tables, "held")


class Leaves(Struct, frozen=True):
    """Holds the tables that an option leads to, also as numbers: one for each throw in the move."""

    leaves: tuple[Leaf, ...]
    tables: tuple[RoyaleTable, ...]

    def share(self, playouts: int) -> list[RoyaleTable]:
        """Return a table for each playout; each throw gets its share of them."""
        return [self.tables[number] for number in share_playouts(self.leaves, playouts)]


# Adds to a table what is known of its state besides.
Learn = Callable[[RoyaleTable, State], RoyaleTable]


def read_options(question: Question, learn: Learn = lambda table, state: table) -> dict[str, Leaves]:
    """Return what each option leads to."""
    first = FirstMove(question.seat, question.chance.getrandbits(32), len(question.options), MOST_TRIALS)
    found = dict[str, Leaves]()
    for option in question.options:
        leaves = tuple(first.leaves(question.view, option, SOME_THROWS))
        tables = (learn(read_table(leaf, question.seat), leaf.state) for leaf in leaves)
        found[option] = Leaves(leaves, tuple(tables))
    return found


def share_playouts(leaves: Sequence[Leaf], playouts: int) -> Sequence[int]:
    """Return the number of the leaf that each playout begins with."""
    often = np.cumsum([leaf.often for leaf in leaves])
    middles = (2 * np.arange(playouts) + 1) * often[-1]
    return [int(number) for number in np.searchsorted(2 * playouts * often, middles, side="right")]


def stack_lanes(tables: Sequence[RoyaleTable]) -> RoyaleLanes:
    """Return the tables as lanes."""
    weights, small, big, chips, notes, closed, fines = (
        _stack(tables, name) for name in ("weights", "small", "big", "chips", "notes", "closed", "fines")
    )
    return RoyaleLanes(weights, (small, big), chips, notes=notes, closed=closed > 0, fines=fines)


def stack_extra(tables: Sequence[RoyaleTable]) -> Ints:
    """Return what seats have besides, by lane and seat."""
    return _stack(tables, "extra")


def make_rewards(tables: Sequence[RoyaleTable]) -> Rewards:
    """Return what seats get for coming to casinos, by lane."""
    return Rewards(*(_stack(tables, name) for name in ("prizes", "races", "days")))


def _stack(tables: Sequence[RoyaleTable], name: str) -> Ints:
    """Return this field of all tables as an array by lane."""
    kinds, rows = find_kinds(tables)
    found: Ints = np.array([getattr(table, name) for table in kinds], np.int32)[rows]
    return found


def find_kinds(tables: Sequence[RoyaleTable]) -> tuple[list[RoyaleTable], list[int]]:
    """Return the different tables, and the number of each table among them: many lanes begin alike."""
    kinds = {id(table): table for table in tables}
    numbers = {key: number for number, key in enumerate(kinds)}
    return list(kinds.values()), [numbers[id(table)] for table in tables]
