"""schemathesis as a program, with all of its checks, against a service that runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = Path(sys.executable).parent / "schemathesis"
SETTINGS = ROOT / "tests/contract/schemathesis.toml"


def try_contract(base: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Every operation of the contract that is handed out; no stream is asked for, as none would end."""
    contract = f"{base}/openapi.yaml"
    command: list[str | Path] = [PROGRAM, "--config-file", SETTINGS, "run", contract, "--checks", "all"]
    return subprocess.run(
        [*command, "--continue-on-failure", "--no-color", "--request-timeout", "75", *options],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
