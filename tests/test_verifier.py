"""verifier/verify.py: agrees with what is played, with its own vectors, and with nothing else."""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rules.editions.royale import ROYALE
from rules.releases import Editions
from rules.ruleset import Options
from rules.tile import Tile
from rules.tiles import TILES
from service.fairness.verify import verify
from tests.support.finished_games import finished_file
from tests.support.forgeries import MUTATIONS, Mutation, Raws, change_hash, reseal
from tests.support.profiles import sample
from tests.support.release_games import export, play_game
from tests.support.second_opinion import second_opinion
from tests.write_vectors import FILE, render
from verifier.verify import Chance, dump, main, public, seal_of, verify_file

NEUTRAL, CHIP_CARDS, BANDIT = {"neutral_dice": True}, {"chip_cards": True}, {"bandit": True}
SEQUENTIAL: Options = {"sequential": True}
TABLES: list[tuple[str, Options, tuple[int, ...]]] = [
    ("classic", {}, (2, 5)),
    ("classic", NEUTRAL, (2, 3, 4)),
    ("classic", CHIP_CARDS, (3, 5)),
    ("classic", NEUTRAL | CHIP_CARDS, (2, 3)),
    ("modern", {}, (2, 6)),
    ("modern", NEUTRAL, (2, 3, 4)),
    ("modern", BANDIT, (5, 6)),
    ("royale", {"tiles": 0}, (2, 3, 5)),
    ("cards", {}, (2, 5)),
    ("cards", SEQUENTIAL, (2, 4)),
    ("cards", {**SEQUENTIAL, **CHIP_CARDS}, (3,)),
    ("royale", {"tiles": 6, "fresh_tiles": True}, (3,)),
]
PLAYED = [(edition, options, players) for edition, options, counts in TABLES for players in counts]


def by_table(tables: Any) -> pytest.MarkDecorator:
    names = ["-".join((edition, str(players), *options)) for edition, options, players in tables]
    return pytest.mark.parametrize(("edition", "options", "players"), tables, ids=names)


def game(edition: str, options: Options, players: int) -> Raws:
    """A fresh copy of a finished game, without the header."""
    file = finished_file(edition, players, tuple(options.items()))
    return [json.loads(line) for line in file.splitlines()[1:]]


@by_table(PLAYED)
def test_it_agrees_with_what_is_played(edition: str, options: Options, players: int, tmp_path: Path) -> None:
    path = tmp_path / "game"
    path.write_bytes(finished_file(edition, players, tuple(options.items())))
    holds, said = verify_file(str(path))
    assert holds, said


# Both verifiers


@cache
def _classic() -> tuple[str, ...]:
    return tuple(json.dumps(raw) for raw in game("classic", {}, 2))


def classic() -> Raws:
    return [json.loads(line) for line in _classic()]


def named_by_both(raws: Raws) -> tuple[int | None, int | None]:
    """The commit that each of them names; both have to refuse."""
    ours, (holds, said) = verify(raws), second_opinion(raws)
    assert not ours.ok
    assert not holds
    found = re.search(r"commit (\d+): ", said)
    return ours.version, int(found[1]) if found else None


@pytest.mark.parametrize("resealed", [False, True], ids=["plain", "resealed"])
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_both_name_the_place_of_a_mutation(mutation: Mutation, resealed: bool) -> None:
    """At some commits of a game; tests.exchange_games tries every one."""
    for at in (0, 1, 7, len(_classic()) - 1):
        raws = classic()
        if mutation.__name__ == "swap" and at == 0:
            continue
        mutation(raws, at)
        if raws:
            ours, theirs = named_by_both(reseal(raws) if resealed else raws)
            places = {None, *range(at, at + 3), len(raws)}
            assert {ours, theirs} <= places, (at, ours, theirs)


def test_both_name_the_place_of_a_changed_hash() -> None:
    raws = classic()
    change_hash(raws, 7)
    assert named_by_both(raws) == (8, 8)


@pytest.mark.parametrize("tile", sample(TILES, 2), ids=lambda tile: tile.code)
def test_it_believes_honest_games_with_any_tile(tile: Tile) -> None:
    """Each with tiles beside it, and at every number of players."""
    others = [other.code for other in TILES if other.code[0] != tile.code[0]]
    for players in (2, 3, 4, 5):
        codes = (tile.code, others[players], others[2 * players + 2])
        holds, said = second_opinion(game("royale", {"tile_codes": codes}, players))
        assert holds, (codes, said)


@pytest.mark.long
@pytest.mark.parametrize("release", [1, 2])
@pytest.mark.parametrize("first", range(0, 200, 20))
def test_it_believes_honest_games_where_any_tiles_meet(first: int, release: int) -> None:
    """Up to six of them, under both releases, which differ in change and in when BAD LUCK counts."""
    for seed in range(first, first + 20):
        random = Random(seed)
        letters = random.sample("ABCDEFGH", random.randint(1, 6))
        codes = tuple(f"{letter}{random.choice('12')}" for letter in letters)
        editions = Editions((ROYALE[release - 1],))
        played = play_game(editions, "royale", random.randint(2, 5), {"tile_codes": codes}, seed=seed)
        holds, said = second_opinion(export(played))
        assert holds, (seed, codes, said)


def test_it_says_which_tile_it_does_not_know() -> None:
    raws = game("royale", {"tiles": 6}, 2)
    started = next(event for event in raws[0]["events"] if event["type"] == "game_started")
    started["tiles"].append("Z9")
    assert "commit 1: this verifier does not know the tile ['Z9']" in second_opinion(reseal(raws))[1]


# Its vectors


@cache
def vectors() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return found


