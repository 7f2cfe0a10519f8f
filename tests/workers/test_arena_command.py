"""`croupier arena`, with bots of ours and of others."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from service.fairness.verify_files import main as verify_files
from tests.support.bots import RANDOM, states_of_game
from tests.support.foreign_bots import command
from workers.arena import lasvegas_bot
from workers.arena.__main__ import main
from workers.arena.contestants import POLICIES, BadBot, ForeignBot, find_contestant
from workers.arena.lasvegas_bot import choose
from workers.arena.matches import play
from workers.arena.settings import Setting, read_options

TWO = ["--edition", "classic", "--options", "{}", "--players", "2"]
LAST = f"last={' '.join(command('last'))}"


@contextmanager
def foreign(kind: str, longest: float = 30) -> Iterator[ForeignBot]:
    bot = ForeignBot(kind, command(kind), longest)
    try:
        yield bot
    finally:
        bot.stop()


def test_the_command_tells_how_far_it_is_and_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    """In one process or in two: the same."""
    told = []
    for processes in ("1", "2"):
        assert main([*TWO, "--bots", "greedy", "random", "--games", "3", "--processes", processes]) == 0
        told.append(capsys.readouterr())
    assert told[0].out == told[1].out
    assert "| `classic` | greedy | random |" in told[0].out
    progress = r"\[1/1, \d+ s\] classic, 2 players, 4 games: greedy against random"
    assert re.match(progress, told[0].err)


def test_the_gate_fails_for_a_ladder_that_is_upside_down(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TWO, "--gate", "--bots", "greedy", "random", "--games", "2"]) == 1
    assert "not clearly stronger" in capsys.readouterr().err


def test_options_are_read_from_words_and_from_json() -> None:
    words = ["tiles=6", "fresh_tiles=true", "on_timeout=greedy"]
    assert read_options(words) == {"tiles": 6, "fresh_tiles": True, "on_timeout": "greedy"}
    assert read_options(['{"tiles": 6}']) == read_options(["tiles=6"])
    assert read_options(["{}"]) == {}


def test_another_seed_is_another_match_and_equal_seeds_are_equal(capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for seed in ("7", "7", "8"):
        assert main([*TWO, "--bots", "greedy", "novice", "--games", "6", "--seed", seed]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]
    assert "In brackets: not clearly different" in " ".join(told[0].split())


@pytest.mark.parametrize(("edition", "options"), [("cards", "{}"), ("royale", "tiles=2")])
def test_logged_games_are_files_that_verify(tmp_path: Path, edition: str, options: str) -> None:
    tables = ["--edition", edition, "--options", options, "--players", "2"]
    assert main([*tables, "--bots", "casual", LAST, "--games", "2", "--log", str(tmp_path / "games")]) == 0
    files = sorted(map(str, (tmp_path / "games").iterdir()))
    assert len(files) == 2
    assert verify_files(files) == 0


def climb(state: Path, *arguments: str) -> int:
    return main([*TWO, "--ladder", "--bots", "random", "novice", "--state", str(state), *arguments])


def test_a_ladder_that_was_killed_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A kill may tear the line that was being written."""
    state = tmp_path / "state.ndjson"
    assert climb(state) == 0
    whole = capsys.readouterr()
    lines = state.read_bytes().splitlines(keepends=True)
    state.write_bytes(b"".join(lines[:12]) + lines[12][:40])
    assert climb(state, "--resume") == 0
    resumed = capsys.readouterr()
    assert resumed.out == whole.out
    assert "0 of 1 cells are decided" in resumed.err
    assert state.read_bytes().splitlines(keepends=True) == lines
    assert climb(state, "--resume") == 0
    again = capsys.readouterr()
    assert "1 of 1 cells are decided" in again.err
    assert state.read_bytes().splitlines(keepends=True) == lines


