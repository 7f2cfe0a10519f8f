"""Deals rounds of Royale to learn from, and plays them in lanes with nets and the simple rule."""

from __future__ import annotations

from random import Random

import numpy as np
from msgspec.structs import replace

from events.commands import Create
from events.values import SeatPlan
from rules import EDITIONS
from rules.decide import run_command
from rules.state import EMPTY
from workers.bots.valuation import SampledChance
from workers.simulation.lanes import Ints, even_numbers
from workers.simulation.net import Floats, Net
from workers.simulation.royale import (
    TEMPERATURES,
    Leaf,
    RoyaleTable,
    know_tiles,
    make_rewards,
    read_table,
    stack_extra,
    stack_lanes,
)
from workers.simulation.royale_lanes import CASINOS, MOST_TURNS, RoyaleRest, roll_dice
from workers.simulation.royale_net import (
    RoyaleRound,
    compute_inputs,
    judge_moves,
    move,
    roll_for,
    take_move,
    widths,
)
from workers.simulation.winning import chance_to_win
from workers.training.lesson import Lesson, Seen, make_lesson
from workers.training.rounds import Standings

EDITION = "royale"
ROUNDS = EDITIONS.newest[EDITION].rounds
DEALT = 1_500
# How many of a hundred tables have so many tiles.
TILES = {3: 70, 6: 20, 0: 10}
# One of so many tables begins with a closed casino, with grey dice, or with fewer dice.
SPECIAL = 5
MOST_GREY = 3
MOST_CHIPS = 5
# A first guess at what a round brings a seat, in thousands.
_MOST_WON = 400
# In one of so many batches every other seat plays by the simple rule.
POOLED = 3
TRIED_ROUNDS = 1_500


