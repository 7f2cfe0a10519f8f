"""Writes verifier/vectors.json, for people who write a verifier of their own: python -m tests.write_vectors

Everything in it comes from the code that plays, and is held against the verifier that shares none of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from events.chain import public_form
from events.secrecy import seal
from service.fairness.dice import FairDice, commitment
from service.fairness.export_file import write_file
from service.games.writer import Caller
from tests.support.api_client import long_key
from tests.support.games import make_games, people, play_answers

FILE = Path(__file__).parents[1] / "verifier" / "vectors.json"
ABOUT = (
    "Examples for verifiers; docs/fairness.md explains the words. chance: dice, picks and salts from a seed. "
    "commits: a line of a file, its public form as hashes have it, and the hash. games: whole files. "
    "forgeries: a game in which one value was replaced, at `pointer` (RFC 6901) in the list of its lines; "
    "where `resealed` is true all hashes were made to fit again. A verifier names `commit`."
)
SEATS = (("four leaf clover", "", "Zoë"), ("", ""), ("a", "b", "c", "d", "e", "f"))
PLAYED: dict[str, tuple[str, dict[str, Any], int]] = {
    "classic": ("classic", {"neutral_dice": True, "chip_cards": True, "start_seat": 0}, 2),
    "modern": ("modern", {}, 2),
    "royale without tiles": ("royale", {"tiles": 0}, 2),
    "royale with tiles": ("royale", {"tile_codes": ("A2", "B1", "C2", "E1", "G1", "H2")}, 2),
    "cards": ("cards", {}, 2),
}
# What a forger might change in a game, and whether the hashes are made to fit.
FORGERIES: list[tuple[str, str, Any, bool]] = [
    ("classic", "/6/events/0/type", "dice_lost", False),
    ("classic", "/1/events/0/commitment", "00" * 32, True),
    ("classic", "/4/at", "2026-11-15T11:00:00.000Z", True),
    ("modern", "/1/events/3/notes/0", 110_000, True),
    ("modern", "/3/command/choice", "place-7", True),
    ("royale with tiles", "/5/events/0/notes/0", 40_000, True),
    ("royale with tiles", "/37/events/2/counter", "A1", True),
    ("cards", "/1/rules", "2", True),
]


def describe_chance() -> Iterator[dict[str, Any]]:
    for number, entropy in enumerate(SEATS):
        seed, game = bytes(range(number, 32 + number)), f"g_vector{number:015d}"
        dice, below = FairDice(seed, game, entropy), FairDice(seed, game, entropy).draw(1)
        bounds = [54, 53, 300, 6, 1, 256, 257, 65_536]
        salt, hand = dice.salt(2), ("2", "5d")
        yield {
            "seed": seed.hex(),
            "commitment": commitment(seed),
            "game": game,
            "entropy": list(entropy),
            "dice": {"number": 0, "faces": list(dice.dice(0, 40))},
            "picks": {"number": 1, "below": bounds, "picked": [below(bound) for bound in bounds]},
            "salt": {"number": 2, "salt": salt},
            "sealed": {"value": list(hand), "hidden": seal(hand, salt, ()).hidden},
        }


def play(name: str) -> list[str]:
    edition, options, players = PLAYED[name]
    games = make_games()
    game = games.create(
        edition, options, people(players), caller=Caller(key=long_key(f"vector {edition}"))
    ).game
    for _ in play_answers(games, game):
        pass
    return write_file(games.commits(game)).decode().splitlines()


def describe_commit(line: str) -> dict[str, str]:
    commit = json.loads(line)
    form = public_form({name: part for name, part in commit.items() if name != "hash"})
    text = json.dumps(form, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return {"line": line, "public": text, "hash": sha256(text.encode()).hexdigest()}


def describe_forgery(game: str, pointer: str, value: Any, resealed: bool) -> dict[str, Any]:
    return {
        "game": game,
        "pointer": pointer,
        "value": value,
        "resealed": resealed,
        "commit": int(pointer.split("/")[1]),
    }


def render() -> str:
    games = {name: play(name) for name in PLAYED}
    vectors = {
        "about": ABOUT,
        "chance": list(describe_chance()),
        "commits": [describe_commit(games["modern"][1]), describe_commit(games["cards"][2])],
        "games": games,
        "forgeries": [describe_forgery(*forgery) for forgery in FORGERIES],
    }
    return json.dumps(vectors, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(render(), "utf-8")
    print(f"wrote {FILE.name}")
