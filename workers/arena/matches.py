"""Plays matches between contestants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from math import sqrt
from pathlib import Path
from statistics import fmean

from msgspec import Struct

from events.chain import GENESIS, link
from events.commands import Choose, Command, Create
from events.commit import BotNote, Commit, logged_form
from events.values import SeatPlan
from rules import EDITIONS, State, view
from rules.decide import run_command
from rules.releases import Editions
from rules.scoring import places, totals
from rules.state import EMPTY
from rules.table import Table
from service.catalog.bots import Strength, Verdict
from service.fairness.dice import SEED_BYTES, FairDice, commitment, luck_of_bot
from service.fairness.export_file import write_file
from service.timestamps import stamp
from workers.arena.contestants import ForeignPosition, find_contestant, label_of
from workers.arena.settings import Setting
from workers.bots import BOTS
from workers.bots.fallback import hash_view

GAME = "arena"
# When the games of the arena begin in their export files.
BEGINNING = datetime(2012, 1, 1, tzinfo=UTC)


def play(
    setting: Setting,
    bots: Sequence[str],
    seed: int,
    editions: Editions = EDITIONS,
    log: GameLog | None = None,
) -> State:
    """Play one game and return its final state. A seed gives the same dice for all seatings.

    A `log` keeps the commits of the game.
    """
    secret = seed.to_bytes(SEED_BYTES, "big")
    version = 1
    dice = FairDice(secret, GAME, ("",) * len(bots))
    create = Create(GAME, setting.edition, plan_seats(bots), commitment(secret), setting.options)
    table = run_command(EMPTY, create, dice, editions)
    if log is not None:
        log.add(create, table, "creator")
    players = [find_contestant(bot) for bot in bots]
    while (ask := table.state.ask) is not None:
        state = table.state
        seat = ask.awaited[0]
        bot = players[seat]
        luck = luck_of_bot(secret, state, version, seat, bot.build)
        choice = bot.answer(ForeignPosition(state, seat, version), luck)
        table = run_command(state, Choose(ask.id, seat, choice), dice)
        version += 1
        if log is not None:
            log.add(Choose(ask.id, seat, choice), table, f"seat-{seat}", note_bot(bots[seat], state, seat))
    return table.state


class GameLog:
    """Keeps the commits of one game, as the service would log them, for an export file.

    The arena has no clock: each commit is one second after the one before, so equal games are equal files.
    """

    def __init__(self) -> None:
        self.commits: list[Commit] = []

    def add(self, command: Command, table: Table, by: str, bot: BotNote | None = None) -> None:
        """Append the commit of a command that led to this table."""
        version = len(self.commits) + 1
        commit = Commit(
            version=version,
            at=stamp(BEGINNING + timedelta(seconds=version)),
            by=by,
            rules=table.state.release,
            command=logged_form(command, table.events),
            events=tuple(table.events),
            prev=self.commits[-1].hash if self.commits else GENESIS,
            bot=bot,
        )
        self.commits.append(link(commit))

    def write(self, path: Path) -> None:
        """Write the export file of the game."""
        path.write_bytes(write_file(self.commits))


def note_bot(bot: str, state: State, seat: int) -> BotNote | None:
    """Return the note on the level that answered; None for a program, which sits there as a player."""
    level = BOTS.get(bot)
    if level is None:
        return None
    return BotNote(level.name, level.build, level.budget, hash_view(view(state, seat)))


def plan_seats(bots: Sequence[str]) -> tuple[SeatPlan, ...]:
    """Return the seats: our levels as bots, and programs as players of their name."""
    return tuple(SeatPlan(bot=bot) if bot in BOTS else SeatPlan(name=label_of(bot)) for bot in bots)


def parts_won(state: State) -> tuple[float, ...]:
    """Return what each seat won of the game: all of it, nothing, or its part of a shared victory."""
    winners = state.winners or ()
    return tuple((seat in winners) / len(winners) for seat in range(len(state.seats)))


def place_of(state: State, seat: int, humble: bool) -> int:
    """Return the seat's place, from 1 on. A `humble` seat stands behind those with an equal score."""
    of_all = places(state)
    own = of_all[seat]
    return own + humble * (of_all.count(own) - 1)


FIRST_SEED = 1
# How many standard errors a 95 % interval reaches to each side.
REACH = 1.96


class Match(Struct, frozen=True):
    """Describes a match: one `level` alone against equal opponents, at one kind of table.

    `first_seed` is that of the first game. If `log` names a folder, each game is written there as a file.
    """

    setting: Setting
    level: str
    against: str
    first_seed: int = FIRST_SEED
    log: str = ""

    def seating(self, game: int) -> tuple[str, ...]:
        """Return the bots by seat. The level sits one seat further in every game."""
        seat = game % self.setting.players
        return tuple(self.level if other == seat else self.against for other in range(self.setting.players))

    def seed(self, game: int) -> int:
        """Return the seed of a game.

        As many games in a row as there are seats have the same one, so that the level plays the same dice
        from every seat.
        """
        return self.first_seed + game // self.setting.players

    def log_path(self, game: int) -> Path:
        """Return the export file of a game, named after the table, the bots, the seed and the seat."""
        setting = self.setting
        options = "".join(f"-{name}={value}" for name, value in setting.options.items())
        bots = f"{label_of(self.level)}-{label_of(self.against)}".replace(":", "-")
        place = f"seed-{self.seed(game)}-seat-{game % setting.players}"
        return Path(self.log) / f"{setting.edition}{options}-{setting.players}-{bots}-{place}.ndjson".lower()


