"""What explanations say is what everybody has: games of all editions, options and tiles, added up.

python -m tests.explain_games 1000: after every commit of each game, the amounts that its sentences name, in
every language, add up to the notes and chips in front of each seat; after the last one, with what is said
of chip cards, to its total.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import cycle, islice
from random import Random

from events.types import GameEnded
from rules.explain.facts import find_facts
from rules.scoring import CHIP
from rules.tiles import TILES
from tests.support.game_loop import NAMES, Move, Plan, play_moves
from tests.support.games import TABLES
from tests.support.languages import format_facts
from tests.support.told_amounts import Received, add_up, begin


def plans(random: Random) -> Iterator[Plan]:
    """Every kind of table, then every tile with some others, over and over."""
    tables = [Plan(edition, options, players) for edition, options, players in TABLES]
    tables += [Plan("modern", {"bandit": True}, 6), Plan("cards", {"sequential": True}, 5)]
    for number in cycle(range(len(tables) + len(TILES))):
        if number < len(tables):
            yield tables[number]
        else:
            yield _plan_tiles(TILES[number - len(tables)].code, random)


def _plan_tiles(first: str, random: Random) -> Plan:
    """Of two sides of a tile one can lie out."""
    codes = [first]
    for tile in random.sample(TILES, len(TILES)):
        if tile.code[0] not in {code[0] for code in codes} and len(codes) < 6:
            codes.append(tile.code)
    random.shuffle(codes)
    return Plan("royale", {"tile_codes": tuple(codes)}, random.randint(2, 5))


def explain_game(plan: Plan, seed: int) -> int:
    """Plays it, and says how many facts were told. Raises AssertionError."""
    told, sentences = begin(), 0
    for move in play_moves(plan, seed):
        facts = find_facts(move.before, move.command, move.events)
        for language, received in told.items():
            said = format_facts(facts, move.after, language)
            add_up(said, language, received)
            _hold(move, received, f"{plan} {seed} {language}: {said}")
        sentences += len(facts)
    return sentences


def _hold(move: Move, received: Received, what: str) -> None:
    for seat in range(len(move.after.seats)):
        has = sum(move.after.notes_of(seat)), move.after.chips_of(seat)
        assert (received.dollars[NAMES[seat]], received.chips[NAMES[seat]]) == has, (NAMES[seat], has, what)
    for ended in (event for event in move.events if isinstance(event, GameEnded)):
        sums = tuple(_sum_of(received, NAMES[seat]) for seat in range(len(ended.totals)))
        assert sums == ended.totals, (sums, what)


def _sum_of(received: Received, name: str) -> int:
    return received.dollars[name] + CHIP * received.chips[name] + received.cards[name]


def main(number: int) -> int:
    random, sentences, editions = Random(3), 0, Counter[str]()
    for done, plan in enumerate(islice(plans(random), number), 1):
        sentences += explain_game(plan, random.randrange(10**9))
        editions[plan.edition] += 1
        if done % 100 == 0:
            print(f"{done} games: {sentences:,} facts in each language, every sum holds", flush=True)
    counted = ", ".join(f"{count} of {edition}" for edition, count in sorted(editions.items()))
    print(f"{number} games ({counted}): {sentences:,} facts in each language, every sum holds")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
