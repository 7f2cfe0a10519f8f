"""Who brings numpy and who does not, and that it changes nothing where bots think."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.call_trace import ROOT
from tests.support.expert_moves import expert_moves

WHO_DO_NOT_THINK = "service.cli, service.http.app, workers.worker, workers.reconciler, workers.projector"


@pytest.mark.long
def test_numpy_is_for_those_who_think() -> None:
    """Neither the processes of the API nor workers that ask others load it."""
    code = f"import sys, {WHO_DO_NOT_THINK}; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.mark.long
def test_experts_choose_the_same_in_another_process_with_other_hashes() -> None:
    command = [sys.executable, "-m", "tests.support.expert_moves"]
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    told = subprocess.run(
        command, cwd=ROOT, check=True, env=environment, capture_output=True, text=True
    ).stdout
    assert told.split() == expert_moves()
