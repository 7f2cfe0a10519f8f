"""Games of all editions and tile sets move between services, and every commit of some is tampered with.

python -m tests.exchange_games 200: each is exported, verified by both, imported elsewhere and exported
again byte-equal; then each mutation at each commit of one game an edition, which both have to refuse.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import cycle, islice
from random import Random
from typing import Any

from rules.tiles import TILES
from service.fairness.verify import verify
from service.play.games import Games
from tests.support.forgeries import Raws
from tests.support.games import TABLES, make_games, play_game
from tests.support.mutations import MUTATIONS, reseal
from tests.support.second_opinion import is_fair, second_opinion

Table = tuple[str, dict[str, Any], int]
TAMPERED: tuple[Table, ...] = (
    ("classic", {"chip_cards": True, "neutral_dice": True}, 2),
    ("modern", {"bandit": True}, 5),
    ("royale", {"tiles": 0}, 2),
    ("cards", {}, 2),
    ("cards", {"sequential": True}, 2),
)


def tables() -> Iterator[Table]:
    """Every edition with its options, and every tile, over and over."""
    codes = [("royale", {"tile_codes": (tile.code,)}, 2 + at % 4) for at, tile in enumerate(TILES)]
    drawn: list[Table] = [("royale", {"tiles": 6, "fresh_tiles": True}, 4), ("royale", {}, 5)]
    return cycle([*TABLES, *codes, *drawn])


def exchange(table: Table, seed: int, here: Games, there: Games) -> None:
    edition, options, players = table
    game = play_game(here, edition, options, players, seed)
    file = here.archive.export(game).file
    raws = [json.loads(line) for line in file.splitlines()[1:]]
    assert is_fair(raws), table
    taken = there.archive.imports.take_in(file)
    assert (taken.new, taken.verdict.ok, there.archive.export(game).file) == (True, True, file), table


def tamper(table: Table, counts: Counter[str]) -> None:
    edition, options, players = table
    games = make_games()
    lines = games.archive.export(play_game(games, edition, options, players, 5)).file.splitlines()[1:]
    for at in range(len(lines)):
        for mutation in MUTATIONS:
            for sealed in (False, True):
                raws: Raws = [json.loads(line) for line in lines]
                if not (mutation.__name__ == "swap" and at == 0):
                    mutation(raws, at)
                    _hold_refused(reseal(raws) if sealed else raws, f"{edition} {mutation.__name__} {at}")
                    counts[edition] += 1


def _hold_refused(raws: Raws, what: str) -> None:
    if raws:
        verdict, (holds, said) = verify(raws), second_opinion(raws)
        assert verdict.ok is False, what
        assert not holds, (what, said)


def main(number: int) -> int:
    random, counts = Random(12), Counter[str]()
    here, there = make_games(), make_games()
    for done, table in enumerate(islice(tables(), number), 1):
        exchange(table, random.randrange(10**6), here, there)
        if done % 20 == 0:
            print(f"{done} games moved, verified by both, byte-equal", flush=True)
    for table in TAMPERED:
        tamper(table, counts)
        print(f"{table[0]}: {counts[table[0]]} mutations in all, refused by both", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
