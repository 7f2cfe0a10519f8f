"""schemathesis with all checks and phases: `make contract`, for longer `make contract EXAMPLES=500`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.schemathesis_run import try_contract
from tests.support.service_process import run_service

EXAMPLES = os.environ.get("EXAMPLES", "100")


def main() -> int:
    with TemporaryDirectory(prefix="croupier-") as folder, run_service(Path(folder) / "data") as (base, _):
        done = try_contract(base, "--max-examples", EXAMPLES)
    print(done.stdout)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
