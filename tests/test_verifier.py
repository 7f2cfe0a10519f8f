"""verifier/verify.py: agrees with what is played, with its own vectors, and with nothing else."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rules.ruleset import Options
from rules.tile import Tile
from rules.tiles import TILES
from service.fairness.verify import verify
from tests.support.finished_games import finished_file
from tests.support.forgeries import FORGERIES, MUTATIONS, Mutation, Raws, change_hash, events_of, reseal
from tests.support.json_logs import change, drop, events_in
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
SOME = [
    ("classic", NEUTRAL | CHIP_CARDS, 3),
    ("modern", BANDIT, 5),
    ("royale", {"tiles": 0}, 2),
    ("cards", SEQUENTIAL, 2),
    ("cards", {}, 2),
]


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
    assert (holds, "not judged" in said) == (True, bool(options.get("tiles"))), said


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
@pytest.mark.parametrize("lie", FORGERIES)
def test_both_find_every_forgery(lie: Callable[[Raws], None], resealed: bool) -> None:
    raws = classic()
    lie(raws)
    named_by_both(reseal(raws) if resealed else raws)


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


@pytest.mark.parametrize(
    ("kind", "name", "false"),
    [
        ("dice_rolled", "own", lambda own: [face % 6 + 1 for face in own]),
        ("notes_moved", "notes", lambda notes: [*notes[:-1], notes[-1] + 10_000]),
        ("notes_moved", "target", lambda target: "purse-1" if target == "purse-0" else "purse-0"),
        ("round_started", "starter", lambda seat: 1 - seat),
        ("game_ended", "totals", lambda totals: [*totals[:-1], 0]),
        ("game_ended", "winners", lambda winners: [0, 1]),
        ("agenda_changed", "agenda", lambda agenda: [{"kind": "step", "name": "turns"}]),
    ],
)
@by_table(SOME)
def test_it_sees_whatever_is_told_otherwise(
    edition: str, options: Options, players: int, kind: str, name: str, false: Callable[[Any], Any]
) -> None:
    raws = game(edition, options, players)
    if not any(name in event for event in events_in(raws, kind)):
        return
    change(kind, name, false)(raws)
    holds, said = second_opinion(reseal(raws))
    assert not holds
    assert "commit " in said


@pytest.mark.parametrize(
    "kind", ["dice_returned", "chips_moved", "dice_moved", "agenda_changed", "token_moved"]
)
def test_it_misses_what_is_left_out(kind: str) -> None:
    raws = game("royale", {"tiles": 0}, 2)
    drop(kind)(raws)
    assert not second_opinion(reseal(raws))[0]


def test_it_holds_seats_to_the_cards_they_selected() -> None:
    raws = game("cards", {}, 2)
    change("revealed", "value", lambda selected: "play-1-2")(raws)
    assert not second_opinion(reseal(raws))[0]
    raws = game("cards", {}, 2)
    events_of(raws, "cards_dealt")[0]["cards"]["value"] = ["6d"] * 5
    assert "does not match its commitment" in second_opinion(reseal(raws))[1]


def test_with_tiles_it_still_finds_a_roll_a_draw_and_a_tile_that_the_seed_does_not_give() -> None:
    lies: list[tuple[str, str, Callable[[Any], Any]]] = [
        ("dice_rolled", "own", lambda own: [face % 6 + 1 for face in own]),
        ("tiles_laid", "tiles", lambda tiles: tiles[::-1]),
    ]
    for kind, name, false in lies:
        raws = game("royale", {"tiles": 6, "fresh_tiles": True}, 3)
        change(kind, name, false)(raws)
        assert "commit " in second_opinion(reseal(raws))[1]
    raws = game("royale", {"tiles": 6, "fresh_tiles": True}, 3)
    drawn = next(event for event in events_in(raws, "notes_moved") if event["target"] == "bank")
    drawn["notes"] = drawn["notes"][::-1]
    assert "commit 1: event 10 should be" in second_opinion(reseal(raws))[1]


def tell_one(kind: str, name: str, false: Callable[[Any], Any], **like: Any) -> Callable[[Raws], None]:
    """Of the first such event of a turn another thing."""

    def lie(raws: Raws) -> None:
        found = (event for event in events_in(raws[1:], kind) if like.items() <= event.items())
        event = next(event for event in found if event.get("seat", 0) is not None)
        event[name] = false(event.get(name, 0))

    return lie


def pay_the_other(raws: Raws) -> None:
    """A casino's note goes to the other purse, and all that is told of the end fits."""
    paid = [event for event in events_in(raws, "notes_moved") if event["source"].startswith("casino-")]
    event = next(one for one in reversed(paid) if one["target"].startswith("purse-"))
    seat, note = int(event["target"][-1]), sum(event["notes"])
    event["target"] = f"purse-{1 - seat}"
    (ended,) = events_in(raws, "game_ended")
    ended["totals"] = [
        total + (note if number != seat else -note) for number, total in enumerate(ended["totals"])
    ]
    ended["winners"] = [number for number in (0, 1) if ended["totals"][number] == max(ended["totals"])]


LIES_WITH_TILES: dict[str, Callable[[Raws], None]] = {
    "a seat that is none rolls": tell_one("dice_rolled", "seat", lambda seat: 9, seat=1),
    "another seat rolls": tell_one("dice_rolled", "seat", lambda seat: 1 - seat, seat=1),
    "fifty more dice are placed": tell_one("dice_placed", "small", lambda small: small + 50),
    "another seat places": tell_one("dice_placed", "seat", lambda seat: 1 - seat),
    "dice go elsewhere": tell_one("dice_placed", "target", lambda at: f"casino-{int(at[-1]) % 6 + 1}"),
    "white dice lie elsewhere": tell_one(
        "dice_moved", "target", lambda at: f"casino-{int(at[-1]) % 6 + 1}", owner="neutral", source="box"
    ),
    "dice come from nowhere": tell_one("dice_moved", "small", lambda small: small + 50),
    "those leave who are not tied": tell_one("dice_returned", "owners", lambda owners: owners[1:]),
    "chips go to nobody": tell_one("chips_moved", "target", lambda at: "purse-7", source="bank"),
    "the tied stay": drop("dice_returned"),
    "a casino pays the other purse": pay_the_other,
    "another seat gets the start": tell_one(
        "token_moved", "target", lambda at: f"supply-{1 - int(at[-1])}", token="start"
    ),
    "nobody who sits there is asked": tell_one(
        "agenda_changed", "agenda", lambda agenda: [*agenda[:-1], {**agenda[-1], "seats": [9]}]
    ),
}


@pytest.mark.parametrize("lie", LIES_WITH_TILES.values(), ids=LIES_WITH_TILES)
def test_with_tiles_it_finds_what_no_tile_can_have_done(lie: Callable[[Raws], None]) -> None:
    raws = game("royale", {"tiles": 6}, 2)
    assert second_opinion(raws)[0]
    lie(raws)
    holds, said = second_opinion(reseal(raws))
    assert (holds, "commit " in said) == (False, True), said


@pytest.mark.parametrize("tile", TILES, ids=lambda tile: tile.code)
def test_it_believes_honest_games_with_any_tile(tile: Tile) -> None:
    """Each with tiles beside it, and at every number of players."""
    others = [other.code for other in TILES if other.code[0] != tile.code[0]]
    for players in (2, 3, 4, 5):
        codes = (tile.code, others[players], others[2 * players + 2])
        holds, said = second_opinion(game("royale", {"tile_codes": codes}, players))
        assert holds, (codes, said)


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
    assert capsys.readouterr().out.startswith("usage: verify.py FILE…\n")
