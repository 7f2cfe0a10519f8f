"""What `croupier load` measures, and what its ledger finds in the logs."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from service import cli
from service.load.http_client import Promise, SeatedGame
from service.load.ledger import Ledger, find_doubled, list_answers
from service.load.load import LoadPlan, Meter, Seat, describe_latency
from tests.support.finished_games import finished_file, finished_log
from tests.support.service_process import CROUPIER, RunningService, free_port


@pytest.mark.long
def test_a_load_is_played_measured_and_compared_with_the_logs(
    running: RunningService, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--seconds", "3", "--games", "2", "--players", "2", "--bots", "1", "--json")
    assert cli.main(["load", running.http.base, *options]) == 0
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    assert report["choices"] == report["answers_in_logs"] == report["choice_ms"]["count"] > 5
    assert (report["lost"], report["doubled"], report["broken"], report["refused"]) == (0, 0, 0, {})
    assert report["choice_ms"]["p50"] <= report["choice_ms"]["p99"] <= report["choice_ms"]["longest"]
    assert report["bot_ms"]["count"] > 0
    assert {"api", "redis", "worker"} <= report["processor_ms"].keys()
    assert "choices" in printed.err
    # The people of the last games have agreed to end them.
    assert report["finished"] == report["games"]


@pytest.mark.long
def test_a_report_for_people_tells_the_same(
    running: RunningService, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--seconds", "1", "--games", "1", "--editions", "classic")
    assert cli.main(["load", f"{running.http.base}/", *options]) == 0
    told = capsys.readouterr().out
    assert "0 lost, 0 doubled" in told
    assert "a bot's answer: none was measured" in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("localhost:8000",), "not the address of a service"),
        (("http://127.0.0.1:{port}",), "has not answered"),
        (("{base}", "--editions", "poker"), "creates no game of poker"),
        (("{base}", "--players", "8"), "creates no game"),
    ],
)
def test_a_load_that_cannot_be_played_says_why(
    running: RunningService, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str
) -> None:
    filled = [text.format(base=running.http.base, port=free_port()) for text in arguments]
    assert cli.main(["load", *filled]) == 2
    assert told in capsys.readouterr().err


class Stranger(BaseHTTPRequestHandler):
    """Answers everything with an empty object."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        pass


def test_another_program_is_not_taken_for_the_service(capsys: pytest.CaptureFixture[str]) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as server:
        Thread(target=server.serve_forever).start()
        assert cli.main(["load", f"http://127.0.0.1:{server.server_port}"]) == 2
        server.shutdown()
    assert "this is no Croupier" in capsys.readouterr().err


class FinishedGame(Stranger):
    """Refuses whatever is asked of a game that has just ended."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b'{"code": "game_over"}'
        self.send_response(409)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def test_a_game_that_ends_while_its_players_leave_counts_as_no_refusal() -> None:
    meter = Meter()
    game = SeatedGame({"id": "g_ended", "seats": [{"seat": 0, "token": "token"}]})
    with ThreadingHTTPServer(("127.0.0.1", 0), FinishedGame) as server:
        Thread(target=server.serve_forever).start()
        seat = Seat(0, LoadPlan(f"http://127.0.0.1:{server.server_port}"), ["classic"], meter)
        seat.games.append(game)
        seat.leave()
        server.shutdown()
    assert meter.refused == {}


Log = tuple[SeatedGame, list[Promise], bytes]


def read_log() -> Log:
    """A game that is over, what was acknowledged in it, and its log."""
    name, _, _ = finished_log()
    seats = [{"seat": seat, "token": "token"} for seat in (0, 1)]
    game = SeatedGame({"id": name, "seats": seats})
    lines = finished_file().split(b"\n", 1)[1]
    commits = [json.loads(line) for line in lines.splitlines()]
    return game, list(list_answers(game, commits)), lines


def test_a_ledger_finds_nothing_where_all_is_in_the_log() -> None:
    game, promises, log = read_log()
    ledger = Ledger()
    ledger.check(game, promises, log, is_over=True)
    assert (ledger.findings, ledger.answers, ledger.unacknowledged) == ([], len(promises), 0)
    ledger.check(game, promises[1:], log, is_over=True)
    assert (ledger.findings, ledger.unacknowledged, ledger.games) == ([], 1, 2)


def shorten(log: bytes) -> bytes:
    """Without the last two commits, as after a failover that lost them."""
    return b"\n".join(log.splitlines()[:-2])


def alter(log: bytes) -> bytes:
    return log.replace(b'"by":"seat-0"', b'"by":"seat-1"', 1)


def change_version(promises: list[Promise]) -> list[Promise]:
    return [promises[0]._replace(version=promises[0].version + 1), *promises[1:]]


def change_choice(promises: list[Promise]) -> list[Promise]:
    return [promises[0]._replace(choice="something else"), *promises[1:]]


@pytest.mark.parametrize(
    ("change_promises", "change_log", "kind"),
    [
        (list, shorten, "lost"),
        (change_version, bytes, "lost"),
        (change_choice, bytes, "lost"),
        (list, alter, "broken"),
        (list, lambda _: b"<html>", "broken"),
        (list, lambda log: log + log.splitlines()[-3] + b"\n", "broken"),
    ],
)
def test_a_ledger_finds_what_is_not_as_acknowledged(
    change_promises: Callable[[list[Promise]], list[Promise]], change_log: Callable[[bytes], bytes], kind: str
) -> None:
    game, promises, log = read_log()
    ledger = Ledger()
    ledger.check(game, change_promises(promises), change_log(log), is_over=False)
    assert ledger.count(kind) > 0
    assert {finding.kind for finding in ledger.findings} == {kind}


def test_a_ledger_finds_an_ask_that_was_answered_twice() -> None:
    game, promises, _ = read_log()
    ledger = Ledger()
    ledger.findings += find_doubled([*promises, promises[0]._replace(version=999)])
    assert [(finding.kind, finding.game) for finding in ledger.findings] == [("doubled", game.id)]


def test_latencies_are_told_in_milliseconds() -> None:
    assert describe_latency([]) is None
    latency = describe_latency([number / 1000 for number in range(1, 101)])
    assert latency is not None
    assert (latency.count, latency.p50, latency.p95, latency.p99, latency.longest) == (100, 50, 95, 99, 100)


@pytest.mark.long
def test_a_load_that_is_interrupted_reports_what_it_has(running: RunningService) -> None:
    command = [*CROUPIER, "load", running.http.base, "--seconds", "60", "--games", "1", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        # The first line comes after some seconds of play.
        assert "choices" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate()
    report = json.loads(told)
    assert process.returncode == 0
    assert report["choices"] == report["answers_in_logs"] > 0
    assert report["seconds"] < 60
