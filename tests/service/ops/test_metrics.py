"""What is counted, by one process and by several."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from events.store import Conflict
from service import metrics
from service.config import Settings
from service.run_folder import (
    FOLDER,
    NAME,
    forget_process,
    make_run_folder,
    remove_run_folder,
)
from tests.support.api_client import ApiClient


def read_metric(text: bytes | str, name: str, **labels: str) -> float:
    """The sum of all samples of that name which carry these labels."""
    told = text.decode() if isinstance(text, bytes) else text
    samples = [sample for family in text_string_to_metric_families(told) for sample in family.samples]
    fitting = [one for one in samples if one.name == name and labels.items() <= one.labels.items()]
    return sum(one.value for one in fitting)


def test_a_choice_and_its_append_are_counted(api: ApiClient) -> None:
    def counts() -> tuple[float, float]:
        text = api.get("/metrics").data
        appends = read_metric(text, "croupier_append_seconds_count", outcome="ok")
        return appends, read_metric(text, "croupier_requests_total", status="2xx")

    appends, requests = counts()
    api.create_for(2)
    assert counts() == (appends + 1, requests + 2)


def test_what_an_append_raises_is_its_outcome() -> None:
    def conflicts() -> float:
        return read_metric(metrics.render_metrics(), "croupier_append_seconds_count", outcome="conflict")

    before = conflicts()
    with pytest.raises(Conflict), metrics.time_append():
        raise Conflict("somebody was faster")
    assert conflicts() == before + 1


def run_process(folder: Path, name: str, task: str) -> str:
    told = {**os.environ, FOLDER: str(folder), NAME: name}
    command = [sys.executable, "-c", f"from service import metrics; {task}"]
    return subprocess.run(command, env=told, check=True, capture_output=True, text=True).stdout


def test_processes_add_up_and_one_that_comes_back_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("projector", "worker-1", "worker-1"):
        run_process(tmp_path, name, f"metrics.count_poison_game('{name}'); metrics.stream_opened()")
    text = run_process(tmp_path, "api-1", "print(metrics.render_metrics().decode())")
    assert read_metric(text, "croupier_poison_games_total", process="projector") == 1
    assert read_metric(text, "croupier_poison_games_total", process="worker-1") == 2
    assert read_metric(text, "croupier_streams") == 2, "those of a process that is gone are closed"
    monkeypatch.setenv(FOLDER, str(tmp_path))
    forget_process("worker-1")
    text = run_process(tmp_path, "api-1", "print(metrics.render_metrics().decode())")
    assert read_metric(text, "croupier_poison_games_total") == 3
    assert read_metric(text, "croupier_streams") == 1


def test_a_run_folder_is_new_and_nobody_elses(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    folder = make_run_folder(settings)
    (folder / "counter_1.db").touch()
    again = make_run_folder(settings)
    assert (again, sorted(kept.name for kept in again.iterdir())) == (folder, ["claim"])
    assert again.stat().st_mode & 0o777 == 0o700
    remove_run_folder(folder)
    folder.symlink_to(tmp_path)
    elsewhere = make_run_folder(settings)
    assert elsewhere not in (folder, tmp_path)
    folder.unlink()
    remove_run_folder(elsewhere)
    assert not elsewhere.exists()


MAKE_AND_DIE = """
import os, signal, sys
from pathlib import Path
from service.config import Settings
from service.run_folder import make_run_folder
print(make_run_folder(Settings(data_dir=Path(sys.argv[1]))), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_service_left_is_removed_by_the_next_one_anywhere(tmp_path: Path) -> None:
    """Whatever the port and the folder of its games; one that lives keeps its own."""
    living = make_run_folder(Settings(data_dir=tmp_path / "living"))
    killed = subprocess.run(
        [sys.executable, "-c", MAKE_AND_DIE, tmp_path / "killed"], capture_output=True, text=True
    )
    left = Path(killed.stdout.strip())
    assert (killed.returncode, left.is_dir()) == (-9, True), killed.stderr
    last = make_run_folder(Settings(data_dir=tmp_path / "last"))
    assert [folder.exists() for folder in (living, left, last)] == [True, False, True]
    for folder in (living, last):
        remove_run_folder(folder)


def test_the_figures_of_all_processes_are_put_together_once_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))

    def count_requests(second: int) -> float:
        run_process(tmp_path, "api", "metrics.count_request(200)")
        return read_metric(metrics.merge_processes(second), "croupier_requests_total", status="2xx")

    assert [count_requests(second) for second in (-1, -1, -2)] == [1, 1, 3]
