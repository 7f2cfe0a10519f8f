"""Games of all editions and tile sets move between services, and every commit of some is tampered with.

python -m tests.exchange_games 200: each is exported, verified by both, imported elsewhere and exported
again byte-equal; then each mutation at each commit of games of every kind, which both have to refuse. That
takes its time; python -m tests.exchange_games 40 5 tries a fifth of them, another one at each commit.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from datetime import UTC, datetime
from itertools import cycle, islice, product
from random import Random
from typing import Any

from events.store import MemoryStore
from rules.tiles import TILES
from service.fairness.verify import verify
from service.games.games import Games
from service.history.export import GameFiles
from tests.support.finished_games import KINDS, evening_game
from tests.support.forgeries import MUTATIONS, Mutation, Raws, remove, reseal, swap
from tests.support.games import TABLES, make_games, play_game
from tests.support.second_opinion import is_fair, second_opinion

# A chain that does not fit is found at once, whatever was changed: it need not be tried everywhere.
PLAIN = 5
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
    file = GameFiles(here).export(game).file
    raws = [json.loads(line) for line in file.splitlines()[1:]]
    assert is_fair(raws), table
    taken = GameFiles(there).imports.take_in(file)
    assert (taken.new, taken.report.ok, GameFiles(there).export(game).file) == (True, True, file), table


def count_refused(raws: Raws, at: Iterable[int], share: int = 1) -> int:
    """Of all mutations at these commits, or of each commit's share of them: both refuse each."""
    refused = 0
    for place, (number, mutation), sealed in product(at, enumerate(MUTATIONS), (False, True)):
        tried = (sealed or place % PLAIN == 0) and (place + number) % share == 0
        if place < len(raws) and tried and not _is_as_good(raws, place, mutation):
            forged = deepcopy(raws)
            mutation(forged, place)
            if forged:
                _hold_refused(reseal(forged) if sealed else forged, f"{mutation.__name__} {place} {sealed}")
                refused += 1
    return refused


def _is_as_good(raws: Raws, place: int, mutation: Mutation) -> bool:
    """What is done makes nothing else, or another game that could have been.

    Where people broke off, or were waited for in vain, they may have done so one answer earlier: only who
    noted a hash can tell.
    """
    if mutation is swap:
        return place == 0
    answers = [number for number, raw in enumerate(raws) if raw["command"]["type"] == "choose"]
    closed = any(event["type"] == "game_closed" for event in raws[-1]["events"])
    return mutation is remove and closed and answers[-1:] == [place]


def _hold_refused(raws: Raws, what: str) -> None:
    verdict, (holds, said) = verify(raws), second_opinion(raws)
    assert (verdict.ok, holds) == (False, False), (what, said)


def main(number: int, share: int = 1) -> int:
    random, counts = Random(12), Counter[str]()
    # Nothing is taken in that was played in the future of who takes it.
    here, there = make_games(), Games(MemoryStore(), lambda: datetime(2027, 1, 1, tzinfo=UTC))
    for done, table in enumerate(islice(tables(), number), 1):
        exchange(table, random.randrange(10**6), here, there)
        if done % 20 == 0:
            print(f"{done} games moved, verified by both, byte-equal", flush=True)
    for kind in KINDS:
        raws = evening_game(kind)
        counts[kind] = count_refused(raws, range(len(raws)), share)
        print(f"{kind}: {counts[kind]} mutations, refused by both", flush=True)
    for edition, options, players in TAMPERED:
        raws = _play(edition, options, players)
        counts[edition] += count_refused(raws, range(len(raws)), share)
        print(f"{edition}: {counts[edition]} mutations in all, refused by both", flush=True)
    print(f"{counts.total()} mutations refused by both")
    return 0


def _play(edition: str, options: dict[str, Any], players: int) -> Raws:
    games = make_games()
    file = GameFiles(games).export(play_game(games, edition, options, players, 5)).file
    return [json.loads(line) for line in file.splitlines()[1:]]


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:] or ["200"])))
