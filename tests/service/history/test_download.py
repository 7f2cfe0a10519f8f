"""`croupier export`: a service's games in a folder, fetched on and on, and as tables."""

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from redis import Redis

from service.cli import main as croupier
from service.history.download import (
    ExportQuery,
    ExportQueryChanged,
    Fetch,
    Unexpected,
    download,
    write_tables,
)
from tests.support.api_client import ApiClient
from tests.support.browser import serve_application
from tests.support.finished_games import finished_file, put_finished


def fetcher(api: ApiClient, limit: int = 1) -> Fetch:
    """So few at once that it takes several calls."""

    def fetch(cursor: str) -> Iterator[bytes]:
        query = f"limit={limit}" + (f"&cursor={cursor}" if cursor else "")
        yield from api.get(f"/v1/exports?{query}").get_data().splitlines(keepends=True)

    return fetch


def ended(edition: str) -> str:
    return str(json.loads(finished_file(edition).splitlines()[0])["ended"])


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_each_game_becomes_a_file_and_a_second_call_fetches_what_is_new(
    memory: Redis, api: ApiClient, tmp_path: Path
) -> None:
    folder, editions = tmp_path / "games", sorted(("classic", "cards", "modern"), key=ended)
    games = [put_finished(memory, editions[0])]
    assert download(fetcher(api), folder) == 1
    games += [put_finished(memory, edition) for edition in editions[1:]]
    assert download(fetcher(api), folder) == 2
    assert download(fetcher(api), folder) == 0
    assert names_in(folder) == {"cursor", *(f"{game}.ndjson" for game in games)}
    assert (folder / f"{games[1]}.ndjson").read_bytes() == finished_file(editions[1])
    assert croupier(["verify", *(str(path) for path in folder.glob("*.ndjson"))]) == 0


def test_what_broke_off_in_the_middle_leaves_whole_files_only(
    memory: Redis, api: ApiClient, tmp_path: Path
) -> None:
    game = put_finished(memory)
    half = api.get("/v1/exports").get_data()[:9_000]
    with pytest.raises(Unexpected, match="broke off"):
        download(lambda cursor: half.splitlines(keepends=True), tmp_path)
    assert names_in(tmp_path) == set()
    assert download(fetcher(api), tmp_path) == 1
    assert (tmp_path / f"{game}.ndjson").read_bytes() == finished_file()


@pytest.mark.parametrize(
    "line",
    [
        b"junk\n",
        b"[]\n",
        b'{"version": 1}\n',
        b'{"format": "croupier/1", "game": "../../etc/passwd"}\n',
        b"[" * 100_000 + b"\n",
        b'{"format": "croupier-cursor/1", "cursor": "", "more": true}\n',
    ],
)
def test_a_service_that_sends_something_else_is_left(line: bytes, tmp_path: Path) -> None:
    with pytest.raises(Unexpected):
        download(lambda cursor: [line], tmp_path)
    assert not list(tmp_path.glob("*.ndjson"))


def test_nobody_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert croupier(["export", str(tmp_path), "--server", "http://127.0.0.1:1"]) == 1
    told = capsys.readouterr().err
    assert "no answer from http://127.0.0.1:1: " in told
    assert "call again" in told
    assert croupier(["export", str(tmp_path), "--server", "file:///etc"]) == 1
    assert "file:///etc: the address of a service begins with" in capsys.readouterr().err


def test_a_folder_that_cannot_be_is_no_fault_of_the_service(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert croupier(["export", str(tmp_path / "file"), "--server", "http://127.0.0.1:1"]) == 1
    told = capsys.readouterr().err
    assert str(tmp_path / "file") in told
    assert "127.0.0.1:1" not in told


def test_a_refusal_of_the_service_is_shown(
    app: Flask, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve_application(app) as address:
        assert croupier(["export", str(tmp_path), "--server", address, "--edition", "clasic"]) == 1
        told = capsys.readouterr().err
        assert croupier(["export", str(tmp_path / "other"), "--server", f"{address}/nowhere"]) == 1
    assert "the service answers 422: " in told
    assert "`edition` must be one of classic, modern, royale, cards" in told
    assert "call again" not in told


def test_tables_hold_every_answer_and_every_die(tmp_path: Path) -> None:
    files = [finished_file("modern", 2, (("neutral_dice", True),)), finished_file("cards", 3)]
    for number, file in enumerate(files):
        (tmp_path / f"{number}.ndjson").write_bytes(file)
    write_tables(tmp_path)
    commits = [json.loads(line) for file in files for line in file.splitlines()[1:]]
    choices = rows_of(tmp_path / "choices.csv")
    answers = [commit["command"] for commit in commits if commit["command"]["type"] == "choose"]
    assert [(row["ask"], row["seat"]) for row in choices] == [
        (str(answer["ask"]), str(answer["seat"])) for answer in answers
    ]
    assert {row["choice"].split("-")[0] for row in choices} == {"place", "play"}
    rolls = rows_of(tmp_path / "rolls.csv")
    events = [event for commit in commits for event in commit["events"] if event["type"] == "dice_rolled"]
    dice = Counter(face for event in events for lot in ("own", "neutral") for face in event.get(lot, ()))
    dice += Counter(event["big"] for event in events if event.get("big") is not None)
    assert Counter(int(row["face"]) for row in rolls) == dice
    assert {row["round"] for row in rolls} == {"1", "2", "3"}


def test_a_folder_is_filled_with_what_it_was_begun_with(
    memory: Redis, api: ApiClient, tmp_path: Path
) -> None:
    """Else games that ended before the last one of another edition would never come."""
    put_finished(memory, "cards")
    cards = ExportQuery("http://127.0.0.1:8000", "cards")
    assert download(fetcher(api), tmp_path, cards) == 1
    assert download(fetcher(api), tmp_path, cards) == 0
    with pytest.raises(
        ExportQueryChanged, match=r"games of cards from .*; ask for the same to go on, or take another"
    ):
        download(fetcher(api), tmp_path, ExportQuery("http://127.0.0.1:8000"))
    (tmp_path / "cursor").write_text("abc")
    with pytest.raises(ExportQueryChanged, match="take another folder"):
        download(fetcher(api), tmp_path, cards)


def test_the_command_says_what_to_do_with_a_folder_of_other_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {"cursor": "x", "asked": {"server": "http://127.0.0.1:1", "edition": "", "finished_after": ""}}
    (tmp_path / "cursor").write_text(json.dumps(asked))
    call = ["export", str(tmp_path), "--server", "http://127.0.0.1:1"]
    assert croupier([*call, "--edition", "cards"]) == 2
    assert "take another folder" in capsys.readouterr().err
    assert croupier(call) == 1


def test_games_that_are_not_listed_yet_are_not_said_to_be_none(
    memory: Redis, app: Flask, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve_application(app) as address:
        call = ["export", str(tmp_path), "--server", address]
        assert croupier(call) == 1
        told = capsys.readouterr()
        put_finished(memory)
        assert croupier(call) == 0
    assert "the service answers 503: The games are still being listed" in told.err
    assert "call again to go on" in told.err
    assert "are new" not in told.out
    assert "1 games are new" in capsys.readouterr().out
