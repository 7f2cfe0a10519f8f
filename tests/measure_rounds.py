"""How long rounds with six tiles get: python -m tests.measure_rounds [games]."""

from __future__ import annotations

import sys
from collections import Counter
from time import perf_counter

from tests.support.game_loop import Plan, Player, choose_at_random, choose_to_linger, play_moves
from tests.support.laws import check_move, things_of

GAMES = 10_000
MOST_PLAYERS = 5


def six_tiles(seed: int) -> Plan:
    return Plan("royale", {"tiles": 6}, 2 + seed % (MOST_PLAYERS - 1))


def lawful(games: int) -> int:
    """Games with every law checked at every move; returns the moves."""
    count = 0
    for seed in range(games):
        game = play_moves(six_tiles(seed), seed)
        things = things_of(next(game).after)
        for move in game:
            check_move(move, things)
            count += 1
    return count


def longest(games: int, player: Player) -> tuple[int, int]:
    """Most answers and most turns of a round, over so many games."""
    answers, turns = 0, 0
    for seed in range(games):
        asked: Counter[int] = Counter()
        taken: Counter[int] = Counter()
        for move in play_moves(six_tiles(seed), seed, player):
            asked[move.before.round] += 1
            taken[move.before.round] += len(move.turns)
        answers, turns = max(answers, *asked.values()), max(turns, *taken.values())
    return answers, turns


def main(games: int) -> None:
    start = perf_counter()
    checked = games // 10
    print(f"{checked} games with all laws: {lawful(checked)} moves in {perf_counter() - start:.0f} s")
    for name, player, count in (
        ("random", choose_at_random, games),
        ("lingering", choose_to_linger, checked),
    ):
        start = perf_counter()
        answers, turns = longest(count, player)
        print(
            f"{count} games, {name} players: the longest round had {answers} answers and {turns} turns "
            f"({perf_counter() - start:.0f} s)"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else GAMES)