def deal(players: int, count: int, seed: int) -> list[RoyaleTable]:
    """Return first rounds of games that begin with seat 0, with their tiles."""
    plan = tuple(SeatPlan(bot="random") for _ in range(players))
    found = list[RoyaleTable]()
    for tiles, part in TILES.items():
        create = Create("training", EDITION, plan, "", {"start_seat": 0, "tiles": tiles})
        for number in range(count * part // 100):
            state = run_command(EMPTY, create, SampledChance(seed + number)).state
            found.append(know_tiles(read_table(Leaf(state, 1, 0), 0), state))
    return found


class RoyaleDealer:
    """Lays out rounds from a box of dealt ones, with standings like those that earlier rounds led to."""

    def __init__(self, players: int, seed: int, dealt: int) -> None:
        self._players = players
        self._seed = seed
        self._box = deal(players, dealt, seed)
        self.restart()

    def restart(self) -> None:
        """Begin anew: the same rounds follow as at the beginning."""
        self._random = np.random.Generator(np.random.PCG64(self._seed))
        self._standings = Standings(self._random, self._players, ROUNDS, _MOST_WON)

    def lay(self, lanes: int) -> RoyaleRound:
        """Return lanes with drawn rounds."""
        random = self._random
        tables = [self._vary(self._box[number]) for number in random.integers(0, len(self._box), lanes)]
        left = random.integers(0, ROUNDS, lanes).astype(np.int32)
        return RoyaleRound(
            lanes=stack_lanes(tables),
            extra=stack_extra(tables) + self._standings.draw(left),
            rewards=make_rewards(tables),
            rounds_left=left,
        )

    def _vary(self, table: RoyaleTable) -> RoyaleTable:
        """Return the table as tiles might have changed it: closed casinos, grey dice, chips, other prizes."""
        random = self._random
        closed = list(table.closed)
        grey = list(table.weights[-1])
        if random.integers(SPECIAL) == 0:
            closed[random.integers(CASINOS)] = 1
        if random.integers(SPECIAL) == 0:
            grey[random.integers(CASINOS)] += int(random.integers(1, MOST_GREY + 1))
        return replace(
            table,
            closed=tuple(closed),
            weights=(*table.weights[:-1], tuple(grey)),
            chips=tuple(int(number) for number in random.integers(0, MOST_CHIPS, len(table.chips))),
            prizes=tuple(prize and prize * int(random.integers(2, 7)) // 4 for prize in table.prizes),
        )

    def remember(self, won: Ints) -> None:
        """Draw later standings from what these rounds brought, too."""
        self._standings.remember(won)

    def luck(self) -> Random:
        """Return a new source of random numbers."""
        return Random(int(self._random.integers(1 << 62)))


class RoyaleTutor:
    """Plays rounds: some seats by a net with some randomness, the others by the simple rule."""

    def __init__(self, net: Net, learning: frozenset[int], whim: float, chance: Random) -> None:
        self._net = net
        self._learning = learning
        self._whim = whim
        self._chance = chance
        self.seen: list[Seen] = []

    def play(self, round_: RoyaleRound) -> None:
        """Play the rounds to their end, from seat 0 on."""
        lanes = round_.lanes
        rest = RoyaleRest(lanes, round_.extra, round_.rewards, len(round_.extra), self._chance)
        for _ in range(MOST_TURNS):
            for seat in range(lanes.players):
                playing = lanes.has_dice(seat)
                if seat in self._learning:
                    self._learn(round_, seat)
                elif playing.any():
                    rest.take_turn(seat, playing)
            if lanes.is_done:
                return

    def _learn(self, round_: RoyaleRound, seat: int) -> None:
        """Play one turn of the seat by the net, and keep the inputs after it."""
        lanes = round_.lanes
        count = len(round_.extra)
        number = np.arange(count)
        rolled = roll_for(round_, seat, *roll_dice(lanes, seat, number, count, self._chance))
        playing = lanes.has_dice(seat) & rolled.legal.any(axis=1)
        rows = np.flatnonzero(playing)
        if not len(rows):
            return
        worth = judge_moves(self._net, round_, seat, rolled, playing)
        whims = even_numbers(self._chance, 1 << 12, *worth.shape) / (1 << 11)
        chosen = (worth + self._whim * whims).argmax(axis=1)[rows]
        after = move(round_, seat, rolled, (rows, chosen))
        self.seen.append(Seen(seat, rows, compute_inputs(after, seat)))
        take_move(round_, seat, rolled, rows, chosen)


def judge(round_: RoyaleRound) -> Floats:
    """Return the chance to win after the round, by lane and seat."""
    sums = np.maximum(round_.lanes.won() + round_.extra, 0)
    counts = round_.lanes.count_won()
    found = np.zeros(sums.shape)
    for left in range(ROUNDS):
        rows = round_.rounds_left == left
        for seat in range(sums.shape[1]):
            found[rows, seat] = chance_to_win(sums[rows], counts[rows], seat, left, TEMPERATURES)
    return found


class RoyaleCourse:
    """Gives the lessons of Royale."""

    def __init__(self, players: int, seed: int, lanes: int, dealt: int = DEALT) -> None:
        self._players = players
        self._dealer = RoyaleDealer(players, seed, dealt)
        self._tried = RoyaleDealer(players, seed + 1, dealt)
        self._lanes = lanes
        self.inputs = widths(players)

    def take_lesson(self, net: Net, whim: float, batch: int) -> Lesson:
        """Return what can be learned from a batch of rounds that the net plays."""
        round_ = self._dealer.lay(self._lanes)
        before = round_.extra.copy()
        tutor = RoyaleTutor(net, self._choose_seats(batch), whim, self._dealer.luck())
        tutor.play(round_)
        won = round_.lanes.won() + round_.extra - before
        self._dealer.remember(won)
        return make_lesson(tutor.seen, judge(round_), won)

    def _choose_seats(self, batch: int) -> frozenset[int]:
        """Return the seats that play by the net: mostly all, in one of POOLED batches every other one."""
        turn, by_itself = divmod(batch, POOLED)
        return frozenset(seat for seat in range(self._players) if by_itself or (seat + turn) % 2 == 0)

    def share_won(self, net: Net) -> float:
        """Return what the net wins alone against the simple rule, as the mean over all seats.

        Every net is tried in the same rounds from every seat, so that chance does not tell nets apart.
        """
        return float(np.mean([self._share(net, seat) for seat in range(self._players)]))

    def _share(self, net: Net, seat: int) -> Floats:
        """Return what the net wins from this seat."""
        self._tried.restart()
        round_ = self._tried.lay(TRIED_ROUNDS)
        RoyaleTutor(net, frozenset([seat]), 0, self._tried.luck()).play(round_)
        return judge(round_)[:, seat].mean()
