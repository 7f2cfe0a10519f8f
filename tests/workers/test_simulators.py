"""Who brings numpy, and who does not."""

from __future__ import annotations

import subprocess
import sys

from tests.support.call_trace import ROOT

WHO_DO_NOT_THINK = "service.cli, service.api.app, workers.work, workers.reconcile, workers.project"


def test_numpy_is_for_those_who_think() -> None:
    """Neither the processes of the API nor workers that ask others load it."""
    code = f"import sys, {WHO_DO_NOT_THINK}; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
