"""What JavaScript makes of openapi.yaml, as it is: `make generators`.

Two linters read the contract, three generators make a client of it, the compiler checks these, and each plays
a game of every edition against a running service. What `docs/guides/quickstart.md` says about TypeScript is
followed in an empty folder, step by step.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.contract import FILE
from tests.support.guides import ADDRESS, read_blocks
from tests.support.service_process import run_service

FOLDER = Path(__file__).parent
BUILD = FOLDER / "build"
QUICKSTART = FOLDER.parents[1] / "docs" / "guides" / "quickstart.md"
# Linters tell nobody that they were here.
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "NO_COLOR": "1"}
# Those among the installed programs, which bring their own node.
ENVIRONMENT = {**os.environ, **QUIET, "PATH": f"{FOLDER}/node_modules/.bin:{os.environ['PATH']}"}
STEPS: dict[str, list[str | Path]] = {
    "Spectral": ["spectral", "lint", "--fail-severity", "error", FILE],
    "Redocly": ["redocly", "lint", "--format", "summary", FILE],
    "orval": ["orval"],
    "hey-api": ["openapi-ts"],
    "openapi-typescript": ["openapi-typescript", FILE, "--output", BUILD / "openapi-typescript/schema.ts"],
    "the types of all clients": ["tsc"],
}
CLIENTS = ("orval", "hey_api", "openapi_fetch")


def run(name: str, command: list[str | Path]) -> bool:
    print(name, flush=True)
    done = subprocess.run(command, cwd=FOLDER, env=ENVIRONMENT, check=False)
    print("  held" if done.returncode == 0 else "  NOT held", flush=True)
    return done.returncode == 0


def play(client: str, base: str) -> bool:
    return run(f"a game of each edition with {client}", ["node", f"build/js/play_{client}.js", base])


def follow_quickstart(base: str, folder: Path) -> bool:
    """Run the commands of the guide and compile its program as it says; return whether that plays a game."""
    blocks = {block.language: block for block in read_blocks(QUICKSTART)}
    program = blocks["ts"].code.replace(ADDRESS, base)
    [compile_it] = re.findall(r"`(npx tsc [^`]+)`", " ".join(QUICKSTART.read_text("utf-8").split()))
    (folder / "play.ts").write_text(program, "utf-8")
    steps = f"set -e\n{blocks['sh'].code.replace(ADDRESS, base)}\n{compile_it}\nnode play.js"
    done = subprocess.run(["sh", "-c", steps], cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout)
    return done.returncode == 0 and done.stdout.splitlines()[-1].startswith("won by seat")


def main() -> int:
    shutil.rmtree(BUILD, ignore_errors=True)
    held = [run(name, command) for name, command in STEPS.items()]
    with TemporaryDirectory(prefix="croupier-") as folder, run_service(Path(folder) / "data") as (base, _):
        held += [play(client, base) for client in CLIENTS]
        print("TypeScript as the quickstart has it", flush=True)
        (Path(folder) / "quickstart").mkdir()
        held.append(follow_quickstart(base, Path(folder) / "quickstart"))
    return held.count(False)


if __name__ == "__main__":
    sys.exit(main())
