"""Plays the bots against each other and writes down how strong they are: `python -m workers.arena`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean

from msgspec import Struct

from events.commands import Choose, Create
from events.types import OptionValue
from events.values import SeatPlan
from rules.decide import run_command
from rules.editions import EDITIONS
from rules.releases import Editions
from rules.scoring import totals
from rules.state import EMPTY, State
from rules.view import view
from service.fairness.dice import SEED_BYTES, FairDice, commitment
from service.play.bot_levels import BOT_NAMES
from service.play.bot_strength import FILE, Findings, Strength, to_json
from workers.bots import BOTS

GAME = "arena"
FIRST_SEED = 1
# From before editions had releases of their own; clients may still look at it.
RULES = "1"
# Everybody meets this one, itself included: what it wins from itself shows how far luck alone goes.
YARDSTICK = "random"
# How many standard errors a 95 % interval reaches to each side.
REACH = 1.96


class Setting(Struct, frozen=True):
    """A table to play at; `games` is a multiple of the players, so that all seats come equally often."""

    edition: str
    options: dict[str, OptionValue]
    players: int
    games: int


# Dear tables get fewer games, so that each takes about the same time.
SETTINGS = (
    Setting("classic", {}, 2, 400),
    Setting("classic", {}, 3, 300),
    Setting("classic", {}, 5, 150),
    Setting("classic", {"neutral_dice": True}, 2, 300),
    Setting("classic", {"neutral_dice": True}, 4, 160),
    Setting("classic", {"chip_cards": True}, 3, 150),
    Setting("modern", {}, 2, 400),
    Setting("modern", {}, 4, 200),
    Setting("modern", {"neutral_dice": True}, 3, 240),
    Setting("modern", {"bandit": True}, 5, 150),
    Setting("modern", {"bandit": True}, 6, 120),
    Setting("royale", {"tiles": 0}, 2, 300),
    Setting("royale", {"tiles": 0}, 4, 100),
    Setting("royale", {}, 2, 100),
    Setting("royale", {}, 4, 48),
    Setting("royale", {"tiles": 6}, 3, 60),
    Setting("royale", {"fresh_tiles": True}, 3, 60),
    Setting("cards", {}, 2, 120),
    Setting("cards", {}, 4, 60),
    Setting("cards", {"sequential": True}, 3, 75),
    Setting("cards", {"sequential": True, "chip_cards": True}, 3, 60),
)


class Match(Struct, frozen=True):
    setting: Setting
    level: str
    against: str

    def seating(self, game: int) -> tuple[str, ...]:
        """The level sits one seat further in every game."""
        seat = game % self.setting.players
        return tuple(self.level if other == seat else self.against for other in range(self.setting.players))


def list_matches(settings: Sequence[Setting], levels: Sequence[str] = BOT_NAMES) -> Iterator[Match]:
    """Every level against every other one, and the yardstick also against itself."""
    for level in levels:
        for against in levels:
            if level != against or level == YARDSTICK:
                yield from (Match(table, level, against) for table in settings)


def play(setting: Setting, bots: Sequence[str], seed: int, editions: Editions = EDITIONS) -> State:
    """A game to its end; equal seeds give equal games."""
    secret, rng = seed.to_bytes(SEED_BYTES, "big"), Random(seed)
    dice = FairDice(secret, GAME, ("",) * len(bots))
    seats = tuple(SeatPlan(bot=bot) for bot in bots)
    create = Create(GAME, setting.edition, seats, commitment(secret), setting.options)
    state = run_command(EMPTY, create, dice, editions).state
    while (ask := state.ask) is not None:
        seat = ask.awaited[0]
        choice = BOTS[bots[seat]].choose(view(state, seat), seat, rng)
        state = run_command(state, Choose(ask.id, seat, choice), dice).state
    return state


def parts_won(state: State) -> tuple[float, ...]:
    """What each seat won of the game: all of it, nothing, or its part of a shared victory."""
    winners = state.winners or ()
    return tuple((seat in winners) / len(winners) for seat in range(len(state.seats)))


def play_and_score(match: Match, game: int) -> tuple[float, float, float]:
    """What the level won of the game, its money, and the money of another seat on average."""
    players = match.setting.players
    state, seat = play(match.setting, match.seating(game), FIRST_SEED + game), game % players
    sums = totals(state)
    return parts_won(state)[seat], sums[seat], (sum(sums) - sums[seat]) / (players - 1)


def play_first_game(match: Match, editions: Editions = EDITIONS) -> tuple[int, ...]:
    return totals(play(match.setting, match.seating(0), FIRST_SEED, editions))


def run_match(match: Match) -> Strength:
    setting = match.setting
    outcomes = (play_and_score(match, game) for game in range(setting.games))
    share, money, rivals_money = map(fmean, zip(*outcomes, strict=True))
    low, high = interval(share, setting.games)
    return Strength(
        edition=setting.edition,
        release=EDITIONS.newest[setting.edition].release,
        options=setting.options,
        players=setting.players,
        against=match.against,
        games=setting.games,
        share=round(share, 3),
        low=round(low, 3),
        high=round(high, 3),
        even=round(1 / setting.players, 3),
        money=round(money),
        rivals_money=round(rivals_money),
        first_game=play_first_game(match),
    )


def interval(share: float, games: int) -> tuple[float, float]:
    """Wilson's, which also holds near all and nothing; parts of victories only make it wider than needed."""
    squared = REACH**2 / games
    middle = (share + squared / 2) / (1 + squared)
    reach = REACH / (1 + squared) * sqrt(share * (1 - share) / games + squared / games / 4)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def run_matches(settings: Sequence[Setting]) -> Findings:
    """Plays every match, and tells of each on stderr."""
    planned, begun = list(list_matches(settings)), time.monotonic()
    rows: dict[str, list[Strength]] = {level: [] for level in BOT_NAMES}
    for count, match in enumerate(planned, 1):
        row = run_match(match)
        rows[match.level].append(row)
        told = f"[{count}/{len(planned)}, {time.monotonic() - begun:.0f} s] {_line(match, row)}"
        print(told, file=sys.stderr, flush=True)
    return Findings(RULES, FIRST_SEED, {level: tuple(own) for level, own in rows.items()})


def _line(match: Match, row: Strength) -> str:
    options = "".join(f" {name}={value}" for name, value in row.options.items())
    table = f"{row.edition}{options}, {row.players} players, {row.games} games"
    return f"{table}: {match.level} against {row.against} {row.share:.1%} ({row.low:.1%} to {row.high:.1%})"


def main(file: Path = FILE, settings: Sequence[Setting] = SETTINGS) -> None:
    file.write_text(to_json(run_matches(settings)), "utf-8")
    print(f"wrote {file}")


if __name__ == "__main__":
    main()
