"""Deals rounds to learn from, by the rules, and plays them in lanes with nets and fixed policies."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
from msgspec import Struct

from events.commands import Create
from events.types import OptionValue
from events.values import SeatPlan
from rules import EDITIONS
from rules.decide import run_command
from rules.state import EMPTY
from workers.bots.valuation import SampledChance
from workers.simulation.dice import WHIM, Policy, count_turns, open_lanes, sensible, take_turn
from workers.simulation.lanes import BanditLanes, Ints, Lanes, Luck, Offers
from workers.simulation.net import Floats, Net, NetInputs, Stakes, compute_inputs
from workers.simulation.position import DicePosition, read_position
from workers.simulation.winning import WHOLE, chances_to_win
from workers.training.lesson import Seen

MOST_WHIM = 1_000


class Learner:
    """Plays by a net with some randomness, and keeps the inputs of the options that it took."""

    def __init__(self, net: Net, stakes: Stakes, whim: float = 0) -> None:
        self._net = net
        self._stakes = stakes
        self._whim = whim
        self.seen: list[Seen] = []

    def choose(self, lanes: Lanes, seat: int, offers: Offers, whims: Ints) -> Floats:
        """Return the worth of each option, by lane and option, and keep the inputs of the best one."""
        playing = offers.legal & lanes.has_dice(seat)[:, None]
        pairs = np.nonzero(playing)
        inputs = compute_inputs(lanes, seat, offers, self._stakes, pairs)
        worth: Floats = np.where(offers.legal, 0.0, -1e9)
        worth[pairs] = self._net.value(inputs)[:, 0]
        worth = worth + self._whim * 2 / MOST_WHIM * whims[:, : offers.legal.shape[1]]
        self._keep(seat, pairs, inputs, worth.argmax(axis=1))
        return worth

    def _keep(self, seat: int, pairs: tuple[Ints, ...], inputs: NetInputs, chosen: Ints) -> None:
        """Keep the inputs of the chosen options."""
        taken = np.flatnonzero(chosen[pairs[0]] == pairs[1])
        kept = NetInputs(inputs.places[taken], inputs.hand[taken], inputs.standing[taken])
        self.seen.append(Seen(seat, pairs[0][taken], kept))


def play_round(lanes: Lanes, policies: list[Policy], chance: Random) -> None:
    """Play the round to its end, with one policy for each seat."""
    luck = Luck(chance, *count_turns(lanes, len(lanes.codes)), whim=MOST_WHIM)
    number = np.arange(len(lanes.codes), dtype=np.int32)
    for turn in range(len(luck.small)):
        if turn % lanes.players == 0 and lanes.is_done():
            return
        seat = turn % lanes.players
        take_turn(lanes, seat, luck, turn, number, policies[seat])


def judge(lanes: Lanes, stakes: Stakes) -> Floats:
    """Return the chance to win after the round, by lane and seat."""
    money = lanes.won() + stakes.cash
    notes = lanes.notes_won()
    found = np.zeros(money.shape)
    for left in np.unique(stakes.rounds_left):
        rows = stakes.rounds_left == left
        found[rows] = chances_to_win(money[rows], notes[rows], int(left)) / WHOLE
    return found


# A first guess at what a round brings all seats together, before any was played.
_GUESS = 250
_REMEMBERED = 4_000


class Standings:
    """Draws what seats have before a round, from what earlier rounds brought.

    Before any was played, a round brings a seat up to `guess`.
    """

    def __init__(self, random: np.random.Generator, players: int, rounds: int, guess: int) -> None:
        self._random = random
        self._rounds = rounds
        self._wins = 10 * random.integers(0, guess // 10, (_REMEMBERED, players), np.int32)

    def draw(self, left: Ints) -> Ints:
        """Return what each seat has where so many rounds are to come after this one, by lane and seat."""
        cash = np.zeros((len(left), self._wins.shape[1]), np.int32)
        for over in range(1, self._rounds):
            won = self._wins[self._random.integers(0, len(self._wins), len(left))]
            cash += np.where((left < self._rounds - over)[:, None], won, 0).astype(np.int32)
        return cash

    def remember(self, won: Ints) -> None:
        """Keep what these rounds brought, with the seats shuffled."""
        shuffled = self._random.permuted(won, axis=1)
        self._wins = np.concatenate([self._wins, shuffled])[-_REMEMBERED:]


class Variant(Struct, frozen=True):
    """Describes what one net is for: an edition, a number of players, and sets of options that take turns.

    It is trained with so many `batches`.
    """

    edition: str
    players: int
    batches: int
    options: tuple[tuple[str, ...], ...] = ((),)

    @property
    def name(self) -> str:
        """Return the name, as in the name of the file of weights."""
        return f"{self.edition}-{self.players}"

    @property
    def rounds(self) -> int:
        """Return the number of rounds of a game."""
        return EDITIONS.newest[self.edition].rounds


def deal(variant: Variant, chosen: tuple[str, ...], count: int, seed: int) -> list[DicePosition]:
    """Return first rounds of games that begin with seat 0."""
    plan = tuple(SeatPlan(bot="random") for _ in range(variant.players))
    options: dict[str, OptionValue] = {"start_seat": 0, **dict.fromkeys(chosen, True)}
    create = Create("training", variant.edition, plan, "", options)
    tables = (run_command(EMPTY, create, SampledChance(seed + number)).state for number in range(count))
    return [read_position(table, 0, "neutral_dice" in chosen, True) for table in tables]


class Dealer:
    """Lays out rounds from boxes of dealt ones, with standings like those that earlier rounds led to."""

    def __init__(self, variant: Variant, seed: int, dealt: int) -> None:
        self._variant = variant
        self._seed = seed
        self._boxes = [
            [open_lanes(position, 1) for position in deal(variant, chosen, dealt, seed)]
            for chosen in variant.options
        ]
        self.restart()

    def restart(self) -> None:
        """Begin anew: the same rounds follow as at the beginning."""
        variant = self._variant
        self._laid = 0
        self._random = np.random.Generator(np.random.PCG64(self._seed))
        self._standings = Standings(
            self._random, variant.players, variant.rounds, 2 * _GUESS // variant.players
        )

    def lay(self, lanes: int) -> tuple[Lanes, Stakes]:
        """Return lanes with drawn rounds of the next set of options, and their stakes."""
        box = self._boxes[self._laid % len(self._boxes)]
        self._laid += 1
        tables = [box[number] for number in self._random.integers(0, len(box), lanes)]
        left = self._random.integers(0, self._variant.rounds, lanes).astype(np.int32)
        return join(tables), Stakes(self._standings.draw(left), left)

    def remember(self, won: Ints) -> None:
        """Draw later standings from what these rounds brought, too."""
        self._standings.remember(won)

    def luck(self) -> Random:
        """Return a new source of random numbers."""
        return Random(int(self._random.integers(1 << 62)))


def join(tables: list[Lanes]) -> Lanes:
    """Return lanes with one lane for each table."""
    big, white = (_join([getattr(table, kind) for table in tables]) for kind in ("big", "white"))
    codes, small, notes = (
        np.concatenate([getattr(table, name) for table in tables]) for name in ("codes", "small", "notes")
    )
    found = Lanes(tables[0].players, codes, (small, big, white), notes)
    bandits = [table.bandit for table in tables if table.bandit is not None]
    if bandits:
        found.add_bandit(BanditLanes.join(bandits))
    return found


def _join(hands: list[Ints | None]) -> Ints | None:
    """Return the hands of all tables as one array; None if there are no such dice."""
    there = [hand for hand in hands if hand is not None]
    return np.concatenate(there) if there else None


# More thousands than any lead, so that the lead over the best rival always counts more.
_FURTHEST = 4_096


def be_sensible(stakes: Stakes) -> Policy:
    """Return the policy of a simple rule that saves dice, with a little randomness."""

    def choose(lanes: Lanes, seat: int, offers: Offers, whims: Ints) -> Ints:
        return sensible(lanes, seat, offers, whims * WHIM // MOST_WHIM)

    return choose


def chase_the_first(stakes: Stakes) -> Policy:
    """Return the policy that wants to be ahead of the best rival now, then of the second best, and so on."""

    def choose(lanes: Lanes, seat: int, offers: Offers, whims: Ints) -> Floats:
        after = (stakes.cash + lanes.won())[:, None] + offers.gain
        others = [other for other in range(lanes.players) if other != seat]
        ahead = np.sort(after[:, :, seat, None] - after[:, :, others], axis=2)
        return ahead @ (1.0 / _FURTHEST ** np.arange(len(others)))

    return choose


POOL: tuple[Callable[[Stakes], Policy], ...] = (be_sensible, chase_the_first)


def seat_pool(learner: Policy, stakes: Stakes, players: int, turn: int) -> list[Policy]:
    """Return a policy for each seat: one of the pool, and the learner alone or on every other seat.

    The policy of the pool and the learner's seats change with `turn`.
    """
    kind, seated = divmod(turn, players)
    other = POOL[kind % len(POOL)](stakes)
    crowded = kind // len(POOL) % 2
    return [
        learner if (seat == seated if not crowded else (seat + seated) % 2 == 0) else other
        for seat in range(players)
    ]
