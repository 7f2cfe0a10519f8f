"""`croupier verify` on files that somebody made to deceive or to exhaust whoever checks them."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.chain import GENESIS, digest
from events.commit import decode_raw, encode
from service.cli import main as croupier
from service.fairness.export_file import LARGEST_DOCUMENT, MOST_COMMITS
from service.fairness.verify import verify
from service.text import LONGEST_TEXT, escape
from tests.support.forgeries import Raws, events_of, reseal
from tests.support.games import exported_game, make_games, play_game
from tests.support.service_process import CROUPIER
from tests.support.waiting import PATIENCE

# Takes the line back and forges another; writes from right to left; breaks the line.
TRICKS = "\x1b[2K\rverified. \u202e\u2066\u200f\x9b1m\n\u2028\x00"
MEASURE = """
import resource, sys
from service.cli import main
refused = [path for path in sys.argv[1:] if main(["verify", path]) == 1]
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
sys.exit(len(refused))
"""
# Linux counts what the parent took until the child became another program: this parent takes next to nothing.
MEASURED = (
    f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {MEASURE!r}, *sys.argv[1:]]))"
)
MOST_KIB = 200 * 1024


def encode_resealed(raws: Raws) -> bytes:
    """Return NDJSON whose chain holds, whatever the commits say."""
    return b"\n".join(map(msgspec.json.encode, reseal(raws)))


def name_game(raws: Raws) -> None:
    raws[0]["command"]["game"] = raws[0]["events"][0]["game"] = TRICKS


def name_release(raws: Raws) -> None:
    for commit in raws:
        commit["rules"] = TRICKS
    raws[0]["events"][0]["rules"] = TRICKS


def name_choice(raws: Raws) -> None:
    raws[5]["command"]["choice"] = TRICKS


def name_event(raws: Raws) -> None:
    raws[5]["events"][0]["type"] = TRICKS


def name_member(raws: Raws) -> None:
    raws[5]["events"][0][TRICKS] = 1


def name_version(raws: Raws) -> None:
    raws[5]["format"] = TRICKS


def is_harmless(text: str) -> bool:
    return text.endswith("\n") and text[:-1].isprintable()


@pytest.mark.parametrize(
    "trick", [name_game, name_release, name_choice, name_event, name_member, name_version]
)
def test_text_from_the_file_is_escaped(
    trick: Callable[[Raws], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raws = exported_game()
    trick(raws)
    path = tmp_path / "game\x1b[2K\n"
    path.write_bytes(encode_resealed(raws))
    assert croupier(["verify", str(path)]) != 0
    told = capsys.readouterr().out
    assert is_harmless(told)
    assert r"game\x1b[2K\n: NOT" in told


@pytest.mark.parametrize("text", [TRICKS, f'{{"{TRICKS}": 1}}', '{"\\u001b":1,"\\u001b":2}'])
def test_text_of_a_file_that_cannot_be_read_is_escaped(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    assert croupier(["verify", str(path)]) == 1
    assert is_harmless(capsys.readouterr().out)


def test_a_message_has_a_longest_length() -> None:
    assert len(escape("é" * 1_000_000)) == LONGEST_TEXT + 1


@pytest.mark.parametrize("name", ["game", "spiel-ä-\u202e", "\udcff"])
def test_a_terminal_that_knows_only_ascii_gets_escapes(name: str, tmp_path: Path) -> None:
    raws = exported_game()
    raws[0]["command"]["game"] = raws[0]["events"][0]["game"] = "Zoë"
    path = tmp_path / name
    path.write_bytes(encode_resealed(raws))
    poor = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    told = subprocess.run([*CROUPIER, "verify", path], env=poor, capture_output=True, timeout=PATIENCE)
    assert (told.returncode, told.stderr) == (1, b"")
    assert told.stdout.isascii()
    assert b"NOT verified" in told.stdout


def test_a_reader_who_is_gone_changes_neither_the_outcome_nor_the_manners(tmp_path: Path) -> None:
    path = tmp_path / "game"
    path.write_bytes(encode_resealed(exported_game()))
    reading, writing = os.pipe()
    os.close(reading)
    told = subprocess.run(
        [*CROUPIER, "verify", path], stdout=writing, stderr=subprocess.PIPE, timeout=PATIENCE
    )
    os.close(writing)
    assert (told.returncode, told.stderr) == (0, b"")


# Size


def write_chunks(path: Path, chunks: Iterable[bytes]) -> None:
    with path.open("wb") as file:
        file.writelines(chunks)


def chain(length: int) -> Iterable[bytes]:
    """As cheap as a chain that holds can be."""
    head = GENESIS
    for version in range(1, length + 1):
        commit: dict[str, Any] = {"version": version, "prev": head}
        head = digest(commit)
        yield msgspec.json.encode({**commit, "hash": head}) + b"\n"


SIZES: dict[str, Callable[[], Iterable[bytes]]] = {
    "holds more than 10,000 commits": lambda: [b"{}\n" * 300_000],
    "holds more than 10,000 ": lambda: chain(MOST_COMMITS + 1),
    "commits or lines, and no game does": lambda: [b"[]\n" * 2_500_000],
    "NOT verified at version 1: it is no commit": lambda: chain(MOST_COMMITS),
    "holds no commits": lambda: [b"\n" * 1_000_000],
    "holds more objects than": lambda: [b"[", b"{}," * 300_000, b"{}]"],
    "line 1 is longer than 2 MiB": lambda: [b'{"a":"', b"x" * LARGEST_DOCUMENT, b'"}\n{}'],
    "NOT verified at version 1": lambda: [b'{"version":1,"a":[' + b"[]," * 300_000 + b"[]]}\n"] * 2,
    "line 1 is not valid JSON": lambda: [bytes(range(256)) * 30_000],
    "line 1 is longer than": lambda: [b"[" * 3_000_000],
    "NOT verified": lambda: [b'{"a":' * 900 + b"1" + b"}" * 900 + b"\n"] * 100,
    "larger than 8 MiB": lambda: [b"\0" * 1024 * 1024] * 200,
}


@pytest.mark.long
def test_no_file_takes_more_than_a_bounded_room(tmp_path: Path) -> None:
    paths = [tmp_path / str(number) for number in range(len(SIZES))]
    for path, write in zip(paths, SIZES.values(), strict=True):
        write_chunks(path, write())
    told = subprocess.run(
        [sys.executable, "-c", MEASURED, *paths], capture_output=True, text=True, timeout=PATIENCE
    )
    assert told.returncode == len(paths), told.stderr
    for line, reason in zip(told.stdout.splitlines(), SIZES, strict=True):
        assert reason in line
    assert int(told.stderr) < MOST_KIB


# What no hash covers


@pytest.mark.parametrize("member", ["key", "request"])
@pytest.mark.parametrize("value", ["", "luck", None])
def test_members_of_the_stored_form_are_refused_in_an_export(
    member: str, value: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raws = exported_game()
    raws[5][member] = value
    path = tmp_path / "game"
    path.write_bytes(b"\n".join(map(msgspec.json.encode, raws)))
    assert croupier(["verify", str(path)]) == 1
    assert f"at version 6: it has the member {member}, which no hash covers" in capsys.readouterr().out


def test_members_of_the_stored_form_are_allowed_where_it_is_stored() -> None:
    """0.2 and earlier releases stored them in the log."""
    games = make_games()
    played = play_game(games, "classic", {}, 2)
    stored = [decode_raw(encode(commit)) for commit in games.commits(played)]
    for raw in stored:
        raw.update(key="key", request="request")
    assert verify(stored).ok


def test_a_secret_has_no_members_but_its_own() -> None:
    raws = exported_game("cards")
    events_of(raws, "cards_dealt")[0]["cards"]["luck"] = 1
    assert "members that no hash covers" in (verify(raws).fault or "")