class MatchOutcome(Struct, frozen=True):
    """Holds what the level won of a game, its place, its money, and the mean money of the other seats."""

    won: float
    place: int
    money: float
    rivals_money: float


class MatchTask(Struct, frozen=True):
    """Names the games of a match that a process plays at once: from the first to before the last number."""

    match: Match
    games: tuple[int, int]


# Runs tasks as `map` does, or in several processes.
Runner = Callable[[Callable[[MatchTask], list[MatchOutcome]], list[MatchTask]], Iterable[list[MatchOutcome]]]


def list_matches(settings: Sequence[Setting], levels: Sequence[str], below: Sequence[str]) -> Iterator[Match]:
    """Yield each level against each of the others. For two players one match of a pair is enough."""
    for setting in settings:
        met = set[tuple[str, str]]()
        for level in levels:
            for other in below:
                if other != level and not (setting.players == 2 and (other, level) in met):
                    met.add((level, other))
                    yield Match(setting, level, other)


def list_rungs(settings: Sequence[Setting], levels: Sequence[str]) -> Iterator[Match]:
    """Yield each level against the next lower one."""
    for setting in settings:
        yield from (Match(setting, *pair) for pair in zip(levels[1:], levels, strict=False))


def play_and_score(match: Match, game: int) -> MatchOutcome:
    """Play one game of the match and return its outcome."""
    players = match.setting.players
    log = GameLog() if match.log else None
    state = play(match.setting, match.seating(game), match.seed(game), log=log)
    if log is not None:
        log.write(match.log_path(game))
    seat = game % players
    sums = totals(state)
    # A tied seat is counted before its equals as often as behind them.
    place = place_of(state, seat, bool(game // players % 2))
    return MatchOutcome(parts_won(state)[seat], place, sums[seat], (sum(sums) - sums[seat]) / (players - 1))


def play_task(task: MatchTask) -> list[MatchOutcome]:
    """Play the games of a task and return their outcomes."""
    return [play_and_score(task.match, game) for game in range(*task.games)]


def split_tasks(match: Match, first: int = 0) -> list[MatchTask]:
    """Return the match from a game on as tasks, each with one game for every seat."""
    step = match.setting.players
    return [MatchTask(match, (game, game + step)) for game in range(first, match.setting.games, step)]


def play_first_game(match: Match, editions: Editions = EDITIONS) -> tuple[int, ...]:
    """Return the final totals of the first game, by which results can be checked against the code."""
    return totals(play(match.setting, match.seating(0), match.seed(0), editions))


def run_match(match: Match, run: Runner = map, tell: Callable[[int], None] = lambda games: None) -> Strength:
    """Play the match and return its result; `tell` is called with the number of games that are over."""
    outcomes = list[MatchOutcome]()
    for more in run(play_task, split_tasks(match)):
        outcomes += more
        tell(len(outcomes))
    return sum_up(match, outcomes)


def sum_up(match: Match, outcomes: Sequence[MatchOutcome], verdict: Verdict = "") -> Strength:
    """Return the result of a match from the outcomes of its games, and the verdict of a sequential test."""
    setting = match.setting
    games = len(outcomes)
    share = fmean(outcome.won for outcome in outcomes)
    low, high = interval(share, games)
    places = Counter(outcome.place for outcome in outcomes)
    return Strength(
        edition=setting.edition,
        release=EDITIONS.newest[setting.edition].release,
        options=setting.options,
        players=setting.players,
        against=label_of(match.against),
        games=games,
        share=round(share, 3),
        low=round(low, 3),
        high=round(high, 3),
        even=round(1 / setting.players, 3),
        money=round(fmean(outcome.money for outcome in outcomes)),
        rivals_money=round(fmean(outcome.rivals_money for outcome in outcomes)),
        first_game=play_first_game(match),
        places=tuple(places[place] for place in range(1, setting.players + 1)),
        builds=builds_of(match),
        verdict=verdict,
    )


def builds_of(match: Match) -> tuple[str, str]:
    """Return the builds of the two that meet."""
    return find_contestant(match.level).build, find_contestant(match.against).build


def interval(share: float, games: int, errors: float = REACH) -> tuple[float, float]:
    """Return the interval of a share by Wilson, which also holds near 0 and 1; of 95 % unless told otherwise.

    It reaches so many standard errors to each side. Parts of shared victories only make it wider than
    necessary.
    """
    squared = errors**2 / games
    middle = (share + squared / 2) / (1 + squared)
    reach = errors / (1 + squared) * sqrt(share * (1 - share) / games + squared / games / 4)
    return max(0.0, middle - reach), min(1.0, middle + reach)