def test_cells_that_are_decided_are_not_played_for_missing_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "state.ndjson"
    assert climb(state, "--missing") == 0
    assert "no cell is missing" in capsys.readouterr().err
    assert not state.exists()
    others = ["--bots", LAST, "casual", "--state", str(state), "--missing", "--minutes", "1"]
    assert main([*TWO, "--ladder", *others]) == 0
    assert "0 of 1 cells are decided" in capsys.readouterr().err


def test_the_gate_is_decided_by_the_same_test(tmp_path: Path) -> None:
    gate = [*TWO, "--gate", "--state", str(tmp_path / "gate.ndjson")]
    assert main([*gate, "--bots", "random", "casual"]) == 0
    assert main([*gate, "--bots", "casual", "random"]) == 1


def test_a_ladder_that_begins_anew_forgets_what_was_played(tmp_path: Path) -> None:
    state = tmp_path / "state.ndjson"
    state.write_text("of another run\n")
    assert climb(state) == 0
    assert "of another run" not in state.read_text()


def test_the_program_passes_its_arguments_on() -> None:
    run = [sys.executable, "-c", "import sys, service.cli; sys.exit(service.cli.main(sys.argv[1:]))"]
    done = subprocess.run([*run, "arena", *TWO, "--bots", "genius"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "genius is no bot: it is one of random, novice" in done.stderr


REFUSED = [
    (["--options", "{}"], "options are those of an --edition"),
    (
        ["--edition", "classic", "--options", "{bad"],
        "argument --options: '{bad' is neither an option such as tiles=6 nor a JSON object of options",
    ),
    (["--edition", "classic", "--options", "[]"], "argument --options: '[]' is neither an option such as"),
    (["--edition", "royale", "--options", "tiles=6", "x"], "'x' is not an option such as tiles=6"),
    (["--edition", "royale", "--options", "tiles=9"], "at such a table: `options.tiles` must be"),
    (["--resume"], "--resume, --missing and --minutes are for a --ladder or --gate without"),
    (["--write", "--seed", "2"], "--write is for the seed 1"),
    (["--players", "0"], "argument --players: '0' is not a positive whole number"),
    (["--games", "many"], "argument --games: 'many' is not a positive whole number"),
    (["--processes", "-"], "argument --processes: '-' is not a positive whole number"),
    ([*TWO, "--players", "9"], "at such a table: classic is for 2 to 5 players, not 9"),
    (["--players", "9"], "modern is for 2 to 6 players, not 9"),
    (["--edition", "classic", "--players", "2", "9"], "9 cannot sit down at such a table: classic is for 2"),
    (
        ["--edition", "modern", "--options", '{"bandits": true}'],
        "at such a table: `options.bandits` is not an option of modern",
    ),
    (
        ["--edition", "modern", "--options", '{"bandit": true}', "--players", "3"],
        "at such a table: `options.bandit` ",
    ),
    (["--edition", "poker"], "argument --edition: invalid choice: 'poker'"),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED)
def test_what_makes_no_sense_is_refused_in_plain_words(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        main(arguments)
    assert refused.value.code == 2
    assert words in capsys.readouterr().err


def test_every_argument_says_what_it_is_and_what_it_is_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    told = " ".join(capsys.readouterr().out.split())
    for words in ("2 3 4 5 by default", "200 by default", "1 by default"):
        assert words in told


@pytest.mark.parametrize(
    ("bot", "words"),
    [
        ("lasvegas:greedy_first", "needs the package lasvegas"),
        ("lasvegas:best", "of lasvegas there are greedy_first"),
    ],
)
def test_a_bot_of_lasvegas_that_is_not_there_is_told_so(bot: str, words: str) -> None:
    """In a program that does not find the package."""
    absent = "import sys; sys.modules['lasvegas'] = None"
    program = f"{absent}; from workers.arena.__main__ import main; sys.exit(main())"
    run = [sys.executable, "-c", program, *TWO, "--bots", bot, "random", "--games", "2"]
    done = subprocess.run(run, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert line.startswith(f"croupier arena: {bot} ")
    assert words in line


def test_the_policies_that_are_offered_are_those_that_can_be_asked() -> None:
    assert tuple(lasvegas_bot.POLICIES) == POLICIES


@pytest.mark.parametrize("edition", ["classic", "cards"])
def test_a_command_plays_a_game_by_what_its_seat_sees(edition: str) -> None:
    assert play(Setting(edition, {}, 2, 2), (LAST, "random"), 1).winners


def test_a_command_sees_who_sits_there() -> None:
    """It answers with the names and levels that it sees."""
    naming = f"naming={' '.join(command('naming'))}"
    seen = [["naming", None], ["greedy", "greedy"], ["last", None]]
    with pytest.raises(BadBot, match=re.escape(f"naming sent {json.dumps(seen)!r}")):
        play(Setting("classic", {}, 3, 3), (naming, "greedy", LAST), 1)


def test_nobody_sits_down_at_a_table_whose_game_they_do_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    """The bots of `lasvegas` know the game of 2012, and whoever names no options means all tables."""
    arguments = ["--players", "2", "--bots", "lasvegas:random_play", "random", "--games", "2"]
    assert main(arguments) == 0
    told = capsys.readouterr()
    progress = r"\[1/1, \d+ s\] classic, 2 players, 2 games: lasvegas:random_play against random"
    assert re.search(progress, told.err)
    for asked in (arguments, [*arguments[:-2], "--ladder", "--missing"]):
        assert main([*asked, "--edition", "cards"]) == 2
        assert "none of these bots meet" in capsys.readouterr().err


def test_what_was_found_before_a_match_failed_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = f"wrong={' '.join(command('wrong'))}"
    assert main([*TWO, "--bots", "random", "--against", "greedy", wrong, "--games", "2"]) == 2
    told = capsys.readouterr()
    assert "| `classic` | random | greedy |" in told.out
    assert "answered 'place-9'" in told.err


WRONG = {
    "wrong": "answered 'place-9', which is none of",
    "babbling": "babbling sent 'place-1 it is', which is no",
    "short": "has ended",
    "silent": "took too long",
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_command_that_gives_no_answer_is_told_so(kind: str) -> None:
    state = next(states_of_game("classic", {}, [RANDOM, RANDOM], 1))
    assert state.ask is not None
    with foreign(kind, 0.5 if kind == "silent" else 30) as bot, pytest.raises(BadBot, match=WRONG[kind]):
        bot.answer(state, state.ask.awaited[0], 1)


def test_a_command_that_does_not_exist_is_told_so() -> None:
    state = next(states_of_game("classic", {}, [RANDOM, RANDOM], 1))
    assert state.ask is not None
    with pytest.raises(BadBot, match="does not start"):
        ForeignBot.from_text("none", "./there-is-no-such-bot").answer(state, state.ask.awaited[0], 1)


TABLE = {
    "id": "g",
    "version": 7,
    "seats": [{"money": 90_000, "note_count": 1}, {"money": 60_000, "note_count": 1}],
    "casinos": [
        {"notes": [90_000], "dice": [{"owner": "seat-1", "small": 2}]},
        {"notes": [50_000, 10_000], "dice": []},
        *({"notes": [60_000], "dice": []} for _ in range(4)),
    ],
    "roll": {"own": [1, 1, 1, 2]},
}


@pytest.mark.parametrize(("policy", "choice"), [("greedy_score", "place-1"), ("greedy_first", "place-1")])
def test_the_bots_of_lasvegas_see_our_table(policy: str, choice: str) -> None:
    """Three dice take the 90,000 from somebody with two."""
    assert choose(policy, TABLE, 0) == choice


def test_what_lasvegas_leaves_to_chance_is_the_same_again() -> None:
    assert len({choose("random_play", TABLE, 0) for _ in range(5)}) == 1
    assert len({choose("random_play", {**TABLE, "version": n}, 0) for n in range(20)}) == 2


def test_lasvegas_comes_as_a_contestant() -> None:
    assert play(Setting("classic", {}, 3, 3), ("lasvegas:greedy_first", "random", "random"), 2).winners
    assert find_contestant("lasvegas:greedy_first").build == ""