def test_the_vectors_are_what_the_command_writes() -> None:
    assert FILE.read_text("utf-8") == render(), "python -m tests.write_vectors"


def test_it_draws_what_the_vectors_say() -> None:
    for told in vectors()["chance"]:
        chance = Chance(told["seed"], told["game"], told["entropy"])
        below = chance.draw(1)
        assert chance.dice(0, 40) == told["dice"]["faces"]
        assert [below(bound) for bound in told["picks"]["below"]] == told["picks"]["picked"]
        assert chance.salt(2) == told["salt"]["salt"]
        assert seal_of(chance.salt(2), told["sealed"]["value"]) == told["sealed"]["hidden"]
    for told in vectors()["commits"]:
        commit = json.loads(told["line"])
        body = {name: part for name, part in commit.items() if name != "hash"}
        assert (dump(public(body)).decode(), commit["hash"]) == (told["public"], told["hash"])


def forge(told: dict[str, Any]) -> Raws:
    lines = [json.loads(line) for line in vectors()["games"][told["game"]]]
    *way, last = [int(part) if part.isdigit() else part for part in told["pointer"].split("/")[1:]]
    inner: Any = lines
    for name in way:
        inner = inner[name]
    assert inner[last] != told["value"]
    inner[last] = told["value"]
    return reseal(lines[1:]) if told["resealed"] else lines[1:]


def test_both_hold_the_games_of_the_vectors_and_name_their_forgeries(tmp_path: Path) -> None:
    for number, lines in enumerate(vectors()["games"].values()):
        path = tmp_path / str(number)
        path.write_text("\n".join(lines), "utf-8")
        assert verify_file(str(path))[0]
    for told in vectors()["forgeries"]:
        assert named_by_both(forge(told)) == (told["commit"], told["commit"]), told


# Files


def run(*paths: Path) -> tuple[int, str]:
    script = FILE.with_name("verify.py")
    done = subprocess.run([sys.executable, "-I", script, *paths], capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_it_runs_alone_and_says_one_line_a_file(tmp_path: Path) -> None:
    """Isolated: no package of ours or of anybody is on its path."""
    (tmp_path / "good").write_bytes(finished_file())
    (tmp_path / "old").write_bytes(finished_file().split(b"\n", 1)[1])
    (tmp_path / "bad").write_bytes(finished_file().replace(b'"place-', b'"place-9', 1))
    assert run(tmp_path / "good", tmp_path / "old")[0] == 0
    code, said = run(tmp_path / "good", tmp_path / "bad", tmp_path / "none")
    assert (code, len(said.splitlines())) == (1, 3)
    assert "bad: NOT verified: commit " in said


def test_a_file_that_is_no_game_does_not_keep_it_from_the_others(tmp_path: Path) -> None:
    (tmp_path / "odd").write_bytes(b"[]\n7\n")
    (tmp_path / "long").write_bytes((b"[0" + b",0" * 500_000 + b"]\n") * 8)
    (tmp_path / "good").write_bytes(finished_file())
    code, said = run(tmp_path / "odd", tmp_path / "long", tmp_path / "good")
    odd, long, good = said.splitlines()
    assert (code, "odd: NOT verified: commit 1: it is no commit" in odd) == (1, True)
    assert "more commits than any game" in long
    assert "good: verified." in good


def test_it_imports_nothing_but_the_standard_library() -> None:
    names = re.findall(
        r"^(?:from|import) (\w+)", FILE.with_name("verify.py").read_text("utf-8"), re.MULTILINE
    )
    assert {*names} <= sys.stdlib_module_names


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n\n",
        b"hello",
        b"\xff\xfe\x00",
        b"null",
        b"[]",
        b'{"commits": 7}',
        b"[1, 2]",
        b'{"version": 1}\n{"version": ',
        b"[" * 1_000_000,
        b'{"a":' * 200_000,
        b'{"version": 1, "version": 1}',
        b'{"version": ' + b"9" * 100_000 + b"}",
        b'["\\ud800"]',
        b"[NaN]",
        b"{}\n" * 1_000_000,
        b"x" * 10_000_000,
        b'{"format": "croupier/1"}',
        b'{"format": "\\u001b[2J"}\n{"version": 1}',
        b'[{"version":1,"at":{},"by":[],"rules":1,"command":2,"events":{},"prev":"","hash":""}]',
        b"[]\n7\n",
        b'[]\n{"version": 1}\n',
        b'{"commits": []}\n"x"\n',
        (b"[0" + b",0" * 1_000_000 + b"]\n") * 4,
        b"[]\n" * 700_000,
    ],
    ids=lambda text: text[:12].decode("ascii", "replace"),
)
def test_garbage_gets_one_line_and_nothing_that_a_terminal_obeys(
    text: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "garbage"
    path.write_bytes(text)
    assert main([str(path)]) == 1
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert said.strip().isprintable()
    assert len(said) < 1_000


def test_a_header_that_lies_is_found(tmp_path: Path) -> None:
    first, rest = finished_file().split(b"\n", 1)
    lies: list[dict[str, Any]] = [{"head": "0" * 64}, {"commits": 2}, {"remark": "trust me"}, {"result": {}}]
    for lie in lies:
        (tmp_path / "game").write_bytes(json.dumps({**json.loads(first), **lie}).encode() + b"\n" + rest)
        assert "its header" in verify_file(str(tmp_path / "game"))[1]


@pytest.mark.parametrize("wish", ["--help", "-h"])
def test_it_says_how_it_is_used(wish: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([wish]) == 0
    assert capsys.readouterr().out.startswith("usage: verify.py [--key KEY] FILE…\n")
